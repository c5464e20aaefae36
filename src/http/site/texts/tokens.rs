//! The texts of the page of browser tokens, a table for each language.

use crate::http::site::texts::{Field, TokenList};

/// The page of browser tokens.
pub(crate) struct Tokens {
    pub(crate) title: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) list: TokenList,
    pub(crate) origins: Field,
    pub(crate) make: &'static str,
    pub(crate) bad_origins: &'static str,
    pub(crate) too_many: fn(usize) -> String,
    pub(crate) made: &'static str,
    pub(crate) shown_once: &'static str,
    pub(crate) how: &'static str,
    /// Of the first steps in the documentation.
    pub(crate) in_a_page: &'static str,
    pub(crate) in_a_page_how: &'static str,
}

pub(crate) const PORTUGUESE: Tokens = Tokens {
    title: "Tokens de navegador",
    lead: "Para consultar o guia de uma página, sem mostrar a chave. Um token só funciona nas origens que você indicar, mostra só os \
           campos básicos e tem um limite próprio por minuto. As consultas contam no mês da conta.",
    list: TokenList {
        none: "Nenhum token ainda.",
        columns: ["Token", "Origens", "Revogar"],
        revoke: "Revogar",
    },
    origins: Field {
        label: "Origens das páginas",
        help: "Uma por linha, até dez, como https://exemplo.com.br; http só para localhost.",
    },
    make: "Criar um token",
    bad_origins: "Escreva de uma a dez origens como https://exemplo.com.br, sem caminho; http só vale para localhost, 127.0.0.1 e [::1].",
    too_many: |max| format!("A conta já tem {max} tokens e endereços de calendário. Revogue um antes."),
    made: "Seu novo token",
    shown_once: "Copie agora: ele não aparece de novo.",
    how: "Mande-o no cabeçalho x-browser-token.",
    in_a_page: "Numa página da web",
    in_a_page_how: "Uma chave numa página é de quem abre a página. No lugar dela, use um token de navegador: ele só funciona nas \
                    origens que você indicar, mostra só os campos básicos, e você o revoga quando quiser.",
};

pub(crate) const ENGLISH: Tokens = Tokens {
    title: "Browser tokens",
    lead: "To ask the guide from a web page without showing your key. A token works only at the origins that you name, shows the basic \
           fields only, and has a limit a minute of its own. Its calls count against the month of the account.",
    list: TokenList { none: "No tokens yet.", columns: ["Token", "Origins", "Revoke"], revoke: "Revoke" },
    origins: Field {
        label: "Origins of the pages",
        help: "One a line, ten at most, like https://example.com; http for localhost only.",
    },
    make: "Make a token",
    bad_origins: "Write one to ten origins like https://example.com, without a path; http works for localhost, 127.0.0.1 and [::1] only.",
    too_many: |max| format!("The account has {max} tokens and calendar addresses already. Revoke one first."),
    made: "Your new token",
    shown_once: "Copy it now: it is not shown again.",
    how: "Send it in the header x-browser-token.",
    in_a_page: "In a web page",
    in_a_page_how: "A key in a web page belongs to whoever opens the page. Use a browser token instead: it works only at the origins \
                    that you name, shows the basic fields only, and you revoke it when you like.",
};
