//! What search engines are told: which pages there are, in both languages. Only what the free plan sees is listed. Uses
//! [`super::layout`], [`crate::serving`] and the crate `index`.

use std::fmt::Write;

use index::AreaId;

use super::layout::{LANGUAGES, address};
use crate::serving::ServingSnapshot;

/// Most addresses of a file, by the protocol.
const MOST_ADDRESSES: usize = 50_000;

/// Most records of a file: each has an address in each language.
const MOST_RECORDS: usize = MOST_ADDRESSES / LANGUAGES.len() - FIXED.len();

/// The pages that are always there.
const FIXED: [&str; 5] = ["/", "/plans", "/signup", "/agents", "/api"];

/// Which records are listed.
pub(super) struct Map {
    home: AreaId,
    places: usize,
    events: usize,
}

impl Map {
    pub(super) fn of(edition: &ServingSnapshot, home: AreaId) -> Map {
        let guide = &edition.guide;
        Map {
            home,
            places: guide.places.filtered(home, None).len(),
            events: guide.events.filtered(home, None).len(),
        }
    }

    /// How many files list them.
    pub(super) fn files(&self) -> usize {
        (self.places + self.events).div_ceil(MOST_RECORDS).max(1)
    }

    /// `/sitemap.xml` when there are several files: which they are.
    pub(super) fn index(&self, base: &str) -> String {
        let mut out = String::from(OPENING);
        out.push_str("<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
        for file in 0..self.files() {
            // writing to a String cannot fail
            let _ = writeln!(out, "<sitemap><loc>{base}/sitemap/{file}.xml</loc></sitemap>");
        }
        out.push_str("</sitemapindex>\n");
        out
    }

    /// One file of addresses, the first with the pages that are always there.
    pub(super) fn file(&self, edition: &ServingSnapshot, base: &str, file: usize) -> String {
        let guide = &edition.guide;
        let (places, events) =
            (guide.places.filtered(self.home, None), guide.events.filtered(self.home, None));
        let records = (places.iter().map(|rank| ("/place/", guide.places.rendered.id(*rank))))
            .chain(events.iter().map(|rank| ("/event/", guide.events.rendered.id(*rank))));
        let records = records.skip(file * MOST_RECORDS).take(MOST_RECORDS);
        let fixed = if file == 0 { &FIXED[..] } else { &[] };
        let mut out = String::with_capacity(((places.len() + events.len()).min(MOST_RECORDS) + 8) * 900);
        out.push_str(OPENING);
        out.push_str(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
             xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n",
        );
        for (path, id) in fixed.iter().map(|path| (*path, "")).chain(records) {
            let [[_, portuguese], [prefix, english]] = LANGUAGES.map(|language| address(language, path));
            for [prefix_here, here] in [["", portuguese], [prefix, english]] {
                let _ = writeln!(
                    out,
                    "<url><loc>{base}{prefix_here}{here}{id}</loc>\
                     <xhtml:link rel=\"alternate\" hreflang=\"pt-BR\" href=\"{base}{portuguese}{id}\"/>\
                     <xhtml:link rel=\"alternate\" hreflang=\"en\" \
                      href=\"{base}{prefix}{english}{id}\"/></url>"
                );
            }
        }
        out.push_str("</urlset>\n");
        out
    }
}

const OPENING: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// `/robots.txt`. Searches are left out: each would be a question of the preview.
pub(super) fn robots(base: &str) -> String {
    format!(
        "User-agent: *\nDisallow: /*?\nDisallow: /v1\nDisallow: /sandbox/\nDisallow: /webhooks/\nAllow: \
         /assets/\n\n\
         Sitemap: {base}/sitemap.xml\n"
    )
}
