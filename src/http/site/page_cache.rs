//! The pages that are rendered once for a snapshot and a day, and kept until either changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use chrono::NaiveDate;
use hyper::header::HeaderValue;
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;

use crate::actions::Params;
use crate::dispatch::Dispatcher;
use crate::domain::error::ApiError;
use crate::domain::records::Records;
use crate::http::encoded::Encoded;
use crate::http::language::Language;
use crate::http::site::data::page_data::PageData;
use crate::http::site::guide::home;
use crate::http::site::guide::home::PartOfDay;
use crate::http::site::layout::Layout;
use crate::http::site::layout::components::Show;
use crate::http::site::layout::tags::{hash, tag};
use crate::http::site::service::about;
use crate::http::site::share::sitemap;
use crate::publish::Companion;
use crate::serving::{GuideVersion, ServingSnapshot};

/// How often a request looks again for the pages of a snapshot that was replaced while it looked.
const TRIES: usize = 3;

/// The pages of a snapshot and a day. It holds no reference to the snapshot, which can be dropped.
pub(crate) struct PageCache {
    /// The guide that they show: it may be made anew during a day.
    guide: GuideVersion,
    /// Changes with the snapshot, the day and the settings.
    version: u64,
    pub(crate) data: PageData,
    /// The front page in each language and part of the day.
    front: [[Encoded; PartOfDay::COUNT]; 2],
    /// The page about the guide in each language, rendered when it is first asked for: it counts all records.
    about: [OnceCell<Encoded>; 2],
    /// The files of the sitemap, rendered when they are first asked for.
    pub(crate) sitemap_files: Vec<OnceLock<Encoded>>,
}

impl PageCache {
    /// Whether the pages are those of a snapshot, on any day.
    fn is_of(&self, snapshot: &ServingSnapshot) -> bool {
        self.guide == snapshot.version
    }

    /// The front page at a part of the day, with its entity tag.
    pub(crate) fn front(&self, language: Language, part: PartOfDay) -> (Encoded, HeaderValue) {
        let page = self.front[language as usize][part.index()].clone();
        (page, tag(&(self.version, language.code(), "/", part)))
    }

    /// The entity tag of the page at an address.
    pub(crate) fn tag(&self, language: Language, address: &str) -> HeaderValue {
        tag(&(self.version, language.code(), address))
    }
}

/// A snapshot with its pages.
pub(crate) type InService = (Arc<ServingSnapshot>, Arc<PageCache>);

/// Makes the pages of snapshots and keeps those of the one in service. Requests only read them: they are made on the
/// thread that builds a guide, before it goes live, and at midnight on a thread of their own.
pub struct PageKeeper {
    dispatcher: Arc<Dispatcher>,
    layouts: Arc<[Layout; 2]>,
    /// Changes with the version of the service and with the settings that pages show.
    version: u64,
    /// Those of the snapshot in service and, while it is replaced, of the next.
    kept: ArcSwap<Vec<Arc<PageCache>>>,
    is_renewing: AtomicBool,
}

impl PageKeeper {
    pub(crate) fn new(dispatcher: Arc<Dispatcher>, layouts: Arc<[Layout; 2]>, version: u64) -> PageKeeper {
        let (kept, is_renewing) = (ArcSwap::default(), AtomicBool::new(false));
        PageKeeper { dispatcher, layouts, version, kept, is_renewing }
    }

    /// The snapshot in service and its pages: after midnight those of the day before, until those of `today` are made.
    pub(crate) fn in_service(self: &Arc<Self>, today: NaiveDate) -> Option<InService> {
        for _ in 0..TRIES {
            let snapshot = self.dispatcher.serving.current()?;
            if let Some(pages) = self.of(&snapshot) {
                if pages.data.day != today {
                    self.renew(snapshot.clone(), today);
                }
                return Some((snapshot, pages));
            }
        }
        // no publisher makes them
        let snapshot = self.dispatcher.serving.current()?;
        let pages = self.make(&snapshot, today);
        self.keep(pages.clone());
        Some((snapshot, pages))
    }

    /// The page about the guide, rendered once.
    pub(crate) async fn about(
        self: &Arc<Self>,
        language: Language,
        (snapshot, pages): &InService,
    ) -> Result<Encoded, ApiError> {
        let render = async || {
            let (keeper, snapshot, pages) = (self.clone(), snapshot.clone(), pages.clone());
            let render = move || {
                let (layout, data) = (&keeper.layouts[language as usize], &pages.data);
                about::page(Show::new(layout, data, &snapshot.guide)).into()
            };
            spawn_blocking(render).await.map_err(|_| ApiError::Internal)
        };
        pages.about[language as usize].get_or_try_init(render).await.cloned()
    }

    fn of(&self, snapshot: &ServingSnapshot) -> Option<Arc<PageCache>> {
        self.kept.load().iter().find(|pages| pages.is_of(snapshot)).cloned()
    }

    /// Makes the pages of another day, unless that is going on.
    fn renew(self: &Arc<Self>, snapshot: Arc<ServingSnapshot>, today: NaiveDate) {
        if self.is_renewing.swap(true, Ordering::AcqRel) {
            return;
        }
        let keeper = self.clone();
        spawn_blocking(move || {
            let _renewing = Renewing(&keeper.is_renewing);
            // they may have been made since the request looked
            if keeper.of(&snapshot).is_some_and(|pages| pages.data.day != today) {
                keeper.keep(keeper.make(&snapshot, today));
            }
        });
    }

    /// Keeps pages in place of earlier ones of the same snapshot.
    fn keep(&self, pages: Arc<PageCache>) {
        self.kept.rcu(|kept| {
            let is_other = |other: &&Arc<PageCache>| other.guide != pages.guide;
            kept.iter().filter(is_other).chain([&pages]).cloned().collect::<Vec<_>>()
        });
    }

    fn make(&self, snapshot: &ServingSnapshot, today: NaiveDate) -> Arc<PageCache> {
        let guide = snapshot.version;
        let version = hash(&(self.version, guide.digest, today, (guide.day, guide.hidden)));
        let area = self.dispatcher.shown_area(snapshot);
        let finds = |text: &str| self.finds_as_written(snapshot, today, text);
        let data = PageData::new(snapshot, area, today, version, finds);
        let front = self.layouts.each_ref().map(|layout| {
            PartOfDay::all().map(|part| home::page(layout, &data, &snapshot.guide, part).into())
        });
        let sitemap_files = (0..sitemap::files(snapshot, &data)).map(|_| OnceLock::new()).collect();
        let about = Default::default();
        Arc::new(PageCache { guide, version, data, front, about, sitemap_files })
    }

    /// Whether a search finds something, with no word corrected or left out.
    fn finds_as_written(&self, snapshot: &ServingSnapshot, today: NaiveDate, text: &str) -> bool {
        let params = Params::of_form([("q".into(), text.into())]);
        let sought = [Records::Events, Records::Places];
        let Ok(found) = self.dispatcher.preview_of_visit(snapshot, today, &sought, &params) else {
            return false;
        };
        let mut pages = found.events.iter().chain(&found.places).map(|listing| &listing.page);
        pages.any(|page| page.total > 0 && page.closest.is_none() && page.interpretation.corrected.is_empty())
    }
}

impl Companion for PageKeeper {
    fn prepare(&self, snapshot: &ServingSnapshot) {
        self.keep(self.make(snapshot, snapshot.version.day));
    }

    fn keep_only(&self, live: &ServingSnapshot) {
        self.kept.rcu(|kept| kept.iter().filter(|pages| pages.is_of(live)).cloned().collect::<Vec<_>>());
    }
}

/// Pages are being made for another day, until it is dropped.
struct Renewing<'a>(&'a AtomicBool);

impl Drop for Renewing<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}
