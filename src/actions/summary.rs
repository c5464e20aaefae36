//! `summary`: how much there is of everything, as the plan sees the guide.

use index::vocabulary::{ArchivedArea, ArchivedAreaKind};
use index::{AreaId, CategoryId, Collection, EVERYWHERE, Guide, Window};
use serde_json::{Value, json};

use super::{Action, LeftOut, Prepared, QueryContext};
use crate::render::JsonBody;
use crate::shape::{Field, Shape, Type};

/// Counts, categories, regions and neighbourhoods.
pub(super) const SUMMARY: Action = Action {
    name: "summary",
    title: "Summary",
    description: "Tells how much there is of everything, as the plan sees the guide: counts, categories, regions and \
            neighbourhoods. Use for an overview. Not for records (use search_events or search_places).",
    params: &[],
    answers: &[
        Field::always("counts", Type::Object(&COUNTS), "How much there is in all."),
        Field::always("categories", Type::List(&CATEGORY), "The categories."),
        Field::always("regions", Type::List(&REGION), "The regions."),
        Field::always("neighbourhoods", Type::List(&NEIGHBOURHOOD), "The neighbourhoods."),
    ],
    tool: false,
    counted: false,
    prepare: |context, _| Ok(Box::new(Summary { context })),
};

const COUNTS: Shape = Shape {
    name: "Counts",
    about: "How much there is in all.",
    fields: &[
        Field::always("events", Type::Integer, "Events."),
        Field::always("places", Type::Integer, "Places."),
        Field::always("events_next_7_days", Type::Integer, "Events from today to 7 days on."),
    ],
};

/// What [`categories`] tells.
pub(super) const CATEGORY: Shape = Shape {
    name: "Category",
    about: "A category, and how much there is of it.",
    fields: &[
        Field::always("slug", Type::Text, "Its name in records."),
        Field::always("pt", Type::Text, "Its name in Portuguese."),
        Field::always("en", Type::Text, "Its name in English."),
        EVENTS,
        PLACES,
    ],
};

/// What [`regions`] tells.
pub(super) const REGION: Shape = Shape {
    name: "Region",
    about: "An administrative region, and how much there is in it.",
    fields: &[REGION_SLUG, REGION_NAME, ZONE, EVENTS, PLACES],
};

/// What [`regions`] tells, with the names of what lies in each.
pub(super) const REGION_WITH_PARTS: Shape = Shape {
    name: "RegionWithNeighbourhoods",
    about: "An administrative region with its neighbourhoods, and how much there is in it.",
    fields: &[
        REGION_SLUG,
        REGION_NAME,
        ZONE,
        EVENTS,
        PLACES,
        Field::always("neighbourhoods", Type::Texts, "The names of its neighbourhoods."),
    ],
};

const REGION_SLUG: Field = Field::always("slug", Type::Text, "Its name in addresses.");
const REGION_NAME: Field = Field::always("name", Type::Text, "Its name in records.");
const ZONE: Field = Field::always("zone", Type::Text, "The zone it lies in.");

const NEIGHBOURHOOD: Shape = Shape {
    name: "Neighbourhood",
    about: "A neighbourhood, and how much there is in it.",
    fields: &[
        Field::always("name", Type::Text, "Its name in records."),
        Field::always("region", Type::Text, "The region it lies in."),
        EVENTS,
        PLACES,
    ],
};

const EVENTS: Field = Field::always("events", Type::Integer, "How many events.");
const PLACES: Field = Field::always("places", Type::Integer, "How many places.");

struct Summary<'a> {
    context: QueryContext<'a>,
}

impl<'a> Prepared<'a> for Summary<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> LeftOut {
        let counts = Counts::of(&self.context);
        let Counts { guide, home, .. } = counts;
        let week = Window { from: self.context.today, to: self.context.today + chrono::Days::new(7) };
        let totals = json!({
            "events": guide.events.filtered(home, None).len(),
            "places": guide.places.filtered(home, None).len(),
            "events_next_7_days": guide.events.count_events(week, home, None),
        });
        body.field("counts", &totals);
        body.field("categories", &categories(&counts));
        body.field("regions", &regions(&counts));
        body.field("neighbourhoods", &neighbourhoods(&counts));
        LeftOut::Nothing
    }
}

/// What is counted for a caller.
pub(super) struct Counts<'a> {
    guide: &'a Guide,
    /// The area that the caller sees.
    home: AreaId,
    /// The days of which the caller sees events; none when all are.
    days: Option<Window>,
}

impl<'a> Counts<'a> {
    /// What is counted in a context.
    pub(super) fn of(context: &QueryContext<'a>) -> Self {
        Self {
            guide: &context.snapshot.guide,
            home: context.permit.area(context.snapshot.free_area),
            days: context.permit.days(context.today),
        }
    }

    fn events(&self, area: AreaId, category: Option<CategoryId>) -> usize {
        let shelf: &Collection = &self.guide.events;
        match self.days {
            Some(days) => shelf.count_events(days, area, category) as usize,
            None => shelf.filtered(area, category).len(),
        }
    }

    fn places(&self, area: AreaId, category: Option<CategoryId>) -> usize {
        self.guide.places.filtered(area, category).len()
    }

    /// The areas of a kind that the caller sees.
    fn areas(&self, kind: ArchivedAreaKind) -> impl Iterator<Item = (AreaId, &'a ArchivedArea)> {
        let seen = self.guide.vocabulary().area_run(self.home);
        let areas = self.guide.vocabulary().areas_by_id();
        areas.filter(move |(node, area)| area.kind == kind && seen.contains(node))
    }
}

/// Every category, with what the area has of it and all it contains.
pub(super) fn categories(counts: &Counts) -> Vec<Value> {
    let categories = counts.guide.vocabulary().categories_by_id().map(|(id, category)| {
        let id = Some(id);
        json!({
            "slug": category.slug.as_str(),
            "pt": category.pt.as_str(),
            "en": category.en.as_str(),
            "events": counts.events(counts.home, id),
            "places": counts.places(counts.home, id),
        })
    });
    categories.collect()
}

/// Every region that the caller sees.
pub(super) fn regions(counts: &Counts) -> Vec<Value> {
    let vocabulary = counts.guide.vocabulary();
    let regions = counts.areas(ArchivedAreaKind::Region).map(|(node, area)| {
        json!({
            "slug": area.slug.as_str(),
            "name": area.name.as_str(),
            "zone": vocabulary.areas[usize::from(area.parent.to_native())].name.as_str(),
            "events": counts.events(node, None),
            "places": counts.places(node, None),
        })
    });
    regions.collect()
}

/// Every neighbourhood that the caller sees.
pub(super) fn neighbourhoods(counts: &Counts) -> Vec<Value> {
    let vocabulary = counts.guide.vocabulary();
    let neighbourhoods = counts.areas(ArchivedAreaKind::Neighbourhood).map(|(node, area)| {
        let mut above = area;
        while above.kind == ArchivedAreaKind::Neighbourhood && above.parent != EVERYWHERE {
            above = &vocabulary.areas[usize::from(above.parent.to_native())];
        }
        json!({
            "name": area.name.as_str(),
            "region": above.name.as_str(),
            "events": counts.events(node, None),
            "places": counts.places(node, None),
        })
    });
    neighbourhoods.collect()
}
