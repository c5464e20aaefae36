//! The records that the pages of an area list: those in it, and those that are known by a wider area alone and name it,
//! as a search for its name finds them: "Eixo Rodoviário, Asa Sul e Asa Norte".

use std::borrow::Cow;

use index::{AreaId, CategoryId, Collection, Guide, View, Window};

/// Those of the records of an area that are not in it: known by a wider area alone, and naming this one, in order. None
/// of the area `home`, which is all that the site shows.
pub(crate) fn named_only(guide: &Guide, collection: &Collection, (area, home): (AreaId, AreaId)) -> Vec<u32> {
    if area == home {
        return Vec::new();
    }
    let vocabulary = guide.vocabulary();
    let is_wider = |rank: &u32| {
        let own = collection.area(*rank);
        own != area && vocabulary.area_run(own).contains(&area) && vocabulary.area_run(home).contains(&own)
    };
    collection.naming_area(View::Basic, area).iter().copied().filter(is_wider).collect()
}

/// The records of an area and a category, or of all categories, in order.
pub(crate) fn records_of<'g>(
    guide: &Guide,
    collection: &'g Collection,
    (area, home): (AreaId, AreaId),
    category: Option<CategoryId>,
) -> Cow<'g, [u32]> {
    with_named(collection, (area, home), category, &named_only(guide, collection, (area, home)))
}

/// The same, with those that name the area without being in it.
pub(crate) fn with_named<'g>(
    collection: &'g Collection,
    (area, home): (AreaId, AreaId),
    category: Option<CategoryId>,
    named: &[u32],
) -> Cow<'g, [u32]> {
    let members = collection.filtered(area, category);
    let is_of_category =
        |rank: &u32| category.is_none() || collection.filtered(home, category).binary_search(rank).is_ok();
    let named: Vec<u32> = named.iter().copied().filter(is_of_category).collect();
    if named.is_empty() {
        return members.into();
    }
    let mut all = [members, &named].concat();
    all.sort_unstable();
    all.into()
}

/// The events of an area that take place in a window, in order.
pub(crate) fn events_in(guide: &Guide, window: Window, (area, home): (AreaId, AreaId)) -> Vec<u32> {
    let events = &guide.events;
    let mut found = events.events_in(window, area, None);
    let named =
        named_only(guide, events, (area, home)).into_iter().filter(|rank| events.is_on(*rank, window));
    let members = found.len();
    found.extend(named);
    if found.len() > members {
        found.sort_unstable();
    }
    found
}
