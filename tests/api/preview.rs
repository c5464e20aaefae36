//! A curator sees a folder as a server would show it, and nothing is published.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::mail::{SOON, awaited};
use crate::publishing::guide_of;
use crate::service::{edit, exchange, get, program, request, signal};

/// A running preview, which ends with this value.
struct Preview(Child);

impl Drop for Preview {
    fn drop(&mut self) {
        // it may have ended already
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_folder_is_shown_anew_when_it_changes_and_as_it_was_while_it_has_defects() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let folder = guide_of(&data, 1, 5);
    let log = home.path().join("log");
    let child = program(&data)
        .args(["snapshot", "preview", folder.to_str().expect("a path"), "--json"])
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&log).expect("a file"))
        .spawn()
        .expect("the program runs");
    let mut preview = Preview(child);
    let mut line = String::new();
    BufReader::new(preview.0.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    let shown: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let url = shown["url"].as_str().expect("an address");
    let address: SocketAddr = url.strip_prefix("http://").expect("a URL").parse().expect("an address");

    let page = || get(address, "/place/place-0");
    assert!(page().text().contains("place 0 v1"), "{}", page().text());
    let asked = request("POST", "/v1", &[("content-type", "application/json")], b"{\"action\":\"summary\"}");
    assert_eq!(exchange(address, &asked).status, 401, "as on a server");

    edit(&folder, "places.json", |all| all[0]["name"] = json!("Casa Nova"));
    awaited("the new name", SOON, || page().text().contains("Casa Nova").then_some(()));

    edit(&folder, "places.json", |all| all[0]["category"] = json!("no-such-category"));
    let told = || std::fs::read_to_string(&log).expect("a log");
    awaited("the defect", SOON, || told().contains("no-such-category").then_some(()));
    assert!(page().text().contains("Casa Nova"), "the last state without defects");

    // many records may vanish: a curator wants that here
    edit(&folder, "places.json", |all| {
        all.truncate(1);
        all[0]["category"] = json!("padaria");
        all[0]["name"] = json!("Casa Velha");
    });
    awaited("the mended state", SOON, || page().text().contains("Casa Velha").then_some(()));
    assert_eq!(get(address, "/place/place-1").status, 404);

    signal(preview.0.id(), "-TERM");
    assert!(preview.0.wait().expect("an end").success());
    assert!(!data.exists(), "nothing is written");
}
