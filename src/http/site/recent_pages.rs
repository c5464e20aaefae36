//! The pages of records and lists that were asked for last. A page that is asked for again is neither rendered nor
//! compressed again.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use hyper::header::HeaderValue;

use crate::http::encoded::Encoded;
use crate::http::response::DocumentBody;
use crate::http::site::layout::tags::hash;

/// A page has some 20 KB and its compressed forms some 5 each, so all have at most some 15 MB; a few files have more.
const SLOTS: usize = 512;

/// Each page has two slots, which it shares with others. It takes one that is free, or the first of two that are taken.
pub(crate) struct RecentPages(Vec<ArcSwapOption<RecentPage>>);

struct RecentPage {
    /// Differs whenever the page does.
    tag: HeaderValue,
    page: Encoded,
}

impl RecentPages {
    pub(crate) fn new() -> RecentPages {
        RecentPages((0..SLOTS).map(|_| ArcSwapOption::empty()).collect())
    }

    /// The page with an entity tag, rendered unless it was asked for lately.
    pub(crate) fn body<E>(
        &self,
        tag: &HeaderValue,
        render: impl FnOnce() -> Result<String, E>,
    ) -> Result<DocumentBody, E> {
        if let Some(page) = self.get(tag) {
            return Ok(DocumentBody::Kept(page));
        }
        let page = Encoded::from(render()?);
        self.keep(tag.clone(), page.clone());
        Ok(DocumentBody::New(page))
    }

    /// The page with an entity tag, if it is kept.
    fn get(&self, tag: &HeaderValue) -> Option<Encoded> {
        self.slots(tag).into_iter().find_map(|slot| {
            let recent = slot.load();
            recent.as_ref().filter(|recent| recent.tag == tag).map(|recent| recent.page.clone())
        })
    }

    /// Keeps a page.
    fn keep(&self, tag: HeaderValue, page: Encoded) {
        let [first, second] = self.slots(&tag);
        let is_free =
            |slot: &ArcSwapOption<RecentPage>| slot.load().as_ref().is_none_or(|recent| recent.tag == tag);
        let slot = if !is_free(first) && is_free(second) { second } else { first };
        slot.store(Some(Arc::new(RecentPage { tag, page })));
    }

    fn slots(&self, tag: &HeaderValue) -> [&ArcSwapOption<RecentPage>; 2] {
        let [a, b, c, d, ..] = hash(&tag.as_bytes()).to_ne_bytes();
        [[a, b], [c, d]].map(|half| &self.0[usize::from(u16::from_ne_bytes(half)) % SLOTS])
    }
}
