//! Entity tags of pages.

use std::hash::{DefaultHasher, Hash, Hasher};

use hyper::header::HeaderValue;

/// The hash of a value, the same in every process of this version.
pub(crate) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// An entity tag that changes with `version`.
pub(crate) fn tag(version: &impl Hash) -> HeaderValue {
    // hexadecimal digits in quotes are a valid value
    HeaderValue::try_from(format!("\"{:016x}\"", hash(version))).unwrap_or(HeaderValue::from_static("\"\""))
}
