//! The names of the six files in a snapshot folder.

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
    /// `places.json`: the places.
    Places,
    /// `events.json`: the events, dated or repeated.
    Events,
}

impl File {
    /// All of them, in the order in which they are checked.
    pub const ALL: [File; 6] =
        [File::Guide, File::Regions, File::AddressCodes, File::Categories, File::Places, File::Events];

    /// Its name in the folder.
    pub fn name(self) -> &'static str {
        match self {
            File::Guide => "guide.json",
            File::Regions => "regions.json",
            File::AddressCodes => "address_codes.json",
            File::Categories => "categories.json",
            File::Places => "places.json",
            File::Events => "events.json",
        }
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
