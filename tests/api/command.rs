//! The command line, as a person or a script meets it.

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

fn complaint(output: &Output, code: i32) -> String {
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
    assert_eq!(again["plan"], "free", "unless it is said");

    let shown = json(&run(&["key", "show", "--email", "a@b.c", "--json"]));
    assert_eq!(shown["plan"], "free");
    assert_eq!(shown["keys"].as_array().map(Vec::len), Some(3));
    assert!(!shown.to_string().contains(&key[13..43]));

    assert_eq!(json(&run(&["key", "revoke", key, "--json"]))["revoked"], true);
    assert!(complaint(&run(&["key", "revoke", key]), 1).contains("revoked before"));
    let last4 = &again["api_key"].as_str().expect("a key")[43..];
    assert!(complaint(&run(&["key", "revoke", last4]), 1).contains("--email"));
    assert!(run(&["key", "revoke", last4, "--email", "a@b.c"]).status.success());
    let text = run(&["key", "show", "--email", "a@b.c"]);
    assert_eq!(String::from_utf8_lossy(&text.stdout).matches("revoked").count(), 2);
}

#[test]
fn asking_wrongly_ends_with_2_and_failing_with_1() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |words: &[&str]| candango(folder.path(), words);
    assert!(complaint(&run(&["key", "issue", "--plan", "gold", "--email", "a@b.c"]), 2).contains("gringo"));
    assert!(complaint(&run(&["config", "--set", "limits.nothing=1"]), 2).contains("nothing"));
    assert!(complaint(&run(&["config", "--config", "nowhere.toml"]), 2).contains("nowhere.toml"));
    assert!(complaint(&run(&["key", "issue", "--email", "nobody"]), 1).contains("e-mail"));
    assert!(complaint(&run(&["key", "show", "--email", "a@b.c"]), 1).contains("no account"));
    let redis = ["key", "show", "--email", "a@b.c", "--store", "redis://:s3same@127.0.0.1:1"];
    let told = complaint(&run(&redis), 1);
    assert!(told.contains("cannot be reached") && !told.contains("s3same"), "{told}");
}

#[test]
fn the_settings_in_effect_are_shown_without_secrets() {
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
    let shown = json(&candango(folder.path(), &["config", "--json"]));
    assert_eq!(shown["plans"]["pro"]["per_minute"], 300);
}
