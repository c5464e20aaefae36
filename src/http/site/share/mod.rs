//! What leaves the site: calendars, feeds, links to send, the weekly letter, and what search engines read.

pub(crate) mod atom;
pub(crate) mod feeds;
pub(crate) mod letter;
pub(crate) mod letter_pages;
pub(crate) mod schema_org;
pub(crate) mod sitemap;
pub(crate) mod take_along;
