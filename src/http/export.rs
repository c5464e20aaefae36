//! `GET /v1/export/places.ndjson` and `events.ndjson`, the whole guide with a record a line, and `GET /v1/changes`,
//! what changed since a publication: for clients of paid plans that keep a copy.

use std::io::{self, BufReader, Cursor, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use bytes::Bytes;
use flate2::Compression;
use futures_util::stream;
use hyper::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, ETAG, HeaderMap, HeaderName, HeaderValue, LINK,
};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use index::View;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use url::form_urlencoded;

use super::accept::{self, GZIP};
use super::caller::{RequestId, sent_key};
use super::encoded::gzipped;
use super::etags::{self, TagHash};
use super::json_endpoints::warnings;
use super::origins::{self, Origins};
use super::quota_headers::QuotaHeaders;
use super::resources::{CACHE_FOR_A_MINUTE, refuse_keys};
use super::shared_work::{SharedWork, WorkLimit};
use super::{counted, response};
use crate::actions::{Param, ParamType, Params};
use crate::changes::{Changes, Histories, History, NoChanges, PUBLICATIONS, Published};
use crate::config::Config;
use crate::dispatch::{Admission, Dispatcher};
use crate::domain::action::CallKind;
use crate::domain::clock::Moment;
use crate::domain::error::ApiError;
use crate::domain::plan::Plan;
use crate::domain::records::{ByKind, Records};
use crate::metrics::Metrics;
use crate::quota::keys::Caller;
use crate::request_log;
use crate::serving::{GuideVersion, ServingSnapshot};

/// The largest integer that every client reads.
const MAX_SERIAL: i64 = (1 << 53) - 1;

/// The parameter of `GET /v1/changes`.
pub(super) const SINCE: Param = Param::new(
    "since",
    ParamType::Integer { min: 0, max: MAX_SERIAL },
    "The serial of the publication that your copy is of: snapshot-serial of an export, or serial of the last changes.",
)
.required();

/// The publication that an export is of.
const SNAPSHOT_SERIAL: HeaderName = HeaderName::from_static("snapshot-serial");

const NDJSON: HeaderValue = HeaderValue::from_static("application/x-ndjson; charset=utf-8");

/// How long a request waits for the history of a snapshot that has just gone live.
const HISTORY_TIMEOUT: Duration = Duration::from_secs(5);

/// How many exports and lists of changes are made at once: each needs a processor, and memory for what it makes.
const MAX_CONCURRENT: usize = 2;

/// How many requests wait for one that is made; further ones are refused.
const MAX_WAITING: usize = 64;

/// The effort of zstd: more takes much longer and saves little.
const ZSTD_LEVEL: i32 = 6;

/// How much of an export is sent at a time.
const PIECE: usize = 64 * 1024;

/// What answers these addresses.
pub struct Exports {
    dispatcher: Arc<Dispatcher>,
    quota_headers: QuotaHeaders,
    histories: Histories,
    made: ByKind<KeptExport>,
    limit: WorkLimit,
    /// The settings that records depend on.
    settings: String,
    /// Where the positions are offered, with their licence.
    positions_url: String,
}

/// The export of the version in service, once it was asked for.
#[derive(Default)]
struct KeptExport(ArcSwapOption<Export>);

impl KeptExport {
    /// The export of a version, the same one for all who ask at once. That of a version that is no longer in service is
    /// not kept, and so does not take the place of the one that is.
    fn of(&self, version: GuideVersion, is_in_service: impl Fn() -> bool) -> Arc<Export> {
        let new = Arc::new(Export { version, zstd: SharedWork::new(), gzip: SharedWork::new() });
        let before = self.0.rcu(|kept| match kept {
            Some(kept) if kept.version == version => Some(kept.clone()),
            // asked at each try, as a newer one may just have gone live
            _ if is_in_service() => Some(new.clone()),
            kept => kept.clone(),
        });
        before.filter(|kept| kept.version == version).unwrap_or(new)
    }
}

/// The export of a version, made when it is first asked for.
struct Export {
    version: GuideVersion,
    zstd: SharedWork<Compressed>,
    gzip: SharedWork<Bytes>,
}

/// Only the compressed file is kept: it is a tenth of the other.
#[derive(Clone)]
struct Compressed {
    zstd: Bytes,
    plain_len: u64,
    /// Of what is compressed.
    hash: [u8; 32],
}

/// A content coding of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExportCoding {
    Plain,
    Gzip,
    Zstd,
}

impl ExportCoding {
    /// The best that a client accepts: zstd, unless it prefers gzip.
    fn preferred(asked: &HeaderMap) -> ExportCoding {
        let offered: [(ExportCoding, &[&str]); 2] =
            [(ExportCoding::Zstd, &["zstd"]), (ExportCoding::Gzip, GZIP)];
        accept::coding(asked, &offered).unwrap_or(ExportCoding::Plain)
    }

    fn name(self) -> Option<&'static str> {
        match self {
            ExportCoding::Plain => None,
            ExportCoding::Gzip => Some("gzip"),
            ExportCoding::Zstd => Some("zstd"),
        }
    }

    /// The tag of what has this tag when it is not compressed.
    fn tag(self, plain: HeaderValue) -> HeaderValue {
        self.name().map_or(plain.clone(), |coding| etags::in_coding(&plain, coding))
    }
}

/// An answer before its headers: the tag of its body and, unless the client has it, the body.
struct TaggedBody {
    tag: HeaderValue,
    serial: u64,
    /// None if the client has it.
    body: Option<(Body, Option<u64>)>,
    /// The credit of positions, where the body has no place for it.
    credit: Option<HeaderValue>,
}

/// A request that was admitted.
struct Admitted<'a> {
    caller: &'a Caller,
    plan: Plan,
    moment: Moment,
    snapshot: Arc<ServingSnapshot>,
    history: Arc<History>,
    coding: ExportCoding,
    head: &'a Parts,
}

impl Exports {
    /// The addresses of this dispatcher.
    pub fn new(config: &Config, dispatcher: Arc<Dispatcher>, histories: Histories) -> Exports {
        Exports {
            dispatcher,
            quota_headers: QuotaHeaders::new(config),
            histories,
            made: Default::default(),
            limit: WorkLimit::new(MAX_CONCURRENT, MAX_WAITING),
            settings: format!("{} {}", config.base_url.as_str(), config.plans.free.area),
            positions_url: format!("{}/positions.json", config.base_url.as_str()),
        }
    }

    async fn export(&self, records: Records, head: &Parts) -> Response<Body> {
        let no_params = refuse_keys(head.uri.query()).and_then(|()| refuse_params(head));
        let reply = async |(), admitted: Admitted<'_>| self.export_reply(records, admitted).await;
        self.answer(head, NDJSON, no_params, reply).await
    }

    async fn changes(&self, head: &Parts) -> Response<Body> {
        let asked = refuse_keys(head.uri.query()).and_then(|()| ChangesQuery::of(head));
        let reply = async |asked, admitted: Admitted<'_>| self.changes_reply(asked, admitted).await;
        self.answer(head, response::JSON, asked, reply).await
    }

    /// Answers a request in the order of [`Dispatcher`]: key, minute, parameters, plan; then the reply, which charges.
    async fn answer<P>(
        &self,
        head: &Parts,
        kind: HeaderValue,
        params: Result<P, ApiError>,
        reply: impl AsyncFnOnce(P, Admitted<'_>) -> Result<TaggedBody, ApiError>,
    ) -> Response<Body> {
        let id = RequestId::of(&head.headers);
        let coding = ExportCoding::preferred(&head.headers);
        let moment = self.dispatcher.clock.moment();
        // a key in the address is refused as on the other addresses
        if let Err(ApiError::KeyInUrl) = params {
            return response::error(&ApiError::KeyInUrl, &id);
        }
        let Admission { caller, permit } = match self.dispatcher.admit(sent_key(&head.headers), moment).await
        {
            Ok(admission) => admission,
            Err(error) => return response::error(&error, &id),
        };
        request_log::sent_by(caller.clone());
        let result = async {
            let (permit, params) = (permit?, params?);
            // what a part of the guide holds, and what left that part, is not known here
            if !permit.covers_everything() || permit.view() != View::Full {
                return Err(ApiError::PlanExport { plan: permit.plan() });
            }
            let (snapshot, history) = self.current().await?;
            request_log::answered_from(snapshot.version.serial);
            let (caller, plan) = (&*caller, permit.plan());
            reply(params, Admitted { caller, plan, moment, snapshot, history, coding, head }).await
        };
        let mut response = match result.await {
            Ok(reply) => reply.into_response(kind, coding, &id),
            Err(error) => response::error(&error, &id),
        };
        let (plan, status) = self.dispatcher.gate.plan_and_quota(&caller, moment);
        self.quota_headers.insert(response.headers_mut(), plan, &status);
        response
    }

    /// The snapshot in service and its history. Nothing is told without the history: a copy that began without
    /// `updated_serial` would never get it, as later changes bring only records that change.
    async fn current(&self) -> Result<(Arc<ServingSnapshot>, Arc<History>), ApiError> {
        let serving = &self.dispatcher.serving;
        if serving.current().is_none() {
            return Err(ApiError::NoGuide);
        }
        self.histories.current(serving, HISTORY_TIMEOUT).await.ok_or(ApiError::NoHistory)
    }

    /// Charges a client for what has this tag, unless it has that already; returns whether it was charged.
    async fn charge_unless_cached(
        &self,
        admitted: &Admitted<'_>,
        kind: CallKind,
        tag: &HeaderValue,
    ) -> Result<bool, ApiError> {
        if etags::matches(&admitted.head.headers, tag) {
            return Ok(false);
        }
        self.dispatcher.charge(admitted.caller, admitted.moment, kind, admitted.plan).await?;
        Ok(true)
    }

    async fn export_reply(&self, records: Records, admitted: Admitted<'_>) -> Result<TaggedBody, ApiError> {
        let Admitted { snapshot, history, coding, .. } = &admitted;
        let version = snapshot.version;
        let serving = &self.dispatcher.serving;
        let is_in_service = || serving.current().is_some_and(|current| current.version == version);
        let export = self.made.get(records).of(version, is_in_service);
        let (live, history) = (snapshot.clone(), history.clone());
        let made = self.once(&admitted, &export.zstd, move || compressed(records, &live, &history)).await?;
        let gzip = match coding {
            ExportCoding::Gzip => {
                let zstd = made.zstd.clone();
                let compress = move || gzipped(reader(zstd)?, Compression::default());
                Some(self.once(&admitted, &export.gzip, compress).await?)
            }
            ExportCoding::Plain | ExportCoding::Zstd => None,
        };
        let tag = coding.tag(etags::of_hash(&made.hash));
        let is_charged = self.charge_unless_cached(&admitted, CallKind::Export, &tag).await?;
        let body = is_charged.then(|| match (coding, gzip) {
            (ExportCoding::Zstd, _) => (Body::from(made.zstd), None),
            (_, Some(gzip)) => (Body::from(gzip), None),
            (_, None) => (unpacked(made.zstd), Some(made.plain_len)),
        });
        Ok(TaggedBody { tag, serial: version.serial, body, credit: self.positions_credit(snapshot) })
    }

    /// The link to the licence of the positions of a snapshot (RFC 4946), whose title names whom to credit.
    fn positions_credit(&self, snapshot: &ServingSnapshot) -> Option<HeaderValue> {
        let credit = snapshot.positions.as_ref()?.credit.as_deref()?;
        // in the coding of RFC 8187, as it may have letters that a header may not
        let title = utf8_percent_encode(credit, NON_ALPHANUMERIC);
        let link = format!("<{}>; rel=\"license\"; title*=UTF-8''{title}", self.positions_url);
        HeaderValue::try_from(link).ok()
    }

    /// A part of an export. A client that has it already is told so without a charge, which is known only when it is
    /// made; one whose month is spent makes nobody work.
    async fn once<T: Clone + Send + Sync + 'static>(
        &self,
        admitted: &Admitted<'_>,
        part: &SharedWork<T>,
        make: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Result<T, ApiError> {
        if let Some(made) = part.made() {
            return Ok(made);
        }
        self.dispatcher.gate.check_month(admitted.caller, admitted.moment)?;
        part.get(&self.limit, make).await
    }

    /// Unlike an export, which is kept, changes are made for each request: a client that has them makes nobody work,
    /// and another one is charged before they are written.
    async fn changes_reply(
        &self,
        asked: ChangesQuery,
        admitted: Admitted<'_>,
    ) -> Result<TaggedBody, ApiError> {
        let Admitted { snapshot, history, coding, moment, plan, .. } = &admitted;
        let ChangesQuery { since, warnings } = asked;
        let serial = snapshot.version.serial;
        let mut end = self.dispatcher.paid_credit(snapshot);
        if !warnings.is_empty() {
            end += &format!(",\"warnings\":{}", json!(warnings));
        }
        let tag = self.tag_of_changes(since, &end, &admitted);
        if etags::names(&admitted.head.headers, &tag) {
            return Ok(TaggedBody { tag, serial, body: None, credit: None });
        }
        self.dispatcher.gate.check_month(admitted.caller, admitted.moment)?;
        let turn = self.limit.turn().await?;
        let (live, known) = (snapshot.clone(), history.clone());
        let (changes, turn) = turn.work(move || known.since(since, &live)).await?;
        let changes = changes.map_err(|why| {
            let is_newer = why == NoChanges::TooNew;
            ApiError::TooOld { publications: PUBLICATIONS, is_newer }
        })?;
        if !self.charge_unless_cached(&admitted, CallKind::Changes, &tag).await? {
            return Ok(TaggedBody { tag, serial, body: None, credit: None });
        }
        let (today, plan) = (moment.today.as_str(), plan.as_str());
        let head = format!(
            "{{\"ok\":true,\"today\":\"{today}\",\"plan\":\"{plan}\",\"since\":{since},\"serial\":{serial}"
        );
        let (coding, live, known) = (*coding, snapshot.clone(), history.clone());
        let write = move || -> io::Result<Bytes> {
            let mut json = Vec::new();
            write_changes(&mut json, &head, &changes, (&live, &known), &end)?;
            Ok(match coding {
                ExportCoding::Plain => json.into(),
                ExportCoding::Gzip => gzipped(&*json, Compression::default())?,
                ExportCoding::Zstd => zstd::encode_all(&*json, ZSTD_LEVEL)?.into(),
            })
        };
        let (body, _) = turn.work(write).await?;
        // it is made in memory, which does not fail
        let body = body.map_err(|_| ApiError::Internal)?;
        Ok(TaggedBody { tag, serial, body: Some((body.into(), None)), credit: None })
    }

    /// The tag of changes: another one whenever they may differ. `end` is what ends the answer.
    fn tag_of_changes(&self, since: u64, end: &str, admitted: &Admitted<'_>) -> HeaderValue {
        let Admitted { snapshot, history, coding, moment, plan, .. } = admitted;
        let GuideVersion { serial, digest, day, hidden } = snapshot.version;
        let mut hash = TagHash::new()
            .part(&self.settings)
            .part(moment.today.as_str())
            .part(plan.as_str())
            .part(end)
            // two publications may be of one snapshot, and it is another guide on another day, and when something is
            // hidden
            .part(format_args!("{since} {serial} {digest} {day} {hidden}"));
        for Published { serial, at } in history.publications() {
            hash = hash.part(format_args!("{serial} {}", at.timestamp_millis()));
        }
        coding.tag(hash.tag())
    }
}

impl TaggedBody {
    fn into_response(self, kind: HeaderValue, coding: ExportCoding, id: &RequestId) -> Response<Body> {
        let TaggedBody { tag, serial, body, credit } = self;
        let status = if body.is_some() { StatusCode::OK } else { StatusCode::NOT_MODIFIED };
        let mut response = response::of_type(kind, status, Bytes::new(), id);
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, CACHE_FOR_A_MINUTE);
        response::vary(headers, "accept-encoding, authorization, x-api-key");
        headers.insert(SNAPSHOT_SERIAL, HeaderValue::from(serial));
        headers.insert(ETAG, tag);
        if let Some(credit) = credit {
            headers.insert(LINK, credit);
        }
        if let Some((body, len)) = body {
            if let Some(coding) = coding.name() {
                headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
            }
            if let Some(len) = len {
                headers.insert(CONTENT_LENGTH, HeaderValue::from(len));
            }
            *response.body_mut() = body;
        }
        response
    }
}

/// Refuses all parameters: an export has none, and lines have no place for a warning.
fn refuse_params(head: &Parts) -> Result<(), ApiError> {
    let sent = form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes());
    let params = Params::of_form(sent);
    if params.unknown(|_| false).next().is_none() {
        return Ok(());
    }
    let unknown = params.ignored(|_| false).map(str::to_owned).collect();
    Err(ApiError::UnknownParam { unknown, known: Vec::new() })
}

/// What a request for changes asks.
struct ChangesQuery {
    since: u64,
    /// What was sent beside it and does not count.
    warnings: Vec<String>,
}

impl ChangesQuery {
    fn of(head: &Parts) -> Result<ChangesQuery, ApiError> {
        let fields = form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes());
        let pairs = fields.map(|(name, value)| (name.into_owned(), value.into_owned()));
        let params = Params::of_query(pairs, |_| false)?;
        let since = params.integer(&SINCE)?.ok_or_else(|| ApiError::missing(SINCE.name))?;
        // it is 0 at least
        Ok(ChangesQuery { since: since.unsigned_abs(), warnings: warnings(&params, &[&SINCE]) })
    }
}

/// Writes the records of a version, a line each, and compresses them.
fn compressed(records: Records, snapshot: &ServingSnapshot, history: &History) -> io::Result<Compressed> {
    let mut encoder = zstd::Encoder::new(Vec::new(), ZSTD_LEVEL)?;
    let mut hash = Sha256::new();
    let (mut line, mut plain_len) = (Vec::new(), 0);
    for rank in 0..records.collection(&snapshot.guide).len() {
        line.clear();
        write_record(&mut line, records, rank, (snapshot, history))?;
        line.push(b'\n');
        hash.update(&line);
        plain_len += line.len() as u64;
        encoder.write_all(&line)?;
    }
    Ok(Compressed { zstd: encoder.finish()?.into(), plain_len, hash: hash.finalize().into() })
}

/// Writes a record, with the publication that last changed it.
fn write_record(
    out: &mut Vec<u8>,
    records: Records,
    rank: u32,
    (snapshot, history): (&ServingSnapshot, &History),
) -> io::Result<()> {
    let rendered = &records.collection(&snapshot.guide).rendered;
    out.extend_from_slice(rendered.json(rank, View::Full));
    if let Some(serial) = history.updated(records, rendered.id(rank)) {
        write!(out, ",\"updated_serial\":{serial}")?;
    }
    out.push(b'}');
    Ok(())
}

/// Writes the answer: see [`crate::actions::answers::Changes`]. `head` is its beginning, and `end` what ends it.
fn write_changes(
    out: &mut Vec<u8>,
    head: &str,
    changes: &Changes,
    version: (&ServingSnapshot, &History),
    end: &str,
) -> io::Result<()> {
    out.extend_from_slice(head.as_bytes());
    for (name, records) in
        [(",\"changed\":{\"places\":[", Records::Places), ("],\"events\":[", Records::Events)]
    {
        out.extend_from_slice(name.as_bytes());
        for (at, rank) in changes.changed.get(records).iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_record(out, records, *rank, version)?;
        }
    }
    out.extend_from_slice(b"]},\"deleted\":");
    let ByKind { places, events } = &changes.deleted;
    serde_json::to_writer(&mut *out, &json!({ "places": places, "events": events }))?;
    out.extend_from_slice(end.as_bytes());
    out.push(b'}');
    Ok(())
}

type Unpacking = zstd::Decoder<'static, BufReader<Cursor<Bytes>>>;

fn reader(zstd: Bytes) -> io::Result<Unpacking> {
    zstd::Decoder::new(Cursor::new(zstd))
}

/// A body that is decompressed while it is sent, so that slow clients hold no memory.
fn unpacked(zstd: Bytes) -> Body {
    let pieces = stream::try_unfold(None, move |reading: Option<Unpacking>| {
        let zstd = zstd.clone();
        async move {
            let reading = match reading {
                Some(reading) => reading,
                None => reader(zstd)?,
            };
            let mut piece = Vec::with_capacity(PIECE);
            let mut limited = reading.take(PIECE as u64);
            limited.read_to_end(&mut piece)?;
            let next = (!piece.is_empty()).then(|| (Bytes::from(piece), Some(limited.into_inner())));
            Ok::<_, io::Error>(next)
        }
    });
    Body::from_stream(pieces)
}

/// The addresses.
pub fn routes(exports: Exports, origins: Arc<Origins>, metrics: &Metrics) -> Router {
    let places = async |State(exports): State<Arc<Exports>>, request: Request<Body>| {
        exports.export(Records::Places, &request.into_parts().0).await
    };
    let events = async |State(exports): State<Arc<Exports>>, request: Request<Body>| {
        exports.export(Records::Events, &request.into_parts().0).await
    };
    let changes = async |State(exports): State<Arc<Exports>>, request: Request<Body>| {
        exports.changes(&request.into_parts().0).await
    };
    Router::new()
        .merge(counted(metrics, "/v1/export/places.ndjson", "GET, HEAD", get(places)))
        .merge(counted(metrics, "/v1/export/events.ndjson", "GET, HEAD", get(events)))
        .merge(counted(metrics, "/v1/changes", "GET, HEAD", get(changes)))
        .layer(from_fn_with_state(origins, origins::share))
        .with_state(Arc::new(exports))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use chrono::NaiveDate;
    use snapshots::Digest;

    use super::*;

    fn version(serial: u64) -> GuideVersion {
        GuideVersion { serial, digest: Digest::of(b"guide"), day: NaiveDate::default(), hidden: 0 }
    }

    #[test]
    fn requests_share_an_export_and_a_late_one_does_not_replace_a_newer_one() {
        let kept = KeptExport::default();
        let serial = || kept.0.load().as_ref().map(|export| export.version.serial);
        let first = kept.of(version(1), || true);
        assert!(Arc::ptr_eq(&first, &kept.of(version(1), || true)));
        let second = kept.of(version(2), || true);
        assert_eq!((second.version, serial()), (version(2), Some(2)));
        let late = kept.of(version(1), || false);
        assert_eq!((late.version, serial()), (version(1), Some(2)));

        // the next one goes live while a request looks at what is kept
        let is_live = Cell::new(true);
        let overtaken = kept.of(version(3), || {
            let was_live = is_live.replace(false);
            if was_live {
                kept.of(version(4), || true);
            }
            was_live
        });
        assert_eq!((overtaken.version, serial()), (version(3), Some(4)));
    }
}
