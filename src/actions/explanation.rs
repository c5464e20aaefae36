//! The sentence that says what a search let go, or why it found nothing.

use chrono::NaiveDate;
use index::Page;
use index::grammar::hints::Hint;
use index::records::positions::KnownBy;
use index::search::page::{Around, Closest, Nothing};
use index::search::{DEFAULT_DAYS, usual_days};
use index::vocabulary::regions::CodeNote;
use index::{CategoryIds, vocabulary::categories};

use crate::serving::ServingSnapshot;

/// What a caller should know of a page of `kind` that does not meet the whole question, or that looks elsewhere than
/// its words say; `None` when there is nothing to say.
pub(super) fn of(page: &Page, kind: &str, snapshot: &ServingSnapshot, today: NaiveDate) -> Option<String> {
    let of_days = match page.interpretation.window {
        _ if page.interpretation.days_are_outside => Some(
            "No day of q is among those that from, to and the plan leave: the days of q were not counted.",
        ),
        Some(days) if days.to < today => {
            Some("Those days are past: the guide keeps no events that are over.")
        }
        Some(days) if days.from < today => {
            Some("Some of those days are past: the guide keeps no dates of repeated events that are over.")
        }
        _ => None,
    };
    let cut = page.interpretation.window.filter(|_| page.total == 0 && page.interpretation.days_are_cut);
    let of_plan = cut.map(|days| format!("Only the days from {} to {} were searched.", days.from, days.to));
    let of_words = of_words(page, kind, snapshot, today);
    let of_records = of_records(page, kind, snapshot);
    let of_unknown = of_unknown(page, kind, snapshot);
    let beyond = page.relax.as_ref().and_then(|relax| relax.near);
    let of_reach = beyond.map(|beyond| {
        let metres = beyond.nearest_m;
        let in_days = if page.next.is_some() { " in those days" } else { "" };
        match beyond.known_by {
            KnownBy::Address | KnownBy::Block => {
                format!("The nearest {kind}{in_days} are {metres} m from there: send a larger within_m.")
            }
            KnownBy::Area => format!(
                "Of the nearest {kind}{in_days} only the area is known, some {metres} m from there: send a larger \
                 within_m."
            ),
            KnownBy::Region => format!(
                "Of the nearest {kind}{in_days} only the region is known, no more than {metres} m from there: send a \
                 larger within_m, or that region."
            ),
        }
    });
    let of_near = of_vague(page, snapshot).or_else(|| of_place(page, kind));
    let sentences: Vec<&str> = [
        of_near.as_deref(),
        of_words.as_deref(),
        of_plan.as_deref(),
        of_reach.as_deref(),
        of_records.as_deref(),
        of_unknown.as_deref(),
        of_days,
    ]
    .into_iter()
    .flatten()
    .collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// That no more is known of the place to search from than its area.
fn of_vague(page: &Page, snapshot: &ServingSnapshot) -> Option<String> {
    let around = page.around.as_ref().filter(|around| around.is_beside || !around.near.is_at())?;
    let near = Some(&around.near).filter(|near| near.is_vague)?;
    let area = snapshot.guide.vocabulary().area(near.area?).name.as_str();
    let name = near.name.as_str();
    Some(match name == area {
        true => format!("The guide has no point for {name}: what is in it was searched, without distances."),
        false => {
            format!("Of {name} only its area is known: what is in {area} was searched, without distances.")
        }
    })
}

/// That the guide knows of nothing that it is in the place at which it was asked for.
fn of_place(page: &Page, kind: &str) -> Option<String> {
    let around = page.around.as_ref().filter(|around| around.is_beside && page.total > 0)?;
    let name = &around.near.name;
    Some(format!("The guide does not say that any of these {kind} is in {name}: they are the nearest to it."))
}

/// What a caller should know of records that are listed as those of the whole question, though the guide cannot tell
/// whether they are.
fn of_records(page: &Page, kind: &str, snapshot: &ServingSnapshot) -> Option<String> {
    let known = &page.interpretation;
    if page.total == 0 {
        return None;
    }
    if known.quadras_are_unknown {
        let quadras: Vec<String> = known.quadras.iter().map(u16::to_string).collect();
        let areas = page.closest.iter().flat_map(|closest| &closest.areas);
        let names = areas.map(|id| snapshot.guide.vocabulary().area(*id).name.as_str());
        let there = match page.is_elsewhere() {
            true => format!("in {}", names.collect::<Vec<_>>().join(", ")),
            false => "in the same wing, at other addresses or without one".to_owned(),
        };
        // "shows": of what a plan hides nothing is said
        return Some(format!(
            "The guide shows no {kind} with an address in {}: these are {there}.",
            quadras.join(", ")
        ));
    }
    match known.hours {
        Some((_, untimed)) if untimed == page.total => {
            return Some(format!("The guide does not know when these {kind} start."));
        }
        Some((_, untimed)) if untimed > 0 => {
            return Some(format!("The guide does not know when {untimed} of these {kind} start."));
        }
        _ => {}
    }
    asks_when_open(page).then(|| {
        format!("The guide does not know when {kind} are open: the days and hours were not counted.")
    })
}

/// Whether days or hours of the question ask when something is open: of events they are days and hours of their own.
fn asks_when_open(page: &Page) -> bool {
    page.interpretation.names_time && page.interpretation.window.is_none()
}

/// That records were not chosen by what the guide does not know ("wifi"), or by a category that comes near it: "sem
/// glúten" lists healthy food.
fn of_unknown(page: &Page, kind: &str, snapshot: &ServingSnapshot) -> Option<String> {
    let known = &page.interpretation;
    if page.total == 0 || known.not_known.is_empty() {
        return None;
    }
    let names_nothing = known.areas.is_empty() && known.categories.is_empty() && known.text.is_empty();
    if names_nothing && page.around.is_none() && !known.names_time {
        return Some(format!(
            "The guide does not know about {}, so that all {kind} are listed: name a category, an area or a place.",
            not_known(page)
        ));
    }
    let vocabulary = snapshot.guide.vocabulary();
    // words that name a category too, which the listed records have
    let nearest = |words: &String| -> Option<CategoryIds> {
        let is_let_go = page.closest.as_ref().is_some_and(|closest| closest.left_out.contains(words));
        let meant = categories::named(vocabulary, words).filter(|_| !is_let_go)?;
        meant.iter().all(|id| known.categories.contains(id)).then_some(meant)
    };
    let mut sentences = Vec::new();
    for (words, categories) in known.not_known.iter().filter_map(|(_, words)| Some((words, nearest(words)?)))
    {
        sentences.push(format!(
            "The guide does not know which {kind} suit \"{words}\": these are of the category that comes nearest, {}.",
            labels(&categories, snapshot)
        ));
    }
    // "aberto domingo" is told as a whole
    let is_told = |hint: Hint| asks_when_open(page) && matches!(hint, Hint::OpeningHours | Hint::StartTime);
    let others = known.not_known.iter().filter(|(hint, _)| !is_told(*hint)).map(|(_, words)| words);
    let mut others = others.filter(|words| nearest(words).is_none());
    if let Some(first) = others.next() {
        let words = quoted(std::iter::once(first).chain(others));
        sentences.push(format!("The guide does not know about {words}: the {kind} were not chosen by it."));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The English names of a few categories, of which one is enough.
fn labels(categories: &CategoryIds, snapshot: &ServingSnapshot) -> String {
    let vocabulary = snapshot.guide.vocabulary();
    let labels: Vec<&str> = categories.iter().map(|id| vocabulary.category(*id).en.as_str()).collect();
    labels.join(" or ")
}

/// What was made of an address code of `region` that does not name its area alone.
pub(super) fn of_code(note: &CodeNote, snapshot: &ServingSnapshot) -> String {
    let name = |id| snapshot.guide.vocabulary().area(id).name.as_str();
    match note {
        CodeNote::Assumed { code, area, region, others } => {
            let others: Vec<&str> = others.iter().map(|id| name(*id)).collect();
            format!(
                "\"{code}\" was read as {} in {}: for another one add its region ({}).",
                name(*area),
                name(*region),
                others.join(", ")
            )
        }
        CodeNote::Whole { code, areas } => {
            let areas: Vec<&str> = areas.iter().map(|id| name(*id)).collect();
            format!("The guide has no area \"{code}\" there: all of {} was searched.", areas.join(" and "))
        }
    }
}

/// Words of a question, each in quotation marks.
fn quoted<'w>(words: impl Iterator<Item = &'w String>) -> String {
    let words: Vec<String> = words.map(|words| format!("\"{words}\"")).collect();
    words.join(", ")
}

/// What the question asks about that the guide does not know.
fn not_known(page: &Page) -> String {
    let mut asked: Vec<&str> = page.interpretation.not_known.iter().map(|(hint, _)| hint.as_str()).collect();
    asked.dedup();
    asked.join(", ").replace('_', " ")
}

/// Whether all that a page lets go is what it should have excluded: "restaurants without peanuts".
fn takes_nothing_away(page: &Page, closest: &Closest) -> bool {
    let without = &page.interpretation.without;
    page.total > 0
        && !closest.left_out.is_empty()
        && closest.left_out.iter().all(|words| without.contains(words))
        && closest.areas.is_empty()
        && closest.days.is_none()
        && closest.hours.is_none()
        && !closest.is_anywhere
}

fn of_words(page: &Page, kind: &str, snapshot: &ServingSnapshot, today: NaiveDate) -> Option<String> {
    let mut sentence = match (&page.next, &page.closest) {
        (Some(next), closest) => {
            let what = if closest.is_some() { format!("closest {kind}") } else { kind.to_owned() };
            let date = next.date;
            let searched = match page.interpretation.window {
                Some(days) if days != usual_days(today) => format!("from {} to {}", days.from, days.to),
                _ => format!("from today to {DEFAULT_DAYS} days ahead"),
            };
            let is_anywhere = closest.as_ref().is_some_and(|closest| closest.is_anywhere);
            match page.around.as_deref().filter(|_| !is_anywhere) {
                Some(around) => {
                    format!("Nothing {searched} {}; the next {what} there are on {date}.", near(around))
                }
                None => format!("Nothing {searched}; the next {what} are on {date}."),
            }
        }
        (None, Some(closest)) if takes_nothing_away(page, closest) => {
            let words = quoted(closest.left_out.iter());
            return Some(format!(
                "The guide knows of no {kind} with {words}: nothing was taken away for that."
            ));
        }
        (None, Some(_)) => format!("No {kind} meet the whole question; these are the closest."),
        (None, None) if page.nothing.is_some() && !page.further.is_empty() => {
            return Some(format!(
                "No {kind} match the words of the question; `more` has what else is on in the days it names."
            ));
        }
        (None, None) => {
            let of_nothing = page.nothing.as_ref().map(|nothing| of_nothing(nothing, page, kind, snapshot));
            return of_nothing.or_else(|| of_filters(page, kind));
        }
    };
    if let Some(closest) = &page.closest {
        let vocabulary = snapshot.guide.vocabulary();
        if !closest.left_out.is_empty() {
            sentence += &format!(" Left out: {}.", quoted(closest.left_out.iter()));
        }
        if !closest.areas.is_empty() {
            let names = closest.areas.iter().map(|id| vocabulary.area(*id).name.as_str());
            sentence += &format!(" Searched in {} instead.", names.collect::<Vec<_>>().join(", "));
        }
        if let Some(days) = closest.days {
            sentence += &format!(" Nothing on the days you named; the next are on {}.", days.from);
            if !page.also_on(&snapshot.guide.events).is_empty() {
                sentence += " `more` begins with what else is on in the days you named.";
            }
        }
        if closest.hours.is_some() {
            sentence += " Nothing starts at the hours you named.";
        }
        if let Some(unpriced) = closest.unpriced {
            sentence += &format!(" The guide has no price for {unpriced} of them.");
        }
    }
    Some(sentence)
}

/// The circle that was searched: "within 5000 m of Torre de TV".
fn near(Around { near, within_m, .. }: &Around) -> String {
    let name = &near.name;
    match (near.inside(), within_m) {
        _ if near.is_at() => format!("at {name}"),
        (Some(_), 0) => format!("in the area of {name}"),
        (Some(_), metres) => format!("in the area of {name} or within {metres} m of its middle"),
        (None, metres) => format!("within {metres} m of {name}"),
    }
}

/// That nothing is where or when was asked for, by parameters alone.
fn of_filters(page: &Page, kind: &str) -> Option<String> {
    let known = &page.interpretation;
    let has_filters = known.window.is_some() || !known.areas.is_empty();
    let is_nothing = page.total == 0 && known.text.is_empty() && known.categories.is_empty();
    (has_filters && is_nothing).then(|| {
        let searched = searched(page, !known.areas.is_empty());
        // farther away there may be some
        match page.around.as_deref() {
            Some(around) => format!("No {kind} {} are listed in the {searched}.", near(around)),
            None => format!("No {kind} are listed in the {searched}."),
        }
    })
}

/// Where, unless that is told otherwise, and when was searched.
fn searched(page: &Page, names_areas: bool) -> String {
    let known = &page.interpretation;
    let parts = [known.window.map(|_| "days"), known.hours.map(|_| "hours"), names_areas.then_some("areas")];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    let parts = match parts.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => String::new(),
    };
    parts + " that were searched"
}

fn of_nothing(nothing: &Nothing, page: &Page, kind: &str, snapshot: &ServingSnapshot) -> String {
    let searched = searched(page, true);
    match nothing {
        Nothing::NotListed(words) => {
            format!("This guide lists places to go and things to do, not \"{words}\".")
        }
        Nothing::Outside(words) => {
            format!("\"{words}\" is outside the Federal District: this guide covers only it.")
        }
        Nothing::EmptyCategory => {
            format!("The category was understood, but no {kind} of it are listed in the {searched}.")
        }
        Nothing::OfNoCountry(word) => format!("No {kind} listed in the {searched} are called \"{word}\"."),
        Nothing::Apart(groups) => {
            let groups: Vec<String> = groups.iter().map(|group| labels(group, snapshot)).collect();
            format!(
                "None of the {kind} in the {searched} has all of these categories, though each has some: {}.",
                groups.join("; ")
            )
        }
        Nothing::NotUnderstood => {
            let what = not_known(page);
            let known = &page.interpretation;
            let understood = match (!known.areas.is_empty(), known.names_time && known.window.is_some()) {
                (true, true) => Some("the area and the days were"),
                (true, false) => Some("the area was"),
                (false, true) => Some("the days were"),
                (false, false) => None,
            };
            let (of_hints, word) = match what.is_empty() {
                true => (String::new(), "No word"),
                false => (format!("The guide does not know about {what}. "), "No other word"),
            };
            match understood {
                Some(known) => format!("{of_hints}Only {known} understood: name a category or a place."),
                None => {
                    format!(
                        "{of_hints}{word} of the question is known here: name a category, an area or a place."
                    )
                }
            }
        }
    }
}
