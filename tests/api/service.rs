//! Runs the real binary as a child process on free ports with its own data folder, and speaks HTTP to it. Every wait is
//! bounded, and a child never outlives its test.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mail::{SOON, awaited};

/// The time limit of a start: a debug build on a busy machine is slow.
const START: Duration = Duration::from_secs(60);

/// The time limit of a read or a write.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// The program on the folder `data`, without the settings of this machine.
pub(crate) fn program(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_candango"));
    command.env_clear().env("CANDANGO_DATA", data).current_dir(data.parent().expect("a folder above"));
    command.stdin(Stdio::null());
    command
}

/// A free port, which no other call has returned. It is below those that the system gives to outgoing connections, of
/// which thousands are open here: none of them takes it before a server does.
pub(crate) fn free_port() -> u16 {
    static TURN: AtomicU32 = AtomicU32::new(0);
    const FIRST: u32 = 10_000;
    const COUNT: u32 = 20_000;
    loop {
        // test processes that run beside this one begin elsewhere
        let at = process::id().wrapping_mul(997).wrapping_add(TURN.fetch_add(1, Ordering::Relaxed)) % COUNT;
        let port = u16::try_from(FIRST + at).expect("a port");
        if TcpListener::bind(("0.0.0.0", port)).is_ok() {
            return port;
        }
    }
}

/// Sends a process a signal, such as `-STOP`.
pub(crate) fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status().expect("kill");
    assert!(sent.success());
}

/// Runs one command on `data`.
pub(crate) fn run(data: &Path, words: &[&str]) -> Output {
    program(data).args(words).output().expect("the program runs")
}

/// What a command printed; fails unless it exited with `code`.
pub(crate) fn printed(output: &Output, code: i32) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}{err}");
    out
}

/// The one line of JSON that a command printed; fails unless it exited with `code`.
pub(crate) fn printed_json(output: &Output, code: i32) -> Value {
    let text = printed(output, code);
    assert_eq!(text.lines().count(), 1, "one line: {text}");
    serde_json::from_str(&text).expect("JSON")
}

/// The file that a server logs to.
fn log_file(data: &Path) -> Stdio {
    std::fs::File::create(data.with_extension("log")).expect("a file").into()
}

/// A running server and its data folder.
pub(crate) struct Service {
    folder: Option<TempDir>,
    pub(crate) data: PathBuf,
    pub(crate) listen: SocketAddr,
    pub(crate) ops: SocketAddr,
    child: Child,
}

impl Drop for Service {
    fn drop(&mut self) {
        // it may have exited already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Service {
    /// Starts on a fresh data folder and waits until it is ready.
    pub(crate) fn start() -> Service {
        Service::start_with(&[])
    }

    /// The same, with further settings.
    pub(crate) fn start_with(settings: &[&str]) -> Service {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        let mut service = Service::start_on_with(&data, settings);
        service.folder = Some(folder);
        service
    }

    /// Starts for a static. That is never dropped, so a guard process kills the server when this process ends.
    pub(crate) fn start_static() -> Service {
        let service = Service::start();
        // the guard's standard input closes when this process ends, also by a crash
        let guard = Command::new("sh")
            .args(["-c", "cat >/dev/null; kill -9 \"$1\"; rm -rf \"$2\"", "guard"])
            .arg(service.child.id().to_string())
            .arg(service.data.parent().expect("a folder above"))
            .stdin(Stdio::piped())
            .spawn()
            .expect("a guard");
        std::mem::forget(guard);
        service
    }

    /// Starts on a data folder and waits until `/readyz` answers, whatever it says.
    pub(crate) fn start_unready(data: &Path) -> Service {
        Service::start_unready_under(data, &[], &[])
    }

    /// The same, with further settings and environment variables.
    pub(crate) fn start_unready_under(
        data: &Path,
        settings: &[&str],
        environment: &[(&str, &str)],
    ) -> Service {
        Service::start_until(data, settings, environment, |_| true, log_file)
    }

    /// Starts on a data folder with a depot in a bucket that cannot be reached.
    pub(crate) fn start_without_depot(data: &Path) -> Service {
        let endpoint = format!("http://127.0.0.1:{}", free_port());
        Service::start_unready_under(
            data,
            &["depot=s3://guides"],
            &[
                ("AWS_ENDPOINT", endpoint.as_str()),
                ("AWS_ALLOW_HTTP", "true"),
                ("AWS_ACCESS_KEY_ID", "a"),
                ("AWS_SECRET_ACCESS_KEY", "b"),
                ("AWS_REGION", "us-east-1"),
                ("AWS_TIMEOUT", "1 second"),
            ],
        )
    }

    /// Starts on a data folder, with a log that goes into a pipe which nobody reads, and waits until it is ready.
    pub(crate) fn start_with_unread_log(data: &Path, settings: &[&str]) -> Service {
        Service::start_until(data, settings, &[], |status| status == 200, |_| Stdio::piped())
    }

    /// Starts on a data folder and waits until it is ready.
    pub(crate) fn start_on(data: &Path) -> Service {
        Service::start_on_with(data, &[])
    }

    /// The same, with further settings.
    pub(crate) fn start_on_with(data: &Path, settings: &[&str]) -> Service {
        Service::start_under(data, settings, &[])
    }

    /// The same, with further settings and environment variables.
    pub(crate) fn start_under(data: &Path, settings: &[&str], environment: &[(&str, &str)]) -> Service {
        Service::start_until(data, settings, environment, |status| status == 200, log_file)
    }

    fn start_until(
        data: &Path,
        settings: &[&str],
        environment: &[(&str, &str)],
        is_up: fn(u16) -> bool,
        log: fn(&Path) -> Stdio,
    ) -> Service {
        // another program may take a port after it was found free and before the child binds it
        for _ in 0..5 {
            if let Some(service) = Service::try_start(data, settings, environment, is_up, log(data)) {
                return service;
            }
        }
        panic!("no start: {}", std::fs::read_to_string(data.with_extension("log")).unwrap_or_default());
    }

    fn try_start(
        data: &Path,
        settings: &[&str],
        environment: &[(&str, &str)],
        is_up: fn(u16) -> bool,
        log: Stdio,
    ) -> Option<Service> {
        let free = || SocketAddr::from(([127, 0, 0, 1], free_port()));
        let (listen, ops) = (free(), free());
        let child = program(data)
            .args(["--listen", &listen.to_string(), "--ops-listen", &ops.to_string()])
            .args(["--set", "plans.pro.per_minute=1000000", "--set", "plans.pro.per_month=100000000"])
            .args(["--set", "plans.free.per_minute=1000000", "--set", "plans.free.per_month=100000000"])
            .args(["--set", "preview.per_minute=1000000", "--set", "preview.per_day=1000000"])
            .args(["--set", "preview.per_minute_all=1000000", "--set", "browser_tokens.per_minute=1000000"])
            .args(["--set", "site_searches.per_minute=1000000", "--set", "site_searches.per_day=1000000"])
            .args(["--set", "site_searches.per_minute_all=1000000"])
            .args(["--set", "calendars.per_minute=1000000"])
            .args(["--set", "limits.workers=2"])
            .envs(environment.iter().copied())
            .args([
                "--set",
                "signup.per_ip_hour=1000000",
                "--set",
                "signup.per_ip_day=1000000",
                "--set",
                "signup.rotations_per_hour=1000000",
                "--set",
                "signup.owner_calls_per_minute=1000000",
            ])
            .args(settings.iter().flat_map(|setting| ["--set", setting]))
            .stdout(std::fs::File::create(data.with_extension("out")).expect("a file"))
            .stderr(log)
            .spawn()
            .expect("the program runs");
        let mut service = Service { folder: None, data: data.to_owned(), listen, ops, child };
        let started = Instant::now();
        while started.elapsed() < START {
            if service.child.try_wait().expect("a child").is_some() {
                return None;
            }
            // a process that ends may have accepted the connection and not answer
            let answer = try_exchange(ops, &request("GET", "/readyz", &[], b""));
            if answer.is_some_and(|answer| is_up(answer.status)) {
                return Some(service);
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("not ready: {}", service.log());
    }

    /// What it has logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.data.with_extension("log")).unwrap_or_default()
    }

    /// What it has logged, as soon as that contains these words: lines are written by a thread of their own, so an
    /// answer may come before them.
    pub(crate) fn logged(&self, words: &str) -> String {
        awaited(&format!("{words:?} in the log"), SOON, || {
            let log = self.log();
            log.contains(words).then_some(log)
        })
    }

    /// What it has printed.
    pub(crate) fn out(&self) -> String {
        std::fs::read_to_string(self.data.with_extension("out")).unwrap_or_default()
    }

    /// Kills it (SIGKILL) and keeps its data until the folder is dropped.
    pub(crate) fn kill(mut self) -> Option<TempDir> {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
        self.folder.take()
    }

    /// Kills it and keeps its data: the test removes the folder itself.
    pub(crate) fn leave(self) {
        if let Some(folder) = self.kill() {
            let _ = folder.keep();
        }
    }

    /// Sends its process a signal, such as `-STOP`.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.id(), name);
    }

    /// Whether its process has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_some()
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// A key on a plan, issued by the command line; returns once the server accepts it.
    pub(crate) fn key(&self, plan: &str) -> String {
        let issued =
            run(&self.data, &["key", "issue", "--email", &format!("{plan}@b.c"), "--plan", plan, "--json"]);
        let key = printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned();
        let started = Instant::now();
        while self.ask(&key, json!({"action": "summary"})).status != 200 {
            assert!(started.elapsed() < SOON, "the key is not known");
            thread::sleep(Duration::from_millis(50));
        }
        key
    }

    /// Posts to `/v1` with a key.
    pub(crate) fn ask(&self, key: &str, body: Value) -> Answer {
        self.post(&[("x-api-key", key), ("content-type", "application/json")], body.to_string().as_bytes())
    }

    /// Posts to `/v1` with a key; fails unless the status is 200.
    pub(crate) fn good(&self, key: &str, body: Value) -> Value {
        let request = body.to_string();
        let answer = self.ask(key, body);
        assert_eq!(answer.status, 200, "{request}: {}", answer.text());
        answer.json()
    }

    /// Posts JSON to a path.
    pub(crate) fn post_to(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
        let headers = [headers, &[("content-type", "application/json")]].concat();
        exchange(self.listen, &request("POST", path, &headers, body.to_string().as_bytes()))
    }

    /// The value of a metric; 0 when there is none.
    pub(crate) fn counted(&self, name: &str) -> u64 {
        let text = get(self.ops, "/metrics").text();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.map_or(0, |number| number.parse().expect("a number"))
    }

    /// Posts to `/v1` with exactly these headers besides the length.
    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        exchange(self.listen, &request("POST", "/v1", headers, body))
    }

    /// The body of `/readyz`.
    pub(crate) fn readiness(&self) -> Value {
        get(self.ops, "/readyz").json()
    }

    /// Waits until snapshot `serial` is live; returns how long that took.
    pub(crate) fn serves(&self, serial: u64) -> Duration {
        let started = Instant::now();
        while self.readiness()["snapshot"]["serial"] != serial {
            assert!(
                started.elapsed() < START,
                "serial {serial} is not in service: {}\n{}",
                self.readiness(),
                self.log()
            );
            thread::sleep(Duration::from_millis(10));
        }
        started.elapsed()
    }
}

/// A server on the demo, with keys, shared by all tests that change nothing.
pub(crate) struct Shared {
    pub(crate) service: Service,
    pub(crate) pro: String,
    pub(crate) free: String,
}

/// The shared server.
pub(crate) fn shared() -> &'static Shared {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    SHARED.get_or_init(|| {
        let service = Service::start_static();
        let (pro, free) = (service.key("pro"), service.key("free"));
        Shared { service, pro, free }
    })
}

/// An HTTP response.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    /// The body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// The bytes of a request. Adds a content-length unless the headers have one.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    let sized =
        |name: &str| ["content-length", "transfer-encoding"].contains(&name.to_ascii_lowercase().as_str());
    if !headers.iter().any(|(name, _)| sized(name)) && (method != "GET" || !body.is_empty()) {
        head += &format!("content-length: {}\r\n", body.len());
    }
    [head.as_bytes(), b"\r\n", body].concat()
}

/// Gets a path.
pub(crate) fn get(address: SocketAddr, path: &str) -> Answer {
    exchange(address, &request("GET", path, &[], b""))
}

/// Opens a connection with time-outs.
pub(crate) fn open(address: SocketAddr) -> TcpStream {
    try_open(address).expect("a connection")
}

fn try_open(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(TIME_LIMIT))?;
    stream.set_write_timeout(Some(TIME_LIMIT))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Sends bytes on a new connection and reads one response.
pub(crate) fn exchange(address: SocketAddr, bytes: &[u8]) -> Answer {
    let started = Instant::now();
    try_exchange(address, bytes).unwrap_or_else(|| {
        panic!("no answer within {:?} to {}", started.elapsed(), String::from_utf8_lossy(bytes))
    })
}

/// The same; none when there is no connection, or no whole answer.
fn try_exchange(address: SocketAddr, bytes: &[u8]) -> Option<Answer> {
    let mut stream = try_open(address).ok()?;
    // a server that refuses early may close before everything is sent; its response still arrives
    let _ = stream.write_all(bytes);
    let without_body = bytes.starts_with(b"HEAD ");
    read(&mut stream, without_body)
}

/// Reads one response; none when the connection closes before it is complete.
pub(crate) fn read(stream: &mut TcpStream, without_body: bool) -> Option<Answer> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
            _ => return None,
        }
    };
    let mut body = bytes.split_off(end);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let mut answer = Answer { status, head, body: Vec::new() };
    let length = if without_body {
        0
    } else {
        answer.header("content-length").map_or(0, |text| text.parse().expect("a length"))
    };
    while body.len() < length {
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => body.extend_from_slice(&piece[..count]),
            _ => return None,
        }
    }
    answer.body = body;
    Some(answer)
}

/// The ids of the records in an answer.
pub(crate) fn ids(answer: &Value) -> Vec<String> {
    let list = answer["places"].as_array().or(answer["events"].as_array()).expect("records");
    list.iter().map(|record| record["id"].as_str().expect("an id").to_owned()).collect()
}

/// A snapshot folder: a copy of the demo.
pub(crate) fn demo_copy(to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots/demo");
    for file in std::fs::read_dir(demo).expect("the demo") {
        let file = file.expect("a file");
        std::fs::copy(file.path(), to.join(file.file_name())).expect("copied");
    }
}

/// Changes a list in a file of a snapshot folder.
pub(crate) fn edit(folder: &Path, file: &str, change: impl FnOnce(&mut Vec<Value>)) {
    let path = folder.join(file);
    let mut list: Vec<Value> =
        serde_json::from_slice(&std::fs::read(&path).expect("a file")).expect("a list");
    change(&mut list);
    std::fs::write(path, serde_json::to_vec(&list).expect("JSON")).expect("written");
}
