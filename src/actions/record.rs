//! `get_place` and `get_event`: one record by its id.

use index::Shelf;
use index::search::Ranks;

use super::{Action, Dealt, Params, Prepared, Scene, Type, param};
use crate::refusal::Refusal;

/// A place by its id.
pub(super) const GET_PLACE: Action = Action {
    name: "get_place",
    title: "Get a place",
    about: "Gives one place by its id, with every field the plan sees. Use for details of a place that a search found. Not \
            for finding places by name or area (use search_places).",
    params: &[&param::PLACE_ID],
    answers: &[("count", Type::Integer), ("place", Type::Place)],
    tool: true,
    counted: true,
    prepare: |scene, params| Record::prepare(scene, params, "place", &scene.edition.guide.places),
};

/// An event by its id.
pub(super) const GET_EVENT: Action = Action {
    name: "get_event",
    title: "Get an event",
    about: "Gives one event by its id, with every field the plan sees. Use for details of an event that a search found. Not \
            for finding events (use search_events).",
    params: &[&param::EVENT_ID],
    answers: &[("count", Type::Integer), ("event", Type::Event)],
    tool: false,
    counted: true,
    prepare: |scene, params| Record::prepare(scene, params, "event", &scene.edition.guide.events),
};

/// The longest id that is looked up; no record has a longer one.
const MAX_ID: usize = 120;

struct Record<'a> {
    scene: Scene<'a>,
    kind: &'static str,
    shelf: &'a Shelf,
    rank: u32,
}

impl<'a> Record<'a> {
    fn prepare(
        scene: Scene<'a>,
        params: &'a Params<'a>,
        kind: &'static str,
        shelf: &'a Shelf,
    ) -> Result<Box<dyn Prepared + 'a>, Refusal> {
        let id = params.required_text("id")?;
        if id.chars().nth(MAX_ID).is_some() {
            return Err(Refusal::TextTooLong { param: "id", max: MAX_ID });
        }
        // hidden from the plan and unknown are one answer: a refusal must not tell what is hidden
        let home = scene.permit.home(scene.edition.free_area);
        let rank = shelf
            .find(id)
            .filter(|rank| shelf.lies_in(*rank, home))
            .ok_or(Refusal::UnknownRecord { kind })?;
        Ok(Box::new(Self { scene, kind, shelf, rank }))
    }
}

impl Prepared for Record<'_> {
    fn run(&self, out: &mut Vec<u8>) -> Option<Dealt<'_>> {
        out.extend_from_slice(format!(",\"count\":1,\"{}\":", self.kind).as_bytes());
        let (start, view, cards) = (out.len(), self.scene.permit.view(), &self.shelf.cards);
        cards.write(self.rank, view, out);
        Some(Dealt { cards, ranks: Ranks::from_slice(&[self.rank]), view, at: start..out.len() })
    }
}
