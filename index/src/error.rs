//! Why an index could not be built.

/// Why a [`crate::Guide`] could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The regions and categories could not be archived.
    #[error("the region and category index could not be archived: {0}")]
    Archive(#[from] rkyv::rancor::Error),
    /// A record names a region, neighbourhood or category that the vocabulary lacks.
    #[error("record {0} names an unknown region, neighbourhood or category; run the check on this snapshot")]
    UnknownName(String),
    /// An event was not expanded into its dates.
    #[error("event {0} repeats: build the guide of a day")]
    NotExpanded(String),
    /// The snapshot is larger than the ids or offsets of the index can count.
    #[error("the snapshot has more {0} than the index can hold; run the check on this snapshot")]
    TooLarge(&'static str),
    /// The text index could not be written.
    #[error("the text index could not be built: {0}")]
    Text(#[from] tantivy::TantivyError),
}
