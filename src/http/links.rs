//! The `link` header: where clients find the documents that describe the service (RFC 8631).

use hyper::header::HeaderValue;

use crate::config::Config;

/// The value of the header.
pub(super) fn service_links(config: &Config) -> HeaderValue {
    let base = config.base_url.as_str();
    let links = format!(
        "<{base}/openapi.json>; rel=\"service-desc\"; type=\"application/json\", \
         <{base}/api>; rel=\"service-doc\"; type=\"text/html\", \
         <{base}/llms.txt>; rel=\"describedby\"; type=\"text/plain\""
    );
    // a URL is ASCII, so this is always a valid value
    HeaderValue::from_str(&links).unwrap_or(HeaderValue::from_static(""))
}
