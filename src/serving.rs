//! The snapshot in service, behind a pointer that a publish swaps without a lock. A request loads the pointer once and
//! holds the snapshot to its end, so that one answer never mixes two snapshots.

pub mod labels;

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use chrono::NaiveDate;
use data_encoding::HEXLOWER;
use index::records::rendered::RenderedJson;
use index::{AreaId, EVERYWHERE, Guide};
use serde_json::json;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use snapshots::Positions;
use snapshots::pack::Digest;
use snapshots::recur::Repeat;
use snapshots::{CityMap, Event, NO_DATE, Snapshot};
use tokio::sync::Notify;

use labels::{AreaLabel, CategoryLabel, SnapshotLabel};

/// A built guide and the snapshot it was built from.
pub struct ServingSnapshot {
    /// The guide.
    pub guide: Guide,
    /// What it was made of.
    pub version: GuideVersion,
    /// The area that the free plan covers.
    pub free_area: AreaId,
    /// The field `snapshot` of answers, rendered.
    pub rendered: RenderedJson,
    /// The end of `attribution` in answers with positions or distances, which credits their sources.
    pub positions_credit: RenderedJson,
    /// [`AreaLabel`]s by area, rendered: escaping their texts again for each answer would cost 3 % of it.
    pub area_labels: Vec<Box<RawValue>>,
    /// [`CategoryLabel`]s by category, rendered.
    pub category_labels: Vec<Box<RawValue>>,
    /// The positions, for download; `None` when the snapshot has none.
    pub positions: Option<PositionsFile>,
    /// The rules of its series, by their ids; the guide holds their dates.
    pub rules: Arc<SeriesRules>,
    /// The outline of the city, for a drawn map; may be empty.
    pub map: CityMap,
}

/// What a guide in service was made of. The same version is the same guide on all servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuideVersion {
    /// Serial number of the publication; 0 for the built-in demo.
    pub serial: u64,
    /// Digest of the packed snapshot.
    pub digest: Digest,
    /// The day whose dates it holds.
    pub day: NaiveDate,
    /// The version of what is hidden in it.
    pub hidden: u64,
}

impl GuideVersion {
    /// Whether the two are the same, whatever their days.
    pub fn is_same_on_any_day(self, other: GuideVersion) -> bool {
        GuideVersion { day: other.day, ..self } == other
    }
}

/// What is served of a snapshot and is not in its guide.
#[derive(Default)]
pub struct SnapshotExtras {
    positions: Option<PositionsFile>,
    rules: SeriesRules,
    map: CityMap,
}

impl SnapshotExtras {
    /// That of a snapshot whose series are not expanded.
    pub fn of(snapshot: &Snapshot) -> SnapshotExtras {
        SnapshotExtras {
            positions: PositionsFile::new(&snapshot.positions),
            rules: SeriesRule::all(&snapshot.events),
            map: snapshot.map.clone(),
        }
    }
}

/// How a series repeats, as its curator wrote it.
pub struct SeriesRule {
    /// The rule and its exceptions.
    pub repeat: Repeat,
    /// The first date that the rule may give.
    pub first: Option<NaiveDate>,
}

/// Rules by the ids of their series.
pub type SeriesRules = HashMap<String, SeriesRule>;

impl SeriesRule {
    /// The rules of the events of a snapshot.
    pub fn all(events: &[Event]) -> SeriesRules {
        let rules = events.iter().filter_map(|event| {
            let repeat = event.repeat.as_deref().filter(|repeat| repeat.rule.is_some())?.clone();
            let first = Some(event.date).filter(|date| *date != NO_DATE);
            Some((event.id.clone(), SeriesRule { repeat, first }))
        });
        rules.collect()
    }
}

/// The positions of a snapshot as a file for download, and what must be said where they are used.
pub struct PositionsFile {
    /// The file.
    pub json: Bytes,
    /// Its `etag`, quotes included.
    pub tag: String,
    /// Whom to credit.
    pub credit: Option<String>,
    /// The licence, in a sentence.
    pub licence: Option<String>,
}

/// The snapshot cannot be served: its vocabulary lacks the free plan's area, which has this slug.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "regions.json has no area with the slug {0:?}, which the free plan covers; add it, or correct the setting plans.free.area"
)]
pub struct NoFreeArea(pub String);

impl ServingSnapshot {
    /// A guide, ready to be served. `free_area` is the slug of the area that the free plan covers.
    pub fn new(
        guide: Guide,
        version: GuideVersion,
        extras: SnapshotExtras,
        free_area: &str,
    ) -> Result<Self, NoFreeArea> {
        // a plan for the whole territory is a paid one
        let found = guide.vocabulary().area_with_slug(free_area).filter(|area| *area != EVERYWHERE);
        let free_area = found.ok_or_else(|| NoFreeArea(free_area.to_owned()))?;
        let label =
            SnapshotLabel { serial: version.serial, digest: &version.digest.short(), name: &guide.name };
        let rendered = RenderedJson::new(format!(",\"snapshot\":{}", json!(label)));
        let vocabulary = guide.vocabulary();
        let area_labels =
            vocabulary.areas.iter().map(|area| labels::rendered(&AreaLabel::from(area))).collect();
        let category_labels = vocabulary
            .categories
            .iter()
            .map(|category| labels::rendered(&CategoryLabel::from(category)))
            .collect();
        let credit = guide
            .gazetteer
            .credit()
            .map_or_else(String::new, |credit| format!(",\"positions\":{}", json!(credit)));
        let positions_credit = RenderedJson::new(format!("{credit}}}"));
        Ok(Self {
            guide,
            version,
            free_area,
            rendered,
            positions_credit,
            area_labels,
            category_labels,
            positions: extras.positions,
            rules: Arc::new(extras.rules),
            map: extras.map,
        })
    }
}

impl PositionsFile {
    /// The file of the positions of a snapshot; `None` when it has none.
    pub fn new(positions: &Positions) -> Option<Self> {
        // It has string keys and is written to memory, so that rendering does not fail.
        let json = serde_json::to_vec(positions).ok().filter(|_| !positions.is_empty())?;
        Some(Self {
            tag: format!("\"{}\"", HEXLOWER.encode(&Sha256::digest(&json)[..8])),
            json: json.into(),
            credit: positions.credit.clone(),
            licence: positions.licence.clone(),
        })
    }
}

/// The pointer to the snapshot in service. Clones share it.
#[derive(Clone, Default)]
pub struct Serving(Arc<Latest<ServingSnapshot>>);

impl Serving {
    /// The snapshot in service; `None` until the first is loaded.
    pub fn current(&self) -> Option<Arc<ServingSnapshot>> {
        self.0.current()
    }

    /// Waits until a snapshot is in service.
    pub async fn first(&self) {
        self.0.until(|| self.current().map(drop)).await;
    }

    /// Puts a snapshot into service and returns the one it replaces: dropping that takes time, so the caller chooses
    /// where.
    pub fn replace(&self, snapshot: ServingSnapshot) -> Option<Arc<ServingSnapshot>> {
        self.0.replace(snapshot)
    }
}

/// A value that is replaced as a whole without a lock, and that can be waited for.
pub(crate) struct Latest<T> {
    current: ArcSwapOption<T>,
    replaced: Notify,
}

impl<T> Default for Latest<T> {
    fn default() -> Latest<T> {
        Latest { current: ArcSwapOption::empty(), replaced: Notify::new() }
    }
}

impl<T> Latest<T> {
    /// The value, once there is one.
    pub(crate) fn current(&self) -> Option<Arc<T>> {
        self.current.load_full()
    }

    /// Replaces the value and returns the one before.
    pub(crate) fn replace(&self, value: T) -> Option<Arc<T>> {
        let before = self.current.swap(Some(Arc::new(value)));
        self.replaced.notify_waiters();
        before
    }

    /// What `find` returns, as soon as it finds something: it is asked at once and each time the value was replaced.
    pub(crate) async fn until<R>(&self, find: impl Fn() -> Option<R>) -> R {
        loop {
            let mut replaced = pin!(self.replaced.notified());
            // registered before the look, so that a value between the two is not missed
            replaced.as_mut().enable();
            if let Some(found) = find() {
                return found;
            }
            replaced.await;
        }
    }
}
