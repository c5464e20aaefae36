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
    /// What they cost.
    pub(crate) price: Option<String>,
    /// Whether the event is cancelled, postponed or sold out.
    pub(crate) status: Option<&'static str>,
    /// Where to buy them.
    pub(crate) link: Option<String>,
}

impl Reader<'_> {
    /// Reads the column of tickets. A header "Ingresso" is often that of prices: an amount goes to the column of
    /// prices, a link to that of links and a status to its own, unless that has a cell: `has_status`, of those of the
    /// status.
    pub(crate) fn tickets(&mut self, has_status: bool) -> Tickets {
        let Some(text) = self.text(Column::Tickets, MAX_LINE) else { return Tickets::default() };
        let has = |column| self.table.cell(self.row, column).is_some();
        let folded = fold(&text);
        // what is no price in its own column is none here either, and would be an error there
        let is_price = is_free(&text) || price::is_amounts(&folded) && !price::is_other(&text);
        let (column, tickets) = match status_of(&text) {
            Some(Some(status)) if !has_status => {
                (Column::Status, Tickets { status: Some(status), ..Tickets::default() })
            }
            _ if is_price && !has(Column::Price) => {
                (Column::Price, Tickets { price: Some(text), ..Tickets::default() })
            }
            _ if price::is_link(&folded) && !has(Column::TicketLink) => {
                (Column::TicketLink, Tickets { link: Some(text), ..Tickets::default() })
            }
            _ => return Tickets { text: Some(text), ..Tickets::default() },
        };
        self.report(Column::Tickets, Problem::BelongsTo { field: column.field() });
        tickets
    }
}
