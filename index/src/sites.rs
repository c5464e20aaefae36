//! Where the records of a collection are: the distinct sites, a grid of cells to find those around a point, and the
//! records at each.

use hashbrown::HashMap;

use crate::bits::Bits;
use crate::positions::{KnownBy, Location, Point};
use crate::postings::set_bit;

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
    /// The ranks of each site, site by site.
    ranks: Vec<u32>,
    /// Where each site's begin.
    starts: Vec<u32>,
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
        let mut by_site: Vec<(u32, u32)> =
            of.iter().copied().zip(0..).filter(|(site, _)| *site != NOWHERE).collect();
        by_site.sort_unstable();
        let mut starts: Vec<u32> = (0..number_of(sites.len()))
            .map(|site| number_of(by_site.partition_point(|(one, _)| *one < site)))
            .collect();
        starts.push(number_of(by_site.len()));
        let mut cells: Vec<(Cell, u32)> = sites.iter().map(|site| cell(site.point)).zip(0..).collect();
        cells.sort_unstable();
        Self { sites, of, ranks: by_site.into_iter().map(|(_, rank)| rank).collect(), starts, cells }
    }

    /// Where the record at `rank` is.
    pub(crate) fn location(&self, rank: u32) -> Option<&Location> {
        self.sites.get(*self.of.get(rank as usize)? as usize)
    }

    /// The records whose expected distance from a point is at most `reach` metres.
    pub(crate) fn circle(&self, len: u32, from: Point, reach: u32) -> Bits {
        let mut bits = Bits::none(len);
        let reach_m = i32::try_from(reach).unwrap_or(i32::MAX);
        let edge = |by: i32| {
            cell(Point { east: from.east.saturating_add(by), north: from.north.saturating_add(by) })
        };
        let ((south, west), (north, east)) = (edge(-reach_m), edge(reach_m));
        let mut add = |site: usize| {
            if self.sites[site].is_within(from, reach) {
                let ranks = self.starts[site] as usize..self.starts[site + 1] as usize;
                self.ranks[ranks].iter().for_each(|rank| set_bit(&mut bits.0, *rank));
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
