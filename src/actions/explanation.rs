//! The sentence that says what a search let go, or why it found nothing.

use index::Page;
use index::page::Nothing;
use index::search::DEFAULT_DAYS;

use crate::serving::ServingSnapshot;

/// What a caller should know of a page of `kind` that does not meet the whole question; `None` when it does.
pub(super) fn of(page: &Page, kind: &str, snapshot: &ServingSnapshot) -> Option<String> {
    let mut sentence = match (&page.next, &page.closest) {
        (Some(next), closest) => {
            let what = if closest.is_some() { format!("closest {kind}") } else { kind.to_owned() };
            let date = next.date;
            format!("Nothing from today to {DEFAULT_DAYS} days ahead; the next {what} are on {date}.")
        }
        (None, Some(_)) => format!("No {kind} meet the whole question; these are the closest."),
        (None, None) if page.nothing.is_some() && !page.further.is_empty() => {
            return Some(format!(
                "No {kind} match the words of the question; `more` has what else is on in the days it names."
            ));
        }
        (None, None) => return page.nothing.as_ref().map(|nothing| of_nothing(nothing, kind)),
    };
    if let Some(closest) = &page.closest {
        let vocabulary = snapshot.guide.vocabulary();
        if !closest.left_out.is_empty() {
            let words: Vec<String> = closest.left_out.iter().map(|words| format!("\"{words}\"")).collect();
            sentence += &format!(" Left out: {}.", words.join(", "));
        }
        if !closest.areas.is_empty() {
            let names = closest.areas.iter().map(|id| vocabulary.areas[usize::from(*id)].name.as_str());
            sentence += &format!(" Searched in {} instead.", names.collect::<Vec<_>>().join(", "));
        }
        if let Some(days) = closest.days {
            sentence += &format!(" Nothing on the days you named; the next are on {}.", days.from);
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

fn of_nothing(nothing: &Nothing, kind: &str) -> String {
    match nothing {
        Nothing::NotListed(words) => {
            format!("This guide lists places to go and things to do, not \"{words}\".")
        }
        Nothing::Outside(words) => {
            format!("\"{words}\" is outside the Federal District: this guide covers only it.")
        }
        Nothing::EmptyCategory => format!("The category was understood, but no {kind} there have it."),
        Nothing::NotUnderstood => {
            "No word of the question is known here: name a category, an area or a place.".into()
        }
    }
}
