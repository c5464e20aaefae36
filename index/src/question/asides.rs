//! Words of a question that ask for nothing: greetings, what somebody does not know, how they travel, what time they
//! have, and what is to be written of each record.

use std::ops::Range;

use crate::grammar::dates::is_number_in_words;
use crate::grammar::language::Language;
use crate::grammar::stop_words::{is_from, is_in, is_number, is_spare_time};
use crate::grammar::tokens::{Separator, Token};

/// How many tokens from token `at` on ask for nothing; `None` when they may be a wish.
pub(crate) fn aside(tokens: &[Token], at: usize, language: Language) -> Option<usize> {
    greeting(tokens, at, language)
        .or_else(|| ignorance(tokens, at, language))
        .or_else(|| remark(tokens, at, language))
        .or_else(|| is_of_time(tokens, at).then_some(1))
}

/// "Boa noite, queria um bar" greets, and "boa noite em Taguatinga" is a wish.
fn greeting(tokens: &[Token], at: usize, language: Language) -> Option<usize> {
    let next = tokens.get(at + 1)?;
    let is_greeting = matches!(
        (tokens[at].word, next.word),
        ("bom", "dia")
            | ("boa", "tarde" | "noite")
            | ("boas", "tardes" | "noites")
            | ("good", "morning" | "afternoon" | "evening" | "night")
            | ("buen", "dia")
            | ("buenos", "dias")
            | ("buenas", "tardes" | "noches")
            | ("tudo" | "td", "bem" | "bom" | "certo")
            | ("how", "are")
    );
    if !is_greeting || next.separator != Separator::Space {
        return None;
    }
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word);
    let is_greeted = |at: usize| GREETED.contains(&word(at));
    let has_preposition = matches!(word(at + 2), "a" | "pra" | "para" | "com") && is_greeted(at + 3);
    let greeted = at + 2 + usize::from(has_preposition);
    let end = greeted + usize::from(is_greeted(greeted));
    let greets = |token: &Token| HELLOS.contains(&token.word) || GREETED.contains(&token.word);
    let is_first = || tokens[..at].iter().all(greets);
    let is_no_wish = match tokens.get(end) {
        None => at > 0 && tokens[at].begins_phrase(),
        Some(next) if next.begins_phrase() => is_first(),
        Some(next) => {
            is_first()
                && !is_in(next.word)
                && !is_from(next.word)
                && !GOES_ON.contains(&next.word)
                // "good evening shows"
                && (language != Language::English || !EVENING_NOUNS.contains(&next.word))
        }
    };
    is_no_wish.then_some(end - at)
}

/// "Não sei o que fazer", "I don't know anybody here", "sem plano nenhum".
fn ignorance(tokens: &[Token], at: usize, language: Language) -> Option<usize> {
    let word = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.word);
    let taken = match (word(0), word(1), word(2)) {
        ("don", "t", "know") => 3,
        ("dont", "know", _) => 2,
        ("nao" | "n", "sei" | "sabemos" | "conheco" | "conhecemos" | "conhece" | "conhecem", _) => 2,
        ("no", "conozco" | "conocemos", _) => 2,
        ("no", "sabemos", _) if language == Language::Spanish => 2,
        // "donde no se baila samba"
        ("no", "se", "que" | "donde" | "adonde" | "como" | "si" | "cual" | "nada") => 2,
        ("no", "idea", _) | ("sei", "la", _) => 2,
        ("sem", "plano" | "planos" | "programa" | "compromisso" | "rumo" | "pressa", _) => 2,
        ("sin", "plan" | "planes" | "prisa" | "rumbo", _) | ("no" | "without", "plans", _) => 2,
        ("nao", "faco" | "tenho", "ideia") | ("no", "tengo", "idea") => 3,
        ("esqueci" | "esquecemos" | "esqueco" | "forgot" | "forget" | "olvide", _, _) => 1,
        ("nao" | "n", "lembro" | "lembramos", _) | ("no", "recuerdo", _) => 2,
        ("nao" | "n" | "no", "me", "lembro" | "recordo" | "acuerdo") => 3,
        ("don" | "can", "t", "remember" | "recall") => 3,
        ("dont" | "cant", "remember" | "recall", _) => 2,
        _ => return None,
    };
    let objects = (taken..).take_while(|ahead| UNKNOWN_OBJECTS.contains(&word(*ahead))).count();
    // "esqueci o nome do bar" asks for a bar
    let has_article = matches!(word(taken), "o" | "the" | "el" | "its");
    let is_name = matches!(word(taken + usize::from(has_article)), "nome" | "name" | "nombre");
    Some(taken + objects.max(if is_name { 1 + usize::from(has_article) } else { 0 }))
}

/// "O que tiver", "we fly out on Monday", "não abro mão de", behind which stands what somebody does want; "¿dónde
/// queda?" and "do I buy tickets?", which ask about it.
fn remark(tokens: &[Token], at: usize, language: Language) -> Option<usize> {
    let word = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.word);
    let before = || at.checked_sub(1).map_or("", |before| tokens[before].word);
    match (word(0), word(1), word(2)) {
        ("lo", "que", "haya" | "sea") | ("o", "que", "tiver" | "for" | "houver") => Some(3),
        ("nao", "abro" | "abre" | "abrimos", "mao") => Some(3),
        ("fly", "in" | "out" | "home" | "back", _) | ("we" | "i", "land", _) => Some(2),
        ("pelo", "amor", "de") => Some(4),
        // "dizem que aqui não tem samba" asks for samba
        ("nao" | "n" | "no", "tem" | "ha" | "hay", _) if matches!(before(), "aqui" | "ca" | "aca") => Some(2),
        // verbs, and no lecture, show or park
        ("to", "talk" | "chat", _) => Some(2),
        ("that" | "who", "shows", _) if !before().is_empty() => Some(2),
        ("play", _, _) if PLAYERS.contains(&before()) => Some(1),
        // "tô doido pra sambar", "dying for sushi"
        (longing, to, _) if is_longing(longing, to) => Some(1),
        ("get" | "gets" | "getting", "off", "work") => Some(3),
        ("get" | "gets" | "getting", "off", _) => Some(2),
        // "jantar fora", but not "fora da Asa Sul"
        ("fora", next, _) if !is_from(next) && EATING.contains(&before()) => Some(1),
        // "uma amiga de fora"
        ("de", "fora", next) if !is_from(next) => Some(2),
        // "está todo cerrado" asks for no savanna
        ("todo", "cerrado" | "fechado", _) | ("tudo", "fechado", _) | ("everything", "closed", _) => Some(2),
        ("everything", "is" | "s", "closed") => Some(3),
        (
            "welcomes" | "receives" | "recebe" | "recebem" | "receba" | "aceita" | "recibe" | "reciben"
            | "acepta",
            "visitors" | "tourists" | "visitantes" | "visitas" | "turistas",
            _,
        ) => Some(2),
        ("buy" | "get", "ticket" | "tickets", _) => Some(2),
        ("buy" | "get", "a" | "the", "ticket" | "tickets") => Some(3),
        ("comprar", "ingresso" | "ingressos" | "entrada" | "entradas" | "boletos", _) => Some(2),
        // in Portuguese and before water it falls
        ("queda" | "quedan", next, _) if language == Language::Spanish && next != "de" => Some(1),
        _ => None,
    }
}

/// Whether two words say that somebody longs for what follows: "doido pra sambar", "dying for sushi", "me muero por".
pub(crate) fn is_longing(word: &str, next: &str) -> bool {
    LONGING.contains(&word) && matches!(next, "pra" | "para" | "por" | "pelo" | "pela" | "x" | "for" | "to")
}

/// Whether a token says that time is free, or is counted time: "tenho uma hora livre", "some free time", "two nights".
/// What costs nothing is not meant, nor what has the word in its name.
fn is_of_time(tokens: &[Token], at: usize) -> bool {
    let before = || at.checked_sub(1).map_or("", |before| tokens[before].word);
    match tokens[at].word {
        // how long somebody stays is no night out: "hostel, two nights"
        "nights" | "noites" | "noches" => {
            is_number(before()) || at.checked_sub(1).is_some_and(|at| is_number_in_words(&tokens[at]))
        }
        "livre" | "livres" | "libre" | "libres" => {
            tokens[at].separator == Separator::Space && is_spare_time(before())
        }
        "free" => tokens.get(at + 1).is_some_and(|next| is_spare_time(next.word)),
        _ => false,
    }
}

/// The tokens that name what is to be written of each record, if a list of that begins at token `at`: "with name, venue
/// and start time". One thing alone may be a wish.
pub(crate) fn wanted_fields(tokens: &[Token], at: usize) -> Option<Range<usize>> {
    if !OPENINGS.contains(&tokens[at].word) {
        return None;
    }
    let is_field = |at: usize| tokens.get(at).is_some_and(|token| FIELDS.contains(&token.word));
    let is_joiner = |at: usize| tokens.get(at).is_some_and(|token| JOINERS.contains(&token.word));
    let mut end = at + 1;
    while is_field(end) || is_joiner(end) {
        end += 1;
    }
    let begins = |field: &usize| {
        is_field(*field) && (!is_field(*field - 1) || tokens[*field].separator == Separator::Comma)
    };
    let is_whole = tokens.get(end).is_none_or(Token::begins_phrase);
    (is_whole && (at + 1..end).filter(begins).count() > 1).then_some(at..end)
}

/// Words of who longs for something.
#[rustfmt::skip]
const LONGING: &[&str] = &[
    "doido", "doida", "doidos", "louco", "louca", "loucos", "maluco", "maluca", "loco", "loca", "seco", "seca", "muero", "morimos",
    "morro", "morrendo", "dying", "desperate", "crazy",
];

/// Behind these words somebody plays, and no play is asked for.
const PLAYERS: [&str; 12] =
    ["to", "can", "could", "i", "we", "you", "they", "people", "kids", "children", "bands", "musicians"];

/// What is done out.
const EATING: [&str; 4] = ["comer", "almocar", "jantar", "lanchar"];

/// Words before which or between which a greeting stands.
#[rustfmt::skip]
const HELLOS: &[&str] = &[
    "oi", "oie", "ola", "opa", "eai", "e", "ai", "fala", "alo", "moco", "moca", "por", "favor", "entao", "muito", "hey",
    "hi", "hello", "hola", "muy", "bom", "boa", "boas", "dia", "tarde", "tardes", "noite", "noites", "tudo", "td", "bem",
    "certo", "good", "morning", "afternoon", "evening", "how", "are", "buen", "buenos", "buenas", "dias", "noches",
];

/// Who is greeted.
#[rustfmt::skip]
const GREETED: &[&str] = &[
    "todos", "todas", "voces", "vcs", "voce", "gente", "pessoal", "galera", "you", "all", "everyone", "everybody", "guys", "folks",
];

/// Words behind which "boa noite" is a wish: "boa noite para dançar".
const GOES_ON: &[&str] = &["para", "pra", "com", "con", "with", "e", "y", "ou", "and", "se"];

/// Nouns, and words before them, with which "good evening" and "good night" are a wish: "good evening shows".
#[rustfmt::skip]
const EVENING_NOUNS: &[&str] = &[
    "show", "shows", "event", "events", "activity", "activities", "spot", "spots", "place", "places", "walk", "walks", "view", "views",
    "plan", "plans", "program", "programs", "party", "parties", "out", "life", "club", "clubs", "bar", "bars", "music", "fair", "fairs",
    "market", "markets", "of", "for", "entertainment",
];

/// What somebody does not know, or how much: "não conheço ninguém", "não conheço muito".
#[rustfmt::skip]
const UNKNOWN_OBJECTS: &[&str] = &[
    "nada", "nenhum", "nenhuma", "ninguem", "ninguno", "ninguna", "nadie", "nothing", "anything", "anybody", "anyone", "muito", "muita", "mucho", "much", "bem", "bien", "well",
    "direito",
];

/// Words before a list of fields.
#[rustfmt::skip]
const OPENINGS: &[&str] = &[
    "with", "com", "con", "return", "returning", "include", "including", "incluindo", "incluyendo",
];

/// Words between the fields of a list.
#[rustfmt::skip]
const JOINERS: &[&str] = &["and", "e", "y", "the", "its", "their", "o", "a", "os", "as", "el", "la", "of", "de", "do", "da"];

/// Fields of records, as people and agents name them.
#[rustfmt::skip]
const FIELDS: &[&str] = &[
    "name", "names", "nome", "nomes", "nombre", "nombres", "title", "titulo", "venue", "venues", "start", "time", "times", "date",
    "dates", "data", "datas", "fecha", "fechas", "day", "days", "dia", "dias", "address", "addresses", "endereco", "enderecos",
    "direccion", "direcciones", "price", "prices", "preco", "precos", "precio", "precios", "link", "links", "url", "urls", "site",
    "website", "hours", "hora", "horas", "horario", "horarios", "opening", "location", "local", "neighborhood", "neighbourhood",
    "bairro", "barrio", "region", "regiao", "phone", "telefone", "telefono", "description", "descricao", "descripcion", "category",
    "categoria", "id", "ids", "coordinates", "coordenadas",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::tokens::{Tokens, language};

    /// The words of a text that ask for nothing.
    fn asides(text: &str) -> String {
        let tokens = Tokens::new(text);
        let tokens = tokens.all();
        let spoken = language(&tokens);
        let mut skipped = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let taken = aside(&tokens, at, spoken);
            skipped.extend(tokens[at..at + taken.unwrap_or(0)].iter().map(|token| token.word));
            at += taken.unwrap_or(1);
        }
        skipped.join(" ")
    }

    #[test]
    fn greetings_and_ignorance_ask_for_nothing() {
        for (text, expected) in [
            ("boa noite, tem samba?", "boa noite"),
            ("Oi, bom dia! Tudo bem? Padarias", "bom dia tudo bem"),
            ("boa noite tô com visita, queria um bar", "boa noite"),
            ("good evening, any jazz", "good evening"),
            ("Buenas tardes. Museos", "buenas tardes"),
            ("hey, how are you? sushi", "how are you"),
            ("um bar na asa norte, boa noite", "boa noite"),
            ("boa noite", ""),
            ("boa noite em Taguatinga", ""),
            ("boa noite para dançar", ""),
            ("good evening shows in town", ""),
            ("sushi e uma boa noite", ""),
            ("o que fazer na Fercal? não conheço nada", "nao conheco nada"),
            ("I don't know anybody here, bars", "don t know anybody"),
            ("não sei onde comer pizza", "nao sei"),
            ("no sé qué hacer hoy", "no se"),
            ("bar no setor sul", ""),
            ("bar donde no se baila samba", ""),
            ("boa noite a todos, onde tem pizza?", "boa noite a todos"),
            ("moço, boa noite a gente quer pizza", "boa noite a gente"),
            ("good evening I want sushi", "good evening"),
            ("good morning folks, any pizza", "good morning folks"),
            ("tudo bem se for longe", ""),
            ("não faço ideia de onde comer", "nao faco ideia"),
            ("tenho uma hora livre na Asa Sul", "livre"),
            ("free time on sunday", "free"),
            ("hostel, two nights", "nights"),
            ("dónde queda la catedral", "queda"),
            ("poza y queda de agua en el río", ""),
            ("queda d'água", ""),
            ("do I need to buy tickets for the parade", "buy tickets"),
            ("onde comprar ingresso para o teatro", "comprar ingresso"),
            ("buy gifts", ""),
            ("jazz, pelo amor de deus", "pelo amor de deus"),
            ("free museums", ""),
            ("aquele bar com vista, esqueci o nome", "esqueci o nome"),
            ("esqueci o nome do bar do lago", "esqueci o nome"),
            ("a café in the park, I can't remember the name", "can t remember the name"),
            ("tô doido pra sambar", "doido"),
            ("dizem que aqui não tem samba", "nao tem"),
            ("lugar que não tem samba", ""),
            ("a place to talk that shows art", "to talk that shows"),
            ("I'm dying for sushi", "dying"),
            ("me muero por una pizza", "muero"),
            ("a place where we play chess", "play"),
            ("where to watch a play", ""),
        ] {
            assert_eq!(asides(text), expected, "{text}");
        }
    }

    #[test]
    fn a_list_of_what_to_write_has_two_things_and_an_end() {
        for (text, expected) in [
            ("fairs with name, venue and start time", "with name venue and start time"),
            ("museus com nome e endereço, por favor", "com nome e endereco"),
            ("museums with opening hours", ""),
            ("bar com nome e endereço chique", ""),
            ("venue with a view", ""),
        ] {
            let tokens = Tokens::new(text);
            let tokens = tokens.all();
            let found = (0..tokens.len()).find_map(|at| wanted_fields(&tokens, at)).unwrap_or_default();
            let found: Vec<&str> = tokens[found].iter().map(|token| token.word).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
