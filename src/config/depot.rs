//! The setting `depot`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use url::Url;

use super::text::{debug_as_display, without_password};

/// Where published snapshots are stored.
#[derive(Clone, PartialEq, Eq)]
pub enum DepotSpec {
    /// A local folder.
    Folder(PathBuf),
    /// A bucket, or a folder written as a URL: `file`, `s3`, `gs` or `az`.
    Url(Url),
}

impl DepotSpec {
    /// Its folder, if it is one of this machine.
    pub fn folder(&self) -> Option<PathBuf> {
        match self {
            DepotSpec::Folder(path) => Some(path.clone()),
            DepotSpec::Url(url) if url.scheme() == "file" => url.to_file_path().ok(),
            DepotSpec::Url(_) => None,
        }
    }
}

impl FromStr for DepotSpec {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err("expected a folder, or a URL of file://, s3://, gs:// or az://");
        }
        if !text.contains("://") {
            return Ok(DepotSpec::Folder(text.into()));
        }
        match Url::parse(text) {
            Ok(url) if ["file", "s3", "gs", "az"].contains(&url.scheme()) => Ok(DepotSpec::Url(url)),
            _ => Err("expected a folder, or a URL of file://, s3://, gs:// or az://"),
        }
    }
}

impl fmt::Display for DepotSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DepotSpec::Folder(path) => path.display().fmt(f),
            DepotSpec::Url(url) => without_password(url).fmt(f),
        }
    }
}

debug_as_display!(DepotSpec);
