//! How a pasted link is read that is to be added to a list.

use url::Url;

use crate::domain::records::Records;

/// What a link of this site is of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Linked {
    /// A record, with its id.
    Record(Records, String),
    /// A list, with its query.
    List(String),
}

/// Why a link is not added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JoinError {
    /// It is none.
    NoLink,
    /// It is of another site.
    Foreign,
    /// It is of a page that a list has no place for.
    OtherPage,
    /// The guide does not have what it is of.
    NotInGuide,
    /// The list has no room.
    Full,
}

/// Reads what was pasted: an address of a page, be it without its scheme, or without its host, which is `host`.
pub(crate) fn read(pasted: &str, host: &str) -> Result<Linked, JoinError> {
    let pasted = pasted.trim();
    if pasted.contains(char::is_whitespace) || !pasted.contains('/') {
        return Err(JoinError::NoLink);
    }
    let whole = match pasted {
        _ if pasted.starts_with("//") => format!("https:{pasted}"),
        _ if pasted.starts_with('/') => format!("https://{host}{pasted}"),
        _ if pasted.contains("://") => pasted.to_owned(),
        _ => format!("https://{pasted}"),
    };
    let url = Url::parse(&whole).map_err(|_| JoinError::NoLink)?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(JoinError::NoLink);
    }
    if url.host_str() != Some(host) {
        return Err(JoinError::Foreign);
    }
    let segments: Vec<&str> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
    let inside = segments.strip_prefix(&["en"]).unwrap_or(&segments);
    let id = |id: &str| id.strip_suffix(".ics").unwrap_or(id).to_owned();
    match inside {
        ["event", event] => Ok(Linked::Record(Records::Events, id(event))),
        ["place", place] => Ok(Linked::Record(Records::Places, id(place))),
        ["lista" | "list" | "lista.ics" | "list.ics"] => {
            Ok(Linked::List(url.query().unwrap_or_default().to_owned()))
        }
        _ => Err(JoinError::OtherPage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_as_people_paste_them() {
        let event = || Ok(Linked::Record(Records::Events, "choro-2026-12-06".to_owned()));
        let place = || Ok(Linked::Record(Records::Places, "memorial-jk".to_owned()));
        for (pasted, expected) in [
            ("https://guia.example/event/choro-2026-12-06", event()),
            (" http://guia.example:8080/en/event/choro-2026-12-06?x=1#y ", event()),
            ("guia.example/event/choro-2026-12-06.ics", event()),
            ("/event/choro-2026-12-06/", event()),
            ("https://guia.example/place/memorial-jk", place()),
            ("//guia.example/en/place/memorial-jk", place()),
            ("https://guia.example/lista?i=a,p:b", Ok(Linked::List("i=a,p:b".to_owned()))),
            ("/en/list?i=a", Ok(Linked::List("i=a".to_owned()))),
            ("https://guia.example/hoje", Err(JoinError::OtherPage)),
            ("https://guia.example/", Err(JoinError::OtherPage)),
            ("https://guia.example.evil.example/event/a", Err(JoinError::Foreign)),
            ("https://evil.example/event/a", Err(JoinError::Foreign)),
            ("javascript://guia.example/event/a", Err(JoinError::NoLink)),
            ("choro no eixo", Err(JoinError::NoLink)),
            ("choro", Err(JoinError::NoLink)),
            ("https://[/event/a", Err(JoinError::NoLink)),
        ] {
            assert_eq!(read(pasted, "guia.example"), expected, "{pasted}");
        }
    }
}
