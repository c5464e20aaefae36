//! Searches that the front page suggests, drawn from what the snapshot has on that day.

use chrono::{Datelike, Days, NaiveDate};
use index::{CategoryId, Guide, Window};

use super::directory::{Directory, Listing};
use crate::http::language::Language;
use crate::http::site::layout::i18n::category_name;
use crate::http::site::texts;

/// How many candidates of a kind are tried.
const MOST_TRIED: usize = 8;

/// Up to four searches that find something as they are written: a kind of event on a weekday, two kinds of places each
/// in an area, and a kind of place.
pub(crate) fn suggestions(
    guide: &Guide,
    directory: &Directory,
    today: NaiveDate,
    language: Language,
    finds: impl Fn(&str) -> bool,
) -> Vec<String> {
    let vocabulary = guide.vocabulary();
    let texts = texts::of(language);
    let category = |id: CategoryId| {
        let name = category_name(vocabulary, language, id);
        // some names have an explanation in brackets
        name.split(" (").next().unwrap_or(name).to_lowercase()
    };
    let tried = |candidates: &mut dyn Iterator<Item = String>| {
        candidates.take(MOST_TRIED).find(|candidate| finds(candidate))
    };
    let week = Window { from: today + Days::new(1), to: today + Days::new(6) };
    let events = guide.events.events_in(week, directory.home, None).into_iter().filter_map(|rank| {
        let day = guide.events.first_day(rank).filter(|day| *day > today)?;
        Some((texts.home.search_on)(&category(guide.events.category(rank)), day.weekday() as usize))
    });
    let pairs = directory.sorted(|topic| matches!(topic, (Some(_), Some(_))));
    let in_area = |listing: &&Listing| {
        let (Some(area), Some(kind)) = listing.topic else { return None };
        Some((texts.home.search_in)(&category(kind), vocabulary.area(area).name.as_str()))
    };
    let is_narrow = |listing: &&&Listing| {
        let narrow = |id: CategoryId| CategoryId::within(vocabulary.category_run(id)).len() == 1;
        listing.places > 0 && listing.topic.1.is_some_and(narrow)
    };
    let first = pairs.iter().filter(is_narrow).take(MOST_TRIED).find_map(|pair| {
        let text = in_area(pair)?;
        finds(&text).then_some((pair.topic, text))
    });
    let differs = |listing: &&&Listing| {
        first.as_ref().is_none_or(|((area, kind), _)| listing.topic.0 != *area && listing.topic.1 != *kind)
    };
    let second = tried(&mut pairs.iter().filter(is_narrow).filter(differs).filter_map(in_area));
    let kinds = directory.sorted(|topic| matches!(topic, (None, Some(_))));
    let used = [first.as_ref().map(|(_, text)| text.clone()), second.clone()];
    let is_new = |name: &String| !used.iter().flatten().any(|text| text.starts_with(name.as_str()));
    let kinds = kinds.iter().filter(is_narrow).filter_map(|listing| listing.topic.1.map(category));
    let kind = tried(&mut kinds.filter(is_new));
    let event = tried(&mut events.into_iter());
    [event, first.map(|(_, text)| text), second, kind].into_iter().flatten().collect()
}
