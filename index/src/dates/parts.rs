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
