//! Rows become records: each cell is read as its column asks, and what cannot be read is a message.

use std::collections::HashSet;

use chrono::NaiveDate;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Value, json};
use snapshots::limits::{
    MAX_ALIASES, MAX_ALSO, MAX_DESCRIPTION, MAX_LINE, MAX_MENTIONS, MAX_NAME, MAX_NOTE, MAX_PHRASE,
    MAX_PRECISION,
};

use crate::cells::{Context, Reader, Venue};
use crate::columns::{Column, SheetKind};
use crate::links;
use crate::message::Message;
use crate::month_first::MonthFirst;
use crate::names::{Area, NameMatch, name_key};
use crate::price;
use crate::problem::{Level, Problem, Wanted};
use crate::sheet::Cell;
use crate::table::Table;
use crate::text::{amount, number};
use crate::tickets::Tickets;
use crate::words::{closed_in_name, is_free, status_in_name, status_of};

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
    let month_first = MonthFirst::of(table);
    for row in &table.rows {
        let month_first = &month_first;
        let mut reader =
            Reader { context, table, row, month_first, messages: Vec::new(), fields: Vec::new() };
        let record = reader.record(number);
        reader.merged();
        let failed = reader.messages.iter().any(|message| message.problem.level() == Level::Error);
        // a column that is missing is missing in all rows
        let is_told = |message: &Message| {
            let is_of_header =
                matches!(message.problem, Problem::MissingColumn { .. } | Problem::RenamedColumn { .. });
            is_of_header && messages.contains(message)
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
    without_guesses(messages, &table.label);
    rows
}

/// Leaves out that a header is not known where it is said to be that of a column which is missing.
fn without_guesses(messages: &mut Vec<Message>, label: &str) {
    let is_renamed = |message: &&Message| {
        message.sheet == label && matches!(message.problem, Problem::RenamedColumn { .. })
    };
    let renamed: Vec<_> = messages.iter().filter(is_renamed).map(|message| message.column.clone()).collect();
    messages.retain(|message| {
        let is_guess = matches!(message.problem, Problem::UnknownColumn { .. });
        !(is_guess && message.sheet == label && renamed.contains(&message.column))
    });
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
        if name.is_none() && !self.has_error(Column::Name) {
            self.report(Column::Name, Problem::Required);
        }
        self.put("name", name.clone());
        let is_event = self.table.kind == SheetKind::Events;
        if let Some(typed) = name.as_deref().filter(|_| !is_event).and_then(closed_in_name) {
            self.report(Column::Name, Problem::ClosedInName { typed });
        }
        let (date, venue) = if is_event { self.day_and_venue() } else { (None, None) };
        let area = self.area(venue.as_ref());
        let place = venue.map(|venue| venue.id);
        self.put("place", place);
        if let Some(area) = &area {
            self.put("neighbourhood", area.neighbourhood.clone());
            self.put("region", Some(area.region.clone()));
        }
        self.categories();
        if !is_event {
            self.style();
        }
        let (status, is_said) = if is_event { self.status() } else { (None, true) };
        let tickets = if is_event { self.tickets(is_said || status.is_some()) } else { Tickets::default() };
        self.price_and_status(tickets.price, (status.or(tickets.status), is_said));
        let instagram_link = self.instagram();
        if is_event {
            self.put_text(Column::Lineup, MAX_LINE);
        }
        self.put_text(Column::Address, MAX_LINE);
        if is_event {
            self.put("tickets", tickets.text);
        } else {
            let mentions = self.whole(Column::Mentions, 0..=MAX_MENTIONS);
            self.put("mentions", mentions);
        }
        let uau = self.flag(Column::Uau).filter(|uau| *uau);
        self.put("uau", uau);
        if !is_event {
            self.description();
        }
        self.links(instagram_link, tickets.link);
        let aliases = self.list(Column::Aliases, MAX_ALIASES, MAX_NAME);
        self.put("aliases", Some(aliases).filter(|aliases| !aliases.is_empty()));
        self.position();
        let hidden = self.flag(Column::Hidden);
        self.put("hidden", hidden);
        self.window();
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

    /// When and where an event is.
    fn day_and_venue(&mut self) -> (Option<NaiveDate>, Option<Venue>) {
        let date = self.when();
        self.put_text(Column::Venue, MAX_PHRASE);
        (date, self.venue())
    }

    /// The style of a place, which a sheet with such a column is expected to say.
    fn style(&mut self) {
        self.put_text(Column::Style, MAX_PHRASE);
        let has_style = self.fields.iter().any(|(field, _)| *field == "style");
        let is_column = self.table.position(Column::Style).is_some();
        if !has_style && is_column && !self.has_error(Column::Style) {
            self.report(Column::Style, Problem::Empty);
        }
    }

    /// The days within which the record is shown.
    fn window(&mut self) {
        let window = [Column::ShowFrom, Column::ShowUntil].map(|column| self.day(column, self.years()));
        if let [Some(from), Some(until)] = window
            && until < from
        {
            self.report(Column::ShowUntil, Problem::EndBeforeStart);
        }
        for (column, day) in [Column::ShowFrom, Column::ShowUntil].into_iter().zip(window) {
            self.put(column.field(), day.map(|day| day.to_string()));
        }
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
                    // a list of labels with a comma is read as it is
                    if read != typed {
                        self.report(Column::Category, Problem::Mended { typed, read });
                    }
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
            NameMatch::Nothing if !self.context.has_categories => None,
            NameMatch::Nothing => {
                let typed = typed.to_owned();
                let problem = if categories.is_of_other_kind(&typed) {
                    Problem::CategoryOfOtherKind { typed }
                } else {
                    let nearest = categories.suggestion(&typed, self.table.kind).map(str::to_owned);
                    Problem::UnknownCategory { typed, nearest }
                };
                self.report(column, problem);
                None
            }
        }
    }

    /// Puts what it costs and whether it takes place. `elsewhere` is the price in the column of tickets; `is_said` is
    /// whether a cell says the status, or that there is none.
    fn price_and_status(
        &mut self,
        elsewhere: Option<String>,
        (mut status, is_said): (Option<&'static str>, bool),
    ) {
        let is_event = self.table.kind == SheetKind::Events;
        let said_free = self.flag(Column::Free);
        let mut free = said_free == Some(true);
        let column = if elsewhere.is_some() { Column::Tickets } else { Column::Price };
        if let Some(mut price) = elsewhere.or_else(|| self.text(Column::Price, MAX_PHRASE)) {
            if let Some(cents) = self.table.cents_apart(self.row).filter(|_| price::is_whole_at_end(&price)) {
                let (read, cents) = (price.clone(), cents.to_owned());
                self.report(Column::Price, Problem::CentsApart { read, cents });
            }
            let amount = match self.table.cell(self.row, column) {
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
                self.contradict(Column::Free, column);
            } else if costs_nothing {
                free = true;
            } else if amount.is_some_and(|amount| amount < 0.0) || price::is_other(&price) {
                self.report(column, Problem::NotAPrice { typed: price });
            } else if let (true, Some(Some(read))) = (is_event, status_of(&price)) {
                status = status.or(Some(read));
                self.report(column, Problem::BelongsTo { field: Column::Status.field() });
            } else {
                if let Some(amount) = amount {
                    let read = price::in_reais(amount);
                    self.report_amount(column, price, &read);
                    price = read;
                }
                self.warn_of_contact(column, &price);
                self.put("price", Some(price));
            }
        }
        if is_event && !is_said && status.is_none() {
            self.warn_of_status_in_name();
        }
        self.put("free", Some(free).filter(|free| *free));
        self.put("status", status);
    }

    /// Says how a number alone was read as a price, unless the format of its cell shows it as one. Three digits after a
    /// point may be cents that were meant otherwise.
    fn report_amount(&mut self, column: Column, typed: String, read: &str) {
        let is_grouped = typed.rsplit_once(['.', ',']).is_some_and(|(_, last)| last.len() == 3);
        match self.table.cell(self.row, column) {
            Some(Cell::Number(_)) if self.table.is_in_reais(self.row, column) => {}
            Some(Cell::Text(_)) if is_grouped => {
                self.report(column, Problem::Mended { typed, read: read.to_owned() });
            }
            _ => self.report(column, Problem::BarePrice),
        }
    }

    /// Whether it is cancelled, postponed or sold out, and whether a cell says so or that it is not. Beside the column
    /// of that there may be one for each, of which "sim" is written.
    fn status(&mut self) -> (Option<&'static str>, bool) {
        let mut found = None;
        let said = self.text(Column::Status, MAX_PHRASE);
        let is_said = said.is_some() || self.has_error(Column::Status);
        let mut said_by = is_said.then_some(Column::Status);
        if let Some(typed) = said {
            match status_of(&typed) {
                Some(read) => found = read,
                None => self.report(Column::Status, Problem::NotAStatus { typed }),
            }
        }
        for (column, status) in [
            (Column::Cancelled, "cancelled"),
            (Column::Postponed, "postponed"),
            (Column::SoldOut, "sold_out"),
        ] {
            let cell = self.table.cell(self.row, column);
            let is_named =
                cell.and_then(Cell::text).is_some_and(|text| status_of(text) == Some(Some(status)));
            if !is_named && self.flag(column) != Some(true) {
                continue;
            }
            // what was sold out may be cancelled or postponed since
            let is_before = column == Column::SoldOut && !is_said;
            if let Some(other) = said_by.filter(|_| found != Some(status) && !is_before) {
                self.contradict(column, other);
            }
            found = found.or(Some(status));
            said_by = said_by.or(Some(column));
        }
        (found, is_said)
    }

    /// Whoever reads the name knows that the event is cancelled, and calendars and searches do not.
    fn warn_of_status_in_name(&mut self) {
        let name = self.fields.iter().find(|(field, _)| *field == "name").and_then(|(_, name)| name.as_str());
        if let Some((word, status)) = name.and_then(status_in_name) {
            self.report(Column::Status, Problem::StatusInName { typed: word, status });
        }
    }

    /// Puts the handle; returns the link of a post that stood in its place.
    fn instagram(&mut self) -> Option<String> {
        let mut typed = self.text(Column::Instagram, MAX_PHRASE)?;
        let address = self.table.link(self.row, Column::Instagram);
        if let Some(address) =
            address.filter(|link| link.contains("instagram.com/") && !typed.contains(['@', '/']))
        {
            address.clone_into(&mut typed);
        }
        let mut problems = Vec::new();
        let read = links::instagram(&typed, &mut problems);
        self.report_all(Column::Instagram, problems);
        self.put("instagram", read.handle);
        read.link
    }

    /// Puts the links, with those that stood in other columns.
    fn links(&mut self, mut instagram: Option<String>, tickets: Option<String>) {
        let mut links = serde_json::Map::new();
        for column in [Column::MapLink, Column::Website, Column::InstagramLink, Column::TicketLink] {
            let own = self.link(column);
            let link = match column {
                Column::InstagramLink => own.or(instagram.take()),
                Column::TicketLink => own.or_else(|| self.link_of(Column::Tickets, tickets.as_deref()?)),
                _ => own,
            };
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
            // a wrong cell is not missing
            (Some(_), None) if !self.has_error(Column::DescriptionEn) => {
                self.report(Column::DescriptionPt, Problem::HalfDescription);
            }
            (None, Some(_)) if !self.has_error(Column::DescriptionPt) => {
                self.report(Column::DescriptionEn, Problem::HalfDescription);
            }
            _ => {}
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
            None => {
                let mut number = |column| self.number(column, Wanted::Degrees(example(column)));
                (number(Column::Lat), number(Column::Lon))
            }
        };
        let precision = self.whole(Column::Precision, 1..=MAX_PRECISION);
        let (lat, lon) = match (lat, lon) {
            (Some(lat), Some(lon)) => (lat, lon),
            (None, None) if precision.is_none() => return,
            // a wrong cell is not missing
            _ if self.has_error(Column::Lat) || self.has_error(Column::Lon) => return,
            (None, None) => return self.report(Column::Precision, Problem::PrecisionAlone),
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
        self.check_bounds(lat, lon, both.is_some());
        if precision.is_none() && !self.has_error(Column::Precision) {
            self.report(Column::Lat, Problem::PrecisionAssumed);
        }
        let round = |degrees: f64| (degrees * 1e6).round() / 1e6;
        let position =
            json!({ "lat": round(lat), "lon": round(lon), "precision_m": precision.unwrap_or(50) });
        self.put("position", Some(position));
    }

    /// Reports coordinates outside the guide's bounds; both may be in the cell of the first.
    fn check_bounds(&mut self, lat: f64, lon: f64, are_in_one_cell: bool) {
        let Some(bounds) = &self.context.bounds else { return };
        let of_lat = bounds.south.degrees()..=bounds.north.degrees();
        let of_lon = bounds.west.degrees()..=bounds.east.degrees();
        let are_swapped = of_lat.contains(&lon) && of_lon.contains(&lat);
        for (column, degrees, range) in [(Column::Lat, lat, of_lat), (Column::Lon, lon, of_lon)] {
            if range.contains(&degrees) {
                continue;
            }
            // the two may have been swapped, or be in one cell
            let shown = self.table.cell(self.row, column).map(Cell::shown).unwrap_or_default();
            let is_shown = shown.replace(',', ".").parse() == Ok(degrees);
            let problem = Problem::OutOfBounds {
                typed: if is_shown { shown } else { number(degrees).replace('.', ",") },
                least: *range.start(),
                greatest: *range.end(),
                lacks_minus: range.contains(&-degrees),
                are_swapped,
                // where a comma is missing
                example: (degrees.abs() > 180.0).then(|| example(column)),
            };
            self.report(if are_in_one_cell { Column::Lat } else { column }, problem);
        }
    }
}

/// How a coordinate is written.
fn example(column: Column) -> &'static str {
    if column == Column::Lat { "-15,79062" } else { "-47,89298" }
}
