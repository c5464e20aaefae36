//! The operator's listener.

use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use candango::config::Config;
use candango::http::ops::{Readiness, SnapshotInService, router};
use candango::http::server::{Listen, Server};
use candango::metrics::Metrics;
use candango::supervise::Supervisor;

use crate::mail::SOON;
use crate::wire::{answer, ask, connect, send};

#[test]
fn health_readiness_and_metrics_are_reported() {
    let empty = tempfile::NamedTempFile::new().expect("a file");
    let limits = Config::load(Some(empty.path()), [], &[]).expect("the defaults").limits;
    let (metrics, live) = (Metrics::new(), Arc::new(AtomicBool::new(false)));
    let readiness = {
        let live = live.clone();
        move || Readiness {
            snapshot: live.load(Ordering::Relaxed).then(|| SnapshotInService {
                serial: 7,
                digest: "3f9a".to_owned(),
                name: "demo".to_owned(),
                places: 2,
                events: 1,
            }),
            publish_error: Some("it was broken".to_owned()),
            ..Readiness::default()
        }
    };
    let router = router(metrics.clone(), Arc::new(readiness));
    let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::start(
        Listen::At(loopback),
        &limits,
        Metrics::new().connections,
        |_| true,
        move |_| TowerToHyperService::new(router.clone()),
    )
    .expect("a server");
    server.accept();
    let mut stream = connect(&server);

    assert!(ask(&mut stream, "/healthz").starts_with("HTTP/1.1 200"));

    let waiting = ask(&mut stream, "/readyz");
    assert!(waiting.starts_with("HTTP/1.1 503") && waiting.contains("it was broken"), "{waiting}");
    live.store(true, Ordering::Relaxed);
    let ready = ask(&mut stream, "/readyz");
    assert!(ready.starts_with("HTTP/1.1 200") && ready.contains("\"status\":\"ready\""), "{ready}");
    assert!(ready.contains("\"serial\":7"), "{ready}");

    metrics.snapshot.swaps.inc();
    let text = ask(&mut stream, "/metrics");
    assert!(text.contains("\ncandango_guide_swaps_total 1\n"), "{text}");

    let unknown = ask(&mut stream, "/nothing");
    assert!(unknown.starts_with("HTTP/1.1 404") && unknown.contains("\"code\":\"not_found\""), "{unknown}");
    assert!(
        unknown.contains("/readyz/guide") && !unknown.contains("/v1"),
        "the paths of this port: {unknown}"
    );
    send(&mut stream, "POST /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n");
    let wrong = answer(&mut stream);
    assert!(
        wrong.starts_with("HTTP/1.1 405") && wrong.contains("\"code\":\"method_not_allowed\""),
        "{wrong}"
    );
    assert_eq!(wrong.to_lowercase().matches("\r\nallow: ").count(), 1, "{wrong}");
}

#[test]
fn a_background_task_that_keeps_panicking_makes_the_service_unready() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let metrics = Metrics::new();
    let supervisor = Supervisor::new(runtime.handle().clone(), metrics.tasks.clone());
    let snapshot = SnapshotInService {
        serial: 7,
        digest: "3f9a".to_owned(),
        name: "demo".to_owned(),
        places: 2,
        events: 1,
    };
    let readiness = {
        let supervisor = supervisor.clone();
        move || Readiness {
            snapshot: Some(snapshot.clone()),
            failed_tasks: supervisor.failures(),
            ..Readiness::default()
        }
    };
    let router = router(metrics, Arc::new(readiness));
    let empty = tempfile::NamedTempFile::new().expect("a file");
    let limits = Config::load(Some(empty.path()), [], &[]).expect("the defaults").limits;
    let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::start(
        Listen::At(loopback),
        &limits,
        Metrics::new().connections,
        |_| true,
        move |_| TowerToHyperService::new(router.clone()),
    )
    .expect("a server");
    server.accept();
    let mut stream = connect(&server);
    assert!(ask(&mut stream, "/readyz").starts_with("HTTP/1.1 200"));

    supervisor.spawn("mailer", || async { panic!("out of ink") });
    let started = Instant::now();
    let unready = loop {
        let answer = ask(&mut stream, "/readyz");
        if answer.starts_with("HTTP/1.1 503") {
            break answer;
        }
        assert!(started.elapsed() < SOON, "{answer}");
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(unready.contains("\"failed_tasks\":[\"the mailer keeps panicking: out of ink\"]"), "{unready}");
    assert!(ask(&mut stream, "/metrics").contains("candango_task_panics_total{task=\"mailer\"} "));
}
