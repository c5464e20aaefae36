//! The file of a depot with the records that are hidden without a publication.

use super::pointer::{DepotError, StateFile};
use crate::hidden::Hidden;

/// The records that are hidden without a publication: a hundred thousand at most.
pub(super) const HIDDEN: StateFile = StateFile { name: "hidden.json", max_bytes: MAX_BYTES };

/// The largest such file that is read.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

pub(super) fn parsed(bytes: &[u8]) -> Result<Hidden, DepotError> {
    serde_json::from_slice(bytes).map_err(DepotError::DamagedHidden)
}

/// Fails unless `new` is the version after what is there.
pub(super) fn compare_hidden(new: &Hidden, found: Option<&[u8]>) -> Result<(), DepotError> {
    let found = found.map(parsed).transpose()?.map_or(0, |found| found.version);
    if found.checked_add(1) == Some(new.version) { Ok(()) } else { Err(DepotError::HiddenConflict) }
}
