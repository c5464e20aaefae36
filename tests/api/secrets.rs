//! Secrets in files: variables with `_FILE`, credentials of systemd, and who may read them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use serde_json::json;

use crate::redis::RedisServer;
use crate::service::{Service, program};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A file with a mode.
fn file(path: &Path, content: &str, mode: u32) -> String {
    fs::write(path, content).expect("written");
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
    path.display().to_string()
}

/// The settings in effect under some variables.
fn configured(folder: &Path, environment: &[(&str, &str)]) -> Output {
    let mut command = program(&folder.join("data"));
    command.arg("config").envs(environment.iter().copied()).output().expect("it runs")
}

/// What is said of wrong variables.
fn refused(folder: &Path, environment: &[(&str, &str)]) -> String {
    let output = configured(folder, environment);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn each_secret_may_stand_in_a_file_that_a_variable_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let key = file(&at("key"), "k3y-secret\n", 0o600);
    let token = file(&at("token"), &format!("{TOKEN}\n"), 0o600);
    let mail = file(&at("mail"), "smtps://user:s3same@mail.example\n", 0o600);
    let store = file(&at("store"), "rediss://user:s3same@redis.example", 0o600);
    let output = configured(
        folder.path(),
        &[
            ("CANDANGO_PAYMENTS", "asaas"),
            ("CANDANGO_ASAAS__API_KEY_FILE", &key),
            ("CANDANGO_ASAAS__WEBHOOK_TOKEN_FILE", &token),
            ("CANDANGO_MAIL_FILE", &mail),
            ("CANDANGO_STORE_FILE", &store),
        ],
    );
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(
        shown.contains("api_key = \"hidden\"") && shown.contains("webhook_token = \"hidden\""),
        "{shown}"
    );
    assert!(shown.contains("smtps://user:hidden@mail.example"), "{shown}");
    assert!(shown.contains("rediss://user:hidden@redis.example"), "{shown}");
    assert!(!shown.contains("s3same") && !shown.contains("k3y"), "{shown}");
}

#[test]
fn credentials_of_systemd_have_the_names_of_their_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    let credentials = folder.path().join("credentials");
    fs::create_dir(&credentials).expect("a folder");
    file(&credentials.join("asaas.api_key"), "k", 0o400);
    file(&credentials.join("asaas.webhook_token"), TOKEN, 0o400);
    file(&credentials.join("tls.key"), "of somebody else", 0o400);
    let service = Service::start_under(
        &folder.path().join("data"),
        &["payments=asaas", "asaas.url=http://127.0.0.1:1"],
        &[("CREDENTIALS_DIRECTORY", &credentials.display().to_string())],
    );
    let send = |token: &str| {
        let event = json!({"id": "evt_1", "event": "PAYMENT_CREATED"});
        service.post_to("/webhooks/asaas", &[("asaas-access-token", token)], &event).status
    };
    assert_eq!((send(TOKEN), send("another")), (200, 401));
    assert!(!service.log().contains("everybody"), "{}", service.log());
}

#[test]
fn only_what_calls_the_gateway_needs_its_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let run = |words: &[&str]| {
        program(&data).args(words).env("CANDANGO_PAYMENTS", "asaas").output().expect("it runs")
    };
    let of_maria = |words: &[&str]| run(&[words, &["--email", "maria@x.example"]].concat());
    let backup = folder.path().join("backup.zst").display().to_string();
    for done in [
        of_maria(&["key", "issue"]),
        of_maria(&["account", "plan", "--plan", "pro"]),
        of_maria(&["account", "show"]),
        run(&["report"]),
        run(&["backup", &backup]),
        of_maria(&["account", "erase"]),
        of_maria(&["key", "issue"]),
    ] {
        assert!(done.status.success(), "{done:?}");
    }
    for refused in [run(&["serve"]), run(&["config"]), of_maria(&["account", "refund"])] {
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{said}");
        assert!(said.contains("asaas.api_key") && said.contains("CANDANGO_ASAAS__API_KEY_FILE"), "{said}");
    }
}

#[test]
fn a_secret_that_is_missing_empty_or_set_twice_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let missing = at("missing").display().to_string();
    let said = refused(folder.path(), &[("CANDANGO_ASAAS__API_KEY_FILE", &missing)]);
    assert!(said.contains("CANDANGO_ASAAS__API_KEY_FILE") && said.contains("missing"), "{said}");
    let empty = file(&at("empty"), "\n", 0o600);
    let said = refused(folder.path(), &[("CANDANGO_MAIL_FILE", &empty)]);
    assert!(said.contains("CANDANGO_MAIL_FILE") && said.contains("is empty"), "{said}");
    let several = file(&at("several"), "one\ntwo\n", 0o600);
    let said = refused(folder.path(), &[("CANDANGO_STORE_FILE", &several)]);
    assert!(said.contains("several lines") && !said.contains("two"), "{said}");
    // a part of a file would be another secret
    for content in ["x".repeat(16 * 1024 + 1), "é".repeat(9_000)] {
        let long = file(&at("long"), &content, 0o600);
        let said = refused(folder.path(), &[("CANDANGO_ASAAS__API_KEY_FILE", &long)]);
        assert!(
            said.contains("CANDANGO_ASAAS__API_KEY_FILE") && said.contains("longer than 16384"),
            "{said}"
        );
    }
    let most = file(&at("most"), &"x".repeat(16 * 1024), 0o600);
    assert!(configured(folder.path(), &[("CANDANGO_ASAAS__API_KEY_FILE", &most)]).status.success());
    let wrong = file(&at("wrong"), "s3same://u:s3same@x", 0o600);
    let said = refused(folder.path(), &[("CANDANGO_STORE_FILE", &wrong)]);
    assert!(said.contains("CANDANGO_STORE_FILE") && said.contains("sqlite:PATH"), "{said}");
    assert!(!said.contains("s3same"), "{said}");

    let key = file(&at("key"), "k", 0o600);
    let both = [("CANDANGO_ASAAS__API_KEY", "k"), ("CANDANGO_ASAAS__API_KEY_FILE", key.as_str())];
    let said = refused(folder.path(), &both);
    assert!(
        said.contains("CANDANGO_ASAAS__API_KEY_FILE") && said.contains("asaas.api_key is also set by"),
        "{said}"
    );
    let credentials = at("credentials");
    fs::create_dir(&credentials).expect("a folder");
    file(&credentials.join("asaas.api_key"), "k", 0o400);
    let directory = credentials.display().to_string();
    let both =
        [("CREDENTIALS_DIRECTORY", directory.as_str()), ("CANDANGO_ASAAS__API_KEY_FILE", key.as_str())];
    assert!(refused(folder.path(), &both).contains("is also set by"));
    // only secrets may stand in files
    let said = refused(folder.path(), &[("CANDANGO_LISTEN_FILE", &key)]);
    assert!(said.contains("CANDANGO_LISTEN_FILE"), "{said}");
}

#[test]
fn a_start_warns_of_secrets_that_everybody_may_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let mail = file(&folder.path().join("mail"), "smtp://u:p@127.0.0.1:9", 0o644);
    let settings = "asaas = { api_key = \"k\" }\n";
    file(&folder.path().join("candango.toml"), settings, 0o644);
    let data = folder.path().join("data");
    let service = Service::start_under(&data, &[], &[("CANDANGO_MAIL_FILE", &mail)]);
    // the settings are looked at before the snapshot
    let warnings = |log: &str| log.matches("everybody on this machine may read it").count();
    let log = service.logged("a snapshot went live");
    assert_eq!(warnings(&log), 2, "{log}");
    assert!(log.contains("candango.toml holds a secret"), "{log}");
    drop(service);

    file(&folder.path().join("mail"), "smtp://u:p@127.0.0.1:9", 0o640);
    // without a secret everybody may read it
    file(&folder.path().join("candango.toml"), "mail_from = \"a@b.c\"\n", 0o644);
    let service = Service::start_under(&data, &[], &[("CANDANGO_MAIL_FILE", &mail)]);
    let log = service.logged("a snapshot went live");
    assert_eq!(warnings(&log), 0, "{log}");
}

#[test]
fn a_secret_in_a_flag_is_warned_of() {
    let service = Service::start_with(&["mail=smtp://u:s3same@127.0.0.1:9"]);
    let log = service.logged("list of processes");
    assert!(log.contains("--set mail holds a secret") && !log.contains("s3same"), "{log}");
    // without a password it is none
    let service = Service::start_with(&["mail=smtp://127.0.0.1:9"]);
    let log = service.logged("a snapshot went live");
    assert!(!log.contains("list of processes"), "{log}");
}

#[test]
fn a_store_to_copy_may_be_named_by_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let redis = RedisServer::with(&["--requirepass", "s3same"]);
    let (data, at) = (folder.path().join("data"), |name: &str| folder.path().join(name));
    let run = |words: &[&str]| program(&data).args(words).output().expect("it runs");
    assert!(run(&["key", "issue", "--email", "maria@x.example"]).status.success());
    let sqlite = format!("sqlite:{}", data.join("candango.db").display());
    let url = format!("redis://:s3same@127.0.0.1:{}", redis.port);
    let named = file(&at("store"), &format!("{url}\n"), 0o600);
    let copied = run(&["store", "copy", "--from", &sqlite, "--to-file", &named]);
    let said = String::from_utf8_lossy(&copied.stderr).into_owned();
    assert!(copied.status.success() && !said.contains("warning"), "{copied:?}");
    // as a flag it is warned of
    let back = format!("sqlite:{}", at("back.db").display());
    let copied = run(&["store", "copy", "--from", &url, "--to", &back]);
    let said = String::from_utf8_lossy(&copied.stderr).into_owned();
    assert!(copied.status.success() && said.contains("--from-file"), "{copied:?}");
    assert!(!said.contains("s3same"), "{said}");
    for words in [&["--from", &sqlite][..], &["--from", &sqlite, "--to", &back, "--to-file", &named]] {
        assert_eq!(run(&[&["store", "copy"], words].concat()).status.code(), Some(2), "{words:?}");
    }
    let wrong = file(&at("wrong"), "s3same", 0o600);
    let refused = run(&["store", "copy", "--from", &sqlite, "--to-file", &wrong]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("--to-file: expected sqlite:PATH") && !said.contains("s3same"), "{said}");
}
