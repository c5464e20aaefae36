//! Finds the place to search from: the one that `near` names, or that a question names after "perto de", "near", "cerca
//! de".
//!
//! A place is an address, a landmark, an area or a record. A record stands where the caller's view shows it, and one
//! that the caller may not see is unknown, so that no answer tells more of it than its own fields do.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::ops::Range;

use snapshots::is_id;
use snapshots::positions::{Degrees, Position};

use crate::Guide;
use crate::grammar::fixed_words::is_stop_word;
use crate::grammar::fold::fold;
use crate::grammar::language::Language;
use crate::grammar::operators::{DISTANCES, Operator};
use crate::grammar::stop_words::{arrives_at, asks_where, is_in, is_street};
use crate::grammar::tokens::{Separator, Token, language, operator};
use crate::question::introductions::origin;
use crate::question::name_parts::MAX_NAME_WORDS;
use crate::question::near::{ANYWHERE, Caller, Near, NearError, NearPhrase};
use crate::records::collection::Collection;
use crate::records::positions::{KnownBy, Location, SPOT};
use crate::vocabulary::node_ids::{AreaId, ids};
use crate::vocabulary::regions::{most_alike, resolve};
use crate::vocabulary::words::{Piece, Words, area_piece, phrase, phrase_of, phrases_of, piece};
use crate::vocabulary::{ArchivedMeaning, AreaIds, EVERYWHERE};

/// How exactly a point that a caller sends is meant, in metres.
const OWN_PRECISION: u32 = 10;

/// A place that begins at some word.
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) location: Location,
    /// The area, if it is one, or no more of it is known.
    pub(crate) area: Option<AreaId>,
    /// An area that it lies in, if one is known.
    lies_in: Option<AreaId>,
    /// The areas of one name: "Setor Hoteleiro" is the northern and the southern one.
    several: AreaIds,
    /// How many words name it.
    pub(crate) taken: usize,
    /// Whether they are the beginning of its name alone.
    is_part: bool,
    /// Whether no more is known of it than a wide area.
    is_vague: bool,
    /// Whether it is a record.
    is_record: bool,
}

impl Place {
    pub(crate) fn new(name: String, location: Location, taken: usize) -> Self {
        let (several, is_part) = (AreaIds::new(), false);
        Self {
            name,
            location,
            area: None,
            lies_in: None,
            several,
            taken,
            is_part,
            is_vague: false,
            is_record: false,
        }
    }
}

/// A word that more records have names none of them; those of a chain share one.
pub(crate) const MOST_NAMED: usize = 4;

/// Words for where the caller is.
const HERE: [&str; 6] = ["mim", "me", "mi", "daqui", "aqui", "here"];

/// Words for "near" whose place follows behind "to": "nearest park to the airport".
const NEAREST: [&str; 2] = ["nearest", "closest"];

/// After so many words for "near" that say nothing of where, no further one is looked at.
const MOST_NEAR: usize = 3;

/// No operator has more words.
const LONGEST_OPERATOR: usize = 6;

/// Words before a greatest distance, each before those that it begins with.
const WITHIN: [&str; 14] = [
    "within",
    "less than",
    "a menos de",
    "ate a",
    "a ate",
    "ate",
    "num raio de",
    "em um raio de",
    "no raio de",
    "en un radio de",
    "dentro de",
    "menos de",
    "hasta",
    "a",
];

/// Words before where somebody stays.
const OWN: [&str; 9] = ["my", "our", "the", "meu", "nosso", "o", "mi", "nuestro", "el"];

/// Where somebody stays who asks what is near.
const LODGINGS: [&str; 7] =
    ["hotel", "hostel", "airbnb", "pousada", "apartment", "apartamento", "alojamiento"];

/// Words that say to search near what follows, or how far from it.
struct NearWord {
    tokens: Range<usize>,
    /// The greatest distance, in metres.
    within_m: Option<u32>,
    is_on_foot: bool,
    /// The token of "nearest" before it.
    nearest: Option<usize>,
}

/// The words that say to search near something.
fn near_words(tokens: &[Token]) -> impl Iterator<Item = NearWord> {
    let language = language(tokens);
    // "the nearest park to the airport": the place stands behind "to"
    let nearest = tokens.iter().position(|token| NEAREST.contains(&token.word));
    let near_at = move |at: usize| {
        let nearest = nearest.filter(|nearest| *nearest < at);
        let (taken, within_m, is_on_foot) = match operator(tokens, at, language) {
            Some((taken, Operator::Near)) => (taken, None, false),
            Some((taken, Operator::OnFoot)) => (taken, None, true),
            _ => match distance(tokens, at) {
                Some((taken, metres)) => (taken, Some(metres), false),
                None => (tokens[at].word == "to" && nearest.is_some()).then_some((1, None, false))?,
            },
        };
        Some(NearWord { tokens: at..at + taken, within_m, is_on_foot, nearest })
    };
    let is_wish = move |near: &NearWord| !is_negated(tokens, near.tokens.start, language);
    (0..tokens.len()).filter_map(near_at).filter(is_wish).take(MOST_NEAR)
}

/// Whether what begins at a token is excluded, which the parser reads: "not near the lake", "já fui no CCBB".
pub(crate) fn is_negated(tokens: &[Token], token: usize, language: Language) -> bool {
    let is_joined = matches!(tokens[token].separator, Separator::None | Separator::Space);
    is_joined
        && (token.saturating_sub(LONGEST_OPERATOR)..token).any(|at| {
            operator(tokens, at, language)
                .is_some_and(|(taken, operator)| operator.excludes() && at + taken >= token)
        })
}

impl Guide {
    /// Resolves `near`: "lat,lon", an id, or the name of an address, landmark, area or record.
    pub fn near(&self, text: &str, caller: Caller) -> Result<Near, NearError> {
        if let Some((lat, lon)) = coordinates(text) {
            let position = Position { lat, lon, precision_m: OWN_PRECISION };
            let location = self.gazetteer.locate(position, KnownBy::Address).ok_or(NearError::Outside)?;
            let name = format!("{}, {}", lat.degrees(), lon.degrees());
            return Ok(self.near_to(Place::new(name, location, 0), None));
        }
        let collections = [&self.places, &self.events];
        let with_id = |records: &Collection| {
            let rank = records.find(text).filter(|rank| records.is_visible(*rank, caller))?;
            record(records, rank, caller, 0)
        };
        if is_id(text)
            && let Some(place) = collections.into_iter().find_map(with_id)
        {
            return self.settled(place, None);
        }
        let words = Words::new(text);
        let named = OnceCell::new();
        let inside = || named.get_or_init(|| self.named_areas(&words)).clone();
        let whole = self.place_from(&words, 0, &inside, caller).filter(|(start, place)| {
            let end = self.end_of_address(&words, start + place.taken);
            // "Avenida W3 Sul" is no pizzeria that begins with "Avenida"
            end == words.len() || !place.is_part && self.is_rest_of_address(&words, end)
        });
        let whole = whole.map(|(_, place)| place);
        let block = || (0..words.len()).find_map(|at| self.block_at(&words, at, &inside));
        if let Some(place) = whole.or_else(block) {
            let is_named_alone = place.is_record && place.taken == words.len();
            let readings =
                if is_named_alone { self.readings(&words, &place.name, caller) } else { Vec::new() };
            return match readings.is_empty() {
                true => self.settled(place, Some(&words)),
                false => Err(NearError::Ambiguous { readings }),
            };
        }
        let found = match resolve(self.vocabulary(), text) {
            Ok(areas) if areas.contains(&EVERYWHERE) => None,
            Ok(areas) if !self.is_singular_of_area(&words, 0, words.len()) => {
                return Err(NearError::Areas { name: None, areas });
            }
            _ => self.called(&words, caller),
        };
        if let Some(found) = found {
            return found.and_then(|place| self.settled(place, None));
        }
        if phrases_of(&self.vocabulary().outside, &words).next().is_some() {
            return Err(NearError::Outside);
        }
        if fold(text).split(' ').next_back().is_some_and(|word| HERE.contains(&word)) {
            return Err(NearError::Here);
        }
        let areas = self.vocabulary().areas.iter().skip(1).map(|area| area.name.as_str());
        let names = self.gazetteer.landmark_names().chain(areas);
        let nearest = most_alike(words.folded(), names);
        Err(NearError::Unknown { nearest })
    }

    /// To search from a place. Of a record that is known by its region alone, and of areas that have no point, no more
    /// can be told than what is in them.
    fn settled(&self, place: Place, words: Option<&Words>) -> Result<Near, NearError> {
        if place.several.len() > 1 {
            return Err(NearError::Areas { name: None, areas: place.several });
        }
        if place.is_vague && place.location.known_by == KnownBy::Region {
            // the shores of a lake are what is near it, not the region that its record has
            let named = words.and_then(|words| self.vocabulary().phrases.get(words.whole()));
            let named: AreaIds = named.into_iter().flat_map(|meaning| ids(&meaning.areas)).collect();
            if !named.is_empty() {
                return Err(NearError::Areas { name: None, areas: named });
            }
            let name = place.is_record.then_some(place.name);
            return Err(NearError::Areas { name, areas: place.area.into_iter().collect() });
        }
        Ok(self.near_to(place, None))
    }

    /// To search from a place; `phrase` is what a question calls it.
    pub(crate) fn near_to(&self, place: Place, phrase: Option<String>) -> Near {
        let Place { name, location, area, lies_in, is_vague, .. } = place;
        let region = match lies_in {
            Some(area) => self.gazetteer.region_of(self.vocabulary(), area),
            None => self.gazetteer.region_at(self.vocabulary(), location.point),
        };
        Near { name, location, region, area, is_vague, within_m: None, phrase, hosted: None }
    }

    /// Where the question says to search from, if it says so.
    pub fn near_phrase(&self, words: &Words, caller: Caller) -> Option<NearPhrase> {
        if self.gazetteer.is_empty() {
            return None;
        }
        let near = || {
            let tokens = words.tokens();
            let named = OnceCell::new();
            let inside = || named.get_or_init(|| self.named_areas(words)).clone();
            near_words(&tokens).find_map(|near| self.phrase_near(words, &tokens, &near, &inside, caller))
        };
        words.may_say_near().then(near).flatten().or_else(|| self.at_landmark(words, caller))
    }

    /// Where a word for "near" says to search from.
    fn phrase_near(
        &self,
        words: &Words,
        tokens: &[Token],
        near: &NearWord,
        inside: &impl Fn() -> AreaIds,
        caller: Caller,
    ) -> Option<NearPhrase> {
        let Range { start, end: next } = near.tokens;
        if near.is_on_foot {
            // "walking tour" is a thing
            let is_phrase = words.at_token(start).is_some_and(|at| self.begins_phrase(words, at));
            if is_phrase || !says_where_they_are(&tokens[..start]) {
                return None;
            }
            return self.place_before(words, start..next, inside, caller);
        }
        let lodging = || end_of_lodging(tokens, next);
        if tokens.get(next).is_some_and(|token| HERE.contains(&token.word)) {
            // "cerca de mi hotel" names no more of it than "cerca de mí"
            return Some(NearPhrase::Here(words.without(start..lodging().unwrap_or(next + 1))));
        }
        let first = (next..tokens.len()).find_map(|token| words.at_token(token));
        let found = first.and_then(|first| self.place_from(words, first, inside, caller));
        match found {
            Some((first, place)) => self.near_place(words, near, first, place),
            // "near my hotel": the guide knows neither the hotel nor where the caller is
            None => match lodging() {
                Some(end) => Some(NearPhrase::Here(words.without(start..end))),
                None => self.place_before(words, start..next, inside, caller),
            },
        }
    }

    /// The wish to be near a place that stands at word `first`, unless it says nothing of where.
    fn near_place(&self, words: &Words, near: &NearWord, first: usize, place: Place) -> Option<NearPhrase> {
        let is_meant = |accept: &dyn Fn(&ArchivedMeaning) -> bool| {
            let accepts = |meaning: &ArchivedMeaning, taken: usize| taken >= place.taken && accept(meaning);
            phrase(self.vocabulary(), words, first, accepts).is_some()
        };
        // the middle of a region says nothing of what is near a lake in it, but what is at a lake has a category or is
        // in an area of that name
        let is_of_region = place.is_record && place.location.known_by == KnownBy::Region;
        let says_more =
            |meaning: &ArchivedMeaning| !meaning.text_categories.is_empty() || !meaning.areas.is_empty();
        // "waterfalls near Brasília" may be anywhere in the territory
        if place.several.len() > 1
            || is_of_region && is_meant(&says_more)
            || is_meant(&|meaning| meaning.everywhere)
        {
            return None;
        }
        let last = self.end_of_address(words, first + place.taken) - 1;
        let said = near.tokens.start..words.token(last) + 1;
        let text = words.tokens_between(said.clone()).to_owned();
        let rest = words.without(said);
        let rest = match near.nearest {
            Some(nearest) => rest.without(nearest..nearest + 1),
            None => rest,
        };
        // as far as the place may be from its point, which is told apart of what is vague
        let precision_m = if place.is_vague { 0 } else { place.location.position.precision_m };
        let within_m = near.within_m.map(|metres| metres.saturating_add(precision_m));
        Some(NearPhrase::Place(Near { within_m, ..self.near_to(place, Some(text)) }, rest))
    }

    /// Whether a phrase of several words begins at a word.
    fn begins_phrase(&self, words: &Words, at: usize) -> bool {
        let vocabulary = self.vocabulary();
        phrase(vocabulary, words, at, |_, taken| taken > 1).is_some()
            || phrase_of(&vocabulary.synonyms, words, at).is_some_and(|(_, taken)| taken > 1)
    }

    /// The place that stands before words that name none: "vou ao show no Clube do Choro, jantar perto", "estou na
    /// rodoviária", "CCBB, onde almoçar por perto". A larger area limits the search as it stands.
    fn place_before(
        &self,
        words: &Words,
        near: Range<usize>,
        inside: &impl Fn() -> AreaIds,
        caller: Caller,
    ) -> Option<NearPhrase> {
        let mut before = (0..words.len()).rev().filter(|at| words.token(*at) < near.start);
        let (at, place) = before.find_map(|at| {
            let is_first = words.token(at) == 0;
            if !is_first && !words.before(at).next().is_some_and(is_in) && !arrives_at(words.before(at)) {
                return None;
            }
            let place = self.place_at(words, at, inside, caller)?;
            let Location { position, known_by, .. } = place.location;
            let is_record = place.is_record && known_by != KnownBy::Region;
            let is_small = place.area.is_none() || position.precision_m <= SPOT;
            let is_spot = place.several.len() < 2 && (is_record || is_small);
            if is_first && !stands_apart(&words.tokens(), words.token(at + place.taken - 1) + 1) {
                return None;
            }
            (is_spot && words.token(at + place.taken - 1) < near.start).then_some((at, place))
        })?;
        let named = words.token(at)..words.token(at + place.taken - 1) + 1;
        let phrase = words.tokens_between(named.clone()).to_owned();
        // "trabalho no Setor Bancário Sul" asks for no work
        let tokens = words.tokens();
        let begins = |token: &usize| {
            (*token == 0 || tokens[*token].begins_phrase())
                && origin(&tokens, *token, language(&tokens))
                    .is_some_and(|(taken, _)| token + taken == named.start)
        };
        let start = (0..named.start).find(begins).unwrap_or(named.start);
        let rest = words.without(near).without(start..named.end);
        Some(NearPhrase::Place(self.near_to(place, Some(phrase)), rest))
    }

    /// The place that begins at a word, or behind "the", "near" and the like: where it begins, and what it is.
    fn place_from(
        &self,
        words: &Words,
        at: usize,
        inside: &impl Fn() -> AreaIds,
        caller: Caller,
    ) -> Option<(usize, Place)> {
        let tokens = words.tokens();
        let language = language(&tokens);
        for at in at..words.len() {
            if let Some(place) = self.place_at(words, at, inside, caller) {
                return Some((at, place));
            }
            let is_near = matches!(operator(&tokens, words.token(at), language), Some((_, Operator::Near)));
            let says_nothing = is_stop_word(words.raw(at)) || is_street(words.raw(at));
            if !is_near && !says_nothing {
                return None;
            }
        }
        None
    }

    /// The place that begins at a word: the longest, then the most exact one. A word for what the place is may stand
    /// before it: "perto do restaurante Beirute".
    fn place_at(
        &self,
        words: &Words,
        at: usize,
        inside: &impl Fn() -> AreaIds,
        caller: Caller,
    ) -> Option<Place> {
        if at >= words.len() {
            return None;
        }
        let vocabulary = self.vocabulary();
        let block = self.block_at(words, at, inside);
        let area = self.area_at(words, at);
        // "Águas Claras" is an area, and also short for a mall there
        let is_area = |name: &str, taken: usize| {
            area.as_ref().is_some_and(|area| area.taken == taken)
                && fold(name) != words.between(at, at + taken)
        };
        let landmark =
            self.gazetteer.landmark_at(words, at).filter(|(name, _, taken)| !is_area(name, *taken));
        let landmark = landmark.map(|(name, location, taken)| Place::new(name.to_owned(), location, taken));
        // of equally long and precise ones the last
        let all = [self.record_at(words, at, caller, false), landmark, area, block];
        let best =
            all.into_iter().flatten().max_by_key(|place| (place.taken, Reverse(place.location.edge_m)));
        // "Beirute" for one of its houses: many names are read, so this comes last
        best.or_else(|| self.record_at(words, at, caller, true)).or_else(|| {
            let is_category = vocabulary
                .phrases
                .get(words.stem(at))
                .is_some_and(|meaning| !meaning.filter_categories.is_empty());
            let place = is_category.then(|| self.record_at(words, at + 1, caller, true))??;
            Some(Place { taken: place.taken + 1, ..place })
        })
    }

    /// The numbered address that begins at a word.
    fn block_at(&self, words: &Words, at: usize, inside: &impl Fn() -> AreaIds) -> Option<Place> {
        let (location, taken) = self.gazetteer.block_at(self.vocabulary(), words, at, inside)?;
        let name = (at..at + taken).map(|at| self.written(words.raw(at)));
        Some(Place::new(name.collect::<Vec<_>>().join(" "), location, taken))
    }

    /// A word of an address as people write it: "CLN", "408", "Norte".
    fn written(&self, word: &str) -> String {
        let is_code = word.len() == 1 || self.vocabulary().codes.contains_key(word);
        match word.split_at_checked(1).filter(|_| !is_code) {
            Some((first, rest)) => first.to_uppercase() + rest,
            None => word.to_uppercase(),
        }
    }

    /// The record with the longest name that begins at a word or, when `is_part` is enough, whose name begins so.
    pub(crate) fn record_at(&self, words: &Words, at: usize, caller: Caller, is_part: bool) -> Option<Place> {
        if at >= words.len() {
            return None;
        }
        // most words stand in no name with the next one
        let is_in_a_name = |token: &usize| {
            let pair = words.tokens_between(*token..*token + 2);
            self.places.is_in_a_name(pair) || self.events.is_in_a_name(pair)
        };
        let first = words.token(at);
        let pairs = (first..words.count_tokens() - 1).take_while(is_in_a_name).count();
        let is_reached = |taken: &usize| words.token(at + taken - 1) <= first + pairs;
        let longest = (1..=MAX_NAME_WORDS.min(words.len() - at)).take_while(is_reached).count();
        (1..=longest).rev().find_map(|taken| {
            let name = words.between(at, at + taken);
            let stem = words.stem(at);
            let meaning = self.vocabulary().phrases.get(stem).filter(|_| taken == 1);
            let is_stop_word = taken == 1 && is_stop_word(words.raw(at));
            // "Planetário" is a category, and the name of the only one begins so
            let must_be_only = meaning.is_some() || is_stop_word;
            if must_be_only && (!is_part || is_stop_word) {
                return None;
            }
            let named = |records: &Collection| {
                let visible = |rank: &u32| records.is_visible(*rank, caller);
                let whole = records.with_folded_name(name).find(visible);
                let begins = || {
                    // a word that many records have names none of them ("casa"), nor does a kind of street
                    let is_of_many = || {
                        let with_word = records.text.subject(caller.view, stem);
                        with_word.is_some_and(|list| list.len() > MOST_NAMED)
                    };
                    if taken == 1 && (is_street(words.raw(at)) || is_of_many()) {
                        return None;
                    }
                    let mut begin = records.beginning_with(name).into_iter().filter(visible);
                    let first = begin.next()?;
                    // "igreja" means no church that is only the one whose name begins so
                    let is_best_known = meaning.is_none_or(|meaning| {
                        let members = |id| records.members(EVERYWHERE, Some(id));
                        ids(&meaning.filter_categories).any(|id| members(id).first() == Some(&first))
                    });
                    (!must_be_only || is_best_known && begin.next().is_none()).then_some(first)
                };
                let whole = whole.filter(|_| !must_be_only);
                let rank = whole.or_else(|| is_part.then(begins)?)?;
                Some(Place { is_part: whole.is_none(), ..record(records, rank, caller, taken)? })
            };
            named(&self.places).or_else(|| named(&self.events).filter(|_| !must_be_only))
        })
    }

    /// The area whose name begins at a word.
    pub(crate) fn area_at(&self, words: &Words, at: usize) -> Option<Place> {
        let found = area_piece(self.vocabulary(), words, at)?;
        let areas: AreaIds = match &found.piece {
            Piece::Phrase(meaning) => ids(&meaning.areas).collect(),
            Piece::Code(code) if !code.ambiguous => ids(&code.areas).collect(),
            Piece::Code(_) => return None,
            Piece::Quadra { wing, .. } => AreaIds::from_slice(&[*wing]),
        };
        if self.is_singular_of_area(words, at, found.taken) {
            return None;
        }
        let (area, location) = areas.iter().find_map(|area| Some((*area, self.gazetteer.area(*area)?)))?;
        let name = self.vocabulary().area(area).name.to_string();
        let is_vague = !location.is_spot() && !self.gazetteer.has_own_point(self.vocabulary(), area);
        let place = Place::new(name, location, found.taken);
        Some(Place { area: Some(area), lies_in: Some(area), several: areas, is_vague, ..place })
    }

    /// Whether the words are one, which names an area by its plural alone: "Buriti" is no "Vila Buritis".
    fn is_singular_of_area(&self, words: &Words, at: usize, taken: usize) -> bool {
        let is_plural =
            || self.vocabulary().phrases.get(words.stem(at)).is_some_and(|meaning| meaning.plural);
        taken == 1 && !words.raw(at).ends_with('s') && is_plural()
    }

    /// The areas that the text names, which decide between addresses of one spelling.
    fn named_areas(&self, words: &Words) -> AreaIds {
        let is_area = |at: usize| {
            let found = area_piece(self.vocabulary(), words, at)?;
            match found.piece {
                Piece::Phrase(meaning) => Some(ids(&meaning.areas).collect::<AreaIds>()),
                _ => None,
            }
        };
        (0..words.len()).filter_map(is_area).flatten().collect()
    }

    /// The end of an address from word `at` on: "bloco C loja 20".
    pub(crate) fn end_of_address(&self, words: &Words, mut at: usize) -> usize {
        let is_value = |at: usize| {
            at < words.len() && (words.raw(at).len() == 1 || words.raw(at).parse::<u32>().is_ok())
        };
        // "408 norte e 208 sul" are two addresses
        let follows = |at: usize| at > 0 && words.token(at) == words.token(at - 1) + 1;
        while at < words.len() {
            let is_component = self.vocabulary().components.contains_key(words.raw(at));
            let is_number = follows(at) && words.raw(at).parse::<u32>().is_ok();
            match (is_component && is_value(at + 1), is_number) {
                (true, _) => at += 2,
                (false, true) => at += 1,
                (false, false) => break,
            }
        }
        at
    }

    /// Whether nothing but areas and words of addresses follows.
    fn is_rest_of_address(&self, words: &Words, mut at: usize) -> bool {
        while at < words.len() {
            let raw = words.raw(at);
            let area = piece(self.vocabulary(), words, at, |meaning, _| {
                !meaning.areas.is_empty() || meaning.everywhere
            });
            at += match area {
                Some(found) => found.taken,
                None if self.vocabulary().components.contains_key(raw)
                    || is_stop_word(raw)
                    || raw.len() == 1 =>
                {
                    1
                }
                None if raw.parse::<u32>().is_ok() => 1,
                None => return false,
            };
        }
        true
    }
}

/// Whether something else begins at a token, after a comma or with a question.
fn stands_apart(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|next| next.separator == Separator::Comma || asks_where(next.word))
}

/// Words that say where somebody is, or has been.
#[rustfmt::skip]
const BEING: &[&str] = &[
    "estou", "tou", "to", "ta", "estamos", "tamo", "tamos", "estoy", "m", "am", "re", "are", "im", "staying", "trabalho",
    "trabalhamos", "trabajo", "trabajamos", "work", "working", "moro", "moramos", "vivo", "vivimos", "live", "hospedado",
    "hospedada", "hospedados", "hospedadas", "alojado", "alojada", "alojados", "depois", "after", "despues",
];

/// Whether somebody says where they are in these tokens.
fn says_where_they_are(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| BEING.contains(&token.word))
}

/// The end of words for where the caller stays, if they begin at a token: "my hotel", "the airbnb".
fn end_of_lodging(tokens: &[Token], at: usize) -> Option<usize> {
    let at = at + usize::from(tokens.get(at).is_some_and(|token| OWN.contains(&token.word)));
    LODGINGS.contains(&tokens.get(at)?.word).then_some(at + 1)
}

/// A record as a place to search from. Near one of which only a wide area is known is in that area.
pub(crate) fn record(records: &Collection, rank: u32, caller: Caller, taken: usize) -> Option<Place> {
    let location = *records.location(caller.view, rank)?;
    let is_vague = !location.is_spot();
    let lies_in = Some(records.area(rank));
    let area = lies_in.filter(|_| is_vague);
    let name = records.rendered.id_and_name(rank).1.into_owned();
    Some(Place { area, lies_in, is_vague, is_record: true, ..Place::new(name, location, taken) })
}

/// The words of a greatest distance that begin at a token: how many there are, and the metres. "within 1 km of", "a
/// menos de 500 metros da", "en un radio de 2 km de".
fn distance(tokens: &[Token], at: usize) -> Option<(usize, u32)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word);
    let lead = WITHIN.iter().filter(|lead| lead.starts_with(word(at))).find_map(|lead| {
        let mut end = at;
        let is_here = lead.split(' ').all(|part| {
            end += 1;
            word(end - 1) == part
        });
        is_here.then_some(end)
    })?;
    let number: u32 = word(lead).parse().ok()?;
    let (_, unit) = DISTANCES.iter().find(|(unit, _)| *unit == word(lead + 1))?;
    let metres = number.checked_mul(*unit)?;
    let is_of = matches!(word(lead + 2), "of" | "from" | "de" | "do" | "da" | "del");
    (is_of && (1..=ANYWHERE).contains(&metres)).then_some((lead + 3 - at, metres))
}

/// "-15.79,-47.88", also as other programs write it: "-15.79; -47.88", "-15,79; -47,88", "(-15.79, -47.88)",
/// "geo:-15.79,-47.88", "lat=-15.79, lon=-47.88".
fn coordinates(text: &str) -> Option<(Degrees, Degrees)> {
    let text = text.trim();
    let text = text.strip_prefix("geo:").unwrap_or(text).trim_matches(['(', ')', '[', ']']);
    let with_points;
    let text = match text.split_once(';') {
        Some((lat, lon)) if [lat, lon].iter().all(|part| part.contains(',') && !part.contains('.')) => {
            with_points = text.replace(',', ".");
            with_points.as_str()
        }
        _ => text,
    };
    let (lat, lon) = text.split_once([',', ';']).or_else(|| text.trim().split_once(' '))?;
    // "geo:-15.79,-47.88;u=35" and "?z=15"
    let (lon, _) = lon.trim_start_matches([',', ';', ' ']).split_once([';', '?']).unwrap_or((lon, ""));
    let degrees = |text: &str| {
        let text = text.trim();
        let number = match text.split_once(['=', ':']) {
            Some((name, number)) => {
                name.trim().bytes().all(|one| one.is_ascii_alphabetic()).then_some(number)?
            }
            None => text,
        };
        Degrees::new(number.trim().parse().ok()?)
    };
    degrees(lat).zip(degrees(lon.trim_start_matches([',', ';', ' '])))
}
