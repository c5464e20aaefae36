//! `suggest`: what is being typed to names, categories and areas. Nothing that the plan hides is suggested.

use index::grammar::fold::fold;
use index::vocabulary::ArchivedAreaKind;
use index::{AreaIds, CategoryIds, EVERYWHERE, Guide, highlighted};
use schemars::SchemaGenerator;

use super::answers::{
    self, Envelope, Highlight, SuggestedArea, SuggestedCategory, SuggestedEvent, SuggestedPlace,
};
use super::visible::{Visible, from};
use super::{Action, Prepared, QueryContext, Remarks, param};
use crate::domain::action::ActionId;
use crate::domain::records::Records;
use crate::render::JsonBody;

/// What is being typed, completed.
pub(super) static SUGGEST: Action = Action {
    id: ActionId::Suggest,
    title: "Suggest",
    description: "Completes what is being typed to categories and areas to filter by and to names of places and events, at most \
                  8 in all, in Portuguese or English. Use for a search field. Not for answers (use a search).",
    params: &[&param::TYPED],
    answer: SchemaGenerator::subschema_for::<Envelope<answers::Suggest>>,
    tool: false,
    counted: false,
    prepare: |context, params| {
        Ok(Box::new(Suggest { context, typed: fold(params.required_text(&param::TYPED)?) }))
    },
};

/// The most suggestions of all groups together.
const MOST: usize = 8;

struct Suggest<'a> {
    context: QueryContext<'a>,
    /// Folded.
    typed: String,
}

/// How many each group shows of what it has: one after the other in turns, until there are [`MOST`].
fn shares(has: [usize; 4]) -> [usize; 4] {
    let (mut shares, mut left) = ([0; 4], MOST);
    while left > 0 && shares != has {
        for (share, has) in shares.iter_mut().zip(has) {
            let more = usize::from(*share < has && left > 0);
            *share += more;
            left -= more;
        }
    }
    shares
}

impl<'a> Prepared<'a> for Suggest<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> Remarks {
        let (guide, typed) = (&self.context.snapshot.guide, self.typed.as_str());
        let vocabulary = guide.vocabulary();
        let (categories, areas, places, events) =
            (self.categories(guide), self.areas(guide), self.places(guide), self.events(guide));
        let [of_categories, of_areas, of_places, of_events] =
            shares([categories.len(), areas.len(), places.len(), events.len()]);
        let categories = categories.iter().take(of_categories).map(|id| {
            let category = vocabulary.category(*id);
            let (slug, pt, en) = (category.slug.as_str(), category.pt.as_str(), category.en.as_str());
            let text = if highlighted(pt, typed).is_some() { pt } else { en };
            SuggestedCategory { text, highlight: highlight(text, typed), slug, pt, en }
        });
        let areas = areas.iter().take(of_areas).map(|id| {
            let area = vocabulary.area(*id);
            let (slug, name) = (area.slug.as_str(), area.name.as_str());
            SuggestedArea { text: name, highlight: highlight(name, typed), slug }
        });
        let places = places.iter().take(of_places).map(|rank| {
            let mut place =
                SuggestedPlace { id: guide.places.rendered.id(*rank), ..SuggestedPlace::default() };
            for (field, value) in guide.places.rendered.fields(*rank) {
                match field {
                    "name" => place.text = value,
                    "region" => place.region = value,
                    "url" => place.url = Some(value),
                    _ => {}
                }
            }
            place.highlight = highlight(&place.text, typed);
            place
        });
        let events = events.iter().take(of_events).map(|rank| {
            let mut event =
                SuggestedEvent { id: guide.events.rendered.id(*rank), ..SuggestedEvent::default() };
            for (field, value) in guide.events.rendered.fields(*rank) {
                match field {
                    "name" => event.text = value,
                    "date" => event.date = value,
                    "venue" => event.venue = Some(value),
                    "region" => event.region = value,
                    "url" => event.url = Some(value),
                    _ => {}
                }
            }
            event.highlight = highlight(&event.text, typed);
            event
        });
        body.fields(&answers::Suggest {
            count: of_categories + of_areas + of_places + of_events,
            categories: categories.collect(),
            areas: areas.collect(),
            places: places.collect(),
            events: events.collect(),
        });
        Remarks::default()
    }
}

impl Suggest<'_> {
    /// Categories of which the plan covers a record.
    fn categories(&self, guide: &Guide) -> CategoryIds {
        let home = self.context.area();
        guide.suggest_categories(&self.typed, MOST, |id| {
            !guide.places.filtered(home, Some(id)).is_empty()
                || !guide.events.filtered(home, Some(id)).is_empty()
        })
    }

    /// Areas that the plan covers and that have a record.
    fn areas(&self, guide: &Guide) -> AreaIds {
        let covered = guide.vocabulary().area_run(self.context.area());
        guide.suggest_areas(&self.typed, MOST, |id| {
            id != EVERYWHERE
                && covered.contains(&id)
                && guide.vocabulary().area(id).kind != ArchivedAreaKind::District
                && !(guide.places.filtered(id, None).is_empty() && guide.events.filtered(id, None).is_empty())
        })
    }

    fn places(&self, guide: &Guide) -> index::Suggested {
        let visible = Visible::to(self.context);
        guide.places.suggest(&self.typed, MOST, |rank| visible.has(Records::Places, rank))
    }

    /// Events from today on, each series once.
    fn events(&self, guide: &Guide) -> index::Suggested {
        let visible = Visible::to(self.context);
        guide.events.suggest_series(&self.typed, MOST, |rank| {
            guide.events.is_on(rank, from(self.context.today)) && visible.has(Records::Events, rank)
        })
    }
}

fn highlight(text: &str, typed: &str) -> Option<Highlight> {
    highlighted(text, typed).map(|range| Highlight { offset: range.start, length: range.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_share_the_suggestions_in_turns() {
        for (has, shares_of) in [
            ([8, 8, 8, 8], [2, 2, 2, 2]),
            ([1, 0, 8, 8], [1, 0, 4, 3]),
            ([0, 0, 3, 0], [0, 0, 3, 0]),
            ([8, 8, 8, 0], [3, 3, 2, 0]),
            ([0, 0, 0, 0], [0, 0, 0, 0]),
            ([0, 8, 0, 0], [0, 8, 0, 0]),
        ] {
            assert_eq!(shares(has), shares_of, "{has:?}");
        }
    }
}
