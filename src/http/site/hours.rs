//! The hours of events on a day: which are in the evening, and the order of a list.

use std::cmp::Reverse;

use index::Guide;

use super::components::Show;
use super::record_view::Record;

/// The minute of the day at which the evening begins.
pub(super) const EVENING: u16 = 18 * 60;

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
