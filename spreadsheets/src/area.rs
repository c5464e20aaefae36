//! Where a record is: the place of the guide that is its venue, and its area.

use std::collections::HashSet;

use snapshots::limits::MAX_PHRASE;
use snapshots::vocabulary::Addresses;

use crate::cells::{Reader, Venue};
use crate::columns::{Column, SheetKind};
use crate::names::{Area, NameMatch, name_key};
use crate::problem::Problem;
use crate::sheet::Cell;
use crate::text::fold;

/// Two areas are apart when their middles are farther from each other than so many times the extents of both: a sector
/// of a wing is not apart from it.
const APART: f64 = 1.25;

/// How many digits the number of a block has.
const DIGITS_OF_BLOCK: usize = 3;

/// How many places of one name a message lists.
const PLACES_NAMED: usize = 5;

impl<'c> Reader<'c> {
    /// The place of the guide that is the venue.
    pub(crate) fn venue(&mut self) -> Option<Venue> {
        let venues = self.context.venues;
        if let Some(typed) = self.text(Column::Place, MAX_PHRASE) {
            if let Some(venue) = venues.iter().find(|venue| venue.id == typed.trim()) {
                return Some(venue.clone());
            }
            let (near, named) = self.called(&typed);
            if let [venue] = &*near {
                return Some((*venue).clone());
            }
            if named.is_empty() && self.is_at_unread_place() {
                return None;
            }
            let problem = match &*named {
                [] => match self.renamed(&typed) {
                    Some(now) => Problem::PlaceRenamed { typed, now, is_needed: true },
                    None => Problem::UnknownPlace { typed },
                },
                // the only one of that name, in another area
                [venue] => return Some((*venue).clone()),
                several => several_places(typed, several, true),
            };
            self.report(Column::Place, problem);
            return None;
        }
        let typed = self.fields.iter().find(|(field, _)| *field == "venue")?.1.as_str()?.to_owned();
        let (near, named) = self.called(&typed);
        match &*near {
            [] => {
                if let Some(now) = self.renamed(&typed).filter(|_| named.is_empty()) {
                    let is_needed = self.says_no_area();
                    self.report(Column::Venue, Problem::PlaceRenamed { typed, now, is_needed });
                } else if self.context.gone_places.contains(&name_key(&typed)) && named.is_empty() {
                    self.report(Column::Venue, Problem::PlaceGone { typed });
                }
                None
            }
            [venue] => Some((*venue).clone()),
            several => {
                let is_needed = self.says_no_area();
                self.report(Column::Venue, several_places(typed, several, is_needed));
                None
            }
        }
    }

    /// The places that are called so, of which several are branches: those in the area of the row, and all.
    fn called(&self, name: &str) -> (Vec<&'c Venue>, Vec<&'c Venue>) {
        let key = name_key(name);
        let named: Vec<&Venue> =
            self.context.venues.iter().filter(|venue| venue.names.contains(&key)).collect();
        let typed = self.typed_areas();
        let areas = self.context.areas;
        let is_near = |venue: &&&Venue| typed.iter().all(|area| areas.overlap(area, &venue.area));
        (named.iter().filter(is_near).copied().collect(), named)
    }

    /// The name that a place has now, of which a text is the former name.
    fn renamed(&self, name: &str) -> Option<String> {
        let key = name_key(name);
        let mut renamed = self.context.venues.iter().filter(|venue| venue.former.as_ref() == Some(&key));
        // one of two branches says nothing of the other
        renamed.next().filter(|_| renamed.next().is_none()).map(|venue| venue.name.clone())
    }

    /// The areas that the two columns name, as far as they can be read.
    fn typed_areas(&self) -> Vec<Area> {
        let areas = self.context.areas;
        let typed = |column| self.table.cell(self.row, column).and_then(Cell::text);
        let known = |found| match found {
            NameMatch::Exactly(area) | NameMatch::Nearly(area) => Some(area),
            NameMatch::Ambiguous(_) | NameMatch::Nothing => None,
        };
        let region = typed(Column::Region).filter(|typed| !areas.is_everywhere(typed));
        let region = region.and_then(|typed| known(areas.region(typed)));
        let within = region.as_ref().map(|area| &*area.region);
        let part = typed(Column::Neighbourhood).and_then(|typed| known(self.neighbourhood(typed, within)));
        [part, region].into_iter().flatten().collect()
    }

    /// Whether nothing but the venue could say where a record is.
    fn says_no_area(&self) -> bool {
        let areas = self.context.areas;
        let typed = |column| self.table.cell(self.row, column).and_then(Cell::text);
        let is_named = typed(Column::Neighbourhood).is_some()
            || typed(Column::Region)
                .is_some_and(|typed| !areas.is_everywhere(typed) || areas.middle(typed).is_some());
        !is_named && self.by_address().is_none()
    }

    /// The area by its two columns, else that of the venue, else by the address, with the neighbourhood by the address
    /// when only the region is known.
    pub(crate) fn area(&mut self, venue: Option<&Venue>) -> Option<Area> {
        let area = self.stated_area(venue)?;
        let Some(by_address) = self.by_address().filter(|other| other.region == area.region) else {
            return Some(area);
        };
        match (&area.neighbourhood, &by_address.neighbourhood) {
            (None, Some(read)) => {
                self.report(Column::Neighbourhood, Problem::AreaFromAddress { read: read.clone() });
                return Some(by_address);
            }
            (Some(named), Some(of_address)) if self.are_apart(named, of_address) => {
                let (area, other) = (of_address.clone(), named.clone());
                self.report(Column::Address, Problem::AddressInOtherPart { area, other });
            }
            _ => {}
        }
        Some(area)
    }

    /// Whether two neighbourhoods are too far from each other for one to be a part of the other. Nothing is known of
    /// those without a position.
    fn are_apart(&self, one: &str, other: &str) -> bool {
        let middle = |name: &str| self.context.middles.get(name);
        let (Some(one), Some(other)) = (middle(one), middle(other)) else { return false };
        let both = f64::from(one.precision_m) + f64::from(other.precision_m);
        one.metres_to(other) > APART * both
    }

    /// The area without what the address adds to it. "Brasília" in the column of regions is most often the whole
    /// territory, and a region only when nothing else says more.
    fn stated_area(&mut self, venue: Option<&Venue>) -> Option<Area> {
        let areas = self.context.areas;
        let region = self.text(Column::Region, MAX_PHRASE);
        let (everywhere, region) = match region {
            Some(typed) if areas.is_everywhere(&typed) => (Some(typed), None),
            region => (None, region),
        };
        let region = match region {
            Some(typed) => Some(self.found(Column::Region, &typed, areas.region(&typed))?),
            None => None,
        };
        let Some(typed) = self.text(Column::Neighbourhood, MAX_PHRASE) else {
            if let Some(area) = region.or_else(|| venue.map(|venue| venue.area.clone())) {
                return Some(area);
            }
            if let Some(area) = self.by_address() {
                let read = area.name().to_owned();
                self.report(Column::Neighbourhood, Problem::AreaFromAddress { read });
                return Some(area);
            }
            let area = everywhere.and_then(|typed| areas.middle(&typed));
            let is_wrong = self.has_error(Column::Neighbourhood) || self.has_error(Column::Region);
            if area.is_none() && !is_wrong {
                self.report_no_area(venue.is_some());
            }
            return area;
        };
        let found = self.neighbourhood(&typed, region.as_ref().map(|area| &*area.region));
        let area = self.found(Column::Neighbourhood, &typed, found)?;
        match region {
            Some(region) if region.region != area.region => {
                self.report(
                    Column::Neighbourhood,
                    Problem::AreaElsewhere { area: area.name().to_owned(), region: area.region },
                );
                None
            }
            // the region's column may hold the neighbourhood, and the other way round
            Some(region) if area.neighbourhood.is_none() => Some(region),
            _ => Some(area),
        }
    }

    /// Whether the row is at a place whose own row has an error, which says what is wrong.
    fn is_at_unread_place(&self) -> bool {
        let unread = self.context.unread_places;
        [Column::Place, Column::Venue].into_iter().any(|column| {
            let typed = self.table.cell(self.row, column).and_then(Cell::text);
            typed.is_some_and(|typed| unread.contains(typed.trim()) || unread.contains(&name_key(typed)))
        })
    }

    /// Reports that nothing says where a record is: of an event whose venue is no place of the guide it is the venue,
    /// if the curator relies on it.
    fn report_no_area(&mut self, is_venue_known: bool) {
        let is_told = [Column::Venue, Column::Place].into_iter().any(|column| self.has_error(column));
        if self.is_at_unread_place() || is_told || !self.context.has_areas {
            return;
        }
        let typed = self.table.cell(self.row, Column::Venue).and_then(|cell| cell.text()).map(str::to_owned);
        match typed.filter(|_| !is_venue_known && self.table.kind == SheetKind::Events) {
            Some(typed) => {
                let nearest = self.nearest_venue(&typed);
                self.report(Column::Venue, Problem::VenueWithoutArea { typed, nearest });
            }
            None => self.report(Column::Neighbourhood, Problem::NoArea),
        }
    }

    /// The place whose name is most like a text, if one is: a few letters differ, or it has the same words and others.
    fn nearest_venue(&self, typed: &str) -> Option<String> {
        let key = name_key(typed);
        let words = |name: &str| name.split(' ').map(str::to_owned).collect::<HashSet<String>>();
        let typed_words = words(&key);
        let distance = |name: &String| {
            let is_part = words(name).len() > 1 && words(name).is_subset(&typed_words);
            let letters = strsim::osa_distance(name, &key);
            (is_part || letters <= key.chars().count() / 5).then_some(letters)
        };
        let venues = self.context.venues.iter();
        let near =
            venues.filter_map(|venue| Some((venue.names.iter().filter_map(distance).min()?, &venue.name)));
        near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name.clone())
    }

    fn found(&mut self, column: Column, typed: &str, found: NameMatch<Area>) -> Option<Area> {
        match found {
            NameMatch::Exactly(area) => Some(area),
            NameMatch::Nearly(area) => {
                self.report(
                    column,
                    Problem::Mended { typed: typed.to_owned(), read: area.name().to_owned() },
                );
                Some(area)
            }
            NameMatch::Ambiguous(areas) => {
                let candidates = areas.iter().map(|area| match &area.neighbourhood {
                    Some(name) => format!("{name} ({})", area.region),
                    None => area.region.clone(),
                });
                let candidates = candidates.collect();
                self.report(column, Problem::Ambiguous { typed: typed.to_owned(), candidates });
                None
            }
            NameMatch::Nothing if !self.context.has_areas => None,
            NameMatch::Nothing => {
                let nearest = self.wing(typed).map(str::to_owned);
                self.report(column, Problem::UnknownArea { typed: typed.to_owned(), nearest });
                None
            }
        }
    }

    /// What the column of neighbourhoods means: an area by its name, or an address code, before a near spelling.
    fn neighbourhood(&self, typed: &str, region: Option<&str>) -> NameMatch<Area> {
        match self.context.areas.neighbourhood(typed, region) {
            NameMatch::Exactly(area) => NameMatch::Exactly(area),
            found => self.by_code(typed).map_or(found, NameMatch::Exactly),
        }
    }

    /// The neighbourhood of a numbered block: "408 Norte", "SQN 408N".
    fn wing(&self, typed: &str) -> Option<&'c str> {
        let folded = fold(typed);
        let words: Vec<&str> =
            folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let after_number = |at: usize, word: &str| {
            let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
            let side = if rest.is_empty() { words.get(at + 1).copied()? } else { rest };
            (word.len() - rest.len() == DIGITS_OF_BLOCK).then(|| side.to_owned())
        };
        let side = words.iter().enumerate().find_map(|(at, word)| after_number(at, word))?;
        let wings = self.context.wings.iter();
        let mut named = wings.filter(|wing| wing.words.iter().any(|word| fold(word) == side));
        named.next().map(|wing| &*wing.neighbourhood)
    }

    fn by_address(&self) -> Option<Area> {
        self.by_code(self.table.cell(self.row, Column::Address)?.text()?)
    }

    /// The area of the code that an address begins with: "CLN 408".
    fn by_code(&self, address: &str) -> Option<Area> {
        let first = Addresses::first_word(address)?.to_uppercase();
        let code = self.context.codes.iter().find(|(code, _)| *code == first)?;
        Some(code.1.clone())
    }
}

/// That several places have the name of a venue. Without a place or an area the row is of no use.
fn several_places(typed: String, places: &[&Venue], is_needed: bool) -> Problem {
    let listed = places.iter().take(PLACES_NAMED).map(|venue| (venue.id.clone(), venue.row)).collect();
    Problem::SeveralPlaces { typed, count: places.len(), listed, is_needed }
}
