//! The guide itself: the front page, days and months, areas and categories, records, searches, lists and the map.

pub(crate) mod agenda;
pub(crate) mod completion;
pub(crate) mod directory_page;
pub(crate) mod embed;
pub(crate) mod further;
pub(crate) mod home;
pub(crate) mod list_items;
pub(crate) mod list_joining;
pub(crate) mod listing;
pub(crate) mod map_page;
pub(crate) mod month;
pub(crate) mod not_found;
pub(crate) mod record;
pub(crate) mod results;
pub(crate) mod saved_list;
pub(crate) mod search_form;
pub(crate) mod search_notes;
pub(crate) mod search_page;
pub(crate) mod search_query;
pub(crate) mod series;
