//! What stands in the column of tickets: how to get them, or what belongs into the columns of prices, links and status.

use snapshots::limits::MAX_LINE;

use crate::cells::Reader;
use crate::columns::Column;
use crate::price;
use crate::problem::Problem;
use crate::text::fold;
use crate::words::{is_free, status_of};

/// What the column of tickets says, by the field that it fills.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    /// How to get them.
    pub(crate) text: Option<String>,
    /// What they cost, or a status in that place.
    pub(crate) price: Option<String>,
    /// Where to buy them.
    pub(crate) link: Option<String>,
}

impl Reader<'_> {
    /// Reads the column of tickets. A header "Ingresso" is often that of prices: an amount goes to the column of
    /// prices, and a link to that of links, unless that has a cell of its own.
    pub(crate) fn tickets(&mut self) -> Tickets {
        let Some(text) = self.text(Column::Tickets, MAX_LINE) else { return Tickets::default() };
        let has = |column| self.table.cell(self.row, column).is_some();
        let folded = fold(&text);
        let is_status = matches!(status_of(&text), Some(Some(_)));
        let is_price = is_free(&text) || price::is_amounts(&folded) || is_status;
        if is_price && !has(Column::Price) && !(is_status && has(Column::Status)) {
            // the status reports itself
            if !is_status {
                self.report(Column::Tickets, Problem::BelongsTo { column: "preço" });
            }
            Tickets { price: Some(text), ..Tickets::default() }
        } else if price::is_link(&folded) && !has(Column::TicketLink) {
            self.report(Column::Tickets, Problem::BelongsTo { column: "link de ingressos" });
            Tickets { link: Some(text), ..Tickets::default() }
        } else {
            Tickets { text: Some(text), ..Tickets::default() }
        }
    }
}
