//! How settings are read from text and shown as text. Secrets never show.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use url::Url;

/// Replaces a secret in everything that is printed.
pub(super) const HIDDEN: &str = "hidden";

/// A URL that may be printed.
pub(super) fn without_password(url: &Url) -> Url {
    let mut shown = url.clone();
    if shown.password().is_some() {
        // fails only for URLs that cannot have a password, and this one has one
        let _ = shown.set_password(Some(HIDDEN));
    }
    shown
}

/// Implements `Debug` as `Display`, which hides secrets.
macro_rules! debug_as_display {
    ($($type:ty),*) => {
        $(impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        })*
    };
}
pub(super) use debug_as_display;

/// Serde for types that are one text in the configuration.
pub(super) mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

pub(super) fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    let parsed = String::deserialize(deserializer)?.parse();
    parsed.map_err(|_| D::Error::custom("expected ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080"))
}

pub(super) fn folder<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().is_empty() {
        // an empty path is the folder that the program happens to be started in
        return Err(D::Error::custom("expected a folder, such as /srv/candango, not an empty text"));
    }
    Ok(text.into())
}

/// Host names, as requests send them.
pub(super) fn hosts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let mut hosts = Vec::<String>::deserialize(deserializer)?;
    for host in &mut hosts {
        host.truncate(host.trim_end_matches('/').len());
        if host.is_empty() || host.contains(['/', ' ', '*']) {
            return Err(D::Error::custom(format!(
                "expected names of hosts, such as guia.example, not {host:?}"
            )));
        }
    }
    Ok(hosts)
}

/// Web origins, as browsers send them: without a path.
pub(super) fn origins<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let mut origins = Vec::<String>::deserialize(deserializer)?;
    for origin in &mut origins {
        origin.truncate(origin.trim_end_matches('/').len());
        // those of browser extensions have schemes of their own
        let is_origin = |(scheme, host): (&str, &str)| {
            !scheme.is_empty() && !host.is_empty() && !host.contains(['/', '?', '#', ' ', '*'])
        };
        if !origin.split_once("://").is_some_and(is_origin) {
            return Err(D::Error::custom(format!(
                "expected web origins, such as https://app.example, not {origin:?}"
            )));
        }
    }
    Ok(origins)
}

pub(super) fn one_line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        return Err(D::Error::custom("expected one line of text, not empty"));
    }
    Ok(text)
}

/// The shortest prefix of a network of proxies: that of the largest private network, 10.0.0.0/8, or 7 of fc00::/7.
const MIN_PREFIX: u8 = 7;

pub(super) fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let parse = |text: &String| text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    let parsed: Result<Vec<IpNet>, _> = Vec::<String>::deserialize(deserializer)?.iter().map(parse).collect();
    let networks =
        parsed.map_err(|_| D::Error::custom("expected addresses or networks, such as 10.0.0.0/8"))?;
    match networks.iter().find(|network| network.prefix_len() < MIN_PREFIX) {
        Some(wide) => Err(D::Error::custom(format!(
            "{wide} is a great part of the internet, from which anybody could claim another address: name the addresses \
             or networks of your proxies only"
        ))),
        None => Ok(networks),
    }
}
