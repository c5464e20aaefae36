//! The files of `deploy/caddy` and `deploy/nginx`, with the addresses of this test, in front of three servers that
//! share a Redis and a depot.

use std::fs;
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use socket2::{Domain, Socket, Type};
use tempfile::TempDir;

use crate::mail::{SOON, awaited};
use crate::publishing::SetOnDrop;
use crate::redis::RedisServer;
use crate::service::{
    Answer, Service, demo_copy, exchange, free_port, get, printed, printed_json, program, read, request, run,
};

/// The requests of a rolling restart, at least.
const REQUESTS: usize = 100_000;

/// The keep-alive clients of a rolling restart.
const CLIENTS: usize = 32;

/// A process that ends with this value.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // killed at once, nginx would leave its workers behind; it may have ended already
        let _ = self.signal("-INT");
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(10) && matches!(self.0.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    fn signal(&self, name: &str) -> std::io::Result<std::process::ExitStatus> {
        Command::new("kill").args([name, &self.0.id().to_string()]).stderr(Stdio::null()).status()
    }

    /// Asks it to stop, and waits until it has.
    fn stop(&mut self) {
        assert!(self.signal("-TERM").expect("kill").success());
        awaited("the end", SOON, || self.0.try_wait().expect("a child"));
    }
}

/// Three servers at the addresses 127.0.0.11 to 127.0.0.13, and the proxy in front of them.
struct Site {
    folder: TempDir,
    redis: RedisServer,
    port: u16,
    ops_port: u16,
    front: SocketAddr,
    servers: Vec<Process>,
    proxy: Option<Process>,
}

impl Site {
    fn start(proxy: fn(&Site) -> Command) -> Site {
        let front = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let mut site = Site {
            folder: tempfile::tempdir().expect("a folder"),
            redis: RedisServer::with(&["--appendonly", "yes", "--appendfsync", "always"]),
            port: free_port(),
            ops_port: free_port(),
            front,
            servers: Vec::new(),
            proxy: None,
        };
        // a folder remembers what was published of it
        let demo = site.folder.path().join("demo");
        demo_copy(&demo);
        site.command(&["snapshot", "publish", demo.to_str().expect("a path")]);
        site.servers = (0..3).map(|number| site.server(number)).collect();
        let log = fs::File::create(site.folder.path().join("proxy.log")).expect("a file");
        let child = proxy(&site).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        site.proxy = Some(Process(child.expect("caddy and nginx are installed by .ci/long")));
        awaited("the proxy", SOON, || TcpStream::connect(front).ok());
        awaited("an answer", SOON, || {
            is_good(&exchange(front, &request("GET", "/v1/plans", &[], b""))).then_some(())
        });
        site
    }

    /// The settings that all servers and commands have.
    fn settings(&self) -> Vec<String> {
        let settings = [
            format!("store={}", self.redis.url()),
            format!("depot={}", self.folder.path().join("depot").display()),
            format!("base_url=http://{}", self.front),
            "trusted_proxies=127.0.0.1".to_owned(),
            "plans.pro.per_minute=100000000".to_owned(),
            "plans.pro.per_month=100000000".to_owned(),
            "preview.per_minute=100000000".to_owned(),
            "preview.per_day=100000000".to_owned(),
            "preview.per_minute_all=100000000".to_owned(),
        ];
        settings.into_iter().flat_map(|setting| ["--set".to_owned(), setting]).collect()
    }

    /// Runs a command beside the servers.
    fn command(&self, words: &[&str]) -> std::process::Output {
        let settings = self.settings();
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let output = run(&self.folder.path().join("command"), &[words, &settings].concat());
        printed(&output, 0);
        output
    }

    /// Starts a server and waits until it is ready.
    fn server(&self, number: u8) -> Process {
        let address = |port| SocketAddr::from(([127, 0, 0, 11 + number], port));
        let (listen, ops) = (address(self.port), address(self.ops_port));
        let data = self.folder.path().join(format!("server{number}"));
        let log =
            fs::File::options().create(true).append(true).open(data.with_extension("log")).expect("a file");
        let child = program(&data)
            .args(["--listen", &listen.to_string(), "--ops-listen", &ops.to_string()])
            .args(self.settings())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the program runs");
        let server = Process(child);
        awaited("a ready server", SOON, || {
            TcpStream::connect(ops).ok().filter(|_| get(ops, "/readyz").status == 200)
        });
        server
    }

    /// A file of `deploy` with the addresses of the servers, and other changes.
    fn edited(&self, file: &str, changes: &[(&str, &str)]) -> String {
        let port = format!(":{}", self.port);
        let all = [&[("10.0.0.1", "127.0.0.1"), (":8080", port.as_str())][..], changes].concat();
        edited(self.folder.path(), file, &all)
    }

    fn caddy(&self) -> Command {
        let file = self.edited(
            "caddy/Caddyfile",
            &[
                ("\tservers {\n", "\tadmin off\n\tservers {\n"),
                (
                    "{$GUIDE_HOST:guia.example} {",
                    &format!("http://:{} {{\n\tbind 127.0.0.1", self.front.port()),
                ),
                ("health_port 9090", &format!("health_port {}", self.ops_port)),
            ],
        );
        caddy(self.folder.path(), &file)
    }

    fn nginx(&self) -> Command {
        let folder = self.folder.path().to_str().expect("text");
        let file = self.edited(
            "nginx/nginx.conf",
            &[
                ("listen 443 ssl http2", &format!("listen {}", self.front)),
                ("listen [::]:443 ssl http2", &format!("listen [::1]:{}", self.front.port())),
                ("listen 80;", &format!("listen 127.0.0.1:{};", free_port())),
                ("listen [::]:80;", &format!("listen [::1]:{};", free_port())),
                ("ssl_", "#ssl_"),
                ("/var/log/nginx", folder),
                ("/run/", &format!("{folder}/")),
            ],
        );
        let mut command = Command::new("nginx");
        command.args(["-p", folder, "-c", &file, "-g", "daemon off;"]);
        command
    }

    /// A key of the plan pro.
    fn key(&self) -> String {
        let issued = self.command(&["key", "issue", "--email", "maria@x.example", "--plan", "pro", "--json"]);
        printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("proxy.log")).unwrap_or_default()
    }
}

/// A file of `deploy` with each text replaced by another one, in the folder `to`; fails if a text is not in it.
fn edited(to: &Path, file: &str, changes: &[(&str, &str)]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(file);
    let mut text = fs::read_to_string(path).expect("a file");
    for (old, new) in changes {
        assert!(text.contains(old), "{file} has no {old}");
        text = text.replace(old, new);
    }
    let edited = to.join(Path::new(file).file_name().expect("a name"));
    fs::write(&edited, text).expect("written");
    edited.to_str().expect("text").to_owned()
}

/// Caddy with a file, and its own files in `folder`.
fn caddy(folder: &Path, file: &str) -> Command {
    let mut command = Command::new("caddy");
    command.args(["run", "--adapter", "caddyfile", "--config", file]);
    command.env("XDG_DATA_HOME", folder).env("XDG_CONFIG_HOME", folder);
    command
}

/// What clients ask: with a key and without, of the API, of agents and of the site.
fn questions(key: &str) -> Vec<Vec<u8>> {
    let json = ("content-type", "application/json");
    let search = json!({"action": "search_places", "q": "jazz", "limit": 5}).to_string();
    let tool = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "search_places", "arguments": {"q": "sushi"}}})
    .to_string();
    let accept = ("accept", "application/json, text/event-stream");
    vec![
        request("POST", "/v1", &[("x-api-key", key), json], search.as_bytes()),
        request("POST", "/mcp", &[("x-api-key", key), json, accept], tool.as_bytes()),
        request("POST", "/mcp", &[json, accept], tool.as_bytes()),
        request("GET", "/v1/plans", &[], b""),
        // as browsers ask: else Caddy asks for gzip by itself, and answers in chunks what it has unpacked
        request("GET", "/", &[("accept-encoding", "gzip")], b""),
    ]
}

/// Restarts one server after the other while clients ask, until all are back and the requests are made.
fn no_request_is_lost_in_a_rolling_restart(proxy: fn(&Site) -> Command, name: &str) {
    let mut site = Site::start(proxy);
    let (questions, front) = (questions(&site.key()), site.front);
    let (done, made) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (failures, slowest) = (Mutex::new(Vec::new()), Mutex::new(Duration::ZERO));
    let begun = Instant::now();
    let mut restarts = 0;
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (questions, done, made) = (&questions, &done, &made);
            let (failures, slowest) = (&failures, &slowest);
            scope.spawn(move || {
                let mut stream = None;
                for question in questions.iter().cycle().skip(client) {
                    if done.load(Ordering::Relaxed) {
                        return;
                    }
                    let asked = Instant::now();
                    let answer = ask(&mut stream, front, question);
                    made.fetch_add(1, Ordering::Relaxed);
                    if !answer.as_ref().is_some_and(is_good) {
                        let question = String::from_utf8_lossy(question).into_owned();
                        failures.lock().expect("a list").push(format!("{question}: {answer:?}"));
                        stream = None;
                    }
                    let mut slowest = slowest.lock().expect("a time");
                    *slowest = slowest.max(asked.elapsed());
                }
            });
        }
        let _end = SetOnDrop(&done);
        let reach = |count: usize| {
            awaited("further requests", SOON * 5, || (made.load(Ordering::Relaxed) >= count).then_some(()));
        };
        reach(REQUESTS / 10);
        while restarts < 3 || made.load(Ordering::Relaxed) < REQUESTS {
            for number in 0..3 {
                site.servers[usize::from(number)].stop();
                site.servers[usize::from(number)] = site.server(number);
                restarts += 1;
            }
        }
        reach(made.load(Ordering::Relaxed) + REQUESTS / 10);
    });
    let (failures, slowest) = (failures.into_inner().expect("a list"), slowest.into_inner().expect("a time"));
    println!(
        "{name}: {} requests of {CLIENTS} clients in {:.0?} with {restarts} restarts: {} failed, the slowest took {slowest:.0?}",
        made.into_inner(),
        begun.elapsed(),
        failures.len(),
    );
    let first = &failures[..failures.len().min(3)];
    assert!(failures.is_empty(), "{} failed: {first:#?}\n{}", failures.len(), site.log());
}

/// Whether a server, and not the proxy, has answered what was asked.
fn is_good(answer: &Answer) -> bool {
    answer.status == 200 && answer.header("x-request-id").is_some() && !answer.body.is_empty()
}

/// Asks on a connection, which is opened when there is none; none if no answer comes.
fn ask(stream: &mut Option<TcpStream>, front: SocketAddr, question: &[u8]) -> Option<Answer> {
    if stream.is_none() {
        let new = TcpStream::connect(front).ok()?;
        new.set_read_timeout(Some(Duration::from_secs(40))).ok()?;
        new.set_nodelay(true).ok()?;
        *stream = Some(new);
    }
    let open = stream.as_mut()?;
    open.write_all(question).ok()?;
    let answer = read(open, false)?;
    if answer.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close")) {
        *stream = None;
    }
    Some(answer)
}

/// While the store is away, calls with a key are 503, and everything that needs only the guide goes on.
fn the_site_goes_on_without_the_store(proxy: fn(&Site) -> Command) {
    let mut site = Site::start(proxy);
    let key = site.key();
    let asked = |question: &[u8]| exchange(site.front, question);
    let with_key = &questions(&key)[0];
    assert!(is_good(&asked(with_key)));
    site.redis.kill();
    let refused = awaited("the end of the trust", SOON, || {
        let answer = exchange(site.front, with_key);
        (answer.status == 503).then_some(answer)
    });
    assert!(refused.json()["code"].is_string() && refused.header("retry-after").is_some(), "{refused:?}");
    for _ in 0..30 {
        // without a key
        for question in &questions(&key)[2..] {
            let answer = exchange(site.front, question);
            assert!(is_good(&answer), "{answer:?}");
        }
    }
    let form = ("content-type", "application/x-www-form-urlencoded");
    for path in ["/signup", "/sugerir", "/conta/entrar"] {
        // the proxy looks twice a second which servers have their store
        awaited(path, SOON, || {
            let fields = b"email=maria%40x.example&text=Um%20lugar%20que%20falta";
            let answer = asked(&request("POST", path, &[form], fields));
            (answer.status == 503).then_some(())
        });
    }
    site.redis.restart();
    awaited("calls with a key", SOON, || is_good(&exchange(site.front, with_key)).then_some(()));
}

/// The words after a matcher of the Caddyfile that begins with `start`.
fn words_after<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(start));
    line.unwrap_or_else(|| panic!("no line begins with {start}")).split_whitespace().collect()
}

#[test]
fn caddy_sends_what_needs_the_store_to_servers_that_have_it() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/caddy/Caddyfile");
    let text = fs::read_to_string(path).expect("the file");
    let guide =
        text.split_once("@guide {").and_then(|(_, rest)| rest.split_once("handle @guide")).expect("it").0;
    let (of_forms, others) =
        guide.split_once("method POST").map(|(before, after)| (after, before)).expect("forms");
    let (never, read_only) = (words_after(others, "not path "), words_after(of_forms, "not path "));
    let is_in = |list: &[&str], path: &str| {
        list.iter().any(|one| one.strip_suffix('*').map_or(*one == path, |begin| path.starts_with(begin)))
    };
    let needs_store =
        |method: &str, path: &str| is_in(&never, path) || method == "POST" && !is_in(&read_only, path);
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/plans"),
        ("GET", "/contato"),
        ("GET", "/en/signup"),
        ("POST", "/v1"),
        ("POST", "/mcp"),
        ("GET", "/v1/plans"),
        ("GET", "/v1/events.ics"),
    ] {
        assert!(!needs_store(method, path), "{method} {path}");
    }
    for (method, path) in [
        ("POST", "/signup"),
        ("POST", "/en/plans"),
        ("POST", "/sugerir"),
        ("POST", "/sexta"),
        ("POST", "/webhooks/asaas"),
        ("POST", "/v1/signup"),
        ("GET", "/v1/calendars/token.ics"),
        ("GET", "/conta"),
        ("GET", "/conta/entrar"),
        ("POST", "/conta/codigo"),
        ("GET", "/en/account"),
        ("GET", "/en/account/delete"),
    ] {
        assert!(needs_store(method, path), "{method} {path}");
    }
}

/// The servers count clients by the addresses that the proxy saw, and not by what clients claim.
fn clients_are_told_apart_by_their_true_address(proxy: fn(&Site) -> Command) {
    let site = Site::start(proxy);
    let sign_up = |from: [u8; 4], number: u8| {
        let body = json!({"email": format!("a{}x{number}@x.example", from[3])}).to_string();
        let claimed = format!("198.51.100.{number}");
        let headers = [("content-type", "application/json"), ("x-forwarded-for", claimed.as_str())];
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        socket.bind(&SocketAddr::from((from, 0)).into()).expect("an address");
        socket.connect(&site.front.into()).expect("a connection");
        let mut stream = TcpStream::from(socket);
        stream.write_all(&request("POST", "/v1/signup", &headers, body.as_bytes())).expect("sent");
        read(&mut stream, false).expect("an answer").status
    };
    // each server counts by itself, up to the 5 an hour of signup.per_ip_hour
    let one: Vec<u16> = (0..16).map(|number| sign_up([127, 0, 0, 77], number)).collect();
    assert!(one[..5] == [200; 5] && one.iter().any(|status| *status != 200), "{one:?}");
    assert_eq!(sign_up([127, 0, 0, 78], 1), 200);
}

/// What is too long is refused in the words of the contract, and puts no server out for others.
fn a_long_request_is_refused_and_no_server_is_put_out(proxy: fn(&Site) -> Command) {
    let site = Site::start(proxy);
    let json = ("content-type", "application/json");
    let long = vec![b' '; 140_000];
    for path in ["/v1", "/mcp", "/signup"] {
        // more often than there are servers
        for _ in 0..6 {
            let refused = exchange(site.front, &request("POST", path, &[json], &long));
            assert_eq!(refused.status, 413, "{path}: {refused:?}");
            assert_eq!(refused.json()["code"], "body_too_large", "{path}: {refused:?}");
            assert!(refused.header("retry-after").is_none(), "{refused:?}");
        }
    }
    // one whose length is not told, with methods that have a body and that have none, and a long head
    let chunk = [b"20000\r\n".as_slice(), &[b' '; 0x20000], b"\r\n"].concat();
    let head = |method: &str, more: &str| format!("{method} /v1/plans HTTP/1.1\r\nhost: x\r\n{more}\r\n");
    let unmeasured = |method: &str| head(method, "transfer-encoding: chunked\r\n").into_bytes();
    let chunked = |method: &str| [unmeasured(method), chunk.repeat(16), b"0\r\n\r\n".to_vec()].concat();
    let requests =
        [chunked("POST"), chunked("GET"), head("GET", &format!("x-pad: {}\r\n", "a".repeat(300_000))).into()];
    for long in &requests {
        thread::scope(|scope| {
            for _ in 0..6 {
                // it may be cut off
                scope.spawn(|| ask(&mut None, site.front, long));
            }
        });
        let begun = Instant::now();
        for path in ["/v1/plans", "/"] {
            let question = request("GET", path, &[("accept-encoding", "gzip")], b"");
            let answer = exchange(site.front, &question);
            assert!(is_good(&answer), "{answer:?}");
        }
        assert!(begun.elapsed() < Duration::from_secs(1), "others waited {:?}", begun.elapsed());
    }
}

#[test]
#[ignore = "long: needs Caddy"]
fn a_long_request_is_refused_and_no_server_is_put_out_by_caddy() {
    a_long_request_is_refused_and_no_server_is_put_out(Site::caddy);
}

#[test]
#[ignore = "long: needs nginx"]
fn a_long_request_is_refused_and_no_server_is_put_out_by_nginx() {
    a_long_request_is_refused_and_no_server_is_put_out(Site::nginx);
}

#[test]
#[ignore = "long: needs Caddy"]
fn one_server_is_asked_by_caddy_while_it_is_about_to_stop() {
    let service = Service::start_with(&["limits.lame_duck_ms=600000"]);
    let folder = tempfile::tempdir().expect("a folder");
    let front = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let file = edited(
        folder.path(),
        "caddy/one-server.Caddyfile",
        &[
            ("\tservers {\n", "\tadmin off\n\tservers {\n"),
            ("{$GUIDE_HOST:guia.example} {", &format!("http://:{} {{\n\tbind 127.0.0.1", front.port())),
            ("127.0.0.1:8080", &service.listen.to_string()),
        ],
    );
    let mut command = caddy(folder.path(), &file);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _proxy = Process(command.spawn().expect("caddy is installed by .ci/long"));
    awaited("the proxy", SOON, || TcpStream::connect(front).ok());
    service.signal("-TERM");
    awaited("the end of readiness", SOON, || (get(service.ops, "/readyz").status == 503).then_some(()));
    for _ in 0..30 {
        let answer = exchange(front, &request("GET", "/v1/plans", &[], b""));
        assert!(is_good(&answer), "{answer:?}");
    }
}

#[test]
#[ignore = "long: a rolling restart under load"]
fn no_request_is_lost_in_a_rolling_restart_behind_caddy() {
    no_request_is_lost_in_a_rolling_restart(Site::caddy, "Caddy");
}

#[test]
#[ignore = "long: a rolling restart under load"]
fn no_request_is_lost_in_a_rolling_restart_behind_nginx() {
    no_request_is_lost_in_a_rolling_restart(Site::nginx, "nginx");
}

#[test]
#[ignore = "long: needs Caddy"]
fn the_site_goes_on_without_the_store_behind_caddy() {
    the_site_goes_on_without_the_store(Site::caddy);
}

#[test]
#[ignore = "long: needs nginx"]
fn the_site_goes_on_without_the_store_behind_nginx() {
    the_site_goes_on_without_the_store(Site::nginx);
}

#[test]
#[ignore = "long: needs Caddy"]
fn clients_are_told_apart_by_their_true_address_behind_caddy() {
    clients_are_told_apart_by_their_true_address(Site::caddy);
}

#[test]
#[ignore = "long: needs nginx"]
fn clients_are_told_apart_by_their_true_address_behind_nginx() {
    clients_are_told_apart_by_their_true_address(Site::nginx);
}
