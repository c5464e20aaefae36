//! The demo snapshot, inside the program: what a guide answers from when nothing was ever published.
//!
//! The same files as the folder `demo/` of this crate, whose README says where the facts are from.

use crate::file::File;
use crate::folder::Files;

/// The files of the demo.
pub fn files() -> Files {
    Files::default()
        .with(File::Guide, include_str!("../demo/guide.json"))
        .with(File::Regions, include_str!("../demo/regions.json"))
        .with(File::AddressCodes, include_str!("../demo/address_codes.json"))
        .with(File::Categories, include_str!("../demo/categories.json"))
        .with(File::Places, include_str!("../demo/places.json"))
        .with(File::Events, include_str!("../demo/events.json"))
}
