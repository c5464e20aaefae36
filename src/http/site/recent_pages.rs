//! The pages of records and lists that were asked for last. A page that is asked for again is neither rendered nor compressed again.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use hyper::header::HeaderValue;

use super::tags::hash;
use crate::http::encoded::Encoded;

/// A page has some 20 KB and its compressed forms some 5 each, so all have at most some 15 MB.
const SLOTS: u64 = 512;

/// Each page has one slot, which it shares with others: the last one asked for is kept.
pub(super) struct RecentPages(Vec<ArcSwapOption<RecentPage>>);

struct RecentPage {
    /// Differs whenever the page does.
    tag: HeaderValue,
    page: Encoded,
}

impl RecentPages {
    pub(super) fn new() -> RecentPages {
        RecentPages((0..SLOTS).map(|_| ArcSwapOption::empty()).collect())
    }

    /// The page with an entity tag, if it is kept.
    pub(super) fn get(&self, tag: &HeaderValue) -> Option<Encoded> {
        let recent = self.slot(tag)?.load();
        recent.as_ref().filter(|recent| recent.tag == tag).map(|recent| recent.page.clone())
    }

    /// Keeps a page in place of the one in its slot.
    pub(super) fn keep(&self, tag: HeaderValue, page: Encoded) {
        if let Some(slot) = self.slot(&tag) {
            slot.store(Some(Arc::new(RecentPage { tag, page })));
        }
    }

    fn slot(&self, tag: &HeaderValue) -> Option<&ArcSwapOption<RecentPage>> {
        let slot = usize::try_from(hash(&tag.as_bytes()) % SLOTS).ok()?;
        self.0.get(slot)
    }
}
