//! The sitemap: the pages that search engines may list, in both languages, and `robots.txt`.

use std::fmt::Write;

use index::AreaId;

use super::layout::localized;
use crate::http::language::Language;
use crate::serving::ServingSnapshot;

/// The most addresses that the protocol allows in a file.
const MAX_ADDRESSES: usize = 50_000;

/// The most records in a file: each has an address in each language.
const MAX_RECORDS: usize = MAX_ADDRESSES / Language::ALL.len() - STATIC_PAGES.len();

const STATIC_PAGES: [&str; 5] = ["/", "/plans", "/signup", "/agents", "/api"];

/// The records that are listed: those of the area that the free plan covers.
pub(super) struct Sitemap {
    area: AreaId,
    records: usize,
}

impl Sitemap {
    pub(super) fn new(snapshot: &ServingSnapshot, area: AreaId) -> Sitemap {
        let guide = &snapshot.guide;
        let records = guide.places.filtered(area, None).len() + guide.events.filtered(area, None).len();
        Sitemap { area, records }
    }

    /// The number of files.
    pub(super) fn files(&self) -> usize {
        self.records.div_ceil(MAX_RECORDS).max(1)
    }

    /// The index of the files.
    pub(super) fn index(&self, base: &str) -> String {
        let mut out = String::from(XML_HEADER);
        out.push_str("<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
        for file in 0..self.files() {
            // writing to a String cannot fail
            let _ = writeln!(out, "<sitemap><loc>{base}/sitemap/{file}.xml</loc></sitemap>");
        }
        out.push_str("</sitemapindex>\n");
        out
    }

    /// A file, the first of which begins with the static pages.
    pub(super) fn file(&self, snapshot: &ServingSnapshot, base: &str, file: usize) -> String {
        let guide = &snapshot.guide;
        let (places, events) =
            (guide.places.filtered(self.area, None), guide.events.filtered(self.area, None));
        let places = places.iter().map(|rank| format!("/place/{}", guide.places.rendered.id(*rank)));
        let events = events.iter().map(|rank| format!("/event/{}", guide.events.rendered.id(*rank)));
        let records = places.chain(events).skip(file * MAX_RECORDS).take(MAX_RECORDS);
        let static_pages = if file == 0 { &STATIC_PAGES[..] } else { &[] };
        let mut out = String::from(XML_HEADER);
        out.push_str(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
             xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n",
        );
        for path in static_pages.iter().map(|path| (*path).to_owned()).chain(records) {
            let [portuguese, english] = Language::ALL.map(|language| localized(language, &path));
            for here in [&portuguese, &english] {
                // writing to a String cannot fail
                let _ = writeln!(
                    out,
                    "<url><loc>{base}{here}</loc>\
                     <xhtml:link rel=\"alternate\" hreflang=\"pt-BR\" href=\"{base}{portuguese}\"/>\
                     <xhtml:link rel=\"alternate\" hreflang=\"en\" href=\"{base}{english}\"/></url>"
                );
            }
        }
        out.push_str("</urlset>\n");
        out
    }
}

const XML_HEADER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// `robots.txt`. Searches are excluded because each counts against the preview's limits.
pub(super) fn robots(base: &str) -> String {
    format!(
        "User-agent: *\nDisallow: /*?\nDisallow: /v1\nDisallow: /sandbox/\nDisallow: /webhooks/\nAllow: \
         /assets/\n\n\
         Sitemap: {base}/sitemap.xml\n"
    )
}
