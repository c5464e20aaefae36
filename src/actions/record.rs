//! `get_place` and `get_event`: one record with its page, and what is around a place.

use index::View;
use index::records::selection::Selection;
use schemars::SchemaGenerator;

use super::answers::{Envelope, GetEvent, GetPlace};
use super::around::Around;
use super::visible::Visible;
use super::{Action, Prepared, QueryContext, Remarks, fields, param};
use crate::domain::action::ActionId;
use crate::domain::records::Records;
use crate::render::{JsonBody, Notes};

/// A place by its id or name, or an event by its id or name or the id of its series.
pub(super) static GET_PLACE: Action = Action {
    id: ActionId::GetPlace,
    title: "Get a place",
    description: "Returns a place by id or name, with next events there, similar and nearby places; or an event. Use for \
                  details. Not for lists (use a search).",
    params: &[&param::PLACE_ID, &param::FIELDS_OF_BOTH],
    answer: SchemaGenerator::subschema_for::<Envelope<GetPlace>>,
    tool: true,
    counted: true,
    prepare: |context, params| {
        let (id, visible) = (id_in(params.required_text(&param::PLACE_ID)?), Visible::to(context));
        let only = fields::selected(params, &param::FIELDS_OF_BOTH)?;
        let place = || visible.with_id(Records::Places, id).map(|rank| (Records::Places, rank));
        let event = || visible.with_id(Records::Events, id).map(|rank| (Records::Events, rank));
        let series = || visible.next_of_series(id).map(|rank| (Records::Events, rank));
        let named = || visible.place_named(id).map(|rank| (Records::Places, rank));
        let named_event = || visible.next_event_named(id).map(|rank| (Records::Events, rank));
        let found = place().or_else(event).or_else(series).or_else(named).or_else(named_event);
        let unknown = || visible.unknown("place or event", &[Records::Places, Records::Events], id);
        let (records, rank) = found.ok_or_else(unknown)?;
        Ok(Box::new(Record { context, records, rank, only }))
    },
};

/// An event by its id or that of its series.
pub(super) static GET_EVENT: Action = Action {
    id: ActionId::GetEvent,
    title: "Get an event",
    description: "Returns one event by its id, or the next of a series by that of the series, with all fields of the \
                  plan. Use for details of an event that a search found. Not for finding events (use search_events).",
    params: &[&param::EVENT_ID, &param::FIELDS_OF_EVENTS],
    answer: SchemaGenerator::subschema_for::<Envelope<GetEvent>>,
    tool: false,
    counted: true,
    prepare: |context, params| {
        let (id, visible) = (id_in(params.required_text(&param::EVENT_ID)?), Visible::to(context));
        let only = fields::selected(params, &param::FIELDS_OF_EVENTS)?;
        let rank = visible.with_id(Records::Events, id).or_else(|| visible.next_of_series(id));
        let rank = rank.ok_or_else(|| visible.unknown("event", &[Records::Events], id))?;
        Ok(Box::new(Record { context, records: Records::Events, rank, only }))
    },
};

/// The id in the address of a record's page, or the text as it is.
fn id_in(text: &str) -> &str {
    let path = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let path = path.map(|path| path.split(['?', '#']).next().unwrap_or(path).trim_end_matches('/'));
    let id = path.and_then(|path| {
        let (before, id) = path.rsplit_once('/')?;
        [Records::Places, Records::Events]
            .iter()
            .any(|records| before.ends_with(&format!("/{}", records.kind())))
            .then_some(id)
    });
    id.unwrap_or(text)
}

struct Record<'a> {
    context: QueryContext<'a>,
    records: Records,
    rank: u32,
    /// The only fields of records to show.
    only: Option<Selection>,
}

impl<'a> Prepared<'a> for Record<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> Remarks {
        let QueryContext { snapshot, permit, base_url, .. } = self.context;
        let collection = Visible::to(self.context).collection(self.records);
        let kind = self.records.kind();
        body.field("count", &1);
        body.record(kind, collection, self.rank, permit.view(), self.only);
        // the site has pages for what the free plan sees
        if collection.is_in_area(self.rank, snapshot.free_area) {
            body.field("url", &format!("{base_url}/{kind}/{}", collection.rendered.id(self.rank)));
        }
        let has_positions = !snapshot.guide.gazetteer.is_empty();
        let mut shows_positions = has_positions && permit.view() == View::Full;
        if self.records == Records::Places {
            let around = Around::of(self.context, self.rank);
            let notes = Notes { only: self.only, ..Notes::default() };
            let dated = Notes { dates: &around.dates, ..notes };
            body.records("upcoming", &snapshot.guide.events, &around.upcoming, permit.view(), dated);
            body.records("similar", &snapshot.guide.places, &around.similar, View::Basic, notes);
            let (places, view) = (&snapshot.guide.places, permit.view());
            let distance_from = places.spot(view, self.rank).map(|point| (view, point.into()));
            let notes = Notes { distance_from, ..notes };
            shows_positions |= has_positions && distance_from.is_some() && !around.nearby.is_empty();
            body.records("nearby", places, &around.nearby, View::Basic, notes);
        }
        Remarks { shows_positions, ..Remarks::default() }
    }
}
