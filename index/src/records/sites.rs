//! Where the records of a collection are: the distinct sites, a grid of cells to find those around a point, and the
//! records at each.

use hashbrown::HashMap;

use crate::records::bits::Bits;
use crate::records::positions::{Anchor, KnownBy, Location, Point};
use crate::records::postings::PostingList;

/// The side of a cell, in metres.
const CELL: i32 = 500;

/// The site of a record whose place is not known.
const NOWHERE: u32 = u32::MAX;

/// Where the records are, as one view shows it.
#[derive(Default)]
pub(crate) struct Sites {
    sites: Vec<Location>,
    /// The site of each record, by rank; empty when nothing is known.
    of: Vec<u32>,
    /// The records of each site.
    records: Vec<PostingList>,
    /// Cells by row and column, each with a site in it; sorted.
    cells: Vec<(Cell, u32)>,
}

/// Row and column.
type Cell = (i32, i32);

fn cell(point: Point) -> Cell {
    (point.north.div_euclid(CELL), point.east.div_euclid(CELL))
}

impl Sites {
    /// The sites of records by rank.
    pub(crate) fn new(locations: &[Option<Location>]) -> Self {
        if locations.iter().all(Option::is_none) {
            return Self::default();
        }
        let mut sites: Vec<Location> = Vec::new();
        let mut numbers: HashMap<(Point, u32, KnownBy), u32> = HashMap::new();
        let mut number = |location: &Location| {
            let key = (location.point, location.position.precision_m, location.known_by);
            *numbers.entry(key).or_insert_with(|| {
                sites.push(*location);
                number_of(sites.len() - 1)
            })
        };
        let of: Vec<u32> = locations.iter().map(|one| one.as_ref().map_or(NOWHERE, &mut number)).collect();
        let mut ranks = vec![Vec::new(); sites.len()];
        for (rank, site) in (0..).zip(&of) {
            if let Some(ranks) = ranks.get_mut(*site as usize) {
                ranks.push(rank);
            }
        }
        let len = number_of(of.len());
        let records = ranks.into_iter().map(|ranks| PostingList::new(ranks, len)).collect();
        let mut cells: Vec<(Cell, u32)> = sites.iter().map(|site| cell(site.point)).zip(0..).collect();
        cells.sort_unstable();
        Self { sites, of, records, cells }
    }

    /// Where the record at `rank` is.
    pub(crate) fn location(&self, rank: u32) -> Option<&Location> {
        self.sites.get(*self.of.get(rank as usize)? as usize)
    }

    /// The records whose expected distance from a point is at most `reach` metres.
    pub(crate) fn circle(&self, len: u32, from: Anchor, reach: u32) -> Bits {
        let mut bits = Bits::none(len);
        let reach_m = i32::try_from(reach).unwrap_or(i32::MAX);
        let edge = |by: i32| {
            cell(Point {
                east: from.point.east.saturating_add(by),
                north: from.point.north.saturating_add(by),
            })
        };
        let ((south, west), (north, east)) = (edge(-reach_m), edge(reach_m));
        let mut add = |site: usize| {
            if self.sites[site].is_within(from, reach) {
                bits.add(&(&self.records[site]).into());
            }
        };
        let mut at = self.cells.partition_point(|(cell, _)| *cell < (south, west));
        while let Some(((row, column), site)) = self.cells.get(at).filter(|((row, _), _)| *row <= north) {
            if *column < west {
                at += self.cells[at..].partition_point(|(cell, _)| *cell < (*row, west));
            } else if *column > east {
                at += self.cells[at..].partition_point(|(cell, _)| *cell < (row + 1, west));
            } else {
                add(*site as usize);
                at += 1;
            }
        }
        bits
    }
}

/// A position in a list that is no longer than that of the ranks.
fn number_of(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NOWHERE)
}
