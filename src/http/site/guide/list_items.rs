//! The items of lists that were rendered last: rendering its records takes most of the time of a page that lists a
//! search, and searches that differ find the same records.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use chrono::NaiveDate;
use index::AreaId;
use maud::Markup;

use crate::http::language::Language;
use crate::http::site::data::hours::Progress;
use crate::http::site::data::record_view::RecordRef;
use crate::http::site::layout::tags::hash;

/// An item has some 500 bytes, so all have some 2 MB.
const SLOTS: usize = 4_096;

/// A level of headings.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Heading {
    H2,
    H3,
}

/// A record in a list.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Listed {
    pub(crate) of: RecordRef,
    /// The day that an event is shown with.
    pub(crate) day: Option<NaiveDate>,
    /// How far an event of today is.
    pub(crate) progress: Progress,
    pub(crate) language: Language,
    /// The heading around the list, which the names of records are one below.
    pub(crate) under: Heading,
    /// The area of the page, which it does not name.
    pub(crate) area: AreaId,
}

/// The items of a snapshot on a day. A slot serves several: it keeps the last.
pub(crate) struct ListItems(Vec<ArcSwapOption<ListItem>>);

/// An item of a list.
pub(crate) struct ListItem {
    listed: Listed,
    pub(crate) html: Markup,
}

impl ListItems {
    pub(crate) fn new() -> ListItems {
        ListItems((0..SLOTS).map(|_| ArcSwapOption::empty()).collect())
    }

    /// The item of a record, rendered if it is not kept.
    pub(crate) fn get(&self, listed: Listed, render: impl FnOnce() -> Markup) -> Arc<ListItem> {
        let [low, high, ..] = hash(&listed).to_ne_bytes();
        let slot = &self.0[usize::from(u16::from_ne_bytes([low, high])) % SLOTS];
        if let Some(item) = slot.load().as_ref().filter(|item| item.listed == listed) {
            return item.clone();
        }
        let item = Arc::new(ListItem { listed, html: render() });
        slot.store(Some(item.clone()));
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maud::PreEscaped;

    #[test]
    fn each_record_list_and_language_has_an_item_of_its_own() {
        let items = ListItems::new();
        let area = AreaId::all().next().unwrap();
        let mut rendered = 0;
        for _ in 0..2 {
            for rank in 0..5_000 {
                for language in Language::ALL {
                    let [event, place] = [RecordRef::event(rank), RecordRef::place(rank)];
                    for (of, under) in [(event, Heading::H2), (event, Heading::H3), (place, Heading::H2)] {
                        let listed =
                            Listed { of, day: None, progress: Progress::Ahead, language, under, area };
                        let text = format!("{of:?} {} {}", language.code(), under == Heading::H2);
                        let item = items.get(listed, || {
                            rendered += 1;
                            PreEscaped(text.clone())
                        });
                        assert_eq!(item.html.0, text);
                    }
                }
            }
        }
        // more than there are slots; one that was just rendered is kept
        assert!(rendered > SLOTS);
        let of = RecordRef::place(0);
        let language = Language::English;
        let listed = Listed { of, day: None, progress: Progress::Ahead, language, under: Heading::H3, area };
        let first = items.get(listed, || PreEscaped("once".to_owned()));
        let again = items.get(listed, || PreEscaped("twice".to_owned()));
        assert_eq!((&*first.html.0, &*again.html.0), ("once", "once"));
    }
}
