//! The hours of events on a day: which are in the evening, and the order of a list.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use chrono::NaiveDate;
use index::{AreaId, Guide, Window};
use snapshots::Status;

use super::record_view::{MINUTES_A_DAY, Record};
use super::upcoming::{Upcoming, gives};
use crate::serving::{SeriesRule, SeriesRules};

/// The minute of the day at which the evening begins.
pub(crate) const EVENING: u16 = 18 * 60;

/// What began more than this many minutes ago is folded, where the guide does not know when it ends.
const USUAL_MINUTES: u16 = 180;

/// What began more than this many minutes ago is folded, where it goes on all day.
const ALL_DAY_MINUTES: u16 = 8 * 60;

/// The categories of what does: a street without cars, a fair.
const ALL_DAY: [&str; 3] = ["ao-ar-livre", "feira", "artesanato"];

/// The minute at which a night ends, on the day after.
const NIGHT_ENDS: u16 = 6 * 60;

/// How far an event of today is at a minute of it. The order is that of short lists: what is over comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Progress {
    /// It is to begin, or nothing is known of it.
    Ahead,
    Begun,
    /// It began long ago, at this minute, and the guide does not know when it ends.
    LongBegun(u16),
    Ended,
}

impl Progress {
    /// That of an event at a minute of today; of one that is on other days that it is ahead. A run of days has not
    /// begun today.
    pub(crate) fn of(record: &Record<'_>, today: NaiveDate, now: u16) -> Progress {
        let is_new = record.date == Some(today);
        let is_today = record.date <= Some(today) && record.end_date.or(record.date) >= Some(today);
        let spans = record.spans();
        let Some((start, _)) = spans.last().filter(|_| is_today && !is_off(record)) else {
            return Progress::Ahead;
        };
        if spans.iter().all(|(_, end)| end.is_some_and(|end| end <= now)) {
            return Progress::Ended;
        }
        match is_new {
            true if spans.iter().all(|span| is_past(*span, now, USUAL_MINUTES, true)) => {
                Progress::LongBegun(*start)
            }
            true if *start <= now => Progress::Begun,
            _ => Progress::Ahead,
        }
    }

    /// Whether it is over, or began long ago.
    pub(crate) fn is_late(self) -> bool {
        self > Progress::Begun
    }
}

/// Whether an event or one of its sessions begins in the evening. One without a time may be over by then.
pub(crate) fn is_evening(guide: &Guide, event: u32) -> bool {
    guide.events.starts_from(event, EVENING)
}

/// Whether the guide does not know its hour.
pub(crate) fn is_untimed(guide: &Guide, event: u32) -> bool {
    guide.events.minute(event).is_none()
}

/// Sorts events of a day by their hour, of equal ones the newest first: what has been on for weeks is known. Where the
/// evening is a list of its own, one that has a session in it comes by that.
pub(crate) fn sort_by_hour(guide: &Guide, ranks: &mut [u32], has_evening: bool) {
    let events = &guide.events;
    let hour = |rank: u32| match events.minute(rank) {
        Some(..EVENING) if has_evening && is_evening(guide, rank) => {
            let spans = Record::new(&events.rendered, rank).spans();
            spans.into_iter().map(|(start, _)| start).find(|start| *start >= EVENING)
        }
        minute => minute,
    };
    ranks.sort_by_cached_key(|rank| (hour(*rank).unwrap_or(u16::MAX), Reverse(events.first_day(*rank))));
}

/// Whether all sessions of an event of today are folded: those that have ended and, where that is not known and the
/// event `is_new` today, those that began long ago.
pub(crate) fn is_folded(guide: &Guide, event: u32, now: u16, is_new: bool) -> bool {
    let vocabulary = guide.vocabulary();
    let mut categories = vocabulary.category_and_above(guide.events.category(event));
    let is_all_day = categories.any(|id| ALL_DAY.contains(&vocabulary.category(id).slug.as_str()));
    let minutes = if is_all_day { ALL_DAY_MINUTES } else { USUAL_MINUTES };
    let spans = Record::new(&guide.events.rendered, event).spans();
    !spans.is_empty() && spans.iter().all(|span| is_past(*span, now, minutes, is_new))
}

/// Whether an event has ended, as far as is known at a minute of the day: `None` on pages that do not change within it.
pub(crate) fn is_over(record: &Record<'_>, today: NaiveDate, now: Option<u16>) -> bool {
    let Some(last) = record.end_date.or(record.date) else { return false };
    let Some(now) = now else { return record.last_day().is_some_and(|last| last < today) };
    let spans = record.spans();
    match u16::try_from((today - last).num_days()) {
        Ok(days @ ..=1) if !spans.is_empty() => {
            let minute = now + days * MINUTES_A_DAY;
            spans.iter().all(|span| latest_end(*span) <= minute)
        }
        Ok(days) => days > 0,
        // it is still to come
        Err(_) => last < today,
    }
}

/// When a session has ended at the latest. Where the guide does not know it, it may go on until the day is over, and in
/// the evening until the night is.
fn latest_end((start, end): (u16, Option<u16>)) -> u16 {
    end.unwrap_or(if start >= EVENING { MINUTES_A_DAY + NIGHT_ENDS } else { MINUTES_A_DAY })
}

/// Whether an event does not take place as planned, so that it neither begins nor ends.
pub(crate) fn is_off(record: &Record<'_>) -> bool {
    matches!(record.status, Some(Status::Cancelled | Status::Postponed))
}

/// The events of today that are folded at a minute of it, computed when they are first asked for. Nothing is left of a
/// day on which they are all.
#[derive(Default)]
pub(crate) struct BegunToday(ArcSwapOption<(u16, HashSet<u32>)>);

impl BegunToday {
    /// Those of a minute of today.
    pub(crate) fn at(
        &self,
        now: u16,
        guide: &Guide,
        home: AreaId,
        today: NaiveDate,
    ) -> Arc<(u16, HashSet<u32>)> {
        if let Some(known) = self.0.load_full().filter(|known| known.0 == now) {
            return known;
        }
        let on = guide.events.events_in(Window::day(today), home, None);
        let is_begun = |rank: &u32| {
            let is_new = guide.events.first_day(*rank) == Some(today);
            is_folded(guide, *rank, now, is_new)
        };
        let begun = Arc::new((now, on.into_iter().filter(is_begun).collect()));
        self.0.store(Some(begun.clone()));
        begun
    }
}

/// Events of yesterday that go on after midnight. Computed once for a snapshot and a day.
pub(crate) struct LastNight(Vec<LateEvent>);

/// An event of yesterday that goes on after midnight.
pub(crate) struct LateEvent {
    /// Of the next event of its series, where the guide has no longer the one of yesterday.
    pub(crate) rank: u32,
    /// The id of its page.
    pub(crate) id: String,
    start: u16,
    /// The minute of today at which it ends.
    end: u16,
}

impl LateEvent {
    /// The event of a rank on the day before, if it goes on after midnight.
    fn of(guide: &Guide, rank: u32, id: String) -> Option<LateEvent> {
        let record = Record::new(&guide.events.rendered, rank);
        let spans = record.spans().into_iter().filter(|_| !is_off(&record));
        let spans = spans.map(|(start, end)| (start, end.unwrap_or(start + USUAL_MINUTES)));
        let (start, end) = spans.max_by_key(|(_, end)| *end)?;
        (end > MINUTES_A_DAY).then(|| LateEvent { rank, id, start, end: end - MINUTES_A_DAY })
    }
}

impl LastNight {
    pub(crate) fn new(guide: &Guide, home: AreaId, upcoming: &Upcoming, rules: &SeriesRules) -> LastNight {
        let mut late = LastNight(Vec::new());
        let Some(yesterday) = upcoming.today.pred_opt() else { return late };
        let events = &guide.events;
        let listed = events.events_in(Window::day(yesterday), home, None);
        // a guide has the dates of a series from its own day on
        for rank in &listed {
            let id = Record::new(&events.rendered, *rank).id.into_owned();
            late.0.extend(LateEvent::of(guide, *rank, id));
        }
        for series in &upcoming.series {
            let next = series.dates.first().map(|(rank, _)| *rank);
            let is_listed = |rank: &u32| listed.iter().any(|other| events.is_same_series(*other, *rank));
            let event = next.filter(|rank| !is_listed(rank));
            let event = event.and_then(|rank| LateEvent::of(guide, rank, series.id.clone()));
            let was_on =
                |rule: &SeriesRule| !rule.repeat.except.contains(&yesterday) && gives(rule, yesterday);
            late.0.extend(event.filter(|_| rules.get(&series.id).is_some_and(was_on)));
        }
        late.0.sort_by_key(|event| event.start);
        late
    }

    /// What is still on at a minute of today.
    pub(crate) fn at(&self, now: Option<u16>) -> Vec<&LateEvent> {
        self.0.iter().filter(|event| now.is_some_and(|now| event.end > now)).collect()
    }
}

/// Whether a session has ended or, where that is not known, began more than so many minutes ago.
fn is_past((start, end): (u16, Option<u16>), now: u16, minutes: u16, is_new: bool) -> bool {
    match end {
        Some(end) => end <= now,
        None => is_new && start < now.saturating_sub(minutes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(start: &'static str, end: &'static str, day: u32) -> Record<'static> {
        let date = NaiveDate::from_ymd_opt(2026, 12, day);
        Record { date, start_time: start.into(), end_time: end.into(), ..Record::default() }
    }

    #[test]
    fn no_end_is_invented() {
        let today = NaiveDate::from_ymd_opt(2026, 12, 6).unwrap();
        for (start, end, now, progress) in [
            ("06:00", "", 5 * 60, Progress::Ahead),
            ("06:00", "", 8 * 60, Progress::Begun),
            ("06:00", "", 14 * 60, Progress::LongBegun(6 * 60)),
            ("06:00", "", 23 * 60 + 50, Progress::LongBegun(6 * 60)),
            ("06:00", "14:00", 13 * 60, Progress::Begun),
            ("06:00", "14:00", 14 * 60, Progress::Ended),
            ("", "", 14 * 60, Progress::Ahead),
        ] {
            assert_eq!(Progress::of(&record(start, end, 7), today, now), Progress::Ahead, "it is tomorrow");
            assert_eq!(Progress::of(&record(start, end, 6), today, now), progress, "{start} {end} at {now}");
            assert_eq!(is_over(&record(start, end, 6), today, Some(now)), progress == Progress::Ended);
        }
        for (start, now, over) in [
            ("06:00", 0, true),
            // a night ends at six
            ("22:00", 5 * 60, false),
            ("22:00", 6 * 60, true),
            ("", 0, true),
        ] {
            assert_eq!(is_over(&record(start, "", 5), today, Some(now)), over, "{start} at {now}");
        }
    }

    #[test]
    fn what_has_ended_is_past_and_what_is_still_on_is_not() {
        const MIDNIGHT: u16 = 24 * 60;
        for (span, now, minutes, is_new, expected) in [
            // a fair from morning to evening
            ((9 * 60, Some(18 * 60)), 17 * 60 + 50, USUAL_MINUTES, true, false),
            ((9 * 60, Some(18 * 60)), 18 * 60, USUAL_MINUTES, true, true),
            ((9 * 60, Some(18 * 60)), 18 * 60, USUAL_MINUTES, false, true),
            // a matinee that has closed an hour after it began
            ((14 * 60, Some(15 * 60)), 15 * 60, ALL_DAY_MINUTES, true, true),
            // past midnight
            ((19 * 60, Some(MIDNIGHT + 4 * 60)), 23 * 60 + 50, USUAL_MINUTES, true, false),
            // the end is not known
            ((14 * 60, None), 17 * 60, USUAL_MINUTES, true, false),
            ((14 * 60, None), 17 * 60 + 10, USUAL_MINUTES, true, true),
            ((14 * 60, None), 17 * 60 + 10, USUAL_MINUTES, false, false),
            // a street that is closed all day
            ((6 * 60, None), 14 * 60, ALL_DAY_MINUTES, true, false),
            ((6 * 60, None), 14 * 60 + 10, ALL_DAY_MINUTES, true, true),
        ] {
            assert_eq!(is_past(span, now, minutes, is_new), expected, "{span:?} at {now}");
        }
    }
}
