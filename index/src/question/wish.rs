//! Which parts of a message ask for something: "saí da festa agora, tô com fome, onde tem sanduíche na Asa Sul?" has
//! three, of which the last asks.

use std::ops::Range;
use std::sync::LazyLock;

use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::grammar::language::Language;
use crate::grammar::stop_words::{REQUESTS, asks_where, is_number, is_relative, joins};
use crate::grammar::tokens::{Separator, Token, ends_sentence, language};
use crate::question::asides::is_longing;

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
    let role = |token: &Token| ROLES.get(token.word).copied().unwrap_or_default();
    let message = Message { tokens, roles: tokens.iter().map(role).collect(), language: language(tokens) };
    let starts: SmallVec<[usize; 8]> = (0..tokens.len()).filter(|at| message.begins(*at)).collect();
    let ends = starts.iter().skip(1).copied().chain([tokens.len()]);
    let parts = starts.iter().copied().zip(ends).map(|(start, end)| Part {
        tokens: start..end,
        asks: (start..end).any(|at| message.asks(start, at)),
    });
    parts.collect()
}

/// Whether a token is in a part that asks.
pub(crate) fn asks_at(parts: &[Part], token: usize) -> bool {
    parts.iter().any(|part| part.asks && part.tokens.contains(&token))
}

/// What a word does in a message.
#[derive(Clone, Copy, Default)]
struct Role {
    /// It says what somebody wants, whoever it is.
    wants: bool,
    /// It asks wherever it stands.
    asks: bool,
    /// It asks at the beginning of a part.
    asks_first: bool,
    /// Somebody is told or given something: "me fala um boteco".
    tells: bool,
    /// Behind "there is" it asks.
    some: bool,
    /// It names the field of a form that has the wish.
    label: bool,
    /// It says who does something, or when it was: with it a part begins behind a comma or "and".
    story: bool,
    /// It begins a reason or an objection.
    reason: bool,
    /// Behind it who does something, or wants it, goes on with what is asked for: "um lugar pra eu ir".
    governs: bool,
    /// It says "not".
    negates: bool,
}

/// The tokens of a message, with what each does.
struct Message<'m> {
    tokens: &'m [Token<'m>],
    roles: SmallVec<[Role; 32]>,
    language: Language,
}

impl Message<'_> {
    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.word)
    }

    fn role(&self, at: usize) -> Role {
        self.roles.get(at).copied().unwrap_or_default()
    }

    /// Whether a part begins at token `at`: behind the end of a sentence, with a reason, with who does something, or
    /// with a wish.
    fn begins(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        let is_apart = self.tokens[at].begins_phrase();
        let is_we = |at: usize| (self.word(at), self.word(at + 1)) == ("a", "gente");
        let is_story = |at: usize| self.role(at).story || is_we(at);
        let is_governed = is_relative(self.word(before)) || self.role(before).governs;
        // "a place I can swim" goes on
        let tells = self.word(at) == "eu" || is_we(at);
        let wants = self.role(at).wants || self.asks_for_some(at);
        ends_sentence(self.tokens, at)
            || is_apart && (is_story(at) || self.asks(at, at))
            || self.role(at).reason
            || joins(self.word(at)) && is_story(at + 1)
            || (tells || wants && !self.is_negated(at)) && !is_governed
    }

    /// Whether token `at` of the part that begins at token `start` asks for something.
    fn asks(&self, start: usize, at: usize) -> bool {
        let (role, next) = (self.role(at), self.word(at + 1));
        let is_first =
            || self.tokens[start..at].iter().all(|token| token.is_stop_word() || joins(token.word));
        let is_label = || self.tokens.get(at + 1).is_some_and(|next| next.separator == Separator::Colon);
        let found = match (self.word(at), next) {
            _ if role.wants || role.asks || self.asks_for_some(at) => true,
            _ if role.label && is_label() => true,
            // "what a day", "que calor, queria um sorvete"
            ("what", "a") => false,
            ("que", _) => is_first() && self.tokens.get(at + 2).is_some_and(|next| !next.begins_phrase()),
            ("como", "se" | "e" | "eh" | "chama") => true,
            _ if role.asks_first => is_first() && next != "s",
            ("would" | "d", "love" | "like") | ("o", "que") => true,
            (word, next) if is_longing(word, next) => true,
            (word, next) if says_there_is(word) => {
                let before = at.checked_sub(1).map_or("", |before| self.word(before));
                !is_number(next) && is_first() && !is_relative(before)
            }
            // "a museum where you press buttons"
            ("where", "you" | "they" | "people") => is_first(),
            (word, _) => asks_where(word),
        };
        found && !self.is_negated(at)
    }

    /// Whether somebody asks at token `at` for one of several: "tem alguma", "is there", "me fala um".
    fn asks_for_some(&self, at: usize) -> bool {
        match (self.word(at), self.word(at + 1)) {
            ("is" | "are", "there") => true,
            ("me" | "nos", _) => self.role(at + 1).tells,
            (word, _) if says_there_is(word) => self.role(at + 1).some,
            _ => false,
        }
    }

    /// Whether "not" stands before token `at`: "não quero", "I don't need".
    fn is_negated(&self, at: usize) -> bool {
        let before =
            (at.saturating_sub(2)..at).rev().take_while(|before| !self.tokens[before + 1].begins_phrase());
        let negates = |before: usize| match self.word(before) {
            // Portuguese "no" is "in the", and "408 N" a block
            "no" => self.language != Language::Portuguese,
            "n" => before.checked_sub(1).is_none_or(|number| !is_number(self.word(number))),
            _ => self.role(before).negates,
        };
        before.into_iter().any(negates)
    }
}

fn says_there_is(word: &str) -> bool {
    matches!(word, "tem" | "hay" | "ha" | "existe" | "existem")
}

/// A field of [`Role`].
type Field = fn(&mut Role) -> &mut bool;

static ROLES: LazyLock<HashMap<&str, Role>> = LazyLock::new(|| {
    let lists: [(&[&'static str], Field); 11] = [
        (WANTING, |role| &mut role.wants),
        (REQUESTS, |role| &mut role.wants),
        (ANY, |role| &mut role.asks),
        (ANY_FIRST, |role| &mut role.asks_first),
        (TELLING, |role| &mut role.tells),
        (SOME, |role| &mut role.some),
        (LABELS, |role| &mut role.label),
        (STORY, |role| &mut role.story),
        (REASONS, |role| &mut role.reason),
        (GOVERNING, |role| &mut role.governs),
        (NOT, |role| &mut role.negates),
    ];
    let mut roles: HashMap<&str, Role> = HashMap::new();
    for (words, field) in lists {
        for word in words {
            *field(roles.entry(word).or_default()) = true;
        }
    }
    roles
});

/// [`Role::wants`].
#[rustfmt::skip]
const WANTING: &[&str] = &[
    "quero", "queria", "queremos", "queriamos", "quer", "querem", "gostaria", "gostariamos", "preciso", "precisamos", "precisava",
    "procuro", "procuramos", "procurando", "busco", "buscamos", "buscando", "quiero", "quisiera", "quisieramos", "quieren", "necesito",
    "necesitamos", "want", "wants", "wanna", "need", "needs", "looking", "craving",
];

/// [`Role::asks`].
const ANY: &[&str] = &["any", "qual", "quais", "cual", "cuales", "alguem", "alguien", "bora", "partiu"];

/// [`Role::asks_first`].
#[rustfmt::skip]
const ANY_FIRST: &[&str] = &[
    "quem", "quien", "who", "what", "which", "alguma", "algum", "algun", "alguna", "somewhere", "something", "anywhere",
    "anything", "anyone", "anybody", "cade", "kd",
];

/// [`Role::tells`].
#[rustfmt::skip]
const TELLING: &[&str] = &[
    "fala", "falem", "diz", "diga", "digam", "da", "dao", "de", "deem", "passa", "passem", "manda", "mandem", "indica", "indique",
    "recomenda", "recomende", "ajuda", "ajudem", "sugere", "recomiendas", "recomiendan", "dices", "dicen", "leva",
];

/// [`Role::some`].
const SOME: &[&str] = &[
    "algum", "alguma", "alguns", "algumas", "algo", "como", "onde", "algun", "alguna", "algunos", "algunas",
    "alguem", "alguien",
];

/// [`Role::label`].
#[rustfmt::skip]
const LABELS: &[&str] = &[
    "intencao", "intencion", "intent", "intention", "pedido", "busca", "busqueda", "query", "request", "question", "pergunta",
    "pregunta", "need", "wish", "desejo", "deseo", "goal", "objetivo", "task", "tarefa",
];

/// [`Role::story`].
#[rustfmt::skip]
const STORY: &[&str] = &[
    "eu", "ele", "ela", "eles", "elas", "minha", "minhas", "meu", "meus", "nossa", "nosso", "ontem", "i", "im", "we", "he", "she", "they",
    "my", "our", "yesterday", "yo", "nosotros", "mi", "mis", "nuestro", "nuestra", "ayer",
];

/// [`Role::reason`].
#[rustfmt::skip]
const REASONS: &[&str] = &["mas", "but", "pero", "porem", "porque", "pq", "because", "cause", "pois", "since", "senao"];

/// [`Role::governs`].
const GOVERNING: &[&str] =
    &["pra", "para", "se", "quando", "como", "com", "de", "do", "to", "if", "when", "con", "si", "cuando"];

/// [`Role::negates`].
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
            ("el hotel no tiene cocina. Me muero x una pizza", vec!["me muero x una pizza"]),
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
