//! The names of the nine files in a snapshot folder.

use std::fmt;

/// One file of a snapshot folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde_with::SerializeDisplay)]
pub enum File {
    /// `guide.json`: the snapshot's name and when it was finished.
    Guide,
    /// `regions.json`: zones, regions, neighbourhoods.
    Regions,
    /// `address_codes.json`: how addresses are written.
    AddressCodes,
    /// `categories.json`: categories and the words for them.
    Categories,
    /// `synonyms.json`: words that mean the same; optional.
    Synonyms,
    /// `positions.json`: where areas, numbered addresses and landmarks are; optional.
    Positions,
    /// `map.json`: an outline of the city for a drawn map; optional.
    Map,
    /// `places.json`: the places.
    Places,
    /// `events.json`: the events, dated or repeated.
    Events,
}

impl File {
    /// All of them, in the order in which they are checked.
    pub const ALL: [File; 9] = [
        File::Guide,
        File::Regions,
        File::AddressCodes,
        File::Categories,
        File::Synonyms,
        File::Positions,
        File::Map,
        File::Places,
        File::Events,
    ];

    /// Its name in the folder.
    pub fn name(self) -> &'static str {
        match self {
            File::Guide => "guide.json",
            File::Regions => "regions.json",
            File::AddressCodes => "address_codes.json",
            File::Categories => "categories.json",
            File::Synonyms => "synonyms.json",
            File::Positions => "positions.json",
            File::Map => "map.json",
            File::Places => "places.json",
            File::Events => "events.json",
        }
    }

    /// The text that stands for an optional file when there is none; `None` for a required file.
    pub(crate) fn when_absent(self) -> Option<&'static str> {
        match self {
            File::Synonyms => Some("{\"groups\":[]}"),
            File::Positions | File::Map => Some("{}"),
            _ => None,
        }
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
