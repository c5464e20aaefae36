//! What the picture beside a shared link says: a card for each page that people share, and one for all other pages.

pub(crate) mod drawing;
pub(crate) mod lettering;
pub(crate) mod serving;
pub(crate) mod store;

use chrono::{Datelike, NaiveDate};
use maud::{Markup, html};

use crate::http::language::Language;
use crate::http::site::layout::paths::localized;
use crate::http::site::layout::tags::hash;
use crate::http::site::texts::Calendar;

/// The width of a card in pixels.
pub(crate) const WIDTH: u16 = 1_200;

/// The height of a card in pixels.
pub(crate) const HEIGHT: u16 = 630;

/// The tiles of the card of the front page.
const FRONT_SEED: u64 = 5;

/// What a card shows. Two cards that are equal look the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Card {
    /// The path of its page in Portuguese.
    pub(crate) path: String,
    /// The name of the service.
    pub(crate) service: String,
    /// What kind of page it is.
    pub(crate) kind: String,
    /// Words that a no-break space joins stay on one line.
    pub(crate) title: String,
    /// When and where, at most two.
    pub(crate) lines: Vec<String>,
    pub(crate) is_uau: bool,
    pub(crate) date: Option<DateTile>,
    /// Decides the tiles.
    pub(crate) seed: u64,
}

/// A date as a large tile.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DateTile {
    pub(crate) weekday: String,
    pub(crate) day: String,
    pub(crate) month: String,
}

impl DateTile {
    /// The tile of a day.
    pub(crate) fn of(calendar: &Calendar, date: NaiveDate) -> DateTile {
        DateTile {
            weekday: calendar.weekday(date).to_owned(),
            day: date.day().to_string(),
            month: calendar.month(date).to_owned(),
        }
    }
}

impl Card {
    /// The card of a page, without any words.
    pub(crate) fn of_page(path: &str, service: &str) -> Card {
        Card {
            path: path.to_owned(),
            service: service.to_owned(),
            seed: if path == "/" { FRONT_SEED } else { hash(&path) },
            ..Card::default()
        }
    }

    /// Changes with what the card shows, and with the version of the program, which draws it.
    pub(crate) fn version(&self) -> u64 {
        hash(&(env!("CARGO_PKG_VERSION"), env!("CANDANGO_COMMIT"), self))
    }

    /// The path of the picture.
    pub(crate) fn address(&self, language: Language) -> String {
        let page = if self.path == "/" { "" } else { &self.path };
        localized(language, &format!("/card{page}.png"))
    }

    /// The words of the card, for those who do not see it.
    pub(crate) fn alternative(&self) -> String {
        let title = self.title.replace('\u{a0}', " ");
        let words = [&title, &self.kind].into_iter().chain(&self.lines).filter(|part| !part.is_empty());
        words.map(String::as_str).collect::<Vec<_>>().join(" · ")
    }

    /// What the head of its page says of it.
    pub(crate) fn meta(&self, base: &str, language: Language) -> Markup {
        let alternative = self.alternative();
        let version = format!("{:016x}", self.version());
        html! {
            meta property="og:image" content={ (base) (self.address(language)) "?" (version) };
            meta property="og:image:type" content="image/png";
            meta property="og:image:width" content=(WIDTH);
            meta property="og:image:height" content=(HEIGHT);
            meta property="og:image:alt" content=(alternative);
            meta name="twitter:card" content="summary_large_image";
            meta name="twitter:image:alt" content=(alternative);
        }
    }
}
