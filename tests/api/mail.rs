//! Letters: they arrive whatever the mail server does meanwhile, and nothing secret rests anywhere on the way. The
//! server is a real one (aiosmtpd, by `smtpd.py` beside this file) that fails, stalls and hangs up when told to.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::{Answer, Service, free_port};

/// How long a letter may take that has to be tried twice: a time-out, a wait, and a slow machine.
const TRIED_AGAIN: Duration = Duration::from_secs(60);

/// A letter, taken apart as far as tests look at it.
#[derive(Debug, Clone)]
pub(crate) struct Mail {
    pub(crate) head: String,
    /// Both forms and both languages, decoded.
    pub(crate) body: String,
}

impl Mail {
    pub(crate) fn read(path: &Path) -> Mail {
        let raw = String::from_utf8(std::fs::read(path).expect("a letter")).expect("ASCII");
        let raw = raw.replace("\r\n", "\n");
        let (head, body) = raw.split_once("\n\n").expect("a head and a body");
        Mail { head: head.replace("\n ", " "), body: decoded(body) }
    }

    /// A header of it.
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        found.unwrap_or_else(|| panic!("no {name} in {}", self.head))
    }

    /// The key in it.
    pub(crate) fn key(&self) -> Option<String> {
        let shown = self.body.lines().map(str::trim).find(|line| line.starts_with("cdg_live_"));
        shown.map(str::to_owned)
    }

    /// The recovery code in it.
    pub(crate) fn code(&self) -> Option<String> {
        let is_code = |line: &str| {
            line.len() == 14
                && line
                    .bytes()
                    .enumerate()
                    .all(|(at, byte)| if at % 5 == 4 { byte == b'-' } else { byte.is_ascii_alphanumeric() })
        };
        self.body.lines().map(str::trim).find(|line| is_code(line)).map(str::to_owned)
    }
}

/// Quoted-printable, read.
fn decoded(text: &str) -> String {
    let text = text.replace("=\n", "");
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = || u8::from_str_radix(std::str::from_utf8(after.get(..2)?).ok()?, 16).ok();
        match (byte, hex()) {
            (b'=', Some(meant)) => {
                bytes.push(meant);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The letters in a folder, in the order of their names.
pub(crate) fn letters(folder: &Path) -> Vec<Mail> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "eml"));
    paths.sort();
    paths.iter().map(|path| Mail::read(path)).collect()
}

/// Waits for something; panics when it does not come.
pub(crate) fn awaited<T>(what: &str, most: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < most, "{what} did not come");
        thread::sleep(Duration::from_millis(50));
    }
}

/// The letters to an address that a service has laid in its outbox, once there are `count`.
pub(crate) fn outbox(service: &Service, to: &str, count: usize) -> Vec<Mail> {
    awaited(&format!("{count} letters to {to}"), Duration::from_secs(20), || {
        let mut found = letters(&service.data.join("outbox"));
        found.retain(|letter| letter.header("To") == to);
        (found.len() >= count).then_some(found)
    })
}

/// Signs an address up.
pub(crate) fn sign_up(service: &Service, email: &str) -> Answer {
    service.post_to("/v1/signup", &[], &json!({"email": email}))
}

/// Signs an address up; its key, from the letter.
pub(crate) fn signed_up(service: &Service, email: &str) -> String {
    assert_eq!(sign_up(service, email).status, 200);
    outbox(service, email, 1)[0].key().expect("a key")
}

/// A mail server, and the folder where it puts what it takes.
struct MailServer {
    child: Child,
    folder: TempDir,
    port: u16,
}

impl Drop for MailServer {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl MailServer {
    fn start(mood: &str) -> MailServer {
        MailServer::start_at(0, mood, &[])
    }

    fn start_at(port: u16, mood: &str, words: &[&str]) -> MailServer {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("mood"), mood).expect("written");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api/smtpd.py");
        let mut child = Command::new("python3")
            .arg(script)
            .arg(folder.path())
            .arg(port.to_string())
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let port = line.trim().parse().expect("a port: is aiosmtpd installed? pip install aiosmtpd");
        MailServer { child, folder, port }
    }

    fn set(&self, mood: &str) {
        // renamed into place, so that it is never read half written
        let half = self.folder.path().join(".mood");
        std::fs::write(&half, mood).expect("written");
        std::fs::rename(half, self.folder.path().join("mood")).expect("renamed");
    }

    fn setting(&self) -> String {
        format!("mail=smtp://127.0.0.1:{}", self.port)
    }

    /// How many readers it was told of.
    fn told(&self) -> usize {
        std::fs::read_to_string(self.folder.path().join("told")).map_or(0, |told| told.lines().count())
    }

    /// The first `count` letters that it took.
    fn taken(&self, count: usize) -> Vec<Mail> {
        awaited(&format!("{count} letters"), TRIED_AGAIN, || {
            let found = letters(self.folder.path());
            (found.len() >= count).then_some(found)
        })
    }
}

/// A key works.
fn works(service: &Service, key: &str) -> bool {
    service.ask(key, json!({"action": "summary"})).status == 200
}

/// Signs up with a server in a mood, and expects the letter once it has changed.
fn arrives_after(mood: &str) {
    let server = MailServer::start(mood);
    let service = Service::start_with(&[&server.setting()]);
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    awaited("a failure", TRIED_AGAIN, || {
        (service.counted("candango_letters_failed_total") > 0).then_some(())
    });
    assert!(server.told() > 0 || mood.starts_with("mail"));
    assert_eq!(service.counted("candango_letters_waiting"), 1);
    server.set("accept");
    let letter = server.taken(1).remove(0);
    assert_eq!(letter.header("To"), "maria@x.example");
    assert!(works(&service, &letter.key().expect("a key")));
    awaited("an empty desk", Duration::from_secs(5), || {
        (service.counted("candango_letters_waiting") == 0).then_some(())
    });
    assert_eq!(service.counted("candango_letters_sent_total"), 1);
    assert_eq!(service.counted("candango_letters_given_up_total"), 0);
    assert!(!service.log().contains("maria"), "{}", service.log());
}

#[test]
fn a_letter_arrives_after_the_server_had_no_time_for_its_reader() {
    arrives_after("rcpt 451");
}

#[test]
fn a_letter_arrives_after_the_server_refused_its_sender_for_good() {
    arrives_after("mail 550");
}

#[test]
fn a_letter_arrives_after_the_server_refused_it_for_good() {
    arrives_after("data 554");
}

#[test]
fn a_letter_arrives_after_the_server_hung_up() {
    arrives_after("drop");
}

#[test]
fn a_letter_arrives_after_the_server_never_answered() {
    arrives_after("stall");
}

#[test]
fn a_server_that_stalls_delays_no_request() {
    let server = MailServer::start("stall");
    let service = Service::start_with(&[&server.setting()]);
    for number in 0..12 {
        let begun = Instant::now();
        assert_eq!(sign_up(&service, &format!("a{number}@x.example")).status, 200);
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    }
    awaited("a try", Duration::from_secs(10), || (server.told() >= 4).then_some(()));
    assert!(server.told() <= 4, "no more than four at once");
}

#[test]
fn a_letter_to_nobody_is_given_up_at_once() {
    let server = MailServer::start("rcpt 550");
    let service = Service::start_with(&[&server.setting()]);
    assert_eq!(sign_up(&service, "nobody@x.example").status, 200);
    awaited("the end", Duration::from_secs(20), || {
        (service.counted("candango_letters_given_up_total") == 1).then_some(())
    });
    awaited("an empty desk", Duration::from_secs(5), || {
        (service.counted("candango_letters_waiting") == 0).then_some(())
    });
    assert_eq!((server.told(), service.counted("candango_letters_failed_total")), (1, 1), "tried once");
    // the server's words name the reader: none of them is repeated
    assert!(!service.log().contains("nobody") && service.log().contains("550"), "{}", service.log());
}

#[test]
fn a_letter_whose_receipt_was_lost_comes_again_with_the_same_key_and_name() {
    let server = MailServer::start("swallow");
    let service = Service::start_with(&[&server.setting()]);
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    let first = server.taken(1).remove(0);
    assert!(works(&service, &first.key().expect("a key")));
    server.set("accept");
    let again = server.taken(2).remove(1);
    assert_eq!(again.key(), first.key());
    assert_eq!(again.header("Message-ID"), first.header("Message-ID"));
}

#[test]
fn a_letter_that_waits_survives_a_kill_and_a_server_that_is_down() {
    let port = free_port();
    let setting = format!("mail=smtp://127.0.0.1:{port}");
    let service = Service::start_with(&[&setting]);
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    awaited("a failure", TRIED_AGAIN, || {
        (service.counted("candango_letters_failed_total") > 0).then_some(())
    });
    let data = service.data.clone();
    let _folder = service.kill();
    let server = MailServer::start_at(port, "accept", &[]);
    let service = Service::start_on_with(&data, &[&setting]);
    let letter = server.taken(1).remove(0);
    assert!(works(&service, &letter.key().expect("a key")));
}

#[test]
fn a_letter_about_a_rotation_says_so_when_the_key_is_gone_with_the_process() {
    let port = free_port();
    let setting = format!("mail=smtp://127.0.0.1:{port}");
    let service = Service::start_with(&[&setting]);
    let old = service.key("pro");
    let new = service.post_to("/v1/keys/rotate", &[("x-api-key", &old)], &json!({})).json();
    let new = new["api_key"].as_str().expect("a key").to_owned();
    awaited("a failure", TRIED_AGAIN, || {
        (service.counted("candango_letters_failed_total") > 0).then_some(())
    });
    let data = service.data.clone();
    let _folder = service.kill();
    let server = MailServer::start_at(port, "accept", &[]);
    let service = Service::start_on_with(&data, &[&setting]);
    let letter = server.taken(1).remove(0);
    assert_eq!((letter.header("To"), letter.key()), ("pro@b.c", None));
    assert!(
        letter.body.contains("/v1/keys/recover") && !letter.body.contains("cdg_live_"),
        "{}",
        letter.body
    );
    assert!(works(&service, &new) && !works(&service, &old));
}

/// Every file below a folder.
pub(crate) fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else if let Ok(bytes) = std::fs::read(&path) {
            found.push((path.display().to_string(), bytes));
        }
    }
    found
}

#[test]
fn nothing_secret_rests_where_mail_leaves_by_a_server() {
    let server = MailServer::start("accept");
    let service = Service::start_with(&[&server.setting(), "log=trace"]);
    // a welcome, a rotation, a code and its use, and one code that waits
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    let first = server.taken(1)[0].key().expect("a key");
    let rotated = service.post_to("/v1/keys/rotate", &[("x-api-key", &first)], &json!({})).json();
    let second = rotated["api_key"].as_str().expect("a key").to_owned();
    assert_eq!(server.taken(2)[1].key().as_ref(), Some(&second));
    let recover = || service.post_to("/v1/keys/recover", &[], &json!({"email": "maria@x.example"}));
    assert_eq!(recover().status, 200);
    let code = server.taken(3)[2].code().expect("a code");
    let confirm = json!({"email": "maria@x.example", "code": code});
    let third: Value = service.post_to("/v1/keys/recover/confirm", &[], &confirm).json();
    let third = third["api_key"].as_str().expect("a key").to_owned();
    assert_eq!(server.taken(4)[3].key().as_ref(), Some(&third));
    assert_eq!(recover().status, 200);
    let waiting = server.taken(5)[4].code().expect("a code");
    assert!(works(&service, &third) && !works(&service, &second) && !works(&service, &first));

    assert!(!service.data.join("outbox").exists(), "an outbox nobody asked for");
    let mut files = contents(&service.data);
    files.push(("the log".to_owned(), service.log().into_bytes()));
    files.push(("the output".to_owned(), service.out().into_bytes()));
    let mut secrets = vec![code.replace('-', ""), code, waiting.replace('-', ""), waiting];
    secrets.extend([first, second, third].map(|key| key[9..].to_owned()));
    for (name, bytes) in &files {
        let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(!secrets.iter().any(|secret| has(secret)), "{name} holds a secret");
    }
    assert!(!service.log().contains("maria@"), "the log holds an address");
}

/// A certificate that nobody is_trusted for, and its key.
fn certificate(folder: &Path) -> Option<[String; 2]> {
    let [certificate, key] =
        ["cert.pem", "key.pem"].map(|name| folder.join(name).to_str().expect("a path").to_owned());
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost", "-keyout", &key, "-out", &certificate])
        .stderr(Stdio::null())
        .status();
    made.ok().filter(|status| status.success()).map(|_| [certificate, key])
}

#[test]
fn a_server_that_asks_for_encryption_and_a_password_gets_both() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some([certificate, key]) = certificate(folder.path()) else { return };
    let words = ["--starttls", &certificate, &key, "--password", "guia@x.example:p:w/+"];
    let server = MailServer::start_at(0, "accept", &words);
    let mail = format!("mail=smtp://guia%40x.example:p%3Aw%2F+@localhost:{}", server.port);
    let service = Service::start_with(&[&mail]);
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    assert!(server.taken(1)[0].key().is_some());
    assert!(!service.log().contains("p:w/+"));
}

#[test]
fn a_certificate_that_nobody_vouches_for_gets_no_letter_over_smtps() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some([certificate, key]) = certificate(folder.path()) else { return };
    let server = MailServer::start_at(0, "accept", &["--tls", &certificate, &key]);
    let service = Service::start_with(&[&format!("mail=smtps://localhost:{}", server.port)]);
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    awaited("a failure", TRIED_AGAIN, || {
        (service.counted("candango_letters_failed_total") > 0).then_some(())
    });
    assert_eq!(server.told(), 0);
}

#[test]
fn a_sender_that_is_no_address_is_refused_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let output = crate::service::run(&data, &["config", "--set", "mail_from=Guia"]);
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("mail_from") && told.contains("guide@example.com"), "{told}");
}

#[test]
fn a_service_that_stops_in_order_sends_every_letter_once() {
    let server = MailServer::start("accept");
    let service = Service::start_with(&[&server.setting()]);
    let addresses: Vec<String> = (0..12).map(|number| format!("a{number}@x.example")).collect();
    for email in &addresses {
        assert_eq!(sign_up(&service, email).status, 200);
    }
    let told = Command::new("kill").args(["-TERM", &service.id().to_string()]).status().expect("kill");
    assert!(told.success());
    // the operator's door is shut last
    awaited("the end", Duration::from_secs(20), || std::net::TcpStream::connect(service.ops).err());
    let data = service.data.clone();
    thread::sleep(Duration::from_millis(500));
    let _folder = service.kill();
    let service = Service::start_on_with(&data, &[&server.setting()]);
    let taken = server.taken(addresses.len());
    thread::sleep(Duration::from_secs(3));
    assert_eq!(server.told(), addresses.len(), "each once");
    for email in &addresses {
        let letter = taken.iter().find(|letter| letter.header("To") == email).expect("a letter");
        assert!(works(&service, &letter.key().expect("a key")), "{email}");
    }
}
