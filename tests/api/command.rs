//! The command line.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs the program in an empty folder, with `data` in it.
fn candango(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_candango"))
        .args(words)
        .current_dir(folder)
        .env_clear()
        .env("CANDANGO_DATA", folder.join("data"))
        .output()
        .expect("the program runs")
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.lines().count(), 1, "one line: {text}");
    serde_json::from_str(&text).expect("JSON")
}

fn stderr(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code));
    String::from_utf8(output.stderr.clone()).expect("text")
}

#[test]
fn a_key_is_issued_shown_and_revoked() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |words: &[&str]| candango(folder.path(), words);
    let issued = json(&run(&["key", "issue", "--email", "a@b.c", "--plan", "pro", "--json"]));
    assert_eq!(issued.as_object().expect("an object").len(), 3);
    assert_eq!(issued["plan"], "pro");
    let key = issued["api_key"].as_str().expect("a key");
    assert!(key.starts_with("cdg_live_") && key.len() == 47);

    let again = json(&run(&["key", "issue", "--email", "A@B.c", "--json"]));
    assert_eq!((&again["account"], &again["plan"]), (&issued["account"], &Value::from("pro")));
    let again = json(&run(&["key", "issue", "--email", "a@b.c", "--plan", "free", "--json"]));
    assert_eq!(again["plan"], "free", "the plan changes when it is given");

    let shown = json(&run(&["key", "show", "--email", "a@b.c", "--json"]));
    assert_eq!(shown["plan"], "free");
    assert_eq!(shown["keys"].as_array().map(Vec::len), Some(3));
    assert!(!shown.to_string().contains(&key[13..43]));

    assert_eq!(json(&run(&["key", "revoke", key, "--json"]))["revoked"], true);
    assert!(stderr(&run(&["key", "revoke", key]), 1).contains("revoked before"));
    let last4 = &again["api_key"].as_str().expect("a key")[43..];
    assert!(stderr(&run(&["key", "revoke", last4]), 1).contains("--email"));
    assert!(run(&["key", "revoke", last4, "--email", "a@b.c"]).status.success());
    let account = run(&["account", "show", "--email", "a@b.c"]);
    let told = String::from_utf8_lossy(&account.stdout).into_owned();
    assert!(told.contains("calls_this_month is as of the last reports"), "{told}");
    let text = run(&["key", "show", "--email", "a@b.c"]);
    assert_eq!(String::from_utf8_lossy(&text.stdout).matches("revoked").count(), 2);
}

#[test]
fn wrong_usage_exits_with_2_and_failure_with_1() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |words: &[&str]| candango(folder.path(), words);
    assert!(stderr(&run(&["key", "issue", "--plan", "gold", "--email", "a@b.c"]), 2).contains("gringo"));
    assert!(stderr(&run(&["config", "--set", "limits.nothing=1"]), 2).contains("nothing"));
    assert!(stderr(&run(&["config", "--config", "nowhere.toml"]), 2).contains("nowhere.toml"));
    for everybody in ["0.0.0.0/0", "::/0"] {
        let said = stderr(&run(&["config", "--set", &format!("trusted_proxies=10.0.0.1,{everybody}")]), 2);
        assert!(said.contains("trusted_proxies") && said.contains(everybody), "{said}");
    }
    assert!(stderr(&run(&["key", "issue", "--email", "nobody"]), 2).contains("e-mail"));
    assert!(stderr(&run(&["key", "show", "--email", "a@b.c"]), 1).contains("no account"));
    let redis = ["key", "show", "--email", "a@b.c", "--store", "redis://:s3same@127.0.0.1:1"];
    let error = stderr(&run(&redis), 1);
    assert!(error.contains("cannot be reached") && !error.contains("s3same"), "{error}");
}

#[test]
fn with_json_a_failure_is_json_too() {
    let folder = tempfile::tempdir().expect("a folder");
    for words in [&["key", "show", "--email", "a@b.c"][..], &["snapshot", "check", "nowhere"]] {
        let failed = candango(folder.path(), &[words, &["--json"]].concat());
        let said: Value = serde_json::from_slice(&failed.stdout).expect("JSON");
        assert_eq!(said["ok"], false);
        let error = said["error"].as_str().expect("a text");
        assert!(stderr(&failed, 1).ends_with(&format!("error: {error}\n")));
    }
}

#[test]
fn the_settings_in_effect_are_printed_without_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("candango.toml"), "mail = \"smtp://u:s3same@mail.example\"")
        .expect("a file");
    let output = candango(folder.path(), &["config", "--listen", "127.0.0.1:7"]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(
        text.contains("base_url = \"http://127.0.0.1:7\"") && text.contains("smtp://u:hidden@"),
        "{text}"
    );
    assert!(!text.contains("s3same"));
    let output = candango(folder.path(), &["config", "--base-url", "https://guia.example"]);
    let text = String::from_utf8(output.stdout.clone()).expect("text");
    assert!(text.contains("service_site = \"https://guia.example\""), "{text}");
    // with what a server would refuse and warn of
    let said = stderr(&output, 1);
    for line in
        ["error: mail_from: ", "error: payments: sandbox by default", "warning: contact_email is not set"]
    {
        assert_eq!(said.matches(line).count(), 1, "{line}: {said}");
    }
    let shown = candango(folder.path(), &["config", "--base-url", "https://guia.example", "--json"]);
    assert_eq!((shown.status.code(), String::from_utf8_lossy(&shown.stdout).lines().count()), (Some(1), 1));
    let slow = candango(folder.path(), &["config", "--set", "limits.trust_window_ms=16001"]);
    assert!(stderr(&slow, 0).contains("warning: limits.trust_window_ms, 16001"));
    std::fs::write(folder.path().join("a-file"), "").expect("written");
    let said = stderr(&candango(folder.path(), &["config", "--data", "a-file"]), 1);
    assert!(said.contains("error: data: a-file is a file"), "{said}");
    let shown = json(&candango(folder.path(), &["config", "--json"]));
    assert_eq!(shown["plans"]["pro"]["per_minute"], 300);
}

#[test]
fn a_test_mail_fails_when_no_mail_server_is_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let test = ["mail", "test", "--to", "maria@x.example"];
    let said = stderr(&candango(folder.path(), &test), 1);
    for word in ["nothing was sent", "mail is not set for this command", "data/outbox", "CANDANGO_MAIL_FILE"]
    {
        assert!(said.contains(word), "{word}: {said}");
    }
    let shown = candango(folder.path(), &[&test[..], &["--json"]].concat());
    assert_eq!(shown.status.code(), Some(1));
    let shown: Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    assert_eq!(shown["sent"], false);
}

#[test]
fn a_reader_that_is_gone_is_no_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = |words: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_candango"));
        program.args(words).current_dir(folder.path()).env_clear();
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        program.stdout(writer);
        program
    };
    for words in [&["config"][..], &["config", "--json"], &["completions", "bash"]] {
        let ended = program(words).stderr(std::process::Stdio::piped()).output().expect("the program runs");
        assert_eq!(
            (ended.status.code(), &*String::from_utf8_lossy(&ended.stderr)),
            (Some(0), ""),
            "{words:?}"
        );
    }
    // what failed fails, whoever reads it
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let failed = program(&["snapshot", "check", "nowhere"]).stderr(writer).status();
    assert_eq!(failed.expect("the program runs").code(), Some(1));
}

#[test]
fn a_token_is_for_pages_or_for_calendar_programs_and_the_error_names_both() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = stderr(&candango(folder.path(), &["token", "issue", "--email", "a@b.c"]), 2);
    assert!(told.contains("--origin") && told.contains("--calendar"), "{told}");
}

#[test]
fn the_version_names_the_commit_or_that_it_is_a_debug_build() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = String::from_utf8(candango(folder.path(), &["--version"]).stdout).expect("text");
    let start = format!("candango {} (", env!("CARGO_PKG_VERSION"));
    let built = said.strip_prefix(&start).and_then(|rest| rest.strip_suffix(")\n"));
    let is_commit = |text: &str| text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(
        built.is_some_and(|built| ["debug build", "unknown"].contains(&built) || is_commit(built)),
        "{said}"
    );
}

#[test]
fn completions_and_manual_name_every_command_and_need_no_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    // settings that no other command accepts
    std::fs::write(folder.path().join("candango.toml"), "no_such_setting = 1").expect("written");
    stderr(&candango(folder.path(), &["config"]), 2);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let printed = candango(folder.path(), &["completions", shell]);
        assert!(printed.status.success());
        let script = String::from_utf8(printed.stdout).expect("text");
        for word in ["candango", "snapshot", "publish", "completions", "ops-listen"] {
            assert!(script.contains(word), "{shell} has no {word}");
        }
    }
    let said = stderr(&candango(folder.path(), &["completions", "cmd"]), 2);
    assert!(said.contains("bash") && said.contains("zsh"), "{said}");

    let pages = folder.path().join("share/man1");
    let path = pages.to_str().expect("text");
    assert!(candango(folder.path(), &["manual", path]).status.success());
    for page in ["candango", "candango-serve", "candango-snapshot-publish", "candango-backup"] {
        let text = std::fs::read_to_string(pages.join(format!("{page}.1"))).expect("a page");
        assert!(text.contains(".SH SYNOPSIS") && text.contains("candango "), "{page}: {text}");
    }
    let file = pages.join("candango.1/below");
    let said = stderr(&candango(folder.path(), &["manual", file.to_str().expect("text")]), 1);
    assert!(said.contains("cannot be written"), "{said}");
}
