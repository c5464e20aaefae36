//! Searches of the site, which run without a key and show what the free plan sees.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use chrono::NaiveDate;
use index::AreaId;

use super::{Dispatcher, Surface};
use crate::actions::{self, DEFAULT_LIMIT, Listing, Params, QueryContext, SearchOutcome};
use crate::asked::Who;
use crate::domain::action::ActionId;
use crate::domain::clock::Moment;
use crate::domain::error::ApiError;
use crate::domain::plan::Plan;
use crate::domain::records::{ByKind, Records};
use crate::quota::permit::Permit;
use crate::request_log;
use crate::serving::ServingSnapshot;

/// How many records a page of the site lists.
pub const SITE_RESULTS: usize = 24;

/// A search on the site.
#[derive(Clone, Copy)]
pub struct SiteSearch<'a> {
    /// The kinds of records that are looked for.
    pub sought: &'a [Records],
    /// What is asked of them.
    pub params: &'a Params<'a>,
    /// The most records of each kind that are listed.
    pub limit: usize,
}

impl Dispatcher {
    /// Runs a search on the site, which has limits of its own and shows what the free plan sees; see
    /// [`actions::find_each`].
    pub fn visit(
        &self,
        snapshot: &Arc<ServingSnapshot>,
        address: IpAddr,
        search: SiteSearch<'_>,
        moment: Moment,
        began: Instant,
    ) -> Result<ByKind<Option<Listing>>, ApiError> {
        let SiteSearch { sought, params, limit } = search;
        let mut found = self.gate.count_site_search(address, moment).and_then(|()| {
            let context = self.site_context(snapshot, moment.today.date(), limit);
            actions::find_each(context, params, sought)
        });
        let took = began.elapsed();
        request_log::answered_from(snapshot.version.serial);
        match &mut found {
            Ok((pages, unmet)) => {
                if let Some(unmet) = unmet.take() {
                    self.asked.record(unmet, snapshot, Who::Visitor(address));
                }
                self.counters.count_visit();
                let pages =
                    || pages.iter().filter_map(|(records, found)| Some((records, &found.as_ref()?.page)));
                for (records, page) in pages() {
                    self.counters.count_search(SearchOutcome::new(records, page));
                }
                request_log::found(pages().map(|(_, page)| page.ranks.len()).sum());
            }
            Err(error) => request_log::refused(error.details().code),
        }
        for records in sought {
            self.counters.count_request(Surface::Site, Some(records.search()), &found, took);
        }
        found.map(|(pages, _)| pages)
    }

    /// What [`Dispatcher::visit`] finds, for a page that suggests the search. Nothing is counted.
    pub fn preview_of_visit(
        &self,
        snapshot: &ServingSnapshot,
        today: NaiveDate,
        sought: &[Records],
        params: &Params<'_>,
    ) -> Result<ByKind<Option<Listing>>, ApiError> {
        let context = self.site_context(snapshot, today, SITE_RESULTS);
        actions::find_each(context, params, sought).map(|(found, _)| found)
    }

    /// Whether a plan, or without one the site, may search events with these parameters, or why not. Nothing is
    /// searched or counted.
    pub fn check_search(&self, plan: Option<Plan>, params: &Params<'_>) -> Result<(), ApiError> {
        let snapshot = self.serving.current().ok_or(ApiError::NoGuide)?;
        let today = self.clock.today().date();
        let context = QueryContext {
            permit: plan.map_or(Permit::PUBLIC, Permit::of_plan),
            ..self.site_context(&snapshot, today, DEFAULT_LIMIT.of_v1)
        };
        (ActionId::SearchEvents.action().prepare)(context, params).map(drop)
    }

    /// What an action answers from for a page of the site.
    fn site_context<'a>(
        &'a self,
        snapshot: &'a ServingSnapshot,
        today: NaiveDate,
        default_limit: usize,
    ) -> QueryContext<'a> {
        let base_url = &self.base_url;
        QueryContext {
            snapshot,
            today,
            permit: Permit::PUBLIC,
            default_limit,
            groups_series: true,
            brief: false,
            base_url,
            usage: None,
        }
    }

    /// The area that public pages show.
    pub fn shown_area(&self, snapshot: &ServingSnapshot) -> AreaId {
        Permit::PUBLIC.area(snapshot.free_area)
    }
}
