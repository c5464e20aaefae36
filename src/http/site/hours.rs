//! The hours of events on a day: which are in the evening, and the order of a list.

use std::cmp::Reverse;

use index::Guide;

use super::components::Show;
use super::record_view::Record;

/// The minute of the day at which the evening begins.
pub(super) const EVENING: u16 = 18 * 60;

/// What began more than this many minutes ago is folded, where the guide does not know when it ends.
const USUAL_MINUTES: u16 = 180;

/// The same of what goes on all day.
const ALL_DAY_MINUTES: u16 = 8 * 60;

/// The categories of what does: a street without cars, a fair.
const ALL_DAY: [&str; 3] = ["ao-ar-livre", "feira", "artesanato"];

/// Whether an event or one of its sessions begins in the evening. One without a time may be over by then.
pub(super) fn is_evening(guide: &Guide, event: u32) -> bool {
    guide.events.starts_from(event, EVENING)
}

/// Sorts events of a day by their hour, of equal ones the newest first: what has been on for weeks is known. Where the
/// evening is a list of its own, one that has a session in it comes by that.
pub(super) fn sort_by_hour(show: Show<'_>, ranks: &mut [u32], has_evening: bool) {
    let events = &show.guide.events;
    let hour = |rank: u32| match events.minute(rank) {
        Some(..EVENING) if has_evening && is_evening(show.guide, rank) => {
            let spans = Record::new(&events.rendered, rank).spans();
            spans.into_iter().map(|(start, _)| start).find(|start| *start >= EVENING)
        }
        minute => minute,
    };
    ranks.sort_by_cached_key(|rank| (hour(*rank).unwrap_or(u16::MAX), Reverse(events.first_day(*rank))));
}

/// Whether all sessions of an event of today are folded: those that have ended and, where that is not known and the
/// event `is_new` today, those that began long ago.
pub(super) fn is_folded(guide: &Guide, event: u32, now: u16, is_new: bool) -> bool {
    let vocabulary = guide.vocabulary();
    let mut categories = vocabulary.category_and_above(guide.events.category(event));
    let is_all_day = categories.any(|id| ALL_DAY.contains(&vocabulary.category(id).slug.as_str()));
    let minutes = if is_all_day { ALL_DAY_MINUTES } else { USUAL_MINUTES };
    let spans = Record::new(&guide.events.rendered, event).spans();
    !spans.is_empty() && spans.iter().all(|span| is_past(*span, now, minutes, is_new))
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
