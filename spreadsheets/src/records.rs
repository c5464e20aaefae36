//! Rows become records: each cell is read as its column asks, and what cannot be read is a message.

use std::collections::HashSet;

use chrono::NaiveDate;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Value, json};
use snapshots::limits::{
    MAX_ALIASES, MAX_ALSO, MAX_DESCRIPTION, MAX_LINE, MAX_MENTIONS, MAX_NAME, MAX_NOTE, MAX_PHRASE,
    MAX_PRECISION,
};
use snapshots::positions::{Bounds, Degrees};
use snapshots::vocabulary::Addresses;

use crate::cells::{Context, Reader, Venue};
use crate::columns::{Column, SheetKind};
use crate::links;
use crate::message::Message;
use crate::names::{Area, NameMatch, name_key};
use crate::problem::{Level, Problem};
use crate::sheet::Cell;
use crate::table::Table;
use crate::text::amount;
use crate::words::{is_free, status_of};

/// A record made of a row.
#[derive(Debug, Clone)]
pub struct Record {
    /// The id in the row, when there is one.
    pub(crate) typed_id: Option<String>,
    /// The id; set when all records are read.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) area: Area,
    pub(crate) date: Option<NaiveDate>,
    /// The number of the table, and the row in it.
    pub(crate) table: usize,
    pub(crate) row: u32,
    /// The fields but the id, in the order of the file.
    fields: Vec<(&'static str, Value)>,
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.fields.len() + 1))?;
        map.serialize_entry("id", &self.id)?;
        for (field, value) in &self.fields {
            map.serialize_entry(field, value)?;
        }
        map.end()
    }
}

/// Reads the rows of a table. A row with an error gives no record.
pub(crate) fn read(context: &Context<'_>, table: &Table, number: usize, messages: &mut Vec<Message>) -> Rows {
    let mut rows = Rows { records: Vec::with_capacity(table.rows.len()), unread: HashSet::new() };
    for row in &table.rows {
        let mut reader = Reader { context, table, row, messages: Vec::new(), fields: Vec::new() };
        let record = reader.record(number);
        reader.merged();
        let failed = reader.messages.iter().any(|message| message.problem.level() == Level::Error);
        // a column that is missing is missing in all rows
        let is_told = |message: &Message| {
            matches!(message.problem, Problem::MissingColumn { .. }) && messages.contains(message)
        };
        reader.messages.retain(|message| !is_told(message));
        messages.append(&mut reader.messages);
        match record.filter(|_| !failed) {
            Some(record) => rows.records.push(record),
            None => {
                let named = |column| table.cell(row, column).and_then(Cell::text).map(str::trim);
                rows.unread.extend(named(Column::Name).map(name_key));
                rows.unread.extend(named(Column::Id).map(str::to_owned));
            }
        }
    }
    rows
}

/// The rows of a table.
pub(crate) struct Rows {
    pub(crate) records: Vec<Record>,
    /// The ids, and the names by [`name_key`], of rows that give no record.
    pub(crate) unread: HashSet<String>,
}

impl Reader<'_> {
    /// Says which cells are empty because they are merged, apart from those that are an error already.
    fn merged(&mut self) {
        for column in self.table.merged_columns(self.row) {
            if !self.has_error(column) {
                self.report(column, Problem::Merged { is_needed: false });
            }
        }
    }

    fn record(&mut self, table: usize) -> Option<Record> {
        let name = self.text(Column::Name, MAX_NAME);
        if name.is_none() && self.messages.is_empty() {
            self.report(Column::Name, Problem::Required);
        }
        self.put("name", name.clone());
        let mut date = None;
        if self.table.kind == SheetKind::Events {
            date = self.when();
            self.put_text(Column::Venue, MAX_PHRASE);
        }
        let venue = if self.table.kind == SheetKind::Events { self.venue() } else { None };
        let area = self.area(venue.as_ref());
        let place = venue.map(|venue| venue.id);
        self.put("place", place);
        if let Some(area) = &area {
            self.put("neighbourhood", area.neighbourhood.clone());
            self.put("region", Some(area.region.clone()));
        }
        self.categories();
        if self.table.kind == SheetKind::Places {
            self.put_text(Column::Style, MAX_PHRASE);
            let has_style = self.fields.iter().any(|(field, _)| *field == "style");
            let is_column = self.table.position(Column::Style).is_some();
            if !has_style && is_column && !self.has_error(Column::Style) {
                self.report(Column::Style, Problem::Empty);
            }
        }
        self.price_and_status();
        let instagram_link = self.instagram();
        if self.table.kind == SheetKind::Events {
            self.put_text(Column::Lineup, MAX_LINE);
        }
        self.put_text(Column::Address, MAX_LINE);
        if self.table.kind == SheetKind::Events {
            self.put_text(Column::Tickets, MAX_LINE);
        } else {
            let mentions = self.whole(Column::Mentions, 0..=MAX_MENTIONS);
            self.put("mentions", mentions);
        }
        let uau = self.flag(Column::Uau).filter(|uau| *uau);
        self.put("uau", uau);
        if self.table.kind == SheetKind::Places {
            self.description();
        }
        self.links(instagram_link);
        let aliases = self.list(Column::Aliases, MAX_ALIASES, MAX_NAME);
        self.put("aliases", Some(aliases).filter(|aliases| !aliases.is_empty()));
        self.position();
        let hidden = self.flag(Column::Hidden);
        self.put("hidden", hidden);
        for column in [Column::ShowFrom, Column::ShowUntil] {
            let day = self.day(column, self.context.today);
            self.put(column.field(), day.map(|day| day.to_string()));
        }
        self.put_text(Column::Note, MAX_NOTE);
        let typed_id = self.text(Column::Id, MAX_PHRASE);
        Some(Record {
            typed_id,
            id: String::new(),
            name: name?,
            area: area?,
            date,
            table,
            row: self.row.number,
            fields: std::mem::take(&mut self.fields),
        })
    }

    /// The place of the guide that is the venue.
    fn venue(&mut self) -> Option<Venue> {
        let venues = self.context.venues;
        if let Some(typed) = self.text(Column::Place, MAX_PHRASE) {
            let by_id = venues.iter().find(|venue| venue.id == typed.trim());
            let mut by_name = venues.iter().filter(|venue| venue.names.contains(&name_key(&typed)));
            let (first, second) = (by_name.next(), by_name.next());
            if let Some(venue) = by_id.or(first.filter(|_| second.is_none())) {
                return Some(venue.clone());
            }
            if first.is_none() && self.is_at_unread_place() {
                return None;
            }
            let problem = match (first, second) {
                (Some(first), Some(second)) => {
                    Problem::Ambiguous { typed, candidates: vec![first.id.clone(), second.id.clone()] }
                }
                _ => Problem::UnknownPlace { typed },
            };
            self.report(Column::Place, problem);
            return None;
        }
        let typed = self.fields.iter().find(|(field, _)| *field == "venue")?.1.as_str()?;
        let key = name_key(typed);
        // of several branches, the one in the area of the row
        let areas = self.context.areas;
        let typed_areas: Vec<Area> = [Column::Neighbourhood, Column::Region]
            .into_iter()
            .filter_map(|column| {
                let typed = self.table.cell(self.row, column)?.text()?;
                if column == Column::Region && areas.is_everywhere(typed) {
                    return None;
                }
                let found = if column == Column::Region {
                    areas.region(typed)
                } else {
                    areas.neighbourhood(typed, None)
                };
                if let NameMatch::Exactly(area) | NameMatch::Nearly(area) = found { Some(area) } else { None }
            })
            .collect();
        let is_near = |venue: &&Venue| {
            typed_areas.iter().all(|area| {
                let parts = (&area.neighbourhood, &venue.area.neighbourhood);
                area.region == venue.area.region
                    && (parts.0 == parts.1 || parts.0.is_none() || parts.1.is_none())
            })
        };
        let near: Vec<&Venue> =
            venues.iter().filter(|venue| venue.names.contains(&key)).filter(is_near).collect();
        match &*near {
            [venue] => Some((**venue).clone()),
            _ => None,
        }
    }

    /// The area by its two columns, else that of the venue, else by the address. "Brasília" in the column of regions is
    /// most often the whole territory, and a region only when nothing else says more.
    fn area(&mut self, venue: Option<&Venue>) -> Option<Area> {
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
        let found = areas.neighbourhood(&typed, region.as_ref().map(|area| &*area.region));
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
        if self.is_at_unread_place() {
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
            NameMatch::Nothing => {
                self.report(column, Problem::UnknownArea { typed: typed.to_owned() });
                None
            }
        }
    }

    /// The area of the code that an address begins with: "CLN 408".
    fn by_address(&self) -> Option<Area> {
        let address = self.table.cell(self.row, Column::Address)?.text()?;
        let first = Addresses::first_word(address)?.to_uppercase();
        let code = self.context.codes.iter().find(|(code, _)| *code == first)?;
        Some(code.1.clone())
    }

    fn categories(&mut self) {
        let mut also: Vec<String> = Vec::new();
        let mut main = None;
        if let Some(typed) = self.text(Column::Category, MAX_PHRASE) {
            let found = self.context.categories.find(&typed, self.table.kind);
            let parts: Vec<&str> = typed
                .split([',', '/', ';', '|', '+', '&'])
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .collect();
            if found == NameMatch::Nothing && parts.len() > 1 {
                let slugs: Vec<String> =
                    parts.iter().filter_map(|part| self.category(Column::Category, part)).collect();
                if let [first, rest @ ..] = &*slugs {
                    let read =
                        slugs.iter().map(|slug| self.context.categories.label(slug)).collect::<Vec<_>>();
                    let read = read.join(", ");
                    main = Some(first.clone());
                    also.extend(rest.iter().cloned());
                    self.report(Column::Category, Problem::Mended { typed, read });
                }
            } else {
                main = self.category(Column::Category, &typed);
            }
        } else if !self.has_error(Column::Category) {
            self.report(Column::Category, Problem::Required);
        }
        for typed in self.list(Column::Also, MAX_ALSO, MAX_PHRASE) {
            if let Some(slug) = self.category(Column::Also, &typed) {
                if main.as_ref() == Some(&slug) || also.contains(&slug) {
                    self.report(Column::Also, Problem::ListedTwice { typed });
                } else {
                    also.push(slug);
                }
            }
        }
        also.dedup();
        also.retain(|slug| main.as_ref() != Some(slug));
        self.put("category", main);
        self.put("also", Some(also).filter(|also| !also.is_empty()));
    }

    /// Whether a cell is wrong, so that it is not empty.
    pub(crate) fn has_error(&self, column: Column) -> bool {
        let named = self.table.named(column);
        named.is_some()
            && self
                .messages
                .iter()
                .any(|message| message.column == named && message.problem.level() == Level::Error)
    }

    fn category(&mut self, column: Column, typed: &str) -> Option<String> {
        let categories = self.context.categories;
        match categories.find(typed, self.table.kind) {
            NameMatch::Exactly(slug) => Some(slug),
            NameMatch::Nearly(slug) => {
                let read = categories.label(&slug).to_owned();
                self.report(column, Problem::Mended { typed: typed.to_owned(), read });
                Some(slug)
            }
            NameMatch::Ambiguous(slugs) => {
                let candidates = slugs.iter().map(|slug| categories.label(slug).to_owned()).collect();
                self.report(column, Problem::Ambiguous { typed: typed.to_owned(), candidates });
                None
            }
            NameMatch::Nothing => {
                let typed = typed.to_owned();
                let problem = if categories.is_of_other_kind(&typed) {
                    Problem::CategoryOfOtherKind { typed }
                } else {
                    Problem::UnknownCategory { typed }
                };
                self.report(column, problem);
                None
            }
        }
    }

    fn price_and_status(&mut self) {
        let is_event = self.table.kind == SheetKind::Events;
        let said_free = self.flag(Column::Free);
        let mut free = said_free == Some(true);
        let mut status = None;
        if is_event && let Some(typed) = self.text(Column::Status, MAX_PHRASE) {
            match status_of(&typed) {
                Some(read) => status = read,
                None => self.report(Column::Status, Problem::NotAStatus { typed }),
            }
        }
        if let Some(mut price) = self.text(Column::Price, MAX_PHRASE) {
            let amount = match self.table.cell(self.row, Column::Price) {
                Some(Cell::Number(amount)) => Some(*amount),
                _ => amount(&price),
            };
            let costs_nothing = is_free(&price) || amount == Some(0.0);
            // "R$ 30, grátis até 18h" may be free all the same
            let is_amount = || {
                let digits = price.trim_start_matches("R$").trim();
                !digits.is_empty()
                    && digits.bytes().all(|byte| byte.is_ascii_digit() || b".,".contains(&byte))
            };
            if said_free == Some(!costs_nothing) && (costs_nothing || is_amount()) {
                self.contradict(Column::Free, Column::Price);
            } else if costs_nothing {
                free = true;
            } else if let (true, Some(Some(read))) = (is_event, status_of(&price)) {
                status = status.or(Some(read));
                self.report(Column::Price, Problem::PriceMoved { to: "situação" });
            } else {
                if let Some(amount) = amount {
                    let read = if amount.fract() == 0.0 {
                        format!("R$ {amount}")
                    } else {
                        format!("R$ {amount:.2}").replace('.', ",")
                    };
                    self.report(Column::Price, Problem::Mended { typed: price, read: read.clone() });
                    price = read;
                }
                self.put("price", Some(price));
            }
        }
        self.put("free", Some(free).filter(|free| *free));
        self.put("status", status);
    }

    /// Puts the handle; returns the link of a post that stood in its place.
    fn instagram(&mut self) -> Option<String> {
        let typed = self.text(Column::Instagram, MAX_PHRASE)?;
        let mut problems = Vec::new();
        let read = links::instagram(&typed, &mut problems);
        self.report_all(Column::Instagram, problems);
        self.put("instagram", read.handle);
        read.link
    }

    fn links(&mut self, mut instagram: Option<String>) {
        let mut links = serde_json::Map::new();
        for column in [Column::MapLink, Column::Website, Column::InstagramLink, Column::TicketLink] {
            let own = self.link(column);
            let link = if column == Column::InstagramLink { own.or(instagram.take()) } else { own };
            let field = column.field().trim_start_matches("links.");
            links.extend(link.map(|link| (field.to_owned(), Value::from(link))));
        }
        self.put("links", Some(links).filter(|links| !links.is_empty()));
    }

    fn description(&mut self) {
        let pt = self.text(Column::DescriptionPt, MAX_DESCRIPTION);
        let en = self.text(Column::DescriptionEn, MAX_DESCRIPTION);
        match (pt, en) {
            (Some(pt), Some(en)) => self.put("description", Some(json!({ "pt": pt, "en": en }))),
            (Some(_), None) => self.report(Column::DescriptionPt, Problem::HalfDescription),
            (None, Some(_)) => self.report(Column::DescriptionEn, Problem::HalfDescription),
            (None, None) => {}
        }
    }

    fn position(&mut self) {
        // both in one cell, as maps copy them
        let both = self.table.cell(self.row, Column::Lat).and_then(Cell::text).and_then(|text| {
            let by_comma = || text.split_once(',').filter(|_| text.contains('.'));
            let (lat, lon) = text.split_once(", ").or_else(|| text.split_once(';')).or_else(by_comma)?;
            let number = |text: &str| text.trim().replace(',', ".").parse::<f64>().ok();
            Some((number(lat)?, number(lon)?))
        });
        let (lat, lon) = match both {
            Some((lat, lon)) => (Some(lat), Some(lon)),
            None => (self.number(Column::Lat), self.number(Column::Lon)),
        };
        let precision = self.whole(Column::Precision, 1..=MAX_PRECISION);
        let (lat, lon) = match (lat, lon) {
            (Some(lat), Some(lon)) => (lat, lon),
            (None, None) => return,
            (Some(_), None) => return self.report(Column::Lat, Problem::HalfPosition),
            (None, Some(_)) => return self.report(Column::Lon, Problem::HalfPosition),
        };
        // the other way round: no longitude of Brazil is north of -34
        let (lat, lon) = if lat < -34.0 && lon > -34.0 {
            let read = format!("{lon}, {lat}");
            let shown = |column| self.table.cell(self.row, column).map(Cell::shown);
            let columns = [Column::Lat, Column::Lon]
                .into_iter()
                .filter(|column| both.is_none() || *column == Column::Lat);
            let typed = columns.filter_map(shown).collect::<Vec<_>>().join("; ");
            self.report(Column::Lat, Problem::Mended { typed, read });
            (lon, lat)
        } else {
            (lat, lon)
        };
        self.check_bounds(Column::Lat, lat, |bounds| (bounds.south, bounds.north));
        let of_lon = if both.is_some() { Column::Lat } else { Column::Lon };
        self.check_bounds(of_lon, lon, |bounds| (bounds.west, bounds.east));
        if precision.is_none() && !self.has_error(Column::Precision) {
            self.report(Column::Lat, Problem::PrecisionAssumed);
        }
        let round = |degrees: f64| (degrees * 1e6).round() / 1e6;
        let position =
            json!({ "lat": round(lat), "lon": round(lon), "precision_m": precision.unwrap_or(50) });
        self.put("position", Some(position));
    }

    /// Reports a coordinate outside the guide's bounds.
    fn check_bounds(&mut self, column: Column, degrees: f64, of: impl Fn(&Bounds) -> (Degrees, Degrees)) {
        let Some((least, greatest)) = self.context.bounds.as_ref().map(of) else { return };
        let (least, greatest) = (least.degrees(), greatest.degrees());
        if !(least..=greatest).contains(&degrees) {
            self.report(column, Problem::OutOfBounds { least, greatest });
        }
    }
}
