//! Words with a meaning of their own in a cell: nothing known, no repetition, no price, a status.

use crate::text::fold;

/// Whether a text only says that nothing is known.
pub(crate) fn means_empty(text: &str) -> bool {
    is_no_name(text)
        || [
            "na", "nd", "null", "none", "nenhum", "nenhuma", "nao tem", "nao ha", "nao sei", "vazio",
            "unknown",
        ]
        .contains(&&*fold(text))
}

/// The same of a name, which may be a word that elsewhere says that.
pub(crate) fn is_no_name(text: &str) -> bool {
    let folded = fold(text);
    !folded.is_empty() && folded.chars().all(|c| matches!(c, '-' | '–' | '—' | '?' | '.' | '_' | '/'))
        || [
            "n/a",
            "n.a.",
            "n/d",
            "n.d.",
            "s/n",
            "nao informado",
            "a definir",
            "a confirmar",
            "tbd",
            "tba",
            "sem informacao",
        ]
        .contains(&&*folded)
}

/// The part of the name of a place that says that it has closed: in brackets, or after a dash.
pub(crate) fn closed_in_name(name: &str) -> Option<String> {
    let parts =
        name.split(['(', ')', '[', ']', '–', '—', '*', ':']).flat_map(|part| part.split(" - ")).skip(1);
    let said = parts.map(str::trim).find(|part| {
        let folded = fold(part);
        let first = folded.split_whitespace().next().unwrap_or_default();
        ["fechado", "fechada", "fechou", "encerrado", "encerrada", "extinto", "extinta"].contains(&first)
            || ["closed", "permanently closed"].contains(&&*folded)
    });
    said.map(str::to_owned)
}

/// Whether a text in the column of times says that there is none to name.
pub(crate) fn means_all_day(text: &str) -> bool {
    let folded = fold(text);
    let words = folded.trim_end_matches('.');
    let words = words.strip_prefix("o ").or_else(|| words.strip_prefix("durante o ")).unwrap_or(words);
    [
        "dia todo",
        "dia inteiro",
        "todo o dia",
        "all day",
        "all-day",
        "whole day",
        "dia completo",
        "todo el dia",
    ]
    .contains(&words)
}

/// Whether a text is what Excel shows for a formula with an error, in Portuguese or English.
pub(crate) fn is_formula_error(text: &str) -> bool {
    [
        "#n/d",
        "#n/a",
        "#ref!",
        "#valor!",
        "#value!",
        "#nome?",
        "#name?",
        "#div/0!",
        "#nulo!",
        "#null!",
        "#num!",
        "#despejar!",
        "#spill!",
        "#calc!",
    ]
    .contains(&&*fold(text))
}

/// Whether the column of repetitions says that there is none.
pub(crate) fn means_once(text: &str) -> bool {
    ["nao", "no", "n", "unico", "evento unico", "uma vez", "once", "nao se repete", "never"]
        .contains(&&*fold(text))
}

pub(crate) fn is_free(price: &str) -> bool {
    let folded = fold(price);
    // 0 in the format of accounting
    let without_currency: String = folded.split("r$").flat_map(str::split_whitespace).collect();
    if folded.contains("r$") && ["-", "–"].contains(&&*without_currency) {
        return true;
    }
    let words = folded.trim_end_matches(['.', '!']);
    [
        "gratis",
        "gratuito",
        "gratuita",
        "entrada franca",
        "entrada gratuita",
        "entrada livre",
        "entrada gratis",
        "free",
        "gratis!",
        "free entry",
        "free admission",
        "de graca",
        "0800",
        "franca",
        "r$ 0",
        "r$ 0,00",
        "r$0",
        "r$0,00",
        "evento gratuito",
        "livre",
        "sem custo",
        "gratuitos",
    ]
    .contains(&words)
}

/// How many of [`STATUSES`] a name says too. The words of the others are in the names of too many works.
const IN_NAMES: usize = 3;

/// The words for each status; `None` is "confirmed", which is no status of a record.
const STATUSES: [(&[&str], Option<&str>); 5] = [
    (&["cancelado", "cancelada", "cancelados", "canceladas", "cancelled", "canceled"], Some("cancelled")),
    (
        &[
            "adiado",
            "adiada",
            "adiados",
            "adiadas",
            "postponed",
            "aplazado",
            "aplazada",
            "nova data em breve",
        ],
        Some("postponed"),
    ),
    (
        &[
            "esgotado",
            "esgotada",
            "esgotados",
            "ingressos esgotados",
            "sold out",
            "sold_out",
            "soldout",
            "lotado",
        ],
        Some("sold_out"),
    ),
    (&["suspenso", "suspensa"], Some("cancelled")),
    (&["confirmado", "confirmada", "confirmed", "ok", "ativo", "normal", "mantido", "scheduled"], None),
];

/// The words of a name that say that the event is cancelled, postponed or sold out, and the status.
pub(crate) fn status_in_name(name: &str) -> Option<(String, &'static str)> {
    let words: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let pairs = words.windows(2).map(|pair| pair.join(" "));
    let mut found = words.iter().map(|word| (*word).to_owned()).chain(pairs).filter_map(|said| {
        let folded = fold(&said);
        let (_, status) = STATUSES[..IN_NAMES].iter().find(|(names, _)| names.contains(&&*folded))?;
        Some((said, (*status)?))
    });
    found.next()
}

/// The status that a text names; `Some(None)` for "confirmed", which is no status of a record.
pub(crate) fn status_of(typed: &str) -> Option<Option<&'static str>> {
    let folded = fold(typed);
    let words = folded.trim_matches(['.', '!', '(', ')', '[', ']', '*', ' ']);
    let exact = STATUSES.iter().find(|(names, _)| names.contains(&words));
    let near = || {
        STATUSES.iter().find(|(names, _)| {
            names.iter().any(|name| strsim::osa_distance(name, words) <= 1 && words.chars().count() > 4)
        })
    };
    exact.or_else(near).map(|(_, status)| *status)
}
