//! A service that is told to stop loses no request that was sent.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::mail::awaited;
use crate::service::{Service, get, read, request};

#[test]
fn busy_keep_alive_connections_lose_no_request_when_the_service_stops() {
    for signal in ["-TERM", "-HUP"] {
        let mut service = Service::start();
        let call = request("GET", "/v1/plans", &[], b"");
        let (answered, told, lost) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let (address, ops) = (service.listen, service.ops);
        thread::scope(|scope| {
            for _ in 0..64 {
                scope.spawn(|| {
                    let mut stream = TcpStream::connect(address).expect("a connection");
                    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time-out");
                    loop {
                        let answer = stream.write_all(&call).ok().and_then(|()| read(&mut stream, false));
                        let Some(answer) = answer.filter(|answer| answer.status == 200) else {
                            lost.fetch_add(1, Ordering::SeqCst);
                            return;
                        };
                        answered.fetch_add(1, Ordering::SeqCst);
                        if answer.header("connection") == Some("close") {
                            told.fetch_add(1, Ordering::SeqCst);
                            return;
                        }
                        thread::sleep(Duration::from_millis(5));
                    }
                });
            }
            awaited("some load", Duration::from_secs(20), || {
                (answered.load(Ordering::SeqCst) > 500).then_some(())
            });
            service.signal(signal);
            awaited("the end of readiness", Duration::from_secs(20), || {
                let probe = get(ops, "/readyz");
                (probe.status == 503 && probe.json()["reason"] == "draining").then_some(())
            });
        });
        awaited("the end of the server", Duration::from_secs(20), || service.has_ended().then_some(()));
        let count = |count: &AtomicUsize| count.load(Ordering::SeqCst);
        assert_eq!((count(&told), count(&lost)), (64, 0), "{signal}: of {} answers", count(&answered));
    }
}
