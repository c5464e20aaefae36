//! `list_categories` and `list_regions`: the values that searches filter by, with the number of records that the plan
//! covers.

use schemars::SchemaGenerator;

use super::answers::{Envelope, ListCategories, ListRegions, Region, RegionWithNeighbourhoods};
use super::summary::{Counter, categories, neighbourhoods, regions};
use super::{Action, Prepared, QueryContext, Remarks, param};
use crate::render::JsonBody;

/// Every category.
pub(super) const LIST_CATEGORIES: Action = Action {
    name: "list_categories",
    title: "List categories",
    description: "Lists the categories that searches filter by, with Portuguese and English names and how many events and \
                  places each has. Use for choosing a category, or for what kinds of things there are. Not for records \
                  (use search_events or search_places).",
    params: &[&param::KIND],
    answer: SchemaGenerator::subschema_for::<Envelope<ListCategories>>,
    tool: true,
    counted: false,
    prepare: |context, params| {
        Ok(Box::new(Categories { context, kind: params.choice("kind", param::KINDS)? }))
    },
};

/// Every region and neighbourhood.
pub(super) const LIST_REGIONS: Action = Action {
    name: "list_regions",
    title: "List regions",
    description: "Lists the regions of the Federal District with their zone and neighbourhoods, and how many events and places \
                  each has. Use for choosing a region, or for which areas are covered. Not for records (use \
                  search_events or search_places).",
    params: &[],
    answer: SchemaGenerator::subschema_for::<Envelope<ListRegions>>,
    tool: true,
    counted: false,
    prepare: |context, _| Ok(Box::new(Regions { context })),
};

struct Categories<'a> {
    context: QueryContext<'a>,
    kind: Option<&'static str>,
}

impl<'a> Prepared<'a> for Categories<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> Remarks {
        let mut categories = categories(&Counter::of(&self.context));
        categories.retain(|category| match self.kind {
            Some("events") => category.events > 0,
            Some("places") => category.places > 0,
            _ => true,
        });
        body.fields(&ListCategories { count: categories.len(), categories });
        Remarks::default()
    }
}

struct Regions<'a> {
    context: QueryContext<'a>,
}

impl<'a> Prepared<'a> for Regions<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> Remarks {
        let counter = Counter::of(&self.context);
        let neighbourhoods = neighbourhoods(&counter);
        let with_neighbourhoods = |region: Region<'a>| {
            let inside = neighbourhoods.iter().filter(|neighbourhood| neighbourhood.region == region.name);
            let neighbourhoods = inside.map(|neighbourhood| neighbourhood.name).collect();
            RegionWithNeighbourhoods { region, neighbourhoods }
        };
        let regions: Vec<_> = regions(&counter).into_iter().map(with_neighbourhoods).collect();
        body.fields(&ListRegions { count: regions.len(), regions });
        Remarks::default()
    }
}
