//! What pages show, computed from the snapshot in service for a day: records by the basic view, what is to come, which
//! areas and categories have a page, what is near what.

pub(crate) mod area_records;
pub(crate) mod city_map;
pub(crate) mod date_pattern;
pub(crate) mod directory;
pub(crate) mod hours;
pub(crate) mod nearby;
pub(crate) mod night;
pub(crate) mod page_data;
pub(crate) mod period;
pub(crate) mod record_view;
pub(crate) mod suggestions;
pub(crate) mod upcoming;
