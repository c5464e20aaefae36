//! `summary`: how many records the plan covers, in total and by category, region and neighbourhood.

use index::vocabulary::{ArchivedArea, ArchivedAreaKind};
use index::{AreaId, CategoryId, Guide, Window};
use schemars::SchemaGenerator;

use super::answers::{self, Category, Counts, Envelope, Neighbourhood, Region};
use super::{Action, Prepared, QueryContext, Remarks};
use crate::domain::action::ActionId;
use crate::render::JsonBody;

/// Counts, categories, regions and neighbourhoods.
pub(super) static SUMMARY: Action = Action {
    id: ActionId::Summary,
    title: "Summary",
    description: "Counts the events and places that the plan covers: in total, and by category, region and neighbourhood. Use \
                  for an overview. Not for records (use search_events or search_places).",
    params: &[],
    answer: SchemaGenerator::subschema_for::<Envelope<answers::Summary>>,
    tool: false,
    counted: false,
    prepare: |context, _| Ok(Box::new(Summary { context })),
};

struct Summary<'a> {
    context: QueryContext<'a>,
}

impl<'a> Prepared<'a> for Summary<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> Remarks {
        let counter = Counter::of(&self.context);
        let Counter { guide, home, .. } = counter;
        let week = Window { from: self.context.today, to: self.context.today + chrono::Days::new(7) };
        body.fields(&answers::Summary {
            counts: Counts {
                events: guide.events.filtered(home, None).len(),
                places: guide.places.filtered(home, None).len(),
                events_next_7_days: guide.events.count_events(week, home, None),
            },
            categories: categories(&counter),
            regions: regions(&counter),
            neighbourhoods: neighbourhoods(&counter),
        });
        Remarks::default()
    }
}

/// Counts the records that a caller may see.
pub(super) struct Counter<'a> {
    pub(super) guide: &'a Guide,
    /// The area that the plan covers.
    pub(super) home: AreaId,
    /// The days whose events the permit covers, if it does not cover all.
    days: Option<Window>,
}

impl<'a> Counter<'a> {
    /// A counter for the caller of an action.
    pub(super) fn of(context: &QueryContext<'a>) -> Self {
        Self {
            guide: &context.snapshot.guide,
            home: context.area(),
            days: context.permit.days(context.today),
        }
    }

    pub(super) fn events(&self, area: AreaId, category: Option<CategoryId>) -> usize {
        match self.days {
            Some(days) => self.guide.events.count_events(days, area, category) as usize,
            None => self.guide.events.filtered(area, category).len(),
        }
    }

    pub(super) fn places(&self, area: AreaId, category: Option<CategoryId>) -> usize {
        self.guide.places.filtered(area, category).len()
    }

    /// The areas of a kind that the plan covers.
    fn areas(&self, kind: ArchivedAreaKind) -> impl Iterator<Item = (AreaId, &'a ArchivedArea)> {
        let covered = self.guide.vocabulary().area_run(self.home);
        let areas = self.guide.vocabulary().areas_by_id();
        areas.filter(move |(id, area)| area.kind == kind && covered.contains(id))
    }
}

/// All categories, each with the records of the categories that it contains.
pub(super) fn categories<'a>(counter: &Counter<'a>) -> Vec<Category<'a>> {
    let categories = counter.guide.vocabulary().categories_by_id().map(|(id, category)| Category {
        slug: &category.slug,
        pt: &category.pt,
        en: &category.en,
        events: counter.events(counter.home, Some(id)),
        places: counter.places(counter.home, Some(id)),
    });
    categories.collect()
}

/// The regions that the plan covers.
pub(super) fn regions<'a>(counter: &Counter<'a>) -> Vec<Region<'a>> {
    regions_within(counter, &[counter.home])
}

/// The regions in or around these areas that the plan covers.
pub(super) fn regions_within<'a>(counter: &Counter<'a>, areas: &[AreaId]) -> Vec<Region<'a>> {
    let vocabulary = counter.guide.vocabulary();
    let meets = |id: AreaId| areas.iter().any(|area| vocabulary.common_area(*area, id).is_some());
    let regions = counter.areas(ArchivedAreaKind::Region).filter(|(id, _)| meets(*id));
    let regions = regions.map(|(id, area)| Region {
        slug: &area.slug,
        name: &area.name,
        zone: &vocabulary.area(area.parent.to_native()).name,
        events: counter.events(id, None),
        places: counter.places(id, None),
    });
    regions.collect()
}

/// The neighbourhoods that the plan covers.
pub(super) fn neighbourhoods<'a>(counter: &Counter<'a>) -> Vec<Neighbourhood<'a>> {
    neighbourhoods_within(counter, &[counter.home])
}

/// The neighbourhoods in these areas that the plan covers.
pub(super) fn neighbourhoods_within<'a>(counter: &Counter<'a>, areas: &[AreaId]) -> Vec<Neighbourhood<'a>> {
    let vocabulary = counter.guide.vocabulary();
    let all = counter.areas(ArchivedAreaKind::Neighbourhood);
    let inside = all.filter(|(id, _)| areas.iter().any(|area| vocabulary.area_run(*area).contains(id)));
    let neighbourhoods = inside.map(|(id, area)| {
        let mut above = vocabulary.area_and_above(id).map(|above| vocabulary.area(above));
        let region = above.find(|above| above.kind == ArchivedAreaKind::Region);
        Neighbourhood {
            name: &area.name,
            region: region.map_or(&area.name, |region| &region.name),
            events: counter.events(id, None),
            places: counter.places(id, None),
        }
    });
    neighbourhoods.collect()
}
