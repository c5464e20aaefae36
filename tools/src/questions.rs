//! Questions about a snapshot, made from its own words; the same seed gives the same questions.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use chrono::Days;
use serde_json::{Value, json};
use snapshots::{Event, Snapshot};

use crate::random::Random;

/// A kind of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// A region and a category.
    Filter,
    /// A region and a word.
    FilterText,
    /// Two words.
    TwoWords,
    /// The beginning of a word.
    Prefix,
    /// A misspelt word.
    Typo,
    /// Words of two records and a region: hardly any record has all, so the closest are asked for.
    Closest,
    /// No filter at all.
    Nothing,
}

/// All kinds of question.
pub const KINDS: [QuestionKind; 7] = [
    QuestionKind::Filter,
    QuestionKind::FilterText,
    QuestionKind::TwoWords,
    QuestionKind::Prefix,
    QuestionKind::Typo,
    QuestionKind::Closest,
    QuestionKind::Nothing,
];

/// A question as a client sends it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Question {
    /// Asks for events; else for places.
    pub events: bool,
    /// Free text.
    pub q: Option<String>,
    /// Name of a region.
    pub region: Option<String>,
    /// Slug of a category.
    pub category: Option<String>,
}

impl Question {
    /// The action of `/v1`, and the tool of `/mcp`, that answers it.
    pub fn action(&self) -> &'static str {
        if self.events { "search_events" } else { "search_places" }
    }

    /// The parameters of the action, for a page of `limit` records.
    pub fn params(&self, limit: usize) -> Value {
        let mut params = json!({ "limit": limit });
        for (name, value) in [("q", &self.q), ("region", &self.region), ("category", &self.category)] {
            if let Some(value) = value {
                params[name] = json!(value);
            }
        }
        params
    }

    /// The body of the request to `/v1`.
    pub fn body(&self, limit: usize) -> String {
        let mut body = self.params(limit);
        body["action"] = json!(self.action());
        body.to_string()
    }
}

/// So many questions of a kind about the snapshot; some may be equal.
pub fn questions(snapshot: &Snapshot, kind: QuestionKind, count: usize, seed: u64) -> Vec<Question> {
    let mut generator = Generator::new(snapshot, seed ^ kind as u64);
    (0..count).map(|_| generator.question(kind)).collect()
}

/// Makes random questions about a snapshot.
pub struct Generator<'a> {
    snapshot: &'a Snapshot,
    /// The events of the first week: the days that are searched by default.
    soon: Vec<&'a Event>,
    random: Random,
}

impl<'a> Generator<'a> {
    /// A generator for this seed.
    pub fn new(snapshot: &'a Snapshot, seed: u64) -> Self {
        let first = snapshot.events.iter().map(|event| event.date).min().unwrap_or_default();
        let soon = snapshot.events.iter().filter(|event| event.date < first + Days::new(7)).collect();
        Self { snapshot, soon, random: Random::new(seed) }
    }

    /// A question of that kind, made from one record's own words, so that nearly all have a result.
    pub fn question(&mut self, kind: QuestionKind) -> Question {
        let random = &mut self.random;
        let event = if random.chance(50) { random.choose(&self.soon) } else { None };
        let place = random.choose(&self.snapshot.places);
        let (name, region, category) = match (event, place) {
            (Some(event), _) => (&event.name, &event.region, &event.category),
            (None, Some(place)) => (&place.name, &place.region, &place.category),
            (None, None) => return Question::default(),
        };
        let words: Vec<String> =
            name.split(' ').filter(|word| word.len() > 2).map(str::to_lowercase).collect();
        let word = random.choose(&words).map_or("bar", String::as_str);
        let question = Question { events: event.is_some(), ..Question::default() };
        match kind {
            QuestionKind::Filter => {
                let broad = if question.events { "musica" } else { "gastronomia" };
                let category = if random.chance(50) { category } else { broad };
                Question { region: Some(region.clone()), category: Some(category.to_owned()), ..question }
            }
            QuestionKind::FilterText => {
                Question { region: Some(region.clone()), q: Some(word.to_owned()), ..question }
            }
            QuestionKind::TwoWords => {
                let other = if random.chance(50) { category } else { region };
                Question { q: Some(format!("{word} {other}")), ..question }
            }
            QuestionKind::Prefix => {
                let letters = 3 + random.below(3);
                Question { q: Some(word.chars().take(letters).collect()), ..question }
            }
            QuestionKind::Typo => {
                let mut letters: Vec<char> = word.chars().collect();
                let at = 1 + random.below(letters.len().saturating_sub(1));
                if let Some(letter) = letters.get_mut(at) {
                    *letter = 'x';
                }
                Question { q: Some(letters.into_iter().collect()), ..question }
            }
            QuestionKind::Closest => {
                let other = random.choose(&self.snapshot.places).map_or("", |place| place.name.as_str());
                let other = other.split(' ').max_by_key(|word| word.len()).unwrap_or_default().to_lowercase();
                let region = random.choose(&self.snapshot.places).map(|place| place.region.clone());
                Question { q: Some(format!("{word} {other}")), region, ..question }
            }
            QuestionKind::Nothing => question,
        }
    }
}

/// Words that frame a question and change nothing in its answer. Many, so that few are needed to make a question new.
const STOP_WORDS: &str = "acho agenda algo alguma aonde around assistir attend best boa boas bom bons can conhecer \
    could curtir dicas does encontrar enjoy entre escutar fazer find friendly from get going good \
    gostaria great happening have hear indica indique legais legal listen looking lugar lugares \
    melhor melhores minha need nice onde ouvir para pela programa quais qual \
    quando queria quero recomenda recommend sabe see some somewhere spot spots sugestao tem ter \
    that there things try uma uns ver visit visitar want watch what when where which with you";

/// Makes each question differ from all before it: the service keeps totals by question, so a repeated question is
/// cheaper than a new one.
pub struct Unrepeated {
    stop_words: Vec<&'static str>,
    asked: HashSet<u64>,
    random: Random,
}

impl Unrepeated {
    /// Remembers no question yet.
    pub fn new(seed: u64) -> Self {
        Self { stop_words: STOP_WORDS.split(' ').collect(), asked: HashSet::new(), random: Random::new(seed) }
    }

    /// The question, or one with the same answer: stop words are put before its text until it is new.
    pub fn vary(&mut self, mut question: Question) -> Question {
        while !self.asked.insert(hash(&question)) {
            let word = self.random.choose(&self.stop_words).copied().unwrap_or_default();
            question.q = Some(match question.q {
                Some(text) => format!("{word} {text}"),
                None => word.to_owned(),
            });
        }
        question
    }
}

fn hash(question: &Question) -> u64 {
    let mut hasher = DefaultHasher::new();
    question.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;
    use index::vocabulary::words::Words;
    use index::{Guide, Query, View};
    use snapshots::{Hidden, check, demo};

    #[test]
    fn varied_questions_are_new_and_end_in_the_same_text() {
        let mut unrepeated = Unrepeated::new(1);
        let question = Question { q: Some("sam".to_owned()), ..Question::default() };
        let varied: HashSet<Question> = (0..5_000).map(|_| unrepeated.vary(question.clone())).collect();
        assert_eq!(varied.len(), 5_000);
        assert!(varied.iter().all(|question| question.q.as_ref().is_some_and(|q| q.ends_with("sam"))));
    }

    #[test]
    fn stop_words_change_no_total() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 21).expect("a date");
        let snapshot = check(&demo::files(), today).expect("the demo");
        let snapshot = snapshot.on(today, &Hidden::default()).expect("dates");
        let guide = Guide::build(&snapshot).expect("an index");
        let total = |text: &str| {
            let words = Words::new(text);
            let query = Query::of(&words, today, View::Full, 20);
            index::search::search(guide.vocabulary(), &guide.places, &query).total
        };
        for text in ["samba", "sushi asa sul"] {
            for word in STOP_WORDS.split(' ') {
                assert_eq!(total(&format!("{word} {text}")), total(text), "{word} {text}");
            }
        }
    }
}
