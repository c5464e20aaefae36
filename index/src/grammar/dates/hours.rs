//! Reads hours: parts of the day and clock times, alone or beside days.

use super::When;
use super::parts::{Bound, DAWN, DAY, Hours, MORNING};
use super::reader::{FoundDays, Reader};
use crate::grammar::stop_words::{is_in, is_of};
use crate::grammar::tokens::Separator;

/// What makes a part of the day hours of any day. Longer phrases come first. Not "da": "café da manhã".
const OF_ANY_DAY: &[&str] = &[
    "por la",
    "en la",
    "a la",
    "in the",
    "during the",
    "durante a",
    "a",
    "as",
    "at",
    "de",
    "na",
    "nas",
    "pela",
    "por",
];
/// What makes a part of the day one of today.
const OF_TODAY: &[&str] = &["this", "esta", "nesta", "desta", "essa", "nessa"];
/// Beside a day, also these stand before a part of it.
const OF_THE_DAY: &[&str] = &["da", "de la", "in"];

/// What fills a part of the day, and the minutes between which it does: "depois do almoço", "before dinner".
type Occupation = (&'static [&'static str], u16, u16);
const WORK: Occupation =
    (&["expediente", "trabalho", "trampo", "servico", "work", "trabajo", "laburo"], 9 * 60, 18 * 60);
const MEALS: [Occupation; 2] = [
    (&["almoco", "almocar", "lunch", "lunchtime", "almuerzo", "almorzar"], 12 * 60, 14 * 60),
    (&["jantar", "dinner", "dinnertime", "cena", "cenar"], 19 * 60, 21 * 60),
];
/// What stands before a meal, or behind it, when its time is meant: "na hora do almoço", "lunch break".
const TIMES_OF: &[&str] = &[
    "hora do",
    "hora del",
    "hora de la",
    "hora de",
    "horario do",
    "horario del",
    "horario de",
    "intervalo do",
    "intervalo de",
];
const TIMES: &[&str] = &["time", "hour", "break"];

/// Beside a day, its morning: "amanhã cedo", "early on sunday".
const EARLY: &[&str] = &[
    "bem cedinho",
    "cedinho",
    "bem cedo",
    "logo cedo",
    "muito cedo",
    "cedo",
    "very early",
    "early",
    "muy temprano",
    "bien temprano",
    "tempranito",
    "temprano",
];

/// A half of the day.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    First,
    Second,
    /// The second, of which twelve is midnight: "12 da noite", and not noon as in "12 da tarde".
    Night,
}

impl Half {
    /// The minute of the day at a time of a clock of twelve hours.
    fn minute(self, minute: u16) -> u16 {
        let is_twelve = (NOON..NOON + 60).contains(&minute);
        match self {
            Self::First => minute % NOON,
            Self::Night if is_twelve => minute - NOON,
            Self::Second | Self::Night => minute % NOON + NOON,
        }
    }
}

const NOON: u16 = 12 * 60;

/// From then on it is the evening, or the night.
const EVENING: u16 = 18 * 60;

/// A time of the clock.
#[derive(Clone, Copy)]
struct Clock {
    end: usize,
    minute: u16,
    /// The half of the day that "pm" or "da noite" names.
    half: Option<Half>,
    /// Has a mark such as "h"; a bare number is an hour only in a range.
    sure: bool,
}

/// What two phrases of one day say together: "à noite até 23h".
fn narrower(known: Option<Hours>, other: Hours) -> Hours {
    known.and_then(|known| known.common(other)).unwrap_or(other)
}

/// What stands before a range of hours.
const BEFORE_RANGES: &[&str] = &["das", "de", "from", "entre as", "entre", "between", "de las", "da"];
/// What stands between its ends.
const IN_RANGES: &[&str] =
    &["as", "a las", "a", "to", "ate as", "ate", "e as", "e", "and", "until", "till", "y las", "y"];

/// What may stand after the number of an hour.
const HOURS: &[&str] = &["h", "horas", "hrs"];

impl Reader<'_> {
    /// The time of the clock that all tokens are.
    pub(super) fn minute(&self) -> Option<u16> {
        self.clock(0).filter(|clock| clock.end == self.tokens.len()).map(|clock| clock.minute)
    }

    /// Days with the hours beside them, or either alone: the longest reading.
    pub(super) fn when(&self, at: usize) -> Option<(usize, When)> {
        let first = self.days_then_hours(at);
        let second = self.hours_then_days(at).or_else(|| self.early_then_days(at));
        match (first, second) {
            (Some(first), Some(second)) if second.0 > first.0 => Some(second),
            (Some(first), _) => Some(first),
            (None, second) => second,
        }
    }

    fn days_then_hours(&self, at: usize) -> Option<(usize, When)> {
        let found = self.sure_days(at).or_else(|| {
            let is_sure = |days: &FoundDays| days.joined || self.beside(days.end).is_some();
            self.doubtful_days(at).filter(is_sure)
        })?;
        let FoundDays { mut end, days, mut hours, feast, .. } = found;
        // "sexta à noite depois das 22h"
        while let Some((after, other)) = self.beside(end) {
            (end, hours) = (after, Some(narrower(hours, other)));
        }
        Some((end, When { days: Some(days), hours, feast }))
    }

    /// Hours after a day.
    fn beside(&self, at: usize) -> Option<(usize, Hours)> {
        let part = self.optional(OF_ANY_DAY, at);
        let part_of_day = self.any(OF_THE_DAY, at).unwrap_or(part);
        self.part(at)
            .or_else(|| self.part(part))
            .or_else(|| self.part(part_of_day))
            .or_else(|| self.spanish_morning(at))
            .or_else(|| self.clock_hours(at))
            .or_else(|| self.bare_range(at))
            .or_else(|| self.mealtime(part).map(|(end, _, hours)| (end, hours)))
            .or_else(|| Some((self.any(EARLY, at)?, MORNING)))
    }

    /// "Early tomorrow", "cedo no domingo", "early in the morning".
    fn early_then_days(&self, at: usize) -> Option<(usize, When)> {
        let early = self.any(EARLY, at)?;
        // "early morning sunday"
        let in_part = || {
            let (end, hours) = self.part(early)?;
            let FoundDays { end, days, feast, .. } = self.sure_days(self.optional(&["of", "on"], end))?;
            Some((end, When { days: Some(days), hours: Some(hours), feast }))
        };
        let (end, when) = self.days_then_hours(early).or_else(in_part).or_else(|| {
            let (end, hours) = self.any(OF_ANY_DAY, early).and_then(|at| self.part(at))?;
            Some((end, When { days: None, hours: Some(hours), feast: None }))
        })?;
        Some((
            end,
            When { hours: Some(when.hours.map_or(MORNING, |hours| narrower(Some(hours), MORNING))), ..when },
        ))
    }

    fn hours_then_days(&self, at: usize) -> Option<(usize, When)> {
        if let Some((end, hours)) = self
            .any(OF_TODAY, at)
            .and_then(|at| self.part(at).or_else(|| (self.word(at) == "manana").then_some((at + 1, MORNING))))
        {
            let days = Some(super::Window::day(self.today).into());
            let (end, hours) = match self.clock_hours(end) {
                Some((end, other)) => (end, narrower(Some(hours), other)),
                None => (end, hours),
            };
            return Some((end, When { days, hours: Some(hours), feast: None }));
        }
        let part = self.any(OF_ANY_DAY, at).and_then(|at| self.part(at));
        let alone = part
            .or_else(|| self.spanish_morning(at))
            .or_else(|| self.clock_hours(at))
            // "das 10 às 14" needs no day
            .or_else(|| self.bare_range(at).filter(|_| self.any(&["das", "de las"], at).is_some()))
            .or_else(|| self.last_part(at))
            .or_else(|| self.free_part(at));
        let links = ["de", "do", "da", "of", "del", "on", "dos", "das"];
        let (hours, linked) = match alone {
            Some((end, hours)) => (hours, self.optional(&links, end)),
            // a bare part of the day needs a day: "noite de sexta", but not "café da manhã de domingo"
            None => {
                let of_a_noun = at.checked_sub(1).is_some_and(|before| self.word(before) == "da");
                match self.part(at).filter(|_| !of_a_noun) {
                    Some((end, hours)) => (hours, self.any(&links, end)?),
                    None => self.bare_range(at).map(|(end, hours)| (hours, self.optional(&links, end)))?,
                }
            }
        };
        let found = self.sure_days(linked);
        match found {
            Some(found) => {
                Some((found.end, When { days: Some(found.days), hours: Some(hours), feast: found.feast }))
            }
            None => alone.map(|(end, hours)| {
                // "de manhã cedo"
                let end = if hours == MORNING { self.optional(EARLY, end) } else { end };
                (end, When { days: None, hours: Some(hours), feast: None })
            }),
        }
    }

    fn part(&self, at: usize) -> Option<(usize, Hours)> {
        self.phrase(|word| word.parts, at)
    }

    /// A part of the day as the last of several keywords: "jazz noite", but not "boa noite" and "café da manhã".
    fn last_part(&self, at: usize) -> Option<(usize, Hours)> {
        let is_last = at + 1 == self.tokens.len() && self.separator(at) == Separator::Space;
        let before = self.tokens.get(at.checked_sub(1)?)?;
        let qualifies = before.is_stop_word() || is_of(before.word) || before.word == "cafe";
        self.part(at).filter(|_| is_last && !qualifies)
    }

    /// A part of the day in which somebody is free: "tengo la tarde libre", "a free afternoon".
    fn free_part(&self, at: usize) -> Option<(usize, Hours)> {
        let (end, hours) = self.part(at)?;
        if at.checked_sub(1).is_some_and(|before| self.word(before) == "free") {
            return Some((end, hours));
        }
        Some((self.any(&["livre", "livres", "libre", "libres"], end)?, hours))
    }

    /// "por la mañana"; the word alone means tomorrow.
    fn spanish_morning(&self, at: usize) -> Option<(usize, Hours)> {
        let at = self.any(&["por la", "en la", "de la", "a la"], at)?;
        (self.word(at) == "manana").then_some((at + 1, MORNING))
    }

    /// Hours by the clock.
    fn clock_hours(&self, at: usize) -> Option<(usize, Hours)> {
        if let Some((end, _, hours)) = self.mealtime(at) {
            return Some((end, hours));
        }
        if let Some(range) = self.clock_range(at) {
            return Some(range);
        }
        let bound = self.phrases(|word| word.bounds, at).find_map(|(end, bound)| {
            self.occupation(end, bound).or_else(|| {
                let clock = self.clock(end)?;
                let minute = if clock.sure { clock.minute } else { self.bare_hour(end, clock.end)? };
                Some((clock.end, bound.hours(minute, minute)))
            })
        });
        bound.or_else(|| {
            let clock = self.clock(at).filter(|clock| clock.sure)?;
            // "curso de 2h" and "farmácia 24h" are durations, but "3 da manhã" is a time
            let is_time = (clock.minute >= DAWN || clock.half.is_some()) && self.word(at) != "24";
            is_time.then_some((clock.end, Hours::hour(clock.minute)))
        })
    }

    /// The minute of an hour behind a word for "at" that no "h" follows: "depois das 20", "a las 12", "at 19". One
    /// below 9 may be of the morning or of the evening, but "after 6" says when somebody is free.
    fn bare_hour(&self, at: usize, end: usize) -> Option<u16> {
        const BEFORE_HOURS: &[&str] = &["as", "das", "las", "at", "after", "before", "until", "till"];
        let before = |count: usize| at.checked_sub(count).map_or("", |before| self.word(before));
        let hour: u16 = self.word(at).parse().ok().filter(|_| end == at + 1)?;
        let is_after = || before(1) == "after" || before(2) == "depois" || before(3) == "despues";
        let hour = match hour {
            9..=24 => hour,
            5..=7 if is_after() => hour + 12,
            _ => return None,
        };
        (BEFORE_HOURS.contains(&before(1)) && self.ends_time(end)).then_some(hour * 60 % DAY)
    }

    /// Whether a number at the end of a phrase of time counts nothing that follows.
    fn ends_time(&self, end: usize) -> bool {
        let next = self.tokens.get(end);
        next.is_none_or(|next| next.begins_phrase() || is_in(next.word)) || self.sure_days(end).is_some()
    }

    /// Hours after or before what fills a part of the day: "depois do almoço", "antes do jantar", "after work".
    fn occupation(&self, at: usize, bound: Bound) -> Option<(usize, Hours)> {
        let mut occupations = MEALS.iter().chain([&WORK]);
        let (_, begins, ends) = occupations.find(|(words, ..)| words.contains(&self.word(at)))?;
        // "at work" says where
        let is_time = !matches!(bound, Bound::At);
        is_time.then(|| (at + 1, bound.hours(*begins, *ends)))
    }

    /// The time of a meal, and the token that names the meal: "na hora do almoço", "at lunchtime".
    pub(super) fn mealtime(&self, at: usize) -> Option<(usize, usize, Hours)> {
        let of = self.any(TIMES_OF, at);
        let meal = of.unwrap_or(at);
        let word = self.word(meal);
        let (_, from, to) = MEALS.iter().find(|(words, ..)| words.contains(&word))?;
        let is_time = of.is_some() || matches!(word, "lunchtime" | "dinnertime");
        let end = if is_time { meal + 1 } else { self.any(TIMES, meal + 1)? };
        Some((end, meal, Hours { from: *from, to: *to }))
    }

    /// "das 18h às 22h", "from 6 to 10pm", "18h-22h".
    fn clock_range(&self, at: usize) -> Option<(usize, Hours)> {
        let from = self.clock(self.optional(BEFORE_RANGES, at))?;
        let after = self.any(IN_RANGES, from.end).or_else(|| {
            (self.separator(from.end) == Separator::Hyphen && from.end < self.tokens.len())
                .then_some(from.end)
        })?;
        let to = self.clock(after)?;
        to.sure.then_some(())?;
        let mut start = from.minute;
        if !from.sure
            && to.half.is_some_and(|half| half != Half::First)
            && start < NOON
            && start + NOON < to.minute
        {
            start += NOON;
        }
        Some((to.end, Hours { from: start, to: to.minute }))
    }

    /// Hours without "h" between words that only stand around a range, beside a day: "sábado das 10 às 14". What may be
    /// of the morning or of the evening is not read.
    fn bare_range(&self, at: usize) -> Option<(usize, Hours)> {
        let from = self.clock(self.any(BEFORE_RANGES, at)?)?;
        let to = self.clock(self.any(IN_RANGES, from.end)?)?;
        let is_sure = matches!((from.minute / 60, to.minute / 60), (9.., _) | (7 | 8, 12..));
        (is_sure && from.minute < to.minute && self.ends_time(to.end))
            .then_some((to.end, Hours { from: from.minute, to: to.minute }))
    }

    /// "da noite", "in the evening" after an hour.
    fn half_of_day(&self, at: usize) -> Option<(usize, Half)> {
        let at = self.any(&["da", "de la", "in the", "at"], at)?;
        if self.word(at) == "manana" {
            return Some((at + 1, Half::First));
        }
        let half = |hours: Hours| match hours.from {
            0..NOON => Half::First,
            NOON..EVENING => Half::Second,
            EVENING.. => Half::Night,
        };
        self.part(at).map(|(end, hours)| (end, half(hours)))
    }

    /// Whether a time of the clock stands here, and no number of something else.
    pub(super) fn is_time(&self, at: usize) -> bool {
        self.clock(at).is_some_and(|clock| clock.sure) || self.clock_range(at).is_some()
    }

    /// "dez da noite", "oito e meia da noite", "dezenove horas". Without the part of the day, a number in words counts
    /// things, or hours.
    fn spoken_clock(&self, at: usize) -> Option<Clock> {
        let (number_end, hour) = self.cardinal(at)?;
        let hour = u16::try_from(hour).ok().filter(|hour| *hour <= 24)?;
        // "oito e meia", "oito e meia horas", "oito horas e meia"
        let (end, before) = self.half_past(number_end).unwrap_or((number_end, 0));
        let unit = self.any(HOURS, end);
        let (end, after) = unit.map_or((end, 0), |end| self.half_past(end).unwrap_or((end, 0)));
        let minute = hour * 60 + before + after;
        let half = self.half_of_day(end).filter(|_| hour <= 12);
        Some(match half {
            Some((end, half)) => {
                Clock { end, minute: half.minute(minute) % DAY, half: Some(half), sure: true }
            }
            None => Clock { end, minute: minute % DAY, half: None, sure: hour > 12 && unit.is_some() },
        })
    }

    /// "e meia" after an hour.
    fn half_past(&self, at: usize) -> Option<(usize, u16)> {
        self.any(&["e meia", "y media"], at).map(|end| (end, 30))
    }

    /// "20h", "20h30", "20:30", "8pm", "8:30 p.m.", "meio-dia", or a bare number.
    fn clock(&self, at: usize) -> Option<Clock> {
        let sure = |end, minute, half| Some(Clock { end, minute: minute % DAY, half, sure: true });
        if let Some(end) = self.any(&["meio dia", "noon", "midday", "mediodia", "medio dia"], at) {
            return sure(end, NOON, Some(Half::Second));
        }
        if let Some(end) = self.any(&["meia noite", "midnight", "medianoche"], at) {
            return sure(end, 0, None);
        }
        if let Some(spoken) = self.spoken_clock(at) {
            return Some(spoken);
        }
        let number = |at: usize, limit: u16| {
            let word = self.word(at);
            (word.len() <= 2).then(|| word.parse::<u16>().ok()).flatten().filter(|number| *number < limit)
        };
        let hour = number(at, 25)?;
        let colon = self.separator(at + 1) == Separator::Colon && self.word(at + 1).len() == 2;
        let minutes = if colon { Some(number(at + 1, 60)?) } else { None };
        let end = at + 1 + usize::from(colon);
        let half_past = self.half_past(end).filter(|_| !colon);
        let (end, minutes) = half_past.unwrap_or((end, minutes.unwrap_or(0)));
        let minute = hour * 60 + minutes;
        let mark = self.word(end);
        if hour <= 12
            && let Some((end, half)) = self.half_of_day(self.optional(HOURS, end))
        {
            return sure(end, half.minute(minute), Some(half));
        }
        match mark {
            "pm" | "am" if (1..=12).contains(&hour) => {
                let half = if mark == "pm" { Half::Second } else { Half::First };
                sure(end + 1, half.minute(minute), Some(half))
            }
            "h" | "hs" | "hrs" | "hr" | "horas" | "hora" => {
                let after = number(end + 1, 60)
                    .filter(|_| !colon && self.separator(end + 1) == Separator::None && mark == "h");
                let end = end + 1 + usize::from(after.is_some());
                sure(self.optional(&["min"], end), minute + after.unwrap_or(0), None)
            }
            _ if colon => sure(end, minute, None),
            _ => Some(Clock { end, minute: minute % DAY, half: None, sure: false }),
        }
    }
}
