//! Hours of a day, and the words for its parts.

/// Hours of the day in minutes since midnight; `to` not after `from` runs past midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hours {
    /// The first minute.
    pub from: u16,
    /// The end, not included.
    pub to: u16,
}

impl Hours {
    /// From one minute to another; where one is not given, from or to midnight.
    pub fn between_given(from: Option<u16>, to: Option<u16>) -> Self {
        Self { from: from.unwrap_or(0), to: to.unwrap_or(0) }
    }

    /// Whether the minute of the day lies within.
    pub fn contains(self, minute: u16) -> bool {
        if self.from < self.to {
            (self.from..self.to).contains(&minute)
        } else {
            minute >= self.from || minute < self.to
        }
    }

    /// Whether no time is outside.
    pub(crate) fn is_whole_day(self) -> bool {
        self.from == self.to
    }

    /// The hours that are not among these.
    pub(crate) fn others(self) -> Option<Self> {
        (!self.is_whole_day()).then_some(Self { from: self.to, to: self.from })
    }

    /// What is in both.
    pub(crate) fn common(self, other: Self) -> Option<Self> {
        let ((from, to), (other_from, other_to)) = (self.since_dawn(), other.since_dawn());
        let (from, to) = (from.max(other_from), to.min(other_to));
        (from < to).then_some(Self::from_dawn(from, to))
    }

    /// These without others: what is left before or after them, whichever is longer. All of them when nothing is left.
    pub(crate) fn without(self, other: Self) -> Self {
        let ((from, to), (other_from, other_to)) = (self.since_dawn(), other.since_dawn());
        let parts = [(from, other_from.min(to)), (other_to.max(from), to)];
        let longest = parts.into_iter().filter(|(from, to)| from < to).max_by_key(|(from, to)| to - from);
        longest.map_or(self, |(from, to)| Self::from_dawn(from, to))
    }

    /// From the earlier beginning to the later end.
    pub(crate) fn hull(self, other: Self) -> Self {
        let ((from, to), (other_from, other_to)) = (self.since_dawn(), other.since_dawn());
        Self::from_dawn(from.min(other_from), to.max(other_to))
    }

    /// The first minute and the end, counted from dawn, since a night belongs to the day before. Of hours that begin
    /// before dawn and end in the morning, those from dawn on.
    fn since_dawn(self) -> (u16, u16) {
        let counted = |minute: u16| (minute % DAY + DAY - DAWN) % DAY;
        let (from, to) = (counted(self.from), counted(self.to));
        match to {
            0 => (from, DAY),
            to if from < to => (from, to),
            to if self.from < self.to => (0, to),
            _ => (0, DAY),
        }
    }

    fn from_dawn(from: u16, to: u16) -> Self {
        Self { from: (from + DAWN) % DAY, to: (to + DAWN) % DAY }
    }

    const fn between(from: u16, to: u16) -> Self {
        Self { from: from * 60, to: to * 60 }
    }

    pub(super) fn hour(from: u16) -> Self {
        Self { from, to: (from + 60) % DAY }
    }
}

/// The minutes of a day.
pub(super) const DAY: u16 = 24 * 60;
/// Where an evening ends and a day begins.
pub(super) const DAWN: u16 = 6 * 60;

/// From this hour on, "after" is about the day that begins and no longer about the night.
const EARLY: u16 = 4 * 60;

pub(super) const MORNING: Hours = Hours::between(6, 12);
const AFTERNOON: Hours = Hours::between(12, 18);
const NIGHT: Hours = Hours::between(18, 6);
const SMALL_HOURS: Hours = Hours::between(0, 6);

/// Parts of the day, sorted.
pub(super) const PARTS: &[(&str, Hours)] = &[
    ("afternoon", AFTERNOON),
    ("afternoons", AFTERNOON),
    ("evening", NIGHT),
    ("evenings", NIGHT),
    ("madrugada", SMALL_HOURS),
    ("manha", MORNING),
    ("manhas", MORNING),
    ("morning", MORNING),
    ("mornings", MORNING),
    ("night", NIGHT),
    ("nights", NIGHT),
    ("noche", NIGHT),
    ("noches", NIGHT),
    ("noite", NIGHT),
    ("noites", NIGHT),
    ("tarde", AFTERNOON),
    ("tardes", AFTERNOON),
];

/// The hours of a part of the day.
pub(crate) fn part_of_day(word: &str) -> Option<Hours> {
    let at = PARTS.binary_search_by_key(&word, |(part, _)| part).ok()?;
    Some(PARTS[at].1)
}

/// Which hours a clock time begins, ends or is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound {
    After,
    Before,
    Until,
    At,
}

/// Whether a time is after midnight and not after dawn.
fn is_of_small_hours(minute: u16) -> bool {
    (1..=DAWN).contains(&minute)
}

impl Bound {
    /// The hours after, before or at what lasts from one minute of the day to another.
    pub(super) fn hours(self, begins: u16, ends: u16) -> Hours {
        match self {
            Bound::After if (EARLY..=DAWN).contains(&ends) => Hours { from: ends, to: 0 },
            Bound::After => Hours { from: ends, to: DAWN },
            // "before 5am" is after midnight, and "until 2am" goes on from the evening
            Bound::Before if is_of_small_hours(begins) => Hours { from: 0, to: begins },
            Bound::Until if is_of_small_hours(begins) => Hours { from: NIGHT.from, to: begins },
            Bound::Before | Bound::Until => Hours { from: DAWN, to: begins },
            Bound::At => Hours::hour(begins),
        }
    }
}

/// What stands before a clock time, sorted.
#[rustfmt::skip]
pub(super) const BOUNDS: &[(&str, Bound)] = &[
    ("a", Bound::At),
    ("a la", Bound::At),
    ("a las", Bound::At),
    ("a partir da", Bound::After),
    ("a partir das", Bound::After),
    ("a partir de", Bound::After),
    ("a partir de las", Bound::After),
    ("a partir do", Bound::After),
    ("acabei de sair do", Bound::After),
    ("acabo de salir del", Bound::After),
    ("after", Bound::After),
    ("al", Bound::At),
    ("antes da", Bound::Before),
    ("antes das", Bound::Before),
    ("antes de", Bound::Before),
    ("antes de la", Bound::Before),
    ("antes de las", Bound::Before),
    ("antes del", Bound::Before),
    ("antes do", Bound::Before),
    ("ao", Bound::At),
    ("ao sair do", Bound::After),
    ("apos", Bound::After),
    ("apos as", Bound::After),
    ("around", Bound::At),
    ("as", Bound::At),
    ("at", Bound::At),
    ("ate", Bound::Until),
    ("ate a", Bound::Until),
    ("ate as", Bound::Until),
    ("ate o", Bound::Until),
    ("before", Bound::Before),
    ("by", Bound::Before),
    ("depois da", Bound::After),
    ("depois das", Bound::After),
    ("depois de", Bound::After),
    ("depois do", Bound::After),
    ("desde as", Bound::After),
    ("desde las", Bound::After),
    ("despues de", Bound::After),
    ("despues de la", Bound::After),
    ("despues de las", Bound::After),
    ("despues del", Bound::After),
    ("from", Bound::After),
    ("hasta el", Bound::Until),
    ("hasta la", Bound::Until),
    ("hasta las", Bound::Until),
    ("leaving", Bound::After),
    ("por volta das", Bound::At),
    ("sai do", Bound::After),
    ("saindo da", Bound::After),
    ("saindo do", Bound::After),
    ("saio do", Bound::After),
    ("sair do", Bound::After),
    ("salgo del", Bound::After),
    ("saliendo del", Bound::After),
    ("salir del", Bound::After),
    ("since", Bound::After),
    ("till", Bound::Until),
    ("until", Bound::Until),
];
