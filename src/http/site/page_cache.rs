//! The pages that are rendered once for a snapshot and a day, and kept until either changes.

use std::sync::OnceLock;

use chrono::NaiveDate;
use hyper::header::HeaderValue;
use snapshots::Digest;

use super::page_data::PageData;
use super::tags::tag;
use crate::http::encoded::Encoded;
use crate::http::language::Language;
use crate::serving::ServingSnapshot;

/// The pages of a snapshot and a day. It holds no reference to the snapshot, which can be dropped.
pub(super) struct PageCache {
    pub(super) serial: u64,
    pub(super) digest: Digest,
    /// The day of the guide and the version of what is hidden: a guide may be made anew during a day.
    pub(super) made: (Option<NaiveDate>, u64),
    /// Changes with the snapshot, the day and the settings.
    pub(super) version: u64,
    pub(super) data: PageData,
    /// The front page in each language.
    pub(super) front: [Encoded; 2],
    /// The page about the guide in each language, rendered when it is first asked for: it counts all records.
    pub(super) about: [OnceLock<Encoded>; 2],
    /// The files of the sitemap, rendered when they are first asked for.
    pub(super) sitemap_files: Vec<OnceLock<Encoded>>,
}

impl PageCache {
    /// Whether the pages are those of a snapshot and a day.
    pub(super) fn is_for(&self, snapshot: &ServingSnapshot, today: NaiveDate) -> bool {
        self.serial == snapshot.serial
            && self.data.day == today
            && self.digest == snapshot.digest
            && self.made == (snapshot.day, snapshot.hidden)
    }

    /// The entity tag of the page at an address.
    pub(super) fn tag(&self, language: Language, address: &str) -> HeaderValue {
        tag(&(self.version, language.code(), address))
    }
}
