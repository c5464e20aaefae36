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
    let is_host = |text: &str| !text.is_empty() && !text.contains(['/', ' ', '*']);
    without_slash(deserializer, is_host, "names of hosts, such as guia.example")
}

/// Web origins, as browsers send them: without a path.
pub(super) fn origins<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let is_host = |host: &str| !host.is_empty() && !host.contains(['/', '?', '#', ' ', '*']);
    // those of browser extensions have schemes of their own
    let is_origin =
        |text: &str| text.split_once("://").is_some_and(|(scheme, host)| !scheme.is_empty() && is_host(host));
    without_slash(deserializer, is_origin, "web origins, such as https://app.example")
}

/// A list of texts without slashes at their ends; the error names what is `expected` and the first that is wrong.
fn without_slash<'de, D: Deserializer<'de>>(
    deserializer: D,
    is_right: impl Fn(&str) -> bool,
    expected: &str,
) -> Result<Vec<String>, D::Error> {
    let mut texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter_mut().for_each(|text| text.truncate(text.trim_end_matches('/').len()));
    match texts.iter().find(|text| !is_right(text)) {
        Some(wrong) => Err(D::Error::custom(format!("expected {expected}, not {wrong:?}"))),
        None => Ok(texts),
    }
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
    let parse = |text: &String| {
        text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from)).map_err(|_| {
            D::Error::custom(format!("expected addresses or networks, such as 10.0.0.0/8, not {text:?}"))
        })
    };
    let parsed: Result<Vec<IpNet>, _> = Vec::<String>::deserialize(deserializer)?.iter().map(parse).collect();
    let networks = parsed?;
    match networks.iter().find(|network| network.prefix_len() < MIN_PREFIX) {
        Some(wide) => Err(D::Error::custom(format!(
            "{wide} is a great part of the internet, from which anybody could claim another address: name the addresses \
             or networks of your proxies only"
        ))),
        None => Ok(networks),
    }
}
