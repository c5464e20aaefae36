//! The sentence that says what a search let go, or why it found nothing.

use index::Page;
use index::page::Nothing;
use index::search::DEFAULT_DAYS;

use crate::serving::ServingSnapshot;

/// What a caller should know of a page of `kind` that does not meet the whole question; `None` when it does.
pub(super) fn of(page: &Page, kind: &str, snapshot: &ServingSnapshot) -> Option<String> {
    if let Some(closest) = &page.closest {
        let vocabulary = snapshot.guide.vocabulary();
        let mut sentence = format!("No {kind} meet the whole question; these are the closest.");
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
        return Some(sentence);
    }
    if let Some(next) = &page.next {
        let date = next.date;
        return Some(format!(
            "Nothing from today to {DEFAULT_DAYS} days ahead; the next {kind} are on {date}."
        ));
    }
    page.nothing.as_ref().map(|nothing| match nothing {
        Nothing::NotListed(words) => {
            format!("This guide lists places to go and things to do, not \"{words}\".")
        }
        Nothing::EmptyCategory => format!("The category was understood, but no {kind} there have it."),
        Nothing::NotUnderstood => {
            "No word of the question is known here: name a category, an area or a place.".into()
        }
    })
}
