//! `list_categories` and `list_regions`: the words that searches filter by, with how much there is of each as the
//! caller sees the guide.

use super::summary::{CATEGORY, Counts, REGION_WITH_PARTS, categories, neighbourhoods, regions};
use super::{Action, LeftOut, Params, Prepared, QueryContext, param};
use crate::domain::error::ApiError;
use crate::render::JsonBody;
use crate::shape::{Field, Type};

/// Every category.
pub(super) const LIST_CATEGORIES: Action = Action {
    name: "list_categories",
    title: "List categories",
    description: "Lists the categories that searches filter by, with Portuguese and English names and how many events and \
            places each has. Use for choosing a category, or for what kinds of things there are. Not for records (use \
            search_events or search_places).",
    params: &[&param::KIND],
    answers: &[
        Field::always("count", Type::Integer, "How many there are."),
        Field::always("categories", Type::List(&CATEGORY), "The categories."),
    ],
    tool: true,
    counted: false,
    prepare: |context, params| Ok(Box::new(Categories { context, only: kind(params)? })),
};

/// Every region and neighbourhood.
pub(super) const LIST_REGIONS: Action = Action {
    name: "list_regions",
    title: "List regions",
    description: "Lists the regions of the Federal District with their zone and their neighbourhoods, and how many events and \
            places each has. Use for choosing a region, or for which areas are covered. Not for records (use \
            search_events or search_places).",
    params: &[],
    answers: &[
        Field::always("count", Type::Integer, "How many there are."),
        Field::always("regions", Type::List(&REGION_WITH_PARTS), "The regions."),
    ],
    tool: true,
    counted: false,
    prepare: |context, _| Ok(Box::new(Regions { context })),
};

struct Categories<'a> {
    context: QueryContext<'a>,
    only: Option<&'static str>,
}

impl<'a> Prepared<'a> for Categories<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> LeftOut {
        let mut list = categories(&Counts::of(&self.context));
        if let Some(kind) = self.only {
            list.retain(|category| category[kind] != 0);
        }
        body.field("count", &list.len());
        body.field("categories", &list);
        LeftOut::Nothing
    }
}

struct Regions<'a> {
    context: QueryContext<'a>,
}

impl<'a> Prepared<'a> for Regions<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> LeftOut {
        let counts = Counts::of(&self.context);
        let neighbourhoods = neighbourhoods(&counts);
        let mut regions = regions(&counts);
        for region in &mut regions {
            let inside =
                neighbourhoods.iter().filter(|neighbourhood| neighbourhood["region"] == region["name"]);
            region["neighbourhoods"] = inside.map(|neighbourhood| neighbourhood["name"].clone()).collect();
        }
        body.field("count", &regions.len());
        body.field("regions", &regions);
        LeftOut::Nothing
    }
}

/// The kind of record that the categories must have.
fn kind(params: &Params) -> Result<Option<&'static str>, ApiError> {
    let Some(text) = params.text("kind")? else { return Ok(None) };
    let known = param::KINDS.iter().find(|kind| kind.eq_ignore_ascii_case(text));
    known.map(|kind| Some(*kind)).ok_or(ApiError::UnknownChoice { param: "kind", known: param::KINDS })
}
