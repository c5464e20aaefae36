//! Mails arrive whatever the mail server does meanwhile, and no secret is stored on the way. The server is a real one
//! (aiosmtpd, in `smtpd.py` beside this file) that fails, stalls or hangs up on command.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::{Answer, Service, free_port, get, printed, printed_json, run};

/// How long a mail that needs a second attempt may take: a time-out, a wait, half a minute for which it is left to a
/// server that has ended, and a slow machine.
const SECOND_ATTEMPT: Duration = Duration::from_secs(90);

/// A mail, parsed as far as tests need it.
#[derive(Debug, Clone)]
pub(crate) struct Mail {
    pub(crate) head: String,
    /// Both forms and both languages, decoded.
    pub(crate) body: String,
}

impl Mail {
    pub(crate) fn read(path: &Path) -> Mail {
        let raw = String::from_utf8(std::fs::read(path).expect("a mail")).expect("ASCII");
        let raw = raw.replace("\r\n", "\n");
        let (head, body) = raw.split_once("\n\n").expect("a head and a body");
        Mail { head: head.replace("\n ", " "), body: decoded(body) }
    }

    /// A header.
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

/// Decodes quoted-printable.
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

/// The mails in a folder, in the order of their names.
pub(crate) fn mails(folder: &Path) -> Vec<Mail> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "eml"));
    paths.sort();
    paths.iter().map(|path| Mail::read(path)).collect()
}

/// How long a test waits for what comes at once on a machine that does nothing else.
pub(crate) const SOON: Duration = Duration::from_secs(120);

/// Waits for something; panics after a time-out.
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

/// Has whoever searches an outbox wait, until what this returns is dropped.
pub(crate) fn held_search(outbox: &Path) -> HeldSearch {
    let path = outbox.join("held.eml");
    let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo");
    assert!(made.success());
    let (begun, file) = mpsc::channel();
    let name = path.clone();
    // that waits for a reader
    thread::spawn(move || begun.send(File::options().write(true).open(name)));
    HeldSearch { path, file }
}

/// A search of an outbox that has perhaps not begun.
pub(crate) struct HeldSearch {
    path: PathBuf,
    file: mpsc::Receiver<io::Result<File>>,
}

impl HeldSearch {
    /// Waits until somebody searches, who goes on when the file is dropped.
    pub(crate) fn begun(&self) -> File {
        let file = self.file.recv_timeout(SOON).expect("a search").expect("a pipe");
        std::fs::remove_file(&self.path).expect("removed");
        file
    }
}

/// What happened within one minute of the clock, by which the limits of minutes count: run again when the minute
/// ended meanwhile.
pub(crate) fn within_a_minute<T>(mut run: impl FnMut() -> T) -> T {
    let minute = || SystemTime::UNIX_EPOCH.elapsed().expect("a clock after 1970").as_secs() / 60;
    loop {
        let begun = minute();
        let outcome = run();
        if minute() == begun {
            return outcome;
        }
    }
}

/// A counter or gauge on the ops port.
pub(crate) fn metric(ops: SocketAddr, name: &str) -> u64 {
    let text = get(ops, "/metrics").text();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map_or(0, |number| number.parse().expect("a number"))
}

/// Waits until the mailer has nothing to do: of two further idle rounds the second began after now.
pub(crate) fn mailer_is_idle(ops: SocketAddr) {
    let rounds = || metric(ops, "candango_mail_idle_rounds_total");
    let before = rounds();
    awaited("two idle rounds of the mailer", SECOND_ATTEMPT, || (rounds() >= before + 2).then_some(()));
}

/// The mails to an address in the outbox of a service, once there are `count`.
pub(crate) fn outbox(service: &Service, to: &str, count: usize) -> Vec<Mail> {
    awaited(&format!("{count} mails to {to}"), SOON, || {
        let mut found = mails(&service.data.join("outbox"));
        found.retain(|mail| mail.header("To") == to);
        (found.len() >= count).then_some(found)
    })
}

/// Signs an address up.
pub(crate) fn sign_up(service: &Service, email: &str) -> Answer {
    service.post_to("/v1/signup", &[], &json!({"email": email}))
}

/// Signs an address up; returns the key from the mail.
pub(crate) fn signed_up(service: &Service, email: &str) -> String {
    assert_eq!(sign_up(service, email).status, 200);
    outbox(service, email, 1)[0].key().expect("a key")
}

/// A mail server, and the folder for the mails that it accepts.
pub(crate) struct MailServer {
    child: Child,
    folder: TempDir,
    port: u16,
}

impl Drop for MailServer {
    fn drop(&mut self) {
        // it may have ended already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl MailServer {
    fn start(mood: &str) -> MailServer {
        MailServer::start_at(0, mood, &[])
    }

    pub(crate) fn start_at(port: u16, mood: &str, words: &[&str]) -> MailServer {
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
        // renamed, so that it is never read half written
        let half = self.folder.path().join(".mood");
        std::fs::write(&half, mood).expect("written");
        std::fs::rename(half, self.folder.path().join("mood")).expect("renamed");
    }

    fn setting(&self) -> String {
        format!("mail=smtp://127.0.0.1:{}", self.port)
    }

    /// How many recipients it was given.
    fn recipients(&self) -> usize {
        let lines = std::fs::read_to_string(self.folder.path().join("recipients"));
        lines.map_or(0, |lines| lines.lines().count())
    }

    /// The first `count` mails that it accepted.
    pub(crate) fn accepted(&self, count: usize) -> Vec<Mail> {
        awaited(&format!("{count} mails"), SECOND_ATTEMPT, || {
            let found = mails(self.folder.path());
            (found.len() >= count).then_some(found)
        })
    }
}

/// Whether a key works.
pub(crate) fn works(service: &Service, key: &str) -> bool {
    service.ask(key, json!({"action": "summary"})).status == 200
}

/// Signs up while the server fails in a way, and expects the mail once it accepts mails.
fn arrives_after(mood: &str) {
    let server = MailServer::start(mood);
    let service = Service::start_with(&[&server.setting()]);
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    awaited("a failure", SECOND_ATTEMPT, || {
        (service.counted("candango_mails_failed_total") > 0).then_some(())
    });
    assert!(server.recipients() > 0 || mood.starts_with("mail"));
    assert_eq!(service.counted("candango_mails_waiting"), 1);
    server.set("accept");
    let mail = server.accepted(1).remove(0);
    assert_eq!(mail.header("To"), "maria@x.example");
    assert!(works(&service, &mail.key().expect("a key")));
    awaited("no pending mail", SOON, || (service.counted("candango_mails_waiting") == 0).then_some(()));
    assert_eq!(service.counted("candango_mails_sent_total"), 1);
    assert_eq!(service.counted("candango_mails_given_up_total"), 0);
    assert!(!service.log().contains("maria"), "{}", service.log());
}

#[test]
fn a_mail_arrives_after_a_temporary_refusal_of_its_recipient() {
    arrives_after("rcpt 451");
}

#[test]
fn a_mail_arrives_after_a_permanent_refusal_of_its_sender() {
    arrives_after("mail 550");
}

#[test]
fn a_mail_arrives_after_a_permanent_refusal_of_its_message() {
    arrives_after("data 554");
}

#[test]
fn a_mail_arrives_after_a_quota_of_the_sender_was_exceeded() {
    arrives_after("rcpt 550 5.4.5");
}

#[test]
fn a_mail_arrives_after_a_filter_refused_its_message() {
    arrives_after("data 550 5.7.1");
}

#[test]
fn a_mail_arrives_after_the_server_hung_up() {
    arrives_after("drop");
}

#[test]
fn a_mail_arrives_after_the_server_did_not_answer() {
    arrives_after("stall");
}

#[test]
fn a_mail_server_that_stalls_delays_no_request() {
    let server = MailServer::start("stall");
    let service = Service::start_with(&[&server.setting()]);
    for number in 0..12 {
        let begun = Instant::now();
        assert_eq!(sign_up(&service, &format!("a{number}@x.example")).status, 200);
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    }
    awaited("a try", SOON, || (server.recipients() >= 4).then_some(()));
    assert!(server.recipients() <= 4, "no more than four at once");
}

#[test]
fn a_mail_to_an_unknown_mailbox_is_abandoned_at_once() {
    is_abandoned_after("rcpt 550");
}

#[test]
fn a_mail_to_a_mailbox_that_was_closed_is_abandoned_at_once() {
    is_abandoned_after("data 550 5.2.1");
}

fn is_abandoned_after(mood: &str) {
    let server = MailServer::start(mood);
    let service = Service::start_with(&[&server.setting()]);
    assert_eq!(sign_up(&service, "nobody@x.example").status, 200);
    awaited("the end", SOON, || (service.counted("candango_mails_given_up_total") == 1).then_some(()));
    awaited("no pending mail", SOON, || (service.counted("candango_mails_waiting") == 0).then_some(()));
    assert_eq!((server.recipients(), service.counted("candango_mails_failed_total")), (1, 1), "tried once");
    // the server's words contain the address: none of them is logged
    let log = service.logged("550");
    assert!(!log.contains("nobody"), "{log}");
}

#[test]
fn a_mail_whose_receipt_was_lost_comes_again_with_the_same_key_and_id() {
    let server = MailServer::start("swallow");
    let service = Service::start_with(&[&server.setting()]);
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    let first = server.accepted(1).remove(0);
    assert!(works(&service, &first.key().expect("a key")));
    server.set("accept");
    let again = server.accepted(2).remove(1);
    assert_eq!(again.key(), first.key());
    assert_eq!(again.header("Message-ID"), first.header("Message-ID"));
}

#[test]
fn a_queued_mail_survives_a_kill_and_a_server_that_is_down() {
    let port = free_port();
    let setting = format!("mail=smtp://127.0.0.1:{port}");
    let service = Service::start_with(&[&setting]);
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    awaited("a failure", SECOND_ATTEMPT, || {
        (service.counted("candango_mails_failed_total") > 0).then_some(())
    });
    let data = service.data.clone();
    let _folder = service.kill();
    let server = MailServer::start_at(port, "accept", &[]);
    let service = Service::start_on_with(&data, &[&setting]);
    let mail = server.accepted(1).remove(0);
    assert!(works(&service, &mail.key().expect("a key")));
}

#[test]
fn a_rotation_mail_says_when_its_key_is_lost_with_the_process() {
    let port = free_port();
    let setting = format!("mail=smtp://127.0.0.1:{port}");
    let service = Service::start_with(&[&setting]);
    let old = service.key("pro");
    let new = service.post_to("/v1/keys/rotate", &[("x-api-key", &old)], &json!({})).json();
    let new = new["api_key"].as_str().expect("a key").to_owned();
    awaited("a failure", SECOND_ATTEMPT, || {
        (service.counted("candango_mails_failed_total") > 0).then_some(())
    });
    let data = service.data.clone();
    let _folder = service.kill();
    let server = MailServer::start_at(port, "accept", &[]);
    let service = Service::start_on_with(&data, &[&setting]);
    let mail = server.accepted(1).remove(0);
    assert_eq!((mail.header("To"), mail.key()), ("pro@b.c", None));
    assert!(mail.body.contains("/v1/keys/recover") && !mail.body.contains("cdg_live_"), "{}", mail.body);
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
fn no_secret_is_stored_when_mail_leaves_by_a_server() {
    let server = MailServer::start("accept");
    let service = Service::start_with(&[&server.setting(), "log=trace"]);
    // a welcome, a rotation, a code that is used, and one that is not
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    let first = server.accepted(1)[0].key().expect("a key");
    let rotated = service.post_to("/v1/keys/rotate", &[("x-api-key", &first)], &json!({})).json();
    let second = rotated["api_key"].as_str().expect("a key").to_owned();
    assert_eq!(server.accepted(2)[1].key().as_ref(), Some(&second));
    let recover = || service.post_to("/v1/keys/recover", &[], &json!({"email": "maria@x.example"}));
    assert_eq!(recover().status, 200);
    let code = server.accepted(3)[2].code().expect("a code");
    let confirm = json!({"email": "maria@x.example", "code": code});
    let third: Value = service.post_to("/v1/keys/recover/confirm", &[], &confirm).json();
    let third = third["api_key"].as_str().expect("a key").to_owned();
    assert_eq!(server.accepted(4)[3].key().as_ref(), Some(&third));
    assert_eq!(recover().status, 200);
    let waiting = server.accepted(5)[4].code().expect("a code");
    assert!(works(&service, &third) && !works(&service, &second) && !works(&service, &first));

    assert!(!service.data.join("outbox").exists(), "an outbox that is not configured");
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

/// A self-signed certificate and its key, if openssl is installed.
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
fn a_server_that_requires_encryption_and_a_password_gets_both() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some([certificate, key]) = certificate(folder.path()) else { return };
    let words = ["--starttls", &certificate, &key, "--password", "guia@x.example:p:w/+"];
    let server = MailServer::start_at(0, "accept", &words);
    let mail = format!("mail=smtp://guia%40x.example:p%3Aw%2F+@localhost:{}", server.port);
    let service = Service::start_with(&[&mail]);
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    assert!(server.accepted(1)[0].key().is_some());
    assert!(!service.log().contains("p:w/+"));
}

#[test]
fn a_self_signed_certificate_gets_no_mail_over_smtps() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some([certificate, key]) = certificate(folder.path()) else { return };
    let server = MailServer::start_at(0, "accept", &["--tls", &certificate, &key]);
    let service = Service::start_with(&[&format!("mail=smtps://localhost:{}", server.port)]);
    assert_eq!(sign_up(&service, "maria@x.example").status, 200);
    awaited("a failure", SECOND_ATTEMPT, || {
        (service.counted("candango_mails_failed_total") > 0).then_some(())
    });
    assert_eq!(server.recipients(), 0);
}

#[test]
fn a_test_mail_shows_whether_the_mail_server_accepts_it() {
    let server = MailServer::start("accept");
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let test = |setting: &str, more: &[&str]| {
        run(&data, &[&["mail", "test", "--to", "maria@x.example", "--set", setting][..], more].concat())
    };
    let said = printed(&test(&server.setting(), &[]), 0);
    assert!(said.contains("accepted the test mail to maria@x.example"), "{said}");
    assert_eq!(printed_json(&test(&server.setting(), &["--json"]), 0)["sent"], true);
    let mail = server.accepted(2).remove(0);
    assert_eq!(mail.header("To"), "maria@x.example");
    assert!(mail.body.contains("e-mail de teste") && mail.body.contains("test mail"), "{}", mail.body);

    server.set("rcpt 550");
    let refused = test(&server.setting(), &[]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{error}");
    assert!(error.contains("550") && error.contains("as I was told"), "the server's own words: {error}");
    let refused = printed_json(&test(&server.setting(), &["--json"]), 1);
    assert_eq!(refused["sent"], false);
    assert!(refused["error"].as_str().is_some_and(|error| error.contains("as I was told")), "{refused}");

    let down = test(&format!("mail=smtp://127.0.0.1:{}", free_port()), &[]);
    let error = String::from_utf8_lossy(&down.stderr).into_owned();
    assert!(down.status.code() == Some(1) && error.contains("cannot be reached"), "{error}");
    assert_eq!(test("mail=none", &[]).status.code(), Some(1));
    let outbox = test(&format!("mail=outbox:{}", data.display()), &[]);
    assert_eq!(outbox.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&outbox.stderr).contains("nothing was sent"));
    assert_eq!(mails(&data).len(), 1);
}

#[test]
fn an_invalid_sender_is_refused_at_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let output = crate::service::run(&data, &["config", "--set", "mail_from=Guia"]);
    assert!(!output.status.success());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("mail_from") && errors.contains("guide@example.com"), "{errors}");
}

#[test]
fn a_service_that_is_stopped_and_started_sends_every_mail_once() {
    let server = MailServer::start("accept");
    let service = Service::start_with(&[&server.setting()]);
    let addresses: Vec<String> = (0..12).map(|number| format!("a{number}@x.example")).collect();
    for email in &addresses {
        assert_eq!(sign_up(&service, email).status, 200);
    }
    service.signal("-TERM");
    // the ops port closes last
    awaited("the end", SOON, || std::net::TcpStream::connect(service.ops).err());
    let data = service.data.clone();
    let _folder = service.kill();
    let service = Service::start_on_with(&data, &[&server.setting()]);
    let taken = server.accepted(addresses.len());
    mailer_is_idle(service.ops);
    assert_eq!(server.recipients(), addresses.len(), "each once");
    for email in &addresses {
        let mail = taken.iter().find(|mail| mail.header("To") == email).expect("a mail");
        assert!(works(&service, &mail.key().expect("a key")), "{email}");
    }
}
