//! `get_place` and `get_event`: one record by its id.

use index::page::Ranks;
use index::{Collection, Page};
use schemars::SchemaGenerator;

use super::answers::{Envelope, GetEvent, GetPlace};
use super::{Action, Params, Prepared, QueryContext, Remarks, param};
use crate::domain::error::ApiError;
use crate::render::JsonBody;

/// A place by its id.
pub(super) const GET_PLACE: Action = Action {
    name: "get_place",
    title: "Get a place",
    description: "Returns one place by its id, with all fields of the plan. Use for details of a place that a search found. Not \
                  for finding places by name or area (use search_places). uau is the curator's seal.",
    params: &[&param::PLACE_ID],
    answer: SchemaGenerator::subschema_for::<Envelope<GetPlace>>,
    tool: true,
    counted: true,
    prepare: |context, params| Record::prepare(context, params, "place", &context.snapshot.guide.places),
};

/// An event by its id.
pub(super) const GET_EVENT: Action = Action {
    name: "get_event",
    title: "Get an event",
    description: "Returns one event by its id, with all fields of the plan. Use for details of an event that a search found. \
                  Not for finding events (use search_events).",
    params: &[&param::EVENT_ID],
    answer: SchemaGenerator::subschema_for::<Envelope<GetEvent>>,
    tool: false,
    counted: true,
    prepare: |context, params| Record::prepare(context, params, "event", &context.snapshot.guide.events),
};

struct Record<'a> {
    context: QueryContext<'a>,
    kind: &'static str,
    collection: &'a Collection,
    rank: u32,
}

impl<'a> Record<'a> {
    fn prepare(
        context: QueryContext<'a>,
        params: &'a Params<'a>,
        kind: &'static str,
        collection: &'a Collection,
    ) -> Result<Box<dyn Prepared<'a> + Send + 'a>, ApiError> {
        let id = params.text_within("id", param::MAX_ID)?.ok_or(ApiError::MissingParam { param: "id" })?;
        // Hidden from the plan and unknown give one answer: an error must not reveal what is hidden.
        let area = context.permit.area(context.snapshot.free_area);
        let rank = collection
            .find(id)
            .filter(|rank| collection.is_in_area(*rank, area))
            .ok_or(ApiError::UnknownRecord { kind })?;
        Ok(Box::new(Self { context, kind, collection, rank }))
    }
}

impl<'a> Prepared<'a> for Record<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> Remarks {
        body.field("count", &1);
        body.record(self.kind, self.collection, self.rank, self.context.permit.view());
        Remarks::default()
    }

    fn find(&self) -> Page {
        Page { ranks: Ranks::from_slice(&[self.rank]), total: 1, ..Page::default() }
    }
}
