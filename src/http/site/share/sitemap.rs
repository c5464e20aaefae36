//! The sitemap: the pages that search engines may list, in both languages, and `robots.txt`.

use std::fmt::Write;

use crate::http::language::Language;
use crate::http::site::data::page_data::PageData;
use crate::http::site::guide::directory_page;
use crate::http::site::layout::paths::localized;
use crate::http::site::static_pages::PAGES;
use crate::serving::ServingSnapshot;

/// The most addresses that the protocol allows in a file.
const MAX_ADDRESSES: usize = 50_000;

/// The most pages in a file: each has an address in each language.
const MAX_PAGES: usize = MAX_ADDRESSES / Language::ALL.len();

/// The pages that are not in [`PAGES`] and are not dated by the snapshot.
const UNDATED_PAGES: [&str; 5] = ["/agents", "/sexta", "/docs", "/docs/try", "/status"];

/// The pages that exist for every snapshot and change with it.
const GUIDE_PAGES: [&str; 9] = [
    "/",
    "/hoje",
    "/amanha",
    "/fim-de-semana",
    "/proximo-fim-de-semana",
    "/mapa",
    "/sobre",
    directory_page::AREAS,
    directory_page::CATEGORIES,
];

/// The pages that are not dated by the snapshot.
fn undated_pages() -> impl Iterator<Item = &'static str> {
    PAGES.iter().filter(|page| page.is_listed).map(|page| page.path).chain(UNDATED_PAGES)
}

/// The number of files.
pub(crate) fn files(snapshot: &ServingSnapshot, data: &PageData) -> usize {
    let places = snapshot.guide.places.filtered(data.directory.home, None).len();
    let records = places + data.upcoming.firsts.len();
    let pages = undated_pages().count() + GUIDE_PAGES.len() + data.directory.all().len() + records;
    pages.div_ceil(MAX_PAGES)
}

/// The index of the files.
pub(crate) fn index(base: &str, files: usize) -> String {
    let mut out = String::from(XML_HEADER);
    out.push_str("<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    for file in 0..files {
        // writing to a String cannot fail
        let _ = writeln!(out, "<sitemap><loc>{base}/sitemap/{file}.xml</loc></sitemap>");
    }
    out.push_str("</sitemapindex>\n");
    out
}

/// A file. A series is listed instead of its dates.
pub(crate) fn file(snapshot: &ServingSnapshot, data: &PageData, base: &str, file: usize) -> String {
    let guide = &snapshot.guide;
    let fixed = undated_pages().map(|path| (path.to_owned(), false));
    let own = GUIDE_PAGES.iter().map(|path| (*path).to_owned());
    let listings = data.directory.all().iter().map(|listing| listing.path.clone());
    let places = guide.places.filtered(data.directory.home, None).iter();
    let places = places.map(|rank| format!("/place/{}", guide.places.rendered.id(*rank)));
    let events = data.upcoming.firsts.iter().map(|rank| {
        let series = data.upcoming.of(&guide.events, *rank);
        format!("/event/{}", series.map_or(guide.events.rendered.id(*rank), |series| &series.id))
    });
    let changing = own.chain(listings).chain(places).chain(events).map(|path| (path, true));
    let pages = fixed.chain(changing).skip(file * MAX_PAGES).take(MAX_PAGES);
    let mut out = String::from(XML_HEADER);
    out.push_str(
        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n",
    );
    for (path, is_of_snapshot) in pages {
        let [portuguese, english] = Language::ALL.map(|language| localized(language, &path));
        let changed = match is_of_snapshot {
            true => format!("<lastmod>{}</lastmod>", data.curated_at),
            false => String::new(),
        };
        for here in [&portuguese, &english] {
            // writing to a String cannot fail
            let _ = writeln!(
                out,
                "<url><loc>{base}{here}</loc>{changed}\
                 <xhtml:link rel=\"alternate\" hreflang=\"pt-BR\" href=\"{base}{portuguese}\"/>\
                 <xhtml:link rel=\"alternate\" hreflang=\"en\" href=\"{base}{english}\"/>\
                 <xhtml:link rel=\"alternate\" hreflang=\"x-default\" href=\"{base}{portuguese}\"/></url>"
            );
        }
    }
    out.push_str("</urlset>\n");
    out
}

const XML_HEADER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// `robots.txt`. Searches are excluded because each counts against the preview's limits; later pages of lists and
/// cards, whose addresses end in a hash, are not searches.
pub(crate) fn robots(base: &str) -> String {
    format!(
        "User-agent: *\nDisallow: /*?\nDisallow: /v1\nDisallow: /sandbox/\nDisallow: /webhooks/\nDisallow: \
         /conta$\nDisallow: /conta/\nDisallow: /en/account\nAllow: /assets/\nAllow: /card/\nAllow: \
         /card.png\nAllow: /en/card/\nAllow: /en/card.png\nAllow: /*?page=\n\nSitemap: {base}/sitemap.xml\n"
    )
}
