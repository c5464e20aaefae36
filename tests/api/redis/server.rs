//! A redis-server for tests, and a proxy that loses its replies.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::mail::SOON;
use crate::service::{free_port, signal};

/// A redis-server on a free port, which ends with this value.
pub(crate) struct RedisServer {
    folder: TempDir,
    pub(crate) port: u16,
    settings: Vec<String>,
    child: Child,
}

impl RedisServer {
    /// One with an append-only file.
    pub(crate) fn start() -> RedisServer {
        RedisServer::with(&["--appendonly", "yes"])
    }

    /// A cluster of one.
    pub(crate) fn cluster() -> RedisServer {
        let bus = free_port().to_string();
        let server = RedisServer::with(&[
            "--appendonly",
            "yes",
            "--cluster-enabled",
            "yes",
            "--cluster-announce-ip",
            "127.0.0.1",
            "--cluster-port",
            &bus,
        ]);
        server.say::<()>(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
        let begun = Instant::now();
        while !server.say::<String>(&["CLUSTER", "INFO"]).contains("cluster_state:ok") {
            assert!(begun.elapsed() < SOON, "the cluster does not start");
            thread::sleep(Duration::from_millis(20));
        }
        server
    }

    /// One with further settings.
    pub(crate) fn with(settings: &[&str]) -> RedisServer {
        let folder = tempfile::tempdir().expect("a folder");
        let settings: Vec<String> = settings.iter().map(|&word| word.to_owned()).collect();
        for _ in 0..10 {
            let port = free_port();
            // another test may have taken the port meanwhile: then the child ends by itself
            if let Some(child) = serve(&folder, port, &settings) {
                return RedisServer { folder, port, settings, child };
            }
        }
        panic!("redis-server does not start: is it installed?");
    }

    /// Makes it a replica of another one, and waits until it has all of its data.
    pub(crate) fn follow(&self, primary: &RedisServer) {
        primary.say::<()>(&["CONFIG", "SET", "repl-diskless-sync-delay", "0"]);
        self.say::<()>(&["REPLICAOF", "127.0.0.1", &primary.port.to_string()]);
        let begun = Instant::now();
        while !self.say::<String>(&["INFO", "replication"]).contains("master_link_status:up") {
            assert!(begun.elapsed() < SOON, "the replica does not attach");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Makes it a primary with the data that it has.
    pub(crate) fn promote(&self) {
        self.say::<()>(&["REPLICAOF", "NO", "ONE"]);
    }

    /// Kills it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }

    /// Starts it again with its files.
    pub(crate) fn restart(&mut self) {
        self.child = serve(&self.folder, self.port, &self.settings).expect("redis-server starts again");
    }

    /// Freezes it, or lets it go on.
    pub(crate) fn freeze(&self, frozen: bool) {
        signal(self.child.id(), if frozen { "-STOP" } else { "-CONT" });
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// The folder of its files.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Sends it a command.
    pub(crate) fn say<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        let client = redis::Client::open(self.url()).expect("a URL");
        let mut connection = client.get_connection().expect("a connection");
        let mut command = redis::cmd(words[0]);
        words[1..].iter().for_each(|word| {
            command.arg(word);
        });
        command.query(&mut connection).expect("answered")
    }

    /// Opens an account with an id of its own: none has leases without.
    pub(crate) fn opens(&self, account: &str) {
        let address = format!("{account}@b.c");
        let fields = ["email", &address, "plan", "pro", "created_at", "1000"];
        let key = format!("{{candango}}:account:{account}");
        self.say::<()>(&[&["HSET", &key], &fields[..]].concat());
    }

    /// The commands executed since `CONFIG RESETSTAT`, those in scripts included.
    pub(crate) fn commands(&self) -> Vec<(String, u64)> {
        let info: String = self.say(&["INFO", "commandstats"]);
        let calls = |line: &str| {
            let (name, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
            Some((name.to_owned(), rest.split_once(',')?.0.parse().ok()?))
        };
        // this connection itself
        let own = ["config|resetstat", "client|setinfo"];
        let all = info.lines().filter_map(calls);
        all.filter(|(name, _): &(String, u64)| !own.contains(&name.as_str())).collect()
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a redis-server and waits until it answers; `None` when it ends.
fn serve(folder: &TempDir, port: u16, settings: &[String]) -> Option<Child> {
    let mut child = Command::new("redis-server")
        .args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--enable-debug-command",
            "yes",
        ])
        .arg("--dir")
        .arg(folder.path())
        .args(settings)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("redis-server runs");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        if child.try_wait().expect("a child").is_some() {
            return None;
        }
        let answers = redis::Client::open(format!("redis://127.0.0.1:{port}/"))
            .and_then(|client| redis::cmd("PING").query::<String>(&mut client.get_connection()?));
        // one with a password answers too
        if answers.is_ok() || answers.is_err_and(|error| error.code() == Some("NOAUTH")) {
            return Some(child);
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    panic!("redis-server does not answer");
}

/// A proxy that can lose replies, as when a connection breaks after a command was executed.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    every: Arc<AtomicUsize>,
    until_lost: Arc<AtomicUsize>,
    port: Arc<AtomicU16>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    pub(crate) fn to(port: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let every = Arc::new(AtomicUsize::new(0));
        let until_lost = Arc::new(AtomicUsize::new(0));
        let lossy = Lossy { every: every.clone(), until_lost: until_lost.clone() };
        let port = Arc::new(AtomicU16::new(port));
        let open = Arc::new(Mutex::new(Vec::new()));
        let (target, streams) = (port.clone(), open.clone());
        // ends with the process
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let target = target.load(Ordering::SeqCst);
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                streams.lock().expect("a list").push(client.try_clone().expect("a stream"));
                let ends = (client.try_clone().expect("a stream"), server.try_clone().expect("a stream"));
                let lossy = lossy.clone();
                thread::spawn(move || pass(client, server, &Lossy::default()));
                thread::spawn(move || pass(ends.1, ends.0, &lossy));
            }
        });
        Proxy { address, every, until_lost, port, open }
    }

    /// Leads to another server from now on, as after a failover.
    pub(crate) fn lead_to(&self, port: u16) {
        self.port.store(port, Ordering::SeqCst);
        for stream in self.open.lock().expect("a list").drain(..) {
            // it may have closed already
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Loses one of so many replies from now on, and closes the connection with it; none when 0, every one when 1.
    pub(crate) fn lose_one_of(&self, replies: usize) {
        self.every.store(replies, Ordering::SeqCst);
    }

    /// Loses the reply that comes after so many, and closes the connection with it.
    pub(crate) fn lose_after(&self, replies: usize) {
        self.until_lost.store(replies + 1, Ordering::SeqCst);
    }

    /// Whether that reply is still to be lost.
    pub(crate) fn is_to_lose(&self) -> bool {
        self.until_lost.load(Ordering::SeqCst) > 0
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://{}/", self.address)
    }
}

/// Which replies are lost.
#[derive(Clone, Default)]
struct Lossy {
    every: Arc<AtomicUsize>,
    /// The place of the one that is lost, among those to come; 0 for none.
    until_lost: Arc<AtomicUsize>,
}

fn pass(mut from: TcpStream, mut to: TcpStream, lossy: &Lossy) {
    let mut piece = [0; 65_536];
    let mut passed = 0;
    while let Ok(count @ 1..) = from.read(&mut piece) {
        passed += 1;
        let every = lossy.every.load(Ordering::SeqCst);
        // the handshake of a new connection comes through, unless everything is lost
        let is_one_of = every == 1 || every > 0 && passed > 2 && rand::random_range(0..every) == 0;
        let count_down = |places: usize| places.checked_sub(1);
        let place = lossy.until_lost.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count_down);
        let lost = is_one_of || place == Ok(1);
        if lost || to.write_all(&piece[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
