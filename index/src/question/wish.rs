//! Which parts of a message ask for something: "saí da festa agora, tô com fome, onde tem sanduíche na Asa Sul?" has three,
//! of which the last asks.

use std::ops::Range;

use smallvec::SmallVec;

use crate::grammar::stop_words::{asks_where, is_number, is_relative, joins};
use crate::grammar::tokens::{Separator, Token, ends_sentence};

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its tokens.
    pub(crate) tokens: Range<usize>,
    /// Whether it says what somebody wants.
    pub(crate) asks: bool,
}

/// The parts of a message, in order.
pub(crate) fn parts(tokens: &[Token]) -> SmallVec<[Part; 8]> {
    let starts: SmallVec<[usize; 8]> = (0..tokens.len()).filter(|at| begins(tokens, *at)).collect();
    let ends = starts.iter().skip(1).copied().chain([tokens.len()]);
    let parts = starts.iter().copied().zip(ends).map(|(start, end)| Part {
        tokens: start..end,
        asks: (start..end).any(|at| asks(tokens, start, at)),
    });
    parts.collect()
}

/// Whether a part begins at token `at`: behind the end of a sentence, with a reason, with who does something, or with a
/// wish.
fn begins(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word);
    let Some(before) = at.checked_sub(1).map(word) else { return true };
    let token = &tokens[at];
    let is_apart = token.begins_phrase();
    let is_story = |at: usize| STORY.contains(&word(at)) || (word(at), word(at + 1)) == ("a", "gente");
    let is_governed = is_relative(before) || GOVERNING.contains(&before);
    // "a place I can swim" goes on
    let tells = || matches!((word(at), word(at + 1)), ("eu", _) | ("a", "gente")) && !is_governed;
    ends_sentence(tokens, at)
        || is_apart && (is_story(at) || asks(tokens, at, at))
        || REASONS.contains(&token.word)
        || joins(token.word) && is_story(at + 1)
        || tells()
        || (wants(tokens, at) || asks_for_some(tokens, at)) && !is_governed && !is_negated(tokens, at)
}

/// Whether token `at` of the part that begins at token `start` asks for something.
fn asks(tokens: &[Token], start: usize, at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word);
    let has_colon = tokens.get(at + 1).is_some_and(|next| next.separator == Separator::Colon);
    let is_first = || tokens[start..at].iter().all(|token| token.is_stop_word() || joins(token.word));
    let found = match (word(at), word(at + 1)) {
        _ if asks_for_some(tokens, at) => true,
        ("would" | "d", "love" | "like") | ("o", "que") => true,
        ("tem" | "hay" | "ha" | "existe" | "existem", next) => {
            !is_number(next)
                && (is_first() || SOME.contains(&next))
                && !at.checked_sub(1).is_some_and(|at| is_relative(word(at)))
        }
        (what, next) if ANY_FIRST.contains(&what) => is_first() && next != "s",
        (label, _) if LABELS.contains(&label) && has_colon => true,
        // "a museum where you press buttons"
        ("where", "you" | "they" | "people") => is_first(),
        (word, _) => asks_where(word) || ANY.contains(&word) || wants(tokens, at),
    };
    found && !is_negated(tokens, at)
}

/// Whether somebody asks at token `at` for one of several: "tem alguma", "is there", "me fala um".
fn asks_for_some(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word);
    match (word(at), word(at + 1)) {
        ("is" | "are", "there") => true,
        ("me" | "nos", next) => TELLING.contains(&next),
        ("tem" | "hay" | "ha" | "existe" | "existem", next) => SOME.contains(&next),
        _ => false,
    }
}

/// Whether token `at` says that somebody wants something.
fn wants(tokens: &[Token], at: usize) -> bool {
    WANTING.contains(&tokens[at].word)
}

/// Whether "not" stands before token `at`: "não quero", "I don't need".
fn is_negated(tokens: &[Token], at: usize) -> bool {
    tokens[at.saturating_sub(2)..at].iter().any(|token| NOT.contains(&token.word))
}

/// Words that say what somebody wants, whoever it is.
#[rustfmt::skip]
const WANTING: &[&str] = &[
    "quero", "queria", "queremos", "queriamos", "quer", "querem", "gostaria", "gostariamos", "preciso", "precisamos", "precisava",
    "procuro", "procuramos", "procurando", "busco", "buscamos", "buscando", "quiero", "quisiera", "quisieramos", "quieren", "necesito",
    "necesitamos", "want", "wants", "wanna", "need", "needs", "looking", "craving", "recommend", "suggest", "recomenda", "recomendam",
    "indica", "indicam", "sugere", "recomiendan", "recomiendas", "recomienda",
];

/// Words that ask wherever they stand.
const ANY: &[&str] = &["any", "qual", "quais", "cual", "cuales", "alguem", "alguien", "bora", "partiu"];

/// Words that ask at the beginning of a part.
#[rustfmt::skip]
const ANY_FIRST: &[&str] = &[
    "quem", "quien", "who", "what", "which", "que", "alguma", "algum", "algun", "alguna", "somewhere", "something", "anywhere",
    "anything", "anyone", "anybody", "cade", "kd", "how", "como",
];

/// What somebody is told or given: "me fala um boteco".
#[rustfmt::skip]
const TELLING: &[&str] = &[
    "fala", "falem", "diz", "diga", "digam", "da", "dao", "de", "deem", "passa", "passem", "manda", "mandem", "indica", "indique",
    "recomenda", "recomende", "ajuda", "ajudem", "sugere", "recomiendas", "recomiendan", "dices", "dicen", "leva",
];

/// Words behind "there is" with which it asks.
const SOME: &[&str] = &[
    "algum", "alguma", "alguns", "algumas", "algo", "um", "uma", "uns", "umas", "como", "onde", "algun",
    "alguna", "algunos", "algunas", "un", "una", "alguem", "alguien",
];

/// Names of the field of a form that has the wish.
#[rustfmt::skip]
const LABELS: &[&str] = &[
    "intencao", "intencion", "intent", "intention", "pedido", "busca", "busqueda", "query", "request", "question", "pergunta",
    "pregunta", "need", "wish", "desejo", "deseo", "goal", "objetivo", "task", "tarefa",
];

/// Who does something, or when it was: with these a part begins behind a comma or "and".
#[rustfmt::skip]
const STORY: &[&str] = &[
    "eu", "ele", "ela", "eles", "elas", "minha", "minhas", "meu", "meus", "nossa", "nosso", "ontem", "i", "im", "we", "he", "she", "they",
    "my", "our", "yesterday", "yo", "nosotros", "mi", "mis", "nuestro", "nuestra", "ayer",
];

/// Words that begin a reason or an objection.
#[rustfmt::skip]
const REASONS: &[&str] = &["mas", "but", "pero", "porem", "porque", "pq", "because", "cause", "pois", "since", "senao"];

/// Words behind which who does something, or wants it, goes on with what is asked for: "um lugar pra eu ir".
const GOVERNING: &[&str] =
    &["pra", "para", "se", "quando", "como", "com", "de", "do", "to", "if", "when", "con", "si", "cuando"];

const NOT: &[&str] = &["nao", "n", "not", "dont", "t", "no", "never", "nunca", "nem", "ni"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::tokens::Tokens;

    /// The parts of a text that ask for something.
    fn asking(text: &str) -> Vec<String> {
        let tokens = Tokens::new(text);
        let tokens = tokens.all();
        let text =
            |part: Part| tokens[part.tokens].iter().map(|token| token.word).collect::<Vec<_>>().join(" ");
        parts(&tokens).into_iter().filter(|part| part.asks).map(text).collect()
    }

    #[test]
    fn a_wish_ends_where_somebody_tells_something_else() {
        for (text, wishes) in [
            (
                "saí da festa, tô com fome, onde tem sanduíche na Asa Sul?",
                vec!["onde tem sanduiche na asa sul"],
            ),
            (
                "quero um boteco na Asa Norte, com samba, no sábado",
                vec!["quero um boteco na asa norte com samba no sabado"],
            ),
            ("my dad is asleep. We need a quiet cafe because he snores", vec!["need a quiet cafe"]),
            ("moro em Taguatinga queria almoçar num lugar simples", vec!["queria almocar num lugar simples"]),
            ("they liked a museum where you press buttons. Is there one here?", vec!["is there one here"]),
            ("não quero hambúrguer, não quero pizza", vec![]),
            ("Contexto: casal. Intenção: jazz ao vivo", vec!["intencao jazz ao vivo"]),
            ("um lugar pra eu levar meu pai", vec![]),
            ("minha filha tem 5 anos", vec![]),
            ("me fala um bar e a gente vai", vec!["me fala um bar"]),
            ("caixa d'água, qual é?", vec!["qual e"]),
        ] {
            assert_eq!(asking(text), wishes, "{text}");
        }
    }

    #[test]
    fn the_parts_make_up_the_text() {
        let tokens = Tokens::new("oi, eu queria um bar. mas tem samba? a gente dança e minha mãe olha");
        let tokens = tokens.all();
        let mut next = 0;
        for part in parts(&tokens) {
            assert_eq!(part.tokens.start, next);
            next = part.tokens.end;
        }
        assert_eq!(next, tokens.len());
        assert!(parts(&[]).is_empty());
    }
}
