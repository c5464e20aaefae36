//! The setting `store`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use url::Url;

use super::text::{debug_as_display, without_password};

/// Where accounts, keys, quotas and billing are stored.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreSpec {
    /// One local file, for a single server.
    Sqlite(PathBuf),
    /// A Redis that many servers share; `rediss` for TLS, `redis-cluster` for a cluster.
    Redis(Url),
}

impl FromStr for StoreSpec {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected sqlite:PATH, or a URL of redis://, rediss:// or redis-cluster://";
        match text.strip_prefix("sqlite:") {
            Some("") => Err(EXPECTED),
            Some(path) => Ok(StoreSpec::Sqlite(path.into())),
            None => match Url::parse(text) {
                Ok(url) if ["redis", "rediss", "redis-cluster"].contains(&url.scheme()) && url.has_host() => {
                    Ok(StoreSpec::Redis(url))
                }
                _ => Err(EXPECTED),
            },
        }
    }
}

impl fmt::Display for StoreSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreSpec::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            StoreSpec::Redis(url) => without_password(url).fmt(f),
        }
    }
}

debug_as_display!(StoreSpec);
