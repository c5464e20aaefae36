//! The texts of the weekly letter and of its pages, a table for each language.

use super::Field;

/// The weekly letter and its pages.
pub(crate) struct Letter {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) facts: [&'static str; 3],
    pub(crate) email: Field,
    pub(crate) area: Field,
    /// The choice of no area.
    pub(crate) everywhere: &'static str,
    pub(crate) submit: &'static str,
    pub(crate) sent: &'static str,
    pub(crate) sent_lead: &'static str,
    pub(crate) confirm: &'static str,
    pub(crate) confirm_lead: &'static str,
    pub(crate) confirmed: &'static str,
    pub(crate) confirmed_lead: &'static str,
    pub(crate) unknown: &'static str,
    pub(crate) unknown_lead: &'static str,
    /// A link that was cut off.
    pub(crate) broken: &'static str,
    pub(crate) broken_lead: &'static str,
    pub(crate) ask_again: &'static str,
    pub(crate) stop: &'static str,
    pub(crate) stop_lead: &'static str,
    pub(crate) stopped: &'static str,
    pub(crate) stopped_lead: &'static str,
    /// The subject of the letter, with its first and its last day.
    pub(crate) subject: fn(&str, &str) -> String,
    /// The first sentences of the letter, with the number of events and the area.
    pub(crate) greeting: fn(usize, &str) -> String,
    /// What follows of several events, some of which the curator recommends, or none.
    pub(crate) whole: [&'static str; 2],
    /// The same where an area has next to nothing: the area, how many events it has, and what is said of the whole.
    pub(crate) widened: fn(&str, usize, &str) -> String,
    /// The events that the curator recommends.
    pub(crate) best: &'static str,
}

pub(crate) const PORTUGUESE: Letter = Letter {
    title: "Carta do fim de semana",
    description: "O fim de semana em Brasília no seu e\u{2011}mail, toda quinta às 17h.",
    lead: "O fim de semana em Brasília no seu e\u{2011}mail, toda quinta às 17h: primeiro o que é uau (aonde o curador levaria um amigo), \
           depois o resto.",
    facts: [
        "De graça, sem propaganda e sem rastreio",
        "Só chega depois que você confirma pelo link do primeiro e\u{2011}mail",
        "Para parar: o link de cada carta e um botão; o endereço é apagado na hora",
    ],
    email: Field { label: "E-mail", help: "Só para a carta." },
    area: Field { label: "Área (opcional)", help: "Para mudar depois: pare a carta e peça outra vez." },
    everywhere: "Todo o Plano Piloto",
    submit: "Quero a carta",
    sent: "Confira seu e-mail",
    sent_lead: "Se este endereço ainda não recebe a carta, vai um link para ele. Ela só chega depois que você abrir o link e confirmar.",
    confirm: "Confirmar a carta",
    confirm_lead: "Aperte o botão: se este link ainda vale, a carta chega na próxima quinta às 17h.",
    confirmed: "Confirmado",
    confirmed_lead: "A próxima carta chega na quinta às 17h. Cada uma tem um link para parar.",
    unknown: "Este link não vale mais",
    unknown_lead: "O pedido foi apagado, ou a carta já foi parada. Peça outra vez, se quiser.",
    broken: "Este link não está inteiro",
    broken_lead: "Falta uma parte dele, e assim ele não faz nada. Abra o link outra vez pelo e-mail, ou copie o endereço todo.",
    ask_again: "Pedir a carta",
    stop: "Parar a carta",
    stop_lead: "Aperte o botão, e nada mais chega. Seu endereço é apagado na hora.",
    stopped: "A carta parou",
    stopped_lead: "Nada mais chega, e seu endereço foi apagado.",
    subject: |first, last| format!("o fim de semana, {first} a {last}"),
    greeting: |count, area| match count {
        1 => format!("Olá! {area}, de sexta à noite a domingo: um programa."),
        _ => format!("Olá! {area}, de sexta à noite a domingo: {count} programas."),
    },
    whole: [
        "Os UAU vêm primeiro; a página do fim de semana tem todos.",
        "A página do fim de semana tem todos.",
    ],
    widened: |area, count, whole| {
        let few = match count {
            0 => "nada",
            1 => "só um programa",
            _ => "poucos programas",
        };
        format!("{whole} {area}: {few} neste fim de semana, e por isso a carta vai além.")
    },
    best: "UAU",
};

pub(crate) const ENGLISH: Letter = Letter {
    title: "The weekend letter",
    description: "The weekend in Brasília in your mailbox, each Thursday at 17:00.",
    lead: "The weekend in Brasília in your mailbox, each Thursday at 17:00: first what is uau (where the curator would \
           take a friend), then the rest.",
    facts: [
        "Free of charge, without advertising or tracking",
        "It only comes after you confirm with the link of the first e\u{2011}mail",
        "To stop it: the link in each letter and a button; the address is deleted at once",
    ],
    email: Field { label: "E-mail", help: "For the letter only." },
    area: Field {
        label: "Area (optional)",
        help: "To change it later: stop the letter and ask for it again.",
    },
    everywhere: "All of Plano Piloto",
    submit: "Send me the letter",
    sent: "Check your e-mail",
    sent_lead: "If this address does not get the letter yet, a link is on its way. The letter only comes after you open the link and confirm.",
    confirm: "Confirm the letter",
    confirm_lead: "Press the button: if this link still works, the letter comes next Thursday at 17:00.",
    confirmed: "Confirmed",
    confirmed_lead: "The next letter comes on Thursday at 17:00. Each has a link that ends it.",
    unknown: "This link does not work any more",
    unknown_lead: "The request was deleted, or the letter was stopped. Ask for it again if you like.",
    broken: "This link is not whole",
    broken_lead: "A part of it is missing, so it does nothing. Open the link in the e-mail again, or copy the whole address.",
    ask_again: "Ask for the letter",
    stop: "Stop the letter",
    stop_lead: "Press the button, and nothing else comes. Your address is deleted at once.",
    stopped: "The letter has stopped",
    stopped_lead: "Nothing else comes, and your address is deleted.",
    subject: |first, last| format!("the weekend, {first} to {last}"),
    greeting: |count, area| match count {
        1 => format!("Hello! {area}, Friday evening to Sunday: one event."),
        _ => format!("Hello! {area}, Friday evening to Sunday: {count} events."),
    },
    whole: ["The UAU ones come first; the page of the weekend has all.", "The page of the weekend has all."],
    widened: |area, count, whole| {
        let few = match count {
            0 => "There is nothing",
            1 => "There is only one event",
            _ => "There are few events",
        };
        format!("{whole} {few} in {area} this weekend, so this letter goes beyond it.")
    },
    best: "UAU",
};
