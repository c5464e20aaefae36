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

/// Which hours a clock time begins, ends or is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound {
    After,
    Before,
    At,
}

impl Bound {
    /// The hours after, before or at what lasts from one minute of the day to another.
    pub(super) fn hours(self, begins: u16, ends: u16) -> Hours {
        match self {
            Bound::After => Hours { from: ends, to: DAWN },
            Bound::Before => Hours { from: DAWN, to: begins },
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
    ("apos", Bound::After),
    ("apos as", Bound::After),
    ("around", Bound::At),
    ("as", Bound::At),
    ("at", Bound::At),
    ("ate", Bound::Before),
    ("ate a", Bound::Before),
    ("ate as", Bound::Before),
    ("ate o", Bound::Before),
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
    ("hasta el", Bound::Before),
    ("hasta la", Bound::Before),
    ("hasta las", Bound::Before),
    ("por volta das", Bound::At),
    ("since", Bound::After),
    ("till", Bound::Before),
    ("until", Bound::Before),
];
