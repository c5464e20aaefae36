//! The demo snapshot, embedded in the program and served until something is published. Its files are those of the
//! folder `demo/` of this crate, whose README lists the sources.

use crate::file::File;
use crate::folder::Files;

/// The files of the demo.
pub fn files() -> Files {
    Files::default()
        .with(File::Guide, include_str!("../demo/guide.json"))
        .with(File::Regions, include_str!("../demo/regions.json"))
        .with(File::AddressCodes, include_str!("../demo/address_codes.json"))
        .with(File::Categories, include_str!("../demo/categories.json"))
        .with(File::Synonyms, include_str!("../demo/synonyms.json"))
        .with(File::Positions, include_str!("../demo/positions.json"))
        .with(File::Map, include_str!("../demo/map.json"))
        .with(File::Places, include_str!("../demo/places.json"))
        .with(File::Events, include_str!("../demo/events.json"))
}
