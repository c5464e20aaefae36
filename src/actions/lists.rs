//! `list_categories` and `list_regions`: the values that searches filter by, with the number of records that the plan
//! covers.

use index::vocabulary::ArchivedAreaKind;
use index::{AreaId, AreaIds, CategoryId, CategoryIds};
use schemars::SchemaGenerator;

use super::answers::{
    BriefRegions, Envelope, ListCategories, ListRegions, Region, RegionOfZone, RegionWithNeighbourhoods, Zone,
};
use super::filters::{self, CategoryFilter, RegionFilter};
use super::summary::{Counter, categories, neighbourhoods, neighbourhoods_within, regions, regions_within};
use super::{Action, LeftOut, Prepared, QueryContext, Remarks, param};
use crate::domain::action::ActionId;
use crate::render::JsonBody;

/// The categories.
pub(super) static LIST_CATEGORIES: Action = Action {
    id: ActionId::ListCategories,
    title: "List categories",
    description: "Lists the categories that searches filter by, with counts of event dates and places. Use for choosing a category. \
                  Not for records (use a search).",
    params: &[&param::KIND, &param::PARENT],
    answer: SchemaGenerator::subschema_for::<Envelope<ListCategories>>,
    tool: true,
    counted: false,
    prepare: |context, params| {
        let kind = params.choice(&param::KIND)?;
        let parents = CategoryFilter::read(context, params, &param::PARENT)?.categories;
        Ok(Box::new(Categories { context, kind, parents }))
    },
};

/// The regions, or the neighbourhoods of some.
pub(super) static LIST_REGIONS: Action = Action {
    id: ActionId::ListRegions,
    title: "List regions",
    description: "Lists the zones and regions of the Federal District, or the neighbourhoods of one, with counts of event dates \
                  and places. Use for choosing a region. Not for records (use a search).",
    params: &[&param::WITHIN],
    answer: SchemaGenerator::subschema_for::<Envelope<ListRegions>>,
    tool: true,
    counted: false,
    prepare: |context, params| {
        let (within, is_whole) = filters::covered(context, &RegionFilter::read(context, params)?.areas)?;
        Ok(Box::new(Regions { context, within, is_whole }))
    },
};

struct Categories<'a> {
    context: QueryContext<'a>,
    kind: Option<&'static str>,
    /// None when all are listed.
    parents: CategoryIds,
}

impl<'a> Prepared<'a> for Categories<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> Remarks {
        let vocabulary = self.context.snapshot.guide.vocabulary();
        let is_below = |parent: CategoryId, id: CategoryId| {
            parent != id && vocabulary.category_run(parent).contains(&id)
        };
        let is_inside = |id: &CategoryId| {
            self.parents.is_empty() || self.parents.iter().any(|parent| is_below(*parent, *id))
        };
        let all = CategoryId::all().zip(categories(&Counter::of(&self.context)));
        let inside = all.filter(|(id, _)| is_inside(id)).map(|(_, category)| category);
        let categories: Vec<_> = inside
            .filter(|category| match self.kind {
                Some("events") => category.events > 0,
                Some("places") => category.places > 0,
                _ => !self.context.brief || category.events + category.places > 0,
            })
            .collect();
        let is_empty = categories.is_empty() && !self.parents.is_empty();
        body.fields(&ListCategories { count: categories.len(), categories });
        let explanation = is_empty.then(|| {
            "No category with records is inside that one: send it as category to a search, or leave parent out.".to_owned()
        });
        Remarks { explanation, ..Remarks::default() }
    }
}

struct Regions<'a> {
    context: QueryContext<'a>,
    /// The areas whose neighbourhoods are listed; none for a list of regions.
    within: AreaIds,
    /// Whether the plan covers all of them.
    is_whole: bool,
}

impl<'a> Prepared<'a> for Regions<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> Remarks {
        let counter = Counter::of(&self.context);
        let is_within = !self.within.is_empty();
        let listed = is_within.then(|| neighbourhoods_within(&counter, &self.within));
        match (self.context.brief, listed) {
            (true, None) => body.fields(&zones(&counter)),
            (true, Some(mut listed)) => {
                // as of categories: an empty one is no choice
                listed.retain(|one| one.events + one.places > 0);
                let count = listed.len();
                body.fields(&BriefRegions { count, zones: None, neighbourhoods: Some(listed) });
            }
            (false, listed) => {
                let home = [counter.home];
                let areas = if is_within { &self.within } else { &home[..] };
                let regions = with_neighbourhoods(&counter, areas);
                body.fields(&ListRegions { count: regions.len(), regions, neighbourhoods: listed });
            }
        }
        let left_out = if self.is_whole { LeftOut::Usual } else { LeftOut::Area };
        Remarks { left_out, ..Remarks::default() }
    }
}

/// The regions in or around these areas, with the names of all their neighbourhoods.
fn with_neighbourhoods<'a>(counter: &Counter<'a>, areas: &[AreaId]) -> Vec<RegionWithNeighbourhoods<'a>> {
    let neighbourhoods = neighbourhoods(counter);
    let with_neighbourhoods = |region: Region<'a>| {
        let inside = neighbourhoods.iter().filter(|neighbourhood| neighbourhood.region == region.name);
        let neighbourhoods = inside.map(|neighbourhood| neighbourhood.name).collect();
        RegionWithNeighbourhoods { region, neighbourhoods }
    };
    regions_within(counter, areas).into_iter().map(with_neighbourhoods).collect()
}

/// The zones that the plan covers, with their regions.
fn zones<'a>(counter: &Counter<'a>) -> BriefRegions<'a> {
    let (vocabulary, regions) = (counter.guide.vocabulary(), regions(counter));
    let zones = vocabulary.areas_by_id().filter(|(_, area)| area.kind == ArchivedAreaKind::Zone);
    let zones = zones.filter_map(|(id, zone)| {
        let covered = vocabulary.common_area(counter.home, id)?;
        let inside = regions.iter().filter(|region| region.zone == zone.name.as_str());
        let brief = |region: &Region<'a>| RegionOfZone {
            name: region.name,
            events: region.events,
            places: region.places,
        };
        Some(Zone {
            name: zone.name.as_str(),
            events: counter.events(covered, None),
            places: counter.places(covered, None),
            regions: inside.map(brief).collect(),
        })
    });
    BriefRegions { count: regions.len(), zones: Some(zones.collect()), neighbourhoods: None }
}
