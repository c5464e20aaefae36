//! Where to search from, and whose view places the records.

use crate::grammar::dates::Window;
use crate::records::positions::{Anchor, Location, Point};
use crate::records::schema::View;
use crate::vocabulary::AreaIds;
use crate::vocabulary::node_ids::AreaId;
use crate::vocabulary::words::Words;

/// How far "near" goes without `within_m`, in metres, unless the place itself is less precise.
const REACH: u32 = 5_000;

/// Farther than any record of the territory may be, in metres.
pub(crate) const ANYWHERE: u32 = 200_000;

/// A walk, in metres beside the precision of the place. What a question asks for near a place lies within one or, when
/// the nearest is farther, at most a quarter farther than that.
pub(crate) const WALK: u32 = 500;

/// The reaches of circles that grow, in metres: from a walk, each twice the one before, to `reach`.
pub(crate) fn growing_circles(reach: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(WALK.min(reach)), move |circle| {
        (*circle < reach).then(|| circle.saturating_mul(2).min(reach))
    })
}

/// Where to search from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// The name of the place, for display.
    pub name: String,
    /// Where it is.
    pub location: Location,
    /// The middle of the region that it lies in, if that is known.
    pub region: Option<Point>,
    /// The area, if the place is one, or no more of it is known.
    pub area: Option<AreaId>,
    /// Whether no more is known of the place than its area: what is near it is what is in that, at no distance.
    pub is_vague: bool,
    /// The greatest distance, in metres, if the caller set one.
    pub within_m: Option<u32>,
    /// The words of the question that name it, folded; `None` for a parameter. A parameter filters, and lists the
    /// nearest first. A question is a wish, and lists what is near in the usual order.
    pub phrase: Option<String>,
    /// When a question asks for what is at the place and not near it: the events that take place there.
    pub hosted: Option<Vec<u32>>,
}

/// A place at which a question asks for something: "o que tem no CCBB".
#[derive(Debug)]
pub struct AtPlace {
    pub(crate) place: Near,
    /// The places of that name, by rank.
    pub places: Vec<u32>,
    /// The question without the words that name the place.
    pub(crate) rest: Words,
    /// Whether it asks for places there too, of another kind than the place itself.
    pub(crate) asks_for_places: bool,
}

impl Near {
    /// The point to measure from.
    pub fn anchor(&self) -> Anchor {
        Anchor { point: self.location.point, region: self.region }
    }

    /// The greatest distance of a record, in metres, of those that are not inside its area.
    pub fn reach(&self) -> u32 {
        let precision_m = self.location.position.precision_m;
        match (self.within_m, self.is_vague) {
            (Some(within_m), true) => within_m.saturating_add(precision_m),
            (Some(within_m), false) => within_m,
            (None, true) => 0,
            (None, false) => REACH.max(precision_m),
        }
    }

    /// Whether what is at the place is asked for, and not what is near it.
    pub fn is_at(&self) -> bool {
        self.hosted.is_some()
    }

    /// The area whose records are all near, unless the caller set a distance.
    pub fn inside(&self) -> Option<AreaId> {
        self.area.filter(|_| self.within_m.is_none())
    }

    /// The same place as a parameter that reaches everything.
    pub(crate) fn at_any_distance(&self) -> Self {
        Self { within_m: Some(ANYWHERE), phrase: None, ..self.clone() }
    }

    /// The area, if it is so wide that "near" it means in it.
    pub(crate) fn wide_area(&self) -> Option<AreaId> {
        self.area.filter(|_| !self.location.is_spot())
    }

    /// How far to walk when the nearest record is so far: a walk, or a quarter more than to that.
    pub(crate) fn walk_to(&self, nearest: u32) -> u32 {
        let walk = WALK + self.location.position.precision_m;
        walk.max(nearest.saturating_add(nearest / 4)).min(self.reach())
    }
}

/// Why a `near` has no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NearError {
    /// Nothing has such a name.
    Unknown {
        /// The nearest names of landmarks and areas.
        nearest: Vec<String>,
    },
    /// A point or a town outside the territory.
    Outside,
    /// It means where the caller is, which the caller did not send.
    Here,
    /// Several places have such a name.
    Ambiguous {
        /// Names or ids of some of them.
        readings: Vec<String>,
    },
    /// It means what is in these areas: no point says what is near it.
    Areas {
        /// The place, if it is no area.
        name: Option<String>,
        /// The areas.
        areas: AreaIds,
    },
}

/// Whose view places the records.
#[derive(Debug, Clone, Copy)]
pub struct Caller {
    /// Which fields the caller sees.
    pub view: View,
    /// The only area the caller may see.
    pub scope: AreaId,
    /// The days of events that the caller may see; `None` for all.
    pub covered: Option<Window>,
}

/// What a question says of where to search from.
pub enum NearPhrase {
    /// Near a place. The question goes on without those words.
    Place(Near, Words),
    /// Near the caller, who did not say where that is.
    Here(Words),
}
