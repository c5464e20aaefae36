//! Questions that ask for anything at all: "o que fazer na Asa Norte enquanto espero", "somewhere to go near the
//! airport during a layover". What else they say is a reason, and no subject that the guide would have to know.

use crate::grammar::tokens::Token;

/// Whether the words ask for anything: a word that leaves the thing open, then a verb of going out without an object,
/// or what there is, without a subject.
pub(crate) fn asks_for_anything(tokens: &[Token]) -> bool {
    let ends = |at: usize| tokens.get(at).is_none_or(|next| AFTER_VERB.contains(&next.word));
    (0..tokens.len()).filter(|at| OPEN.contains(&tokens[*at].word)).any(|at| {
        // "tem de bom", "o que dá"
        let behind_fillers = |until: &'static [&'static str]| {
            let is_filler = |token: &Token| {
                token.is_stop_word() || token.is_clipped() || matches!(token.word, "de" | "da")
            };
            let rest = tokens[at + 1..].iter().take(MOST_BETWEEN);
            at + 1 + rest.take_while(|token| is_filler(token) && !until.contains(&token.word)).count()
        };
        let (verb, place) = (behind_fillers(VERBS), behind_fillers(AFTER_VERB));
        // "onde tem aqui perto pneu" names its subject later
        let is_there = || {
            WHAT.contains(&tokens[at].word)
                && tokens[at + 1..place].iter().any(|token| THERE_IS.contains(&token.word))
        };
        tokens.get(verb).is_some_and(|token| VERBS.contains(&token.word)) && ends(verb + 1)
            || place < tokens.len() && ends(place) && is_there()
    })
}

/// Whether a word leaves the thing open: beside what is excluded, "something" is anything else.
pub(crate) fn leaves_open(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| OPEN.contains(&token.word))
}

/// Whether a word asks for whatever there is: "dicas", "what's on", "eventos".
pub(crate) fn asks_openly(tokens: &[Token]) -> bool {
    leaves_open(tokens) || tokens.iter().any(|token| ASKING.contains(&token.word))
}

/// How many words may stand between that word and the verb: "lugar bonito pra gente ir".
const MOST_BETWEEN: usize = 5;

/// Words that leave open which thing is wanted.
#[rustfmt::skip]
const OPEN: &[&str] = &[
    "que", "q", "oq", "algo", "coisa", "coisas", "lugar", "lugares", "lugarzinho", "local", "locais", "onde", "aonde", "adonde", "programa",
    "what", "something", "anything", "somewhere", "anywhere", "where", "thing", "things", "place", "places", "spot", "spots",
    "donde", "cosa", "cosas", "sitio", "sitios",
];

/// Words that ask for whatever there is.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "acontece", "acontecem", "acontecendo", "actividad", "actividades", "activities", "activity", "agenda", "atividade", "atividades", "best",
    "dica", "dicas", "event", "evento", "eventos", "events", "guia", "guide", "ha", "happening", "hay", "imperdible", "imperdibles",
    "imperdiveis", "imperdivel", "indicacao", "indicacoes", "itinerario", "itinerary", "mejor", "mejores", "melhor", "melhores", "must", "novidade",
    "novidades", "opcao", "opcoes", "option", "options", "passear", "programacao", "programas", "recomendacao", "recomendacion", "recomendaciones",
    "recomendacoes", "recomende", "recommend", "recommendation", "recommendations", "rola", "rolando", "role", "roles", "rolezinho", "roteiro",
    "roteiros", "sair", "salir", "special", "sugerencia", "sugestao", "sugestoes", "suggest", "suggestion", "suggestions", "surpreenda", "surprise",
    "sorprendeme", "tem", "tip", "tips", "top", "unmissable", "visit", "visitar",
];

/// What one does there, whatever it is.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "fazer", "ir", "ver", "visitar", "conhecer", "sair", "passear", "curtir", "levar",
    "do", "go", "see", "visit", "enjoy", "take",
    "hacer", "conocer", "salir", "pasear", "llevar",
];

/// Words that are themselves the thing.
const WHAT: &[&str] = &["que", "q", "oq", "what", "algo", "something", "anything"];

/// Words for what there is.
const THERE_IS: &[&str] = &["tem", "ha", "rola", "rolando", "is", "s", "there", "hay"];

/// What follows a verb without an object: where, when, with whom, why.
#[rustfmt::skip]
const AFTER_VERB: &[&str] = &[
    "em", "no", "na", "nos", "nas", "pelo", "pela", "por", "perto", "aqui", "ali", "com", "pra", "para", "enquanto", "antes",
    "depois", "durante", "entre", "hoje", "amanha", "nesse", "nesta", "neste", "se", "quando", "e",
    "in", "at", "on", "near", "nearby", "around", "close", "here", "with", "while", "before", "after", "during", "between",
    "for", "if", "when", "today", "tonight", "tomorrow", "this", "and",
    "en", "cerca", "aca", "con", "mientras", "despues", "hoy", "manana", "esta", "este", "si", "cuando", "y",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::tokens::Tokens;

    #[test]
    fn a_verb_without_an_object_asks_for_anything() {
        for (text, expected) in [
            ("o que fazer na asa norte enquanto espero meu voo", true),
            ("me indica um lugar bonito pra gente ir com minha sogra", true),
            ("two free hours between meetings, something to see", true),
            ("what to do in Taguatinga while my car is fixed", true),
            ("un lugar para ir en Taguatinga antes de viajar", true),
            ("onde ver capivaras", false),
            ("what can I do there: rappelling", false),
            ("lugar que vende pneu em Ceilândia", false),
            ("o q tem pra conhecer por lá?", true),
            ("conserto de guarda-chuva na asa norte", false),
            ("o que tem de bom na Fercal? fui transferido", true),
            ("que tem de bom pra fazer na Fercal, fui transferido", true),
            ("what's good in Fercal? I was transferred", true),
            ("qué hay en el Gama? me trasladaron", true),
            ("what is a good plumber in Gama", false),
            ("onde tem conserto de celular no Gama", false),
            ("o que tem", false),
            ("onde tem aqui perto pneu", false),
            ("conexão longa, o que dá pra visitar?", true),
        ] {
            assert_eq!(asks_for_anything(&Tokens::new(text).all()), expected, "{text}");
        }
    }
}
