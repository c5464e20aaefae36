//! The operator's door.

use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use candango::config::Config;
use candango::http::ops::{Readiness, SnapshotInService, router};
use candango::http::server::Server;
use candango::metrics::Metrics;

use crate::wire::{answer, ask, connect, send};

#[test]
fn it_tells_whether_the_service_lives_is_ready_and_what_it_counted() {
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
        }
    };
    let router = router(metrics.clone(), Arc::new(readiness));
    let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::start(loopback, &limits, Metrics::new().connections, move |_| {
        TowerToHyperService::new(router.clone())
    })
    .expect("a server");
    let mut stream = connect(&server);

    assert!(ask(&mut stream, "/healthz").starts_with("HTTP/1.1 200"));

    let waiting = ask(&mut stream, "/readyz");
    assert!(waiting.starts_with("HTTP/1.1 503") && waiting.contains("it was broken"), "{waiting}");
    live.store(true, Ordering::Relaxed);
    let ready = ask(&mut stream, "/readyz");
    assert!(ready.starts_with("HTTP/1.1 200") && ready.contains("\"status\":\"ready\""), "{ready}");
    assert!(ready.contains("\"serial\":7"), "{ready}");

    metrics.snapshot.swaps.inc();
    let counted = ask(&mut stream, "/metrics");
    assert!(counted.contains("\ncandango_guide_swaps_total 1\n"), "{counted}");

    let lost = ask(&mut stream, "/nothing");
    assert!(lost.starts_with("HTTP/1.1 404") && lost.contains("\"code\":\"not_found\""), "{lost}");
    send(&mut stream, "POST /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n");
    let wrong = answer(&mut stream);
    assert!(
        wrong.starts_with("HTTP/1.1 405") && wrong.contains("\"code\":\"method_not_allowed\""),
        "{wrong}"
    );
    assert_eq!(wrong.to_lowercase().matches("\r\nallow: ").count(), 1, "{wrong}");
}
