//! `get_place` and `get_event`: one record by its id.

use index::search::Ranks;
use index::{Collection, Page};

use super::{Action, LeftOut, Params, Prepared, QueryContext, param};
use crate::domain::error::ApiError;
use crate::render::JsonBody;
use crate::shape::{Field, Shape, Type};

/// A place by its id.
pub(super) const GET_PLACE: Action = Action {
    name: "get_place",
    title: "Get a place",
    description: "Gives one place by its id, with every field the plan sees. Use for details of a place that a search found. Not \
            for finding places by name or area (use search_places). uau is the curator's seal.",
    params: &[&param::PLACE_ID],
    answers: &[COUNT, Field::always("place", Type::Object(&PLACE), "The place.")],
    tool: true,
    counted: true,
    prepare: |context, params| Record::prepare(context, params, "place", &context.snapshot.guide.places),
};

/// An event by its id.
pub(super) const GET_EVENT: Action = Action {
    name: "get_event",
    title: "Get an event",
    description: "Gives one event by its id, with every field the plan sees. Use for details of an event that a search found. Not \
            for finding events (use search_events).",
    params: &[&param::EVENT_ID],
    answers: &[COUNT, Field::always("event", Type::Object(&EVENT), "The event.")],
    tool: false,
    counted: true,
    prepare: |context, params| Record::prepare(context, params, "event", &context.snapshot.guide.events),
};

const COUNT: Field = Field::always("count", Type::Integer, "1.");

/// A place as it is shown: what the cards of the crate `index` hold.
pub(super) const PLACE: Shape = Shape {
    name: "Place",
    about: "A place of the guide. What the curator does not know is left out.",
    fields: &[
        Field::always("id", Type::Text, "Its name for get_place; lower-case letters, digits and hyphens."),
        Field::always("name", Type::Text, "The name as people read it."),
        NEIGHBOURHOOD,
        REGION,
        CATEGORY,
        Field::maybe("style", Type::Text, "What kind of place it is, in a few words."),
        Field::maybe("price", Type::Text, "A price range as the curator writes it."),
        INSTAGRAM,
        Field::always(
            "mentions",
            Type::Integer,
            "How talked-about it is; search_places orders by it, highest first.",
        ),
        UAU,
        ADDRESS,
        Field::paid("description", Type::Object(&DESCRIPTION), "What the curator says of it."),
        LINKS_FIELD,
    ],
};

/// An event as it is shown: what the cards of the crate `index` hold.
pub(super) const EVENT: Shape = Shape {
    name: "Event",
    about: "An event of the guide. What the curator does not know is left out.",
    fields: &[
        Field::always("id", Type::Text, "Its name for get_event; lower-case letters, digits and hyphens."),
        Field::always("name", Type::Text, "The name as people read it."),
        Field::always("date", Type::Date, "The first day, in Brasília."),
        Field::maybe("end_date", Type::Date, "The last day, of an event over several."),
        Field::maybe("start_time", Type::Time, "When it begins, in Brasília: HH:MM."),
        Field::maybe("venue", Type::Text, "Where it happens, as people say it."),
        NEIGHBOURHOOD,
        REGION,
        CATEGORY,
        Field::maybe("price", Type::Text, "The price as the curator writes it."),
        INSTAGRAM,
        UAU,
        Field::paid("lineup", Type::Text, "Who plays, speaks or shows."),
        ADDRESS,
        Field::paid("tickets", Type::Text, "How to get in: where tickets are sold, or that none are needed."),
        LINKS_FIELD,
    ],
};

const NEIGHBOURHOOD: Field = Field::maybe("neighbourhood", Type::Text, "The neighbourhood.");
const REGION: Field = Field::always("region", Type::Text, "The administrative region.");
const CATEGORY: Field =
    Field::always("category", Type::Text, "Slug of the main category; list_categories has its names.");
const INSTAGRAM: Field = Field::maybe("instagram", Type::Text, "Instagram handle, without the @.");
const UAU: Field = Field::always("uau", Type::Boolean, "Whether it carries the curator's seal.");
const ADDRESS: Field = Field::paid("address", Type::Text, "Street address.");
const LINKS_FIELD: Field = Field::paid("links", Type::Object(&LINKS), "Where to read more.");

const DESCRIPTION: Shape = Shape {
    name: "Description",
    about: "What the curator says of a place.",
    fields: &[
        Field::always("pt", Type::Text, "In Portuguese."),
        Field::always("en", Type::Text, "In English."),
    ],
};

const LINKS: Shape = Shape {
    name: "Links",
    about: "Where to read more: absolute addresses.",
    fields: &[
        Field::maybe("google_maps", Type::Link, "On Google VocabularyIndex."),
        Field::maybe("website", Type::Link, "Its own site."),
        Field::maybe("instagram", Type::Link, "On Instagram."),
        Field::maybe("tickets", Type::Link, "Where tickets are sold."),
    ],
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
    fn write(&self, body: &mut JsonBody<'a>) -> LeftOut {
        body.field("count", &1);
        body.record(self.kind, self.collection, self.rank, self.context.permit.view());
        LeftOut::Nothing
    }

    fn find(&self) -> Page {
        Page { ranks: Ranks::from_slice(&[self.rank]), total: 1, ..Page::default() }
    }
}
