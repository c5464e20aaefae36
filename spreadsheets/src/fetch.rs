//! Sheets from a URL: a published sheet as CSV or .xlsx, by https alone, with limits of size and time.

use std::time::Duration;

use futures_util::StreamExt;
use reqwest::Client;
use snapshots::depot::choose_cryptography;
use url::Url;

use crate::message::Message;
use crate::problem::Problem;
use crate::sheet::Source;
use crate::why::Why;

/// The largest sheet that is read, in bytes.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;
/// How long a sheet may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Reads a sheet from an https URL. Redirects are followed to https URLs only.
pub async fn fetch(address: &str) -> Result<Source, Box<Message>> {
    fetched(address).await.map_err(|why| {
        let problem = Problem::Unreadable { why };
        Box::new(Message::of_file(label(address), problem))
    })
}

async fn fetched(address: &str) -> Result<Source, Why> {
    let url = address.parse::<Url>().map_err(|_| Why::NotAnAddress)?;
    let url = of_data(url);
    if url.scheme() != "https" {
        return Err(Why::NotHttps);
    }
    choose_cryptography();
    let client = Client::builder().https_only(true).timeout(TIMEOUT).build().map_err(|error| why(&error))?;
    let answer = client.get(url).send().await.and_then(reqwest::Response::error_for_status);
    let mut parts = answer.map_err(|error| why(&error))?.bytes_stream();
    let mut bytes = Vec::new();
    while let Some(part) = parts.next().await {
        bytes.extend_from_slice(&part.map_err(|error| why(&error))?);
        if bytes.len() > MAX_BYTES {
            return Err(Why::TooLarge { mib: MAX_BYTES >> 20 });
        }
    }
    Ok(Source { label: label(address), path: None, bytes })
}

/// The address without its query, which may hold a secret.
fn label(address: &str) -> String {
    let end = address.find(['?', '#']).unwrap_or(address.len());
    address[..end].to_owned()
}

/// Why a request failed, without the URL, which may hold a secret.
fn why(error: &reqwest::Error) -> Why {
    if let Some(status) = error.status() {
        return Why::Status { code: status.as_u16() };
    }
    if error.is_timeout() {
        return Why::TooSlow;
    }
    let mut causes = Vec::new();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(error) = cause {
        causes.push(error.to_string());
        cause = error.source();
    }
    let detail = causes.join(": ");
    if error.is_connect() { Why::NoConnection { detail } } else { Why::Failed { detail } }
}

/// The address of the data, when the given one is that of a page of Google Sheets.
fn of_data(mut url: Url) -> Url {
    if url.host_str() != Some("docs.google.com") {
        return url;
    }
    let path = url.path().to_owned();
    if let Some(base) = path.strip_suffix("/pubhtml") {
        url.set_path(&format!("{base}/pub"));
        url.query_pairs_mut().append_pair("output", "xlsx");
    } else if let Some((base, _)) = path.split_once("/edit") {
        url.set_path(&format!("{base}/export"));
        url.set_query(Some("format=xlsx"));
        url.set_fragment(None);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_google_sheets_are_read_as_workbooks() {
        for (pasted, read) in [
            (
                "https://docs.google.com/spreadsheets/d/abc/edit?gid=0#gid=0",
                "https://docs.google.com/spreadsheets/d/abc/export?format=xlsx",
            ),
            (
                "https://docs.google.com/spreadsheets/d/e/2P/pubhtml",
                "https://docs.google.com/spreadsheets/d/e/2P/pub?output=xlsx",
            ),
            (
                "https://docs.google.com/spreadsheets/d/e/2P/pub?output=csv",
                "https://docs.google.com/spreadsheets/d/e/2P/pub?output=csv",
            ),
            ("https://example.com/a/edit", "https://example.com/a/edit"),
        ] {
            assert_eq!(of_data(pasted.parse().unwrap()).as_str(), read);
        }
    }
}
