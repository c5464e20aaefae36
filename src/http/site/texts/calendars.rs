//! The texts of the page of calendar addresses, a table for each language.

use crate::http::site::texts::{Field, TokenList};

/// The page of calendar addresses.
pub(crate) struct Calendars {
    pub(crate) title: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) list: TokenList,
    pub(crate) question: Field,
    pub(crate) area: Field,
    pub(crate) make: &'static str,
    pub(crate) plan_region: &'static str,
    pub(crate) too_many: fn(usize) -> String,
    pub(crate) made: &'static str,
    pub(crate) shown_once: &'static str,
    pub(crate) open: &'static str,
    /// What to do in the usual programs.
    pub(crate) steps: [&'static str; 3],
    pub(crate) secret: &'static str,
    /// Of the first steps in the documentation.
    pub(crate) in_docs: &'static str,
    pub(crate) in_docs_how: &'static str,
}

pub(crate) const PORTUGUESE: Calendars = Calendars {
    title: "Endereços de calendário",
    lead: "Os próximos eventos na sua agenda, sempre em dia. O programa de agenda lê um endereço só dele, sem a chave, que mostra o \
           que o seu plano mostra. Cada leitura com novidades conta como uma consulta do mês da conta.",
    list: TokenList {
        none: "Nenhum endereço ainda.",
        columns: ["Endereço", "Criado em", "Revogar"],
        revoke: "Revogar",
    },
    question: Field {
        label: "Pergunta",
        help: "Como na busca: samba, feira, teatro infantil. Vazia, são todos os eventos. A agenda tem os 50 próximos; o que se repete conta uma vez.",
    },
    area: Field {
        label: "Bairro ou região",
        help: "Asa Norte, Taguatinga, 408 Norte. Vazio, é tudo o que o seu plano mostra.",
    },
    make: "Criar um endereço",
    plan_region: "O seu plano mostra só o Plano Piloto. As outras regiões do DF estão nos planos pagos.",
    too_many: |max| format!("A conta já tem {max} tokens e endereços de calendário. Revogue um antes."),
    made: "Seu novo endereço",
    shown_once: "Copie agora: ele não aparece de novo.",
    open: "Abrir no programa de agenda",
    steps: [
        "Google Agenda, no computador: Outras agendas, +, De URL, e cole o endereço.",
        "Apple, no iPhone ou no Mac: Adicionar calendário de assinatura, e cole o endereço.",
        "Outlook: Adicionar calendário, Assinar da Web, e cole o endereço.",
    ],
    secret: "Quem tem o endereço lê o calendário. Se ele for parar com quem não devia, revogue-o e crie outro.",
    in_docs: "Num programa de agenda",
    in_docs_how: "Programas de agenda não mandam cabeçalhos, e uma chave não deve estar num endereço. Para eles há endereços de \
                  calendário: respondem como /v1/events.ics, com os mesmos parâmetros e o que o seu plano mostra, mas sem o parâmetro “to” têm tudo o que \
                  vem, até 50 eventos. Você os revoga quando quiser.",
};

pub(crate) const ENGLISH: Calendars = Calendars {
    title: "Calendar addresses",
    lead: "The next events in your calendar, always current. The calendar program reads an address of its own, without your key, which \
           shows what your plan shows. Each reading that brings something new counts as a call of the month of the account.",
    list: TokenList {
        none: "No addresses yet.",
        columns: ["Address", "Made on", "Revoke"],
        revoke: "Revoke",
    },
    question: Field {
        label: "Question",
        help: "As in the search: samba, street market, theatre for kids. Empty means all events. The calendar holds the next 50; what is repeated counts once.",
    },
    area: Field {
        label: "Area",
        help: "Asa Norte, Taguatinga, 408 Norte. Empty means all that your plan shows.",
    },
    make: "Make an address",
    plan_region: "Your plan shows Plano Piloto only. The other regions of the Federal District are in the paid plans.",
    too_many: |max| format!("The account has {max} tokens and calendar addresses already. Revoke one first."),
    made: "Your new address",
    shown_once: "Copy it now: it is not shown again.",
    open: "Open in the calendar program",
    steps: [
        "Google Calendar, on a computer: Other calendars, +, From URL, and paste the address.",
        "Apple, on an iPhone or a Mac: Add Subscription Calendar, and paste the address.",
        "Outlook: Add calendar, Subscribe from web, and paste the address.",
    ],
    secret: "Whoever has the address reads the calendar. If it reaches somebody who should not have it, revoke it and make another.",
    in_docs: "In a calendar program",
    in_docs_how: "Calendar programs send no headers, and a key must not stand in an address. For them there are calendar addresses: they \
                  answer as /v1/events.ics does, with the same parameters and what your plan shows, but without the parameter “to” they hold all that is \
                  to come, up to 50 events. You revoke them when you like.",
};
