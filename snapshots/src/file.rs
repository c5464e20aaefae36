//! The names of the seven files in a snapshot folder.

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
    /// `places.json`: the places.
    Places,
    /// `events.json`: the events, dated or repeated.
    Events,
}

impl File {
    /// All of them, in the order in which they are checked.
    pub const ALL: [File; 7] = [
        File::Guide,
        File::Regions,
        File::AddressCodes,
        File::Categories,
        File::Synonyms,
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
            File::Places => "places.json",
            File::Events => "events.json",
        }
    }

    /// The text that stands for an optional file when there is none; `None` for a required file.
    pub(crate) fn when_absent(self) -> Option<&'static str> {
        (self == File::Synonyms).then_some("{\"groups\":[]}")
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
