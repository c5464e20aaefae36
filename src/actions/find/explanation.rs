//! What an answer says of itself: why it found nothing, what it let go, what the plan hides, and what to send for what
//! is near.

use index::grammar::fold::fold;
use index::search::page::Nothing;
use index::{EVERYWHERE, Page, Window};

use super::Search;
use crate::actions::{LeftOut, QueryContext, explanation, near, visible};
use crate::domain::records::Records;

/// What to send for what is near.
const HERE: &str = "To search near you, send near as \"lat,lon\": the service does not know where you are.";

impl Search<'_> {
    /// What the page says of itself: why it found nothing, what it let go, or that the plan hides an area, and what to
    /// send for what is near.
    pub(super) fn explanation(&self, page: &Page, is_hidden: bool) -> Option<String> {
        let QueryContext { snapshot, permit, .. } = self.context;
        if self.collection(self.records).is_empty() {
            return Some(format!("The guide has no {} at present.", self.records.list()));
        }
        // what is not listed says nothing where the plan hides it
        let is_searched = !is_hidden && !matches!(self.left_out(page), LeftOut::AllDays);
        let if_searched = |sentence: &dyn Fn() -> Option<String>| is_searched.then(sentence).flatten();
        let silent_venue = if_searched(&|| self.silent_venue(page));
        // the venue was understood
        let is_of_page = (is_searched || page.total > 0)
            && (silent_venue.is_none() || page.total > 0 || page.next.is_some() || !is_of_days_alone(page));
        let list = self.records.list();
        let of_page = is_of_page.then(|| explanation::of(page, list, snapshot, self.context.today)).flatten();
        let sentences = [
            is_hidden.then(|| permit.region_error().details().message.into_owned()),
            self.whole.as_ref().map(|whole| whole.notice(self.context)),
            of_page,
            if_searched(&|| self.around_region(page)),
            if_searched(&|| self.area_of_plan().filter(|_| page.total == 0)),
            silent_venue.map(|name| format!("The guide lists no events at {name} on these days.")),
            if_searched(&|| self.related_categories(page)),
            if_searched(&|| self.places_of_category(page)),
            self.is_here.then(|| HERE.to_owned()),
        ];
        let of_codes = self.region.code_notes.iter().map(|note| explanation::of_code(note, snapshot));
        let sentences: Vec<String> = sentences.into_iter().flatten().chain(of_codes).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// Which area the plan covers, if that is not all. It is said whether or not there is anything elsewhere.
    fn area_of_plan(&self) -> Option<String> {
        let area = self.context.area();
        let name = &self.context.snapshot.guide.vocabulary().area(area).name;
        let by = if self.context.permit.is_preview() { "the preview" } else { "your plan" };
        (area != EVERYWHERE).then(|| format!("Only {name} was searched: {by} covers no other area."))
    }

    /// The place that a question for events names as a whole, if nothing is on there on the days that were searched.
    fn silent_venue(&self, page: &Page) -> Option<String> {
        // what is on further pages may be there
        if self.records != Records::Events || self.near.is_some() || self.after.is_some() || page.more {
            return None;
        }
        let guide = &self.context.snapshot.guide;
        let named = match &self.at {
            Some(at) => at.places.clone(),
            None => guide.places_in(&self.words, near::caller(self.context)),
        };
        let place = *named.first()?;
        let name = guide.places.rendered.id_and_name(place).1;
        let visible = visible::Visible::to(self.context);
        let days = page.interpretation.window.unwrap_or(Window::since(self.today));
        let is_on = |event: u32| guide.events.is_on(event, days) && visible.has(Records::Events, event);
        let folded = fold(&name);
        // a venue or an event may have a shorter name than its place: "Parque da Cidade"
        let is_called_so = |event: &u32| {
            let mut names =
                guide.events.rendered.fields(*event).filter(|(field, _)| ["name", "venue"].contains(field));
            names.any(|(_, other)| {
                let other = fold(&other);
                !other.is_empty() && (folded.starts_with(&other) || other.starts_with(&folded))
            })
        };
        let has_event = named.iter().any(|place| guide.events_at(*place).any(is_on))
            || guide.events_called(&name).any(is_on)
            || page.ranks.iter().any(is_called_so);
        (!has_event).then(|| name.into_owned())
    }
}

/// Whether what is said of a page that found nothing is of its days or its words alone.
fn is_of_days_alone(page: &Page) -> bool {
    matches!(page.nothing, None | Some(Nothing::NotUnderstood))
}
