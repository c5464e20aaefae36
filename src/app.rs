//! The whole service: builds its parts, starts the background tasks and the listeners, and stops them in order.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use hyper_util::service::TowerToHyperService;
use index::SitePages;
use snapshots::Depot;
use tokio::runtime::Runtime;
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinHandle;

use crate::asked::{self, Counter, Recorder};
use crate::billing::revenue_watch;
use crate::billing::service::BillingService;
use crate::billing::stored::StoredAccounts;
use crate::billing::worker as billing_worker;
use crate::changes::Histories;
use crate::config::{Config, Limits};
use crate::dispatch::{Dispatcher, DispatcherParts};
use crate::domain::clock::Clock;
use crate::domain::error::ApiError;
use crate::gateway::Gateway;
use crate::http::accounts::{AccountServices, Accounts};
use crate::http::billing::Billing;
use crate::http::body::BodyReader;
use crate::http::caller::is_exempt;
use crate::http::connection::Observer;
use crate::http::export::{self, Exports};
use crate::http::mcp::Mcp;
use crate::http::ops::{self, Readiness, ReadinessCheck, SnapshotInService, StoreFault};
use crate::http::origins::Origins;
use crate::http::resources::{self, Resources};
use crate::http::server::{Listen, Server};
use crate::http::site::{Site, SiteParts, StoreHealth};
use crate::http::v1::V1;
use crate::http::{self, ConnectionService, HttpApp, RouterParts, docs};
use crate::log_lines::LogLines;
use crate::mail::Mailer;
use crate::metrics::{ConnectionMetrics, Metrics, StoreReading};
use crate::notify::Notifier;
use crate::notify::hooks::HookService;
use crate::outage::Outage;
use crate::publish::{Failure, PublishError, Publisher, PublisherParts, was_published};
use crate::quota::tokens::TokenService;
use crate::request_log::RequestLog;
use crate::service_manager::Sockets;
use crate::serving::Serving;
use crate::signup::SignupService;
use crate::store::journal::{Journal, NotedChanges};
use crate::store::lock::ServerLock;
use crate::store::{self, LastProbe, Store};
use crate::store_retention;
use crate::store_watch;
use crate::suggest::SuggestionService;
use crate::supervise::Supervisor;

static NOT_REGISTERED: Outage = Outage::new("this process cannot register with the store");

/// The wait before a registration with the store is tried again.
const REGISTER_AGAIN: Duration = Duration::from_secs(1);

/// How long the store may take to take back unspent calls, and to deregister this process, when the service stops.
const STORE_TIMEOUT: Duration = Duration::from_secs(3);

/// How long changes whose end is noted, and erasures, may take when the service stops, beyond the trust window for
/// which they wait for other servers.
const NOTING_MARGIN: Duration = Duration::from_secs(5);

/// How long the last call of the payment gateway may take when the service stops.
const GATEWAY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long threads that block may take when the service stops.
const BLOCKING_TIMEOUT: Duration = Duration::from_secs(1);

/// The running service.
pub struct App {
    /// The settings in effect, with the addresses that were bound.
    pub config: Config,
    /// Accounts and keys.
    pub store: Arc<dyn Store>,
    /// The snapshot in service.
    pub serving: Serving,
    dispatcher: Arc<Dispatcher>,
    mailer: Mailer,
    notifier: Notifier,
    changes: NotedChanges,
    awaited: AwaitedTasks,
    supervisor: Supervisor,
    draining: Arc<AtomicBool>,
    public: Server,
    ops: Server,
    background: Runtime,
    _lock: ServerLock,
}

/// The background tasks that a stop waits for.
struct AwaitedTasks {
    mailer: JoinHandle<()>,
    asked: JoinHandle<()>,
    asked_closing: Arc<Notify>,
    billing: JoinHandle<()>,
    billing_closing: Arc<Notify>,
}

/// What most parts of the service are made of.
#[derive(Clone, Copy)]
struct Basics<'b> {
    config: &'b Config,
    store: &'b Arc<dyn Store>,
    clock: &'b Clock,
    metrics: &'b Metrics,
}

/// The services behind the pages and endpoints of accounts.
struct Services {
    accounts: AccountServices,
    billing: BillingService,
    suggestions: SuggestionService,
}

impl App {
    /// Starts everything; requests are logged to `lines`. It listens at once, and answers from [`App::accept`] on.
    /// Sockets that the service manager holds take the place of the settings `listen` and `ops_listen`.
    pub fn start(mut config: Config, clock: Clock, lines: &LogLines, sockets: Sockets) -> Result<Self> {
        let lock = ServerLock::take(&config.data)?;
        if sockets.public.is_none() {
            config = config.clone().bound_at(free_address(config.listen)?);
        }
        let gateway = Gateway::open(&config)?;
        let background = background_runtime()?;
        let metrics = begun_metrics(&clock, lines);
        let supervisor = Supervisor::new(background.handle().clone(), metrics.tasks.clone());
        let serving = Serving::default();
        let mut publisher = publisher(&config, &serving, &clock, &metrics)?;
        // before anything is created: a start that is refused is not the first one
        background.block_on(publisher.check_depot())?;
        let store = open_store(&config, &metrics)?;
        let draining = Arc::new(AtomicBool::new(false));
        let readiness = readiness_check(
            serving.clone(),
            publisher.failure(),
            supervisor.clone(),
            store.clone(),
            draining.clone(),
        );
        let ops = start_ops(&config, sockets.ops, ops::router(metrics.clone(), readiness))?;
        ops.accept();
        config.ops_listen = ops.address();

        let basics = Basics { config: &config, store: &store, clock: &clock, metrics: &metrics };
        let owner = config.owner_email.0.clone();
        let (asked, counter) = asked::recorder(store.clone(), clock.clone(), owner, metrics.asked.clone())?;
        let dispatcher = registered_dispatcher(basics, &serving, &background, &supervisor, asked)?;
        let mailer = Mailer::new(&config, store.clone(), clock.clone(), metrics.mail.clone())?;
        let notifier =
            Notifier::new(&config, store.clone(), clock.clone(), dispatcher.clone(), metrics.hooks.clone())
                .context("the HTTP client of webhooks cannot be made")?;
        let journal = open_journal(&config, &metrics, &supervisor);
        let changes = NotedChanges::new(journal, background.handle().clone());
        let services = Services::new(basics, gateway, &mailer, &changes);
        let billing = services.billing.clone();
        let (app, site) = http_app(basics, &dispatcher, publisher.histories(), services);
        let log_of_requests =
            RequestLog::new(config.log_requests, lines.clone(), clock.clone(), metrics.refusals.clone());
        let public = start_public(&config, sockets.public, log_of_requests, app, &metrics)?;

        publisher.accompanied_by(site.pages.clone());
        start_publisher(&supervisor, publisher);
        watch_store(basics, &supervisor, &billing);
        let task = notifier.clone();
        supervisor.spawn("webhooks", move || task.clone().run());
        let task = dispatcher.clone();
        supervisor.spawn("reports of calls", move || task.clone().report_calls());
        let awaited = AwaitedTasks::start(&supervisor, counter, billing, &mailer, site);
        Ok(Self {
            config,
            store,
            serving,
            dispatcher,
            mailer,
            notifier,
            changes,
            awaited,
            supervisor,
            draining,
            public,
            ops,
            background,
            _lock: lock,
        })
    }

    /// Runs a future on the background runtime and waits for it.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.background.block_on(future)
    }

    /// Begins to accept connections of clients.
    pub fn accept(&self) {
        self.public.accept();
    }

    /// Whether every thread that answers clients has run within the last seconds.
    pub fn is_alive(&self) -> bool {
        self.public.is_alive()
    }

    /// Prepares the stop: `/readyz` says so, and every answer closes its connection, so that load balancers and clients
    /// go elsewhere while requests are still answered.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::SeqCst);
        self.public.drain();
    }

    /// Stops the service, the public listener first. Returns whether every request in flight was answered in time.
    pub fn stop(self) -> bool {
        let drained = self.public.stop();
        self.supervisor.close();
        self.notifier.close();
        let AwaitedTasks { mailer, asked, asked_closing, billing, billing_closing } = self.awaited;
        billing_closing.notify_one();
        // what it has not written down it does again after the next start
        match self.background.block_on(async { tokio::time::timeout(GATEWAY_TIMEOUT, billing).await }) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the billing worker did not stop cleanly"),
            Err(_) => tracing::warn!("the payment gateway was too slow for the last call to end"),
        }
        self.mailer.close();
        if let Err(error) = self.background.block_on(mailer) {
            tracing::error!(%error, "the mailer did not stop cleanly");
        }
        asked_closing.notify_one();
        // as long as this process is registered, since they wait for it too
        let noting = self.config.limits.trust_window() + NOTING_MARGIN;
        // unspent calls go back to the store, for the processes that go on
        self.background.block_on(async {
            if tokio::time::timeout(noting, self.changes.all_noted()).await.is_err() {
                tracing::error!(
                    "a change was cut off: a key may have been replaced without a note in the journal of what has \
                     ended, or the erasure of an account stays to be repeated"
                );
            }
            if tokio::time::timeout(STORE_TIMEOUT, asked).await.is_err() {
                tracing::warn!("the store was too slow to take what people asked in the last minute");
            }
            if tokio::time::timeout(STORE_TIMEOUT, self.dispatcher.close()).await.is_err() {
                tracing::warn!("the store was too slow to take back all unspent calls");
            }
            match tokio::time::timeout(STORE_TIMEOUT, self.store.leave()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "this process could not deregister from the store"),
                Err(_) => tracing::warn!("the store was too slow to deregister this process"),
            }
        });
        self.background.shutdown_timeout(BLOCKING_TIMEOUT);
        self.ops.stop();
        drained
    }
}

/// The metrics at the start of a process.
fn begun_metrics(clock: &Clock, lines: &LogLines) -> Metrics {
    let mut metrics = Metrics::new();
    metrics.dropped_lines = lines.dropped();
    metrics.started_at.set(clock.now().0);
    metrics.refusals.begin(ApiError::examples().iter().map(|error| error.details().code));
    metrics
}

/// The journal of what has ended, with the task that writes again what could not be written.
fn open_journal(config: &Config, metrics: &Metrics, supervisor: &Supervisor) -> Journal {
    let journal = Journal::counted(&config.data, metrics.journal_unwritten.clone());
    if let Err(error) = journal.check() {
        tracing::error!(
            %error,
            "the journal of what has ended cannot be written: a restored backup would make replaced keys valid again"
        );
    }
    let task = journal.clone();
    supervisor.spawn("journal", move || task.clone().write_again());
    journal
}

/// One thread is enough: its tasks wait most of the time, and everything that blocks goes to the blocking pool.
fn background_runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("background")
        .enable_all()
        .build()
        .context("the background thread cannot be started")
}

fn open_store(config: &Config, metrics: &Metrics) -> Result<Arc<dyn Store>> {
    let store = store::open::store(&config.store, &config.data, config.limits.trust_window())
        .with_context(|| format!("the store {}", config.store))?;
    let watched = store.clone();
    metrics.watch_store(move || {
        let LastProbe { is_up, took } = watched.last_probe();
        StoreReading { panics: watched.panics(), is_up, probe: took }
    });
    Ok(store)
}

fn publisher(config: &Config, serving: &Serving, clock: &Clock, metrics: &Metrics) -> Result<Publisher> {
    // opening a depot makes its folder, and a misspelt name must leave none; one that was read before may come back
    let is_missing = config.depot.folder().is_some_and(|folder| !folder.exists());
    if config.has_own_depot() && is_missing && !was_published(&config.data) {
        return Err(PublishError::NothingPublished { depot: config.depot.to_string() }.into());
    }
    let depot = Depot::open(&config.depot.to_string());
    let depot = depot.with_context(|| format!("the depot {}", config.depot))?;
    Ok(Publisher::new(PublisherParts {
        depot,
        own_depot: config.has_own_depot().then(|| config.depot.to_string()),
        pages: SitePages { site: config.base_url.as_str().to_owned(), area: config.plans.free.area.clone() },
        serving: serving.clone(),
        clock: clock.clone(),
        metrics: metrics.snapshot.clone(),
        data: &config.data,
    }))
}

/// The dispatcher, which learns from the store what other processes change.
fn registered_dispatcher(
    basics: Basics<'_>,
    serving: &Serving,
    background: &Runtime,
    supervisor: &Supervisor,
    asked: Recorder,
) -> Result<Arc<Dispatcher>> {
    let Basics { config, store, clock, metrics } = basics;
    let dispatcher = Arc::new(Dispatcher::new(DispatcherParts {
        config,
        serving: serving.clone(),
        clock: clock.clone(),
        store: store.clone(),
        background: background.handle().clone(),
        metrics,
        asked,
    }));
    match background.block_on(store.register(dispatcher.listener())) {
        Ok(()) => {}
        Err(error) if error.may_pass() => {
            NOT_REGISTERED.failed(&error);
            let registering = (store.clone(), dispatcher.clone());
            supervisor.spawn_until_done("registration", move || {
                let (store, dispatcher) = registering.clone();
                register_later(store, dispatcher)
            });
        }
        Err(error) => return Err(error).context("this process cannot register with the store"),
    }
    Ok(dispatcher)
}

/// Tries to register until it succeeds. Until then the site and calls without a key are answered, and calls with one
/// are refused.
async fn register_later(store: Arc<dyn Store>, dispatcher: Arc<Dispatcher>) {
    loop {
        tokio::time::sleep(REGISTER_AGAIN).await;
        let registered = store.register(dispatcher.listener()).await;
        NOT_REGISTERED.record(&registered);
        if registered.is_ok() {
            return;
        }
    }
}

/// A publisher that panicked goes on with what it knew: what it compares the next snapshot with outlives a panic.
fn start_publisher(supervisor: &Supervisor, publisher: Publisher) {
    let publisher = Arc::new(Mutex::new(publisher));
    supervisor.spawn("publisher", move || {
        let publisher = publisher.clone();
        async move { publisher.lock().await.run().await }
    });
}

/// Keeps the figures about the store and what was sold, and deletes what was kept long enough.
fn watch_store(basics: Basics<'_>, supervisor: &Supervisor, billing: &BillingService) {
    let Basics { store, clock, metrics, .. } = basics;
    let sold = (store.clone(), billing.clone(), clock.clone(), metrics.revenue.clone());
    supervisor.spawn("revenue", move || {
        let (store, billing, clock, metrics) = sold.clone();
        revenue_watch::watch(store, billing, clock, metrics)
    });
    let kept = (store.clone(), clock.clone());
    supervisor.spawn("store retention", move || {
        let (store, clock) = kept.clone();
        store_retention::run(store, clock)
    });
    let watched = (store.clone(), clock.clone(), metrics.queues.clone());
    supervisor.spawn("store watch", move || {
        let (store, clock, metrics) = watched.clone();
        store_watch::run(store, clock, metrics)
    });
}

fn store_health(store: &Arc<dyn Store>) -> StoreHealth {
    let store = store.clone();
    Box::new(move || store.health().err().map(|error| error.reason()))
}

impl AwaitedTasks {
    fn start(
        supervisor: &Supervisor,
        counter: Counter,
        billing: BillingService,
        mailer: &Mailer,
        site: Arc<Site>,
    ) -> AwaitedTasks {
        let (asked_closing, billing_closing) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        // a counter that panicked goes on with what it has counted
        let counter = Arc::new(Mutex::new(counter));
        let closing = asked_closing.clone();
        let asked = supervisor.spawn("asked", move || {
            let (counter, closing) = (counter.clone(), closing.clone());
            async move { counter.lock().await.run(&closing).await }
        });
        let task = mailer.clone();
        let mailer = supervisor.spawn("mailer", move || task.clone().run(site.clone()));
        let closing = billing_closing.clone();
        let billing =
            supervisor.spawn("billing worker", move || billing_worker::run(billing.clone(), closing.clone()));
        AwaitedTasks { mailer, asked, asked_closing, billing, billing_closing }
    }
}

impl Services {
    fn new(
        basics: Basics<'_>,
        gateway: Option<Gateway>,
        mailer: &Mailer,
        changes: &NotedChanges,
    ) -> Services {
        let Basics { config, metrics, .. } = basics;
        let (store, clock) = (|| basics.store.clone(), || basics.clock.clone());
        let billing =
            BillingService::new(config, gateway, store(), clock(), mailer.clone(), metrics.billing.clone());
        let signup = SignupService::new(
            config,
            store(),
            clock(),
            mailer.clone(),
            changes.clone(),
            metrics.signups.clone(),
        );
        Services {
            accounts: AccountServices {
                signup,
                stored: StoredAccounts::new(config, store(), billing.clone(), clock(), changes.clone()),
                tokens: TokenService::new(store(), clock(), changes.journal().clone()),
                hooks: HookService::new(store(), clock(), changes.clone(), config.webhooks.allow_private),
            },
            suggestions: SuggestionService::new(store(), clock()),
            billing,
        }
    }
}

fn start_public(
    config: &Config,
    socket: Option<TcpListener>,
    log_of_requests: RequestLog,
    app: Arc<HttpApp>,
    metrics: &Metrics,
) -> Result<Server> {
    let trusted = config.trusted_proxies.clone();
    Server::start(
        socket.map_or(Listen::At(config.listen), Listen::Held),
        &config.limits,
        Observer { connections: metrics.connections.clone(), requests: Some(log_of_requests) },
        move |peer| is_exempt(peer, &trusted),
        move |peer| ConnectionService::new(app.clone(), peer),
    )
    .with_context(|| format!("listen {} cannot be used", config.listen))
}

fn start_ops(config: &Config, socket: Option<TcpListener>, routes: Router) -> Result<Server> {
    let limits = Limits { workers: 1, ..config.limits.clone() };
    let metrics = ConnectionMetrics::default();
    // a private port
    let is_exempt = |_| true;
    let listen = socket.map_or(Listen::At(config.ops_listen), Listen::Held);
    Server::start(listen, &limits, metrics, is_exempt, move |_| TowerToHyperService::new(routes.clone()))
        .with_context(|| format!("ops_listen {} cannot be used", config.ops_listen))
}

/// Everything that answers on the public listener.
fn http_app(
    basics: Basics<'_>,
    dispatcher: &Arc<Dispatcher>,
    histories: Histories,
    services: Services,
) -> (Arc<HttpApp>, Arc<Site>) {
    let Basics { config, store, metrics, .. } = basics;
    let Services { accounts, billing, suggestions } = services;
    let bodies = Arc::new(BodyReader::new(config, metrics.connections.body_bytes.clone()));
    let billing = Arc::new(Billing::new(config, dispatcher.clone(), bodies.clone(), billing));
    let accounts = Arc::new(Accounts::new(config, dispatcher.clone(), bodies.clone(), accounts));
    let origins = Arc::new(Origins::new(config));
    let v1 = V1::new(config, dispatcher.clone(), bodies.clone());
    let mcp = Arc::new(Mcp::new(config, dispatcher.clone(), origins.clone(), bodies));
    let api = docs::openapi(config);
    let addresses = resources::routes(Resources::new(config, dispatcher.clone()), origins.clone());
    let exports = Exports::new(config, dispatcher.clone(), histories);
    let addresses = addresses.merge(export::routes(exports, origins.clone(), metrics));
    let guide = addresses.merge(docs::routes(config, &api, dispatcher.serving.clone()));
    let parts = SiteParts {
        dispatcher: dispatcher.clone(),
        accounts: accounts.clone(),
        billing: billing.clone(),
        suggestions,
        store_fault: store_health(store),
    };
    let site = Arc::new(Site::new(config, parts, &api));
    let parts = RouterParts {
        accounts,
        billing,
        mcp: mcp.clone(),
        guide,
        site: site.clone(),
        origins: origins.clone(),
    };
    let router = http::router(parts, metrics);
    (Arc::new(HttpApp { v1, mcp, origins, router }), site)
}

fn readiness_check(
    serving: Serving,
    failure: Failure,
    supervisor: Supervisor,
    store: Arc<dyn Store>,
    draining: Arc<AtomicBool>,
) -> ReadinessCheck {
    Arc::new(move || Readiness {
        draining: draining.load(Ordering::SeqCst),
        snapshot: serving.current().as_ref().map(|current| SnapshotInService {
            serial: current.version.serial,
            digest: current.version.digest.to_string(),
            name: current.guide.name.clone(),
            places: current.guide.places.len() as usize,
            events: current.guide.events.len() as usize,
        }),
        publish_error: failure.message(),
        failed_tasks: supervisor.failures(),
        store_error: store
            .health()
            .err()
            .map(|error| StoreFault { reason: error.reason(), message: error.to_string() }),
    })
}

/// The address to listen on. A port left to the machine is chosen here, because answers name the address of the
/// service, and they are prepared before it listens.
fn free_address(listen: SocketAddr) -> Result<SocketAddr> {
    if listen.port() != 0 {
        return Ok(listen);
    }
    let bound = TcpListener::bind(listen).and_then(|probe| probe.local_addr());
    bound.with_context(|| format!("listen {listen} cannot be used"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail;

    #[test]
    fn the_files_to_deploy_give_a_stop_the_time_that_it_may_take() {
        let config = Config::load(None, [], &[]).expect("the defaults");
        let limits = &config.limits;
        let of_requests = limits.lame_duck() + Duration::from_millis(limits.drain_ms);
        let noting = limits.trust_window() + NOTING_MARGIN;
        // what people asked, unspent calls, and to deregister
        let of_store = 3 * STORE_TIMEOUT;
        let longest =
            of_requests + GATEWAY_TIMEOUT + mail::CLOSE_TIMEOUT + noting + of_store + BLOCKING_TIMEOUT;
        for (file, text, setting) in [
            ("systemd", include_str!("../deploy/systemd/candango.service"), "TimeoutStopSec="),
            ("docker", include_str!("../deploy/docker/compose.yaml"), "stop_grace_period: "),
            (
                "kubernetes",
                include_str!("../deploy/kubernetes/candango.yaml"),
                "terminationGracePeriodSeconds: ",
            ),
        ] {
            let line = text.lines().find_map(|line| line.trim().strip_prefix(setting)).expect("the setting");
            let seconds = line.trim_end_matches('s').parse().expect("seconds");
            assert!(
                Duration::from_secs(seconds) > longest,
                "{file}: {seconds} s, and a stop may take {longest:?}"
            );
        }
    }
}
