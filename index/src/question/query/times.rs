//! When what a question asks for is on: its days and hours, and those that it excludes.

use std::ops::Range;

use chrono::{Datelike, NaiveDate};

use super::{Parser, PieceAt};
use crate::grammar::dates::{self, Days, Hours, Window};
use crate::grammar::hints::Hint;
use crate::grammar::stop_words::{asks_for_another, is_number, leads_to_year, welcomes_year};
use crate::question::clauses::{Clause, ClauseKind, ParsedText, Term};
use crate::vocabulary::words::{LONGEST_PHRASE, phrase_of};

impl Parser<'_, '_> {
    /// Reads a phrase of time that is longer than the piece, or as long and no part of its name.
    pub(super) fn read_time(&mut self, at: usize, piece: Option<&PieceAt>) -> Option<usize> {
        // "madrugada" and no more
        if self.tokens.len() == 1
            && piece.is_none()
            && let Some(hours) = dates::part_of_day(self.tokens[at].word)
        {
            self.parsed.hours = Some(hours);
            return Some(1);
        }
        if !dates::may_begin(self.tokens, at) {
            return None;
        }
        if let Some(tokens) = self.no_day(at) {
            if let Some(Range { start, end }) = self.words_of(at..at + tokens) {
                self.push(Term::NoDay { at: start, to: end });
            }
            return Some(tokens);
        }
        let (tokens, when) = dates::read(self.tokens, at, self.today, self.language)?;
        let taken = piece.map_or(0, |piece| piece.tokens);
        let is_phrase = piece.is_some_and(PieceAt::is_phrase);
        let is_time = tokens > taken || tokens == taken && (when.feast.is_some() || !is_phrase);
        (is_time && !self.is_in_town(at, tokens)).then(|| self.add_time(at, tokens, when))
    }

    /// How many tokens are written as a date of which there is no such day. Numbers behind a part of an address are
    /// none: "lote 31/11".
    fn no_day(&self, at: usize) -> Option<usize> {
        let tokens = dates::no_day(self.tokens, at, self.today, self.language)?;
        let before = self.words.at_token(at).and_then(|word| word.checked_sub(1));
        (!before.is_some_and(|word| self.is_component(word))).then_some(tokens)
    }

    fn add_time(&mut self, at: usize, tokens: usize, when: dates::When) -> usize {
        // "except saturday", but not "I do not know what to do on saturday"
        let is_excluded = self.negated_at == Some(at);
        if is_excluded {
            self.negated_time_to = Some(at + tokens);
        }
        // all of today is searched, since the guide knows no more of what goes on at an hour
        if tokens == 1 && matches!(self.tokens[at].word, "now" | "agora" | "ahora") {
            self.note_hint(at, tokens, Hint::OpeningHours);
        }
        let (names_days, had_days) = (when.days.is_some(), self.parsed.days.is_some());
        if let Some(days) = when.days {
            let days = self.turn_of_year(at, tokens, &days).unwrap_or(days);
            self.add_days(at, days, is_excluded);
        }
        if !names_days
            && let Some((end, meal)) = dates::mealtime(self.tokens, at)
            && end == at + tokens
        {
            self.meal = self.words.at_token(meal);
        }
        if let Some(hours) = when.hours {
            self.add_hours(hours, is_excluded, names_days, had_days);
        }
        (self.excluding, self.is_anchor) = (false, false);
        match when.feast.filter(|_| !is_excluded) {
            Some(feast) => self.add_feast(at, tokens, feast),
            None => tokens,
        }
    }

    /// The time of a meal is a wish to eat when nothing else is asked for and no day is named: "na hora do almoço na
    /// Asa Sul".
    pub(super) fn read_mealtime(&mut self) {
        let asks_for = |clause: &Clause| clause.kind() == ClauseKind::Category;
        let Some(meal) = self.meal else { return };
        if self.parsed.days.is_some() || self.parsed.clauses.iter().any(asks_for) {
            return;
        }
        if let Some(found) = self.piece(meal) {
            self.parsed.hours = None;
            self.add_piece(meal, found);
        }
    }

    /// Adds the days that the phrase at a token names to those that are asked for or excluded.
    fn add_days(&mut self, at: usize, days: Days, is_excluded: bool) {
        let demanded = self.window.filter(|window| !is_excluded && days.within(*window).is_none());
        let days = match demanded {
            // "samba on saturday" in December
            Some(window) if self.is_weekly(at, &days) => {
                self.days_at(at, window.from).unwrap_or(days).each_week()
            }
            None if is_excluded && self.is_weekly(at, &days) => days.each_week(),
            _ => days,
        };
        let ParsedText { days: named, excluded_days, .. } = &mut self.parsed;
        let known = if is_excluded { excluded_days } else { named };
        // "terça fui ao samba, sábado quero choro" asks for Saturday, and "ontem fui ao samba, outro?" for no day
        let is_past = |days: &Days| days.hull().to < self.today;
        if !is_excluded && is_past(&days) {
            let is_told = known.as_ref().is_some_and(|known| !is_past(known))
                || self.tokens.iter().any(|token| asks_for_another(token.word));
            if is_told {
                return;
            }
        }
        // "em janeiro, dia 10"
        let date = |month: &Days, day: u32| Some(Window::day(month.month()?.from.with_day(day)?).into());
        if !is_excluded {
            let number = self.day_of_month(at, &days);
            let wishes = self.parsed.clauses.len();
            let bare_day = self.bare_day.filter(|(_, before)| *before == wishes);
            let named = match (number, bare_day, &self.parsed.days) {
                (Some(day), _, Some(month)) => date(month, day),
                (None, Some((day, _)), Some(_)) => date(&days, day),
                _ => None,
            };
            self.bare_day = number.map(|day| (day, wishes));
            if named.is_some() {
                self.parsed.days = named;
                return;
            }
        }
        let ParsedText { days: named, excluded_days, .. } = &mut self.parsed;
        let known = if is_excluded { excluded_days } else { named };
        *known = Some(match known.take() {
            Some(known) if !is_excluded && is_past(&known) && !is_past(&days) => days,
            // "carnaval, em 2027" is one time
            Some(known) if known.hull().narrows(days.hull()) => known,
            Some(known) if days.hull().narrows(known.hull()) => days,
            Some(known) => known.union(&days),
            None => days,
        });
    }

    /// The first day of the year that token `at` names and the day before it, if somebody waits for that year to begin:
    /// "entrar em 2027", "welcome 2027".
    fn turn_of_year(&self, at: usize, tokens: usize, days: &Days) -> Option<Days> {
        let first = Window::day(days.hull().from);
        let before = self.tokens[..at].iter().rev().map(|token| token.word);
        let is_turned = before.skip_while(|word| leads_to_year(word)).take(1).any(welcomes_year);
        if tokens != 1 || !is_number(self.tokens[at].word) || first.from.ordinal() != 1 || !is_turned {
            return None;
        }
        Some(Days::from(first).union(&first.shifted(-1)?.into()))
    }

    /// Reads the feast in a phrase of several words, where the question names a year beside it: "festa de ano novo em
    /// 2027".
    pub(super) fn read_feast_of_phrase(&mut self) {
        let Some(named) = self.parsed.days.as_ref().and_then(Days::year) else { return };
        let phrases = self.parsed.clauses.iter().map(Clause::words).filter(|words| words.len() > 1);
        let mut tokens = phrases.flatten().map(|word| self.words.token(word));
        let feast = tokens.find_map(|at| {
            let (_, when) = dates::read(self.tokens, at, self.today, self.language)?;
            when.feast.and(when.days).filter(|days| days.hull().narrows(named))
        });
        if feast.is_some() {
            self.parsed.days = feast;
        }
    }

    /// Adds the hours of a phrase that may name days too, behind others that may have named some.
    fn add_hours(&mut self, hours: Hours, is_excluded: bool, names_days: bool, had_days: bool) {
        self.parsed.hours = match (self.parsed.hours, is_excluded) {
            // "not on friday night": the whole day is excluded
            (known, true) if names_days => known,
            (Some(known), true) => Some(known.without(hours)),
            (None, true) => hours.others(),
            (None, false) => Some(hours),
            // "à noite, depois das 21h"; "sábado à noite e domingo à tarde"
            (Some(known), false) => {
                let common = known.common(hours).filter(|_| !(names_days && had_days));
                Some(common.unwrap_or_else(|| known.hull(hours)))
            }
        };
    }

    /// Adds the words of a feast, which is also a name and a category; the number of its day is neither. Returns how
    /// many tokens are read of a phrase of at least `tokens`.
    fn add_feast(&mut self, at: usize, tokens: usize, feast: Range<usize>) -> usize {
        let Some(words) = self.words_of(feast.clone()) else { return tokens };
        self.parsed.feast = Some(words);
        let mut token = feast.start;
        while token < feast.end {
            let is_day = is_number(self.tokens[token].word);
            // "sexta-feira santa" asks for no fair
            let is_weekday = token > feast.start && self.tokens[token].word == "feira";
            token = match self.words.at_token(token).filter(|_| !is_day && !is_weekday) {
                Some(word) => match self.piece(word) {
                    Some(found) => {
                        let end = self.words.token(word + found.taken - 1) + 1;
                        self.add_piece(word, found);
                        end
                    }
                    None => token + self.add_word(token, word),
                },
                None => token + 1,
            };
        }
        tokens.max(token - at)
    }

    /// The days that the phrase at a token names on another day than today.
    fn days_at(&self, at: usize, day: NaiveDate) -> Option<Days> {
        dates::read(self.tokens, at, day, self.language)?.1.days
    }

    /// The day of the month that the phrase at a token names alone: "no dia 21", "on the 21st".
    fn day_of_month(&self, at: usize, days: &Days) -> Option<u32> {
        let Window { from, to } = days.hull();
        let later = self.days_at(at, from.checked_add_days(chrono::Days::new(1))?)?.hull().from;
        (from == to && later != from && later.day() == from.day()).then_some(from.day())
    }

    /// Whether the days that the phrase at a token names are named by their weekdays.
    fn is_weekly(&self, at: usize, days: &Days) -> bool {
        let first_after = |ahead: u64| {
            let day = self.today.checked_add_days(chrono::Days::new(ahead))?;
            Some(self.days_at(at, day)?.hull().from)
        };
        let now = days.hull().from;
        // a weekday stays the same, whatever day it is counted from, and a date does not move
        first_after(1).is_some_and(|soon| soon.weekday() == now.weekday()) && first_after(7) != Some(now)
    }

    /// Whether the first word of these tokens is of the name of a town outside: "Rio de Janeiro" is no month.
    fn is_in_town(&self, at: usize, tokens: usize) -> bool {
        let Some(word) = (at..at + tokens).find_map(|token| self.words.at_token(token)) else { return false };
        (word.saturating_sub(LONGEST_PHRASE.into())..word).any(|start| {
            phrase_of(&self.vocabulary.outside, self.words, start)
                .is_some_and(|(_, taken)| start + taken > word)
        })
    }
}
