//! The whole service: builds every room once, starts the background work and the doors, stops them in order.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use hyper_util::service::TowerToHyperService;
use snapshots::Depot;
use tokio::runtime::Runtime;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::billing::service::BillingService;
use crate::billing::worker;
use crate::config::Config;
use crate::dispatch::Dispatcher;
use crate::domain::clock::Clock;
use crate::gateway::Gateway;
use crate::http::accounts::Accounts;
use crate::http::billing::Billing;
use crate::http::docs::Docs;
use crate::http::mcp::Mcp;
use crate::http::ops::{self, Readiness, SnapshotInService};
use crate::http::origins::Origins;
use crate::http::server::Server;
use crate::http::v1::V1;
use crate::http::{self, ConnectionService, HttpApp, docs, site};
use crate::mail::Mailer;
use crate::metrics::{ConnectionMetrics, Metrics};
use crate::publish::Publisher;
use crate::serving::Serving;
use crate::signup::SignupService;
use crate::store::lock::ServerLock;
use crate::store::{self, Store};

/// How long leases are given back for when the service stops.
const GIVING_UP: Duration = Duration::from_secs(3);

/// The service, running.
pub struct App {
    /// The settings in effect, the address it listens on included.
    pub config: Config,
    /// Accounts and keys.
    pub store: Arc<dyn Store>,
    /// The guide in service.
    pub live: Serving,
    rooms: Arc<Dispatcher>,
    post: Mailer,
    post_work: JoinHandle<()>,
    books_closing: Arc<Notify>,
    books_work: JoinHandle<()>,
    public: Server,
    ops: Server,
    background: Runtime,
    _lock: ServerLock,
}

impl App {
    /// Starts everything. The doors are open at once, and answer 503 until a guide is in service.
    pub fn start(mut config: Config, clock: Clock) -> Result<Self> {
        let lock = ServerLock::take(&config.data)?;
        config = config.clone().bound_at(free_address(config.listen)?);
        let gateway = Gateway::open(&config)?;
        let background = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("background")
            .enable_all()
            .build()
            .context("the background threads cannot be started")?;
        let metrics = Metrics::new();
        let store = store::open::store(&config.store, &config.data, config.limits.trust_window())
            .with_context(|| format!("the store {}", config.store))?;
        let live = Serving::default();
        let depot =
            Depot::open(&config.depot.to_string()).with_context(|| format!("the depot {}", config.depot))?;
        let publisher =
            Publisher::new(depot, live.clone(), clock.clone(), metrics.snapshot.clone(), &config.data);

        let readiness = {
            let (live, failure) = (live.clone(), publisher.failure());
            Arc::new(move || Readiness { snapshot: in_service(&live), publish_error: failure.told() })
        };
        let ops_routes = ops::router(metrics.clone(), readiness);
        let ops_limits = crate::config::Limits { workers: 1, ..config.limits.clone() };
        let ops = Server::start(config.ops_listen, &ops_limits, ConnectionMetrics::default(), move |_| {
            TowerToHyperService::new(ops_routes.clone())
        })
        .with_context(|| format!("ops_listen {} cannot be used", config.ops_listen))?;
        config.ops_listen = ops.address();

        let rooms = Dispatcher::new(
            &config,
            live.clone(),
            clock.clone(),
            store.clone(),
            background.handle().clone(),
            &metrics,
        );
        let rooms = Arc::new(rooms);
        background.block_on(store.register(rooms.listener())).context("the store cannot be served from")?;
        let post = Mailer::new(&config, store.clone(), clock.clone(), metrics.mail.clone())?;
        let cashier = BillingService::new(
            &config,
            gateway,
            store.clone(),
            clock.clone(),
            post.clone(),
            metrics.billing.clone(),
        );
        let billing = Arc::new(Billing::new(&config, rooms.clone(), cashier.clone(), &metrics));
        let reception = SignupService::new(store.clone(), clock, config.signup.clone(), post.clone());
        let accounts = Arc::new(Accounts::new(&config, rooms.clone(), reception, &metrics));
        let origins = Arc::new(Origins::new(&config));
        let v1 = V1::new(&config, rooms.clone());
        let mcp = Arc::new(Mcp::new(&config, rooms.clone(), origins.clone()));
        let api = docs::openapi(&config);
        let docs = Docs::new(&config, &api);
        let site = site::Door::new(&config, rooms.clone(), accounts.clone(), billing.clone(), &api);
        let router = http::router(accounts, billing, mcp.clone(), docs, site, origins.clone());
        let app = Arc::new(HttpApp { v1, mcp, origins, router });
        let public = Server::start(config.listen, &config.limits, metrics.connections.clone(), move |peer| {
            ConnectionService::new(app.clone(), peer)
        })
        .with_context(|| format!("listen {} cannot be used", config.listen))?;

        background.spawn(publisher.run());
        let post_work = background.spawn(post.clone().run());
        let books_closing = Arc::new(Notify::new());
        let books_work = background.spawn(worker::run(cashier, books_closing.clone()));
        Ok(Self {
            config,
            store,
            live,
            rooms,
            post,
            post_work,
            books_closing,
            books_work,
            public,
            ops,
            background,
            _lock: lock,
        })
    }

    /// Runs something on the background threads and waits for it.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.background.block_on(future)
    }

    /// Stops: the public door first, its requests in flight answered. Whether all of them were in time.
    pub fn stop(self) -> bool {
        let drained = self.public.stop();
        self.books_closing.notify_one();
        if let Err(error) = self.background.block_on(self.books_work) {
            tracing::error!(%error, "the bookkeeper had broken down");
        }
        self.post.close();
        if let Err(error) = self.background.block_on(self.post_work) {
            tracing::error!(%error, "the post office had broken down");
        }
        // what was leased and not spent is for the processes that go on
        self.background.block_on(async {
            if tokio::time::timeout(GIVING_UP, self.rooms.close()).await.is_err() {
                tracing::warn!("the store was too slow to be given back every call");
            }
            match tokio::time::timeout(GIVING_UP, self.store.leave()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "the store was not told that this process has gone"),
                Err(_) => tracing::warn!("the store was too slow to be told that this process has gone"),
            }
        });
        self.background.shutdown_timeout(Duration::from_secs(1));
        self.ops.stop();
        drained
    }
}

fn in_service(live: &Serving) -> Option<SnapshotInService> {
    let edition = live.current();
    let edition = edition.as_ref()?;
    Some(SnapshotInService {
        serial: edition.serial,
        digest: edition.digest.to_string(),
        name: edition.guide.name.clone(),
        places: edition.guide.places.len() as usize,
        events: edition.guide.events.len() as usize,
    })
}

/// The address to listen on, with the port the machine chooses when it is to choose one: what the service says of
/// itself must be known before it listens.
fn free_address(listen: std::net::SocketAddr) -> Result<std::net::SocketAddr> {
    if listen.port() != 0 {
        return Ok(listen);
    }
    let bound = TcpListener::bind(listen).and_then(|probe| probe.local_addr());
    bound.with_context(|| format!("listen {listen} cannot be used"))
}
