//! A service that is told to stop, or that is replaced while a service manager holds its socket, loses no request.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixDatagram;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::io::{FdFlags, fcntl_setfd};
use serde_json::json;
use tempfile::TempDir;

use crate::mail::{SOON, awaited};
use crate::publishing::{guide_of, publish};
use crate::service::{Service, get, printed_json, program, read, request, run, signal};

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
            awaited("some load", SOON, || (answered.load(Ordering::SeqCst) > 500).then_some(()));
            service.signal(signal);
            awaited("the end of readiness", SOON, || {
                let probe = get(ops, "/readyz");
                (probe.status == 503 && probe.json()["reason"] == "draining").then_some(())
            });
        });
        awaited("the end of the server", SOON, || service.has_ended().then_some(()));
        let count = |count: &AtomicUsize| count.load(Ordering::SeqCst);
        assert_eq!((count(&told), count(&lost)), (64, 0), "{signal}: of {} answers", count(&answered));
        assert!(service.log().contains(&signal.replace('-', "SIG")), "{}", service.log());
    }
}

#[test]
fn a_second_signal_ends_the_wait_of_the_first() {
    let mut service = Service::start_with(&["limits.lame_duck_ms=600000"]);
    service.signal("-TERM");
    awaited("the end of readiness", SOON, || (get(service.ops, "/readyz").status == 503).then_some(()));
    assert!(!service.has_ended());
    service.signal("-TERM");
    awaited("the end of the server", SOON, || service.has_ended().then_some(()));
}

/// A service manager: it holds the public socket, and hears what the service tells.
struct Manager {
    folder: TempDir,
    socket: TcpListener,
    told: UnixDatagram,
}

impl Manager {
    fn new() -> Manager {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = TcpListener::bind("127.0.0.1:0").expect("a socket");
        fcntl_setfd(&socket, FdFlags::empty()).expect("inherited");
        let told = UnixDatagram::bind(folder.path().join("notify")).expect("a socket");
        told.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
        Manager { folder, socket, told }
    }

    /// A search with a key on the plan pro.
    fn search(&self) -> Vec<u8> {
        let data = self.folder.path().join("data");
        let issued = run(&data, &["key", "issue", "--email", "pro@b.c", "--plan", "pro", "--json"]);
        let key = printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned();
        let body = json!({"action": "search_places", "limit": 1}).to_string();
        request("POST", "/v1", &[("x-api-key", &key)], body.as_bytes())
    }

    fn start(&self, settings: &[&str]) -> Child {
        program(&self.folder.path().join("data"))
            .env("LISTEN_FDS", "1")
            .env("LISTEN_FDS_FIRST_FD", self.socket.as_raw_fd().to_string())
            .env("NOTIFY_SOCKET", self.folder.path().join("notify"))
            .env("WATCHDOG_USEC", "600000")
            .args(["--ops-listen", "127.0.0.1:0", "--set", "plans.pro.per_minute=100000000"])
            .args(["--set", "plans.pro.per_month=100000000"])
            .args(settings.iter().flat_map(|setting| ["--set", setting]))
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(self.folder.path().join("log")).expect("a file"))
            .spawn()
            .expect("the program runs")
    }

    /// Waits until the service tells something.
    fn hears(&self, what: &str) {
        let mut message = [0; 64];
        loop {
            let count = self.told.recv(&mut message).unwrap_or_else(|error| panic!("{what}: {error}"));
            if message[..count].starts_with(what.as_bytes()) {
                return;
            }
        }
    }

    fn stop(&self, mut service: Child) {
        signal(service.id(), "-TERM");
        self.hears("STOPPING=1");
        assert!(service.wait().expect("ended").success());
    }
}

/// Restarts a service under load until so many requests were answered.
fn restart_loses_nothing(requests: usize) {
    let manager = Manager::new();
    let address = manager.socket.local_addr().expect("an address");
    let call = manager.search();
    let first = manager.start(&[]);
    manager.hears("READY=1");
    let (answered, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (service, restarts) = thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let connect = || {
                    let stream = TcpStream::connect(address).expect("the socket is always there");
                    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
                    stream
                };
                let mut stream = connect();
                while !stop.load(Ordering::SeqCst) {
                    stream.write_all(&call).expect("sent");
                    let answer = read(&mut stream, false).expect("every request that was sent is answered");
                    assert_eq!(answer.status, 200, "{}", answer.text());
                    answered.fetch_add(1, Ordering::SeqCst);
                    if answer.header("connection") == Some("close") {
                        stream = connect();
                    }
                }
            });
        }
        let (mut service, mut restarts) = (first, 0);
        while restarts < 3 || answered.load(Ordering::SeqCst) < requests {
            manager.stop(service);
            service = manager.start(&[]);
            manager.hears("READY=1");
            let before = answered.load(Ordering::SeqCst);
            awaited("more answers", SOON, || {
                (answered.load(Ordering::SeqCst) > before + 1_000).then_some(())
            });
            restarts += 1;
        }
        stop.store(true, Ordering::SeqCst);
        (service, restarts)
    });
    println!("{restarts} restarts in {} answered requests", answered.load(Ordering::SeqCst));
    manager.hears("WATCHDOG=1");
    manager.stop(service);
}

#[test]
fn a_restart_on_a_held_socket_loses_no_request() {
    restart_loses_nothing(5_000);
}

#[test]
#[ignore = "long: 100,000 requests"]
fn restarts_on_a_held_socket_lose_none_of_100_000_requests() {
    restart_loses_nothing(100_000);
}

#[test]
fn connections_wait_until_the_guide_is_in_service() {
    let manager = Manager::new();
    let data = manager.folder.path().join("data");
    let call = manager.search();
    let service = manager.start(&[]);
    manager.hears("READY=1");
    publish(&data, &guide_of(&data, 1, 30), &[]);
    let copies = || std::fs::read_dir(data.join("last-good")).map_or(0, Iterator::count);
    awaited("a copy of the snapshot", SOON, || (copies() > 0).then_some(()));
    manager.stop(service);
    for copy in std::fs::read_dir(data.join("last-good")).expect("a folder") {
        std::fs::write(copy.expect("a file").path(), "garbage").expect("written");
    }
    let away = data.with_file_name("away");
    std::fs::rename(data.join("depot"), &away).expect("moved");

    let ask = || {
        let mut stream =
            TcpStream::connect(manager.socket.local_addr().expect("an address")).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
        stream.write_all(&call).expect("sent");
        stream
    };
    let impatient = manager.start(&["limits.start_wait_ms=1"]);
    manager.hears("READY=1");
    assert_eq!(read(&mut ask(), false).expect("an answer").status, 503);
    manager.stop(impatient);
    let patient = manager.start(&["limits.start_wait_ms=600000"]);
    let mut early = ask();
    early.set_nonblocking(true).expect("set");
    awaited("a server", SOON, || data.join("server.lock").exists().then_some(()));
    assert_eq!(early.read(&mut [0]).expect_err("nothing yet").kind(), ErrorKind::WouldBlock);
    early.set_nonblocking(false).expect("set");
    let _ = std::fs::remove_dir_all(data.join("depot"));
    std::fs::rename(&away, data.join("depot")).expect("moved");
    assert_eq!(read(&mut early, false).expect("an answer").status, 200, "never 503 meanwhile");
    manager.hears("READY=1");
    manager.stop(patient);
}
