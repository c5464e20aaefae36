//! `summary`: how much there is of everything, as the plan sees the guide.

use index::archive::{ArchivedArea, ArchivedAreaKind};
use index::{EVERYWHERE, Guide, Node, Window};
use serde_json::{Value, json};

use super::{Action, Prepared, Scene};

/// Counts, categories, regions and neighbourhoods.
pub(super) const SUMMARY: Action = Action {
    name: "summary",
    params: &[],
    counted: false,
    prepare: |scene, _| Ok(Box::new(Summary { scene })),
};

struct Summary<'a> {
    scene: Scene<'a>,
}

impl Prepared for Summary<'_> {
    fn run(&self, out: &mut Vec<u8>) {
        let guide = &self.scene.edition.guide;
        let home = self.scene.permit.home(self.scene.edition.free_area);
        let visible = |node: &Node| guide.atlas().area_run(home).contains(node);
        let areas = || {
            let areas = guide.atlas().areas.iter().enumerate().map(|(node, area)| (node as Node, area));
            areas.filter(move |(node, _)| visible(node))
        };
        let week = Window { from: self.scene.today, to: self.scene.today + chrono::Days::new(7) };
        let fields = [
            (
                "counts",
                json!({
                    "events": guide.events.filtered(home, None).len(),
                    "places": guide.places.filtered(home, None).len(),
                    "events_next_7_days": guide.events.on_in(week, home),
                }),
            ),
            ("categories", categories(guide, home)),
            (
                "regions",
                areas().filter(of_kind(ArchivedAreaKind::Region)).map(|one| region(guide, one)).collect(),
            ),
            (
                "neighbourhoods",
                areas()
                    .filter(of_kind(ArchivedAreaKind::Neighbourhood))
                    .map(|one| neighbourhood(guide, one))
                    .collect(),
            ),
        ];
        for (name, value) in fields {
            out.extend_from_slice(format!(",\"{name}\":{value}").as_bytes());
        }
    }
}

fn of_kind(kind: ArchivedAreaKind) -> impl Fn(&(Node, &ArchivedArea)) -> bool {
    move |(_, area)| area.kind == kind
}

/// Every category, with what the area has of it and all it contains.
fn categories(guide: &Guide, home: Node) -> Value {
    let count = |shelf: &index::Shelf, node: usize| shelf.filtered(home, Some(node as Node)).len();
    let categories = guide.atlas().categories.iter().enumerate().map(|(node, category)| {
        json!({
            "slug": category.slug.as_str(),
            "pt": category.pt.as_str(),
            "en": category.en.as_str(),
            "events": count(&guide.events, node),
            "places": count(&guide.places, node),
        })
    });
    categories.collect()
}

fn region(guide: &Guide, (node, area): (Node, &ArchivedArea)) -> Value {
    json!({
        "slug": area.slug.as_str(),
        "name": area.name.as_str(),
        "zone": guide.atlas().areas[usize::from(area.parent.to_native())].name.as_str(),
        "events": guide.events.filtered(node, None).len(),
        "places": guide.places.filtered(node, None).len(),
    })
}

fn neighbourhood(guide: &Guide, (node, area): (Node, &ArchivedArea)) -> Value {
    let atlas = guide.atlas();
    let mut above = area;
    while above.kind == ArchivedAreaKind::Neighbourhood && above.parent != EVERYWHERE {
        above = &atlas.areas[usize::from(above.parent.to_native())];
    }
    json!({
        "name": area.name.as_str(),
        "region": above.name.as_str(),
        "events": guide.events.filtered(node, None).len(),
        "places": guide.places.filtered(node, None).len(),
    })
}
