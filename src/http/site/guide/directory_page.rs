//! The pages that list all areas and all categories, above those of each.

use index::grammar::fold::fold;
use index::vocabulary::ArchivedVocabularyIndex;
use maud::{Markup, html};

use super::home::blocks;
use crate::http::site::data::directory::Listing;
use crate::http::site::layout::components::{Show, breadcrumbs, chips, section};
use crate::http::site::layout::i18n::category_name;
use crate::http::site::layout::{Meta, strip};
use crate::http::site::share::schema_org;

/// The paths of the pages, in Portuguese.
pub(crate) const AREAS: &str = "/area";
pub(crate) const CATEGORIES: &str = "/categoria";

/// All areas, by name.
pub(crate) fn areas(show: Show<'_>) -> String {
    let Show { layout, data, guide, .. } = show;
    let (words, vocabulary) = (&layout.texts.directory, guide.vocabulary());
    let name = |listing: &Listing| Some(vocabulary.area(listing.topic.0?).name.as_str());
    let mut listings = data.directory.sorted(|topic| matches!(topic, (Some(_), None)));
    listings.sort_by_cached_key(|listing| fold(name(listing).unwrap_or_default()));
    let content = blocks(layout, listings.iter().copied(), name, "blocks-areas");
    page(show, AREAS, [words.areas, words.areas_about], &listings, content, |listing| {
        name(listing).unwrap_or_default().to_owned()
    })
}

/// All categories, those that are in another one below it.
pub(crate) fn categories(show: Show<'_>) -> String {
    let Show { layout, data, guide, .. } = show;
    let (words, vocabulary) = (&layout.texts.directory, guide.vocabulary());
    let name = |listing: &Listing| {
        let category = listing.topic.1?;
        Some(category_name(vocabulary, layout.language, category))
    };
    let roots = data.directory.root_categories(vocabulary).into_iter();
    let families: Vec<Vec<&Listing>> =
        roots.map(|root| [vec![root], within(show, vocabulary, root)].concat()).collect();
    let link = |listing: &&Listing| {
        (layout.path(&listing.path), name(listing).unwrap_or_default(), listing.records().to_string())
    };
    let content = html! {
        @for family in &families {
            @if let Some(root) = family.first() {
                @let id = root.path.rsplit('/').next().unwrap_or_default();
                (section(id, name(root).unwrap_or_default(), "", chips(family.iter().map(link))))
            }
        }
    };
    let listings = families.concat();
    page(show, CATEGORIES, [words.categories, words.categories_about], &listings, content, |listing| {
        name(listing).unwrap_or_default().to_owned()
    })
}

/// The categories within one, however deep, each before those within it.
fn within<'a>(
    show: Show<'a>,
    vocabulary: &ArchivedVocabularyIndex,
    listing: &'a Listing,
) -> Vec<&'a Listing> {
    let Some(category) = listing.topic.1 else { return Vec::new() };
    let below = show.data.directory.categories_below(vocabulary, category);
    below.into_iter().flat_map(|inner| [vec![inner], within(show, vocabulary, inner)].concat()).collect()
}

fn page(
    show: Show<'_>,
    path: &str,
    [title, description]: [&str; 2],
    listings: &[&Listing],
    content: Markup,
    name: impl Fn(&Listing) -> String,
) -> String {
    let Show { layout, data, .. } = show;
    let front = (layout.address("/"), layout.texts.layout.guide);
    let trail = [front, (layout.address(path), title)];
    let items: Vec<(String, String)> =
        listings.iter().map(|listing| (layout.address(&listing.path), name(listing))).collect();
    let main = html! {
        (strip(12))
        div.wide {
            (breadcrumbs(layout, [(layout.home(), layout.texts.layout.guide)]))
            h1.list-title { (title) }
            p.status { (description) }
            (content)
            (layout.credit(data.positions.as_ref()))
        }
        (schema_org::list(&trail, &items))
    };
    layout.page(&Meta { title, description, path, query: "", listed: true }, main)
}
