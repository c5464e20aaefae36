//! A service that others can reach is no trial by oversight: what would be one is refused at start, closed, or said
//! aloud in the settings.

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use serde_json::json;

use crate::mail::{awaited, mails};
use crate::service::{Service, exchange, free_port, request, run};

/// Runs `serve` with settings that it must refuse; returns what it said.
fn refused_at_start(data: &Path, settings: &[&str]) -> String {
    let free = ["listen=127.0.0.1:0", "ops_listen=127.0.0.1:0"];
    let settings = free.iter().chain(settings).flat_map(|setting| ["--set", setting]);
    failure(&run(data, &[&["serve"][..], &settings.collect::<Vec<_>>()].concat()))
}

/// What a command that failed said.
fn failure(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    text
}

#[test]
fn a_public_service_without_mail_does_not_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    for public in ["base_url=https://guia.example", "listen=203.0.113.7:0", "listen=[2001:db8::1]:0"] {
        let said = refused_at_start(&data, &["payments=none", public]);
        for word in ["error: mail:", "smtps://", "\"none\"", "outbox:"] {
            assert!(said.contains(word), "{public}: {said}");
        }
    }
    assert!(!data.exists(), "nothing was created");
    // what the operator says aloud is done
    let outbox = format!("mail=outbox:{}", folder.path().join("mails").display());
    let service = Service::start_with(&["base_url=https://guia.example", "payments=none", &outbox]);
    assert_eq!(crate::mail::sign_up(&service, "maria@x.example").status, 200);
    awaited("the mail", Duration::from_secs(20), || mails(&folder.path().join("mails")).pop());
}

#[test]
fn without_mail_sign_up_and_recovery_are_closed() {
    let service = Service::start_with(&["base_url=https://guia.example", "payments=none", "mail=none"]);
    for path in ["/v1/signup", "/v1/keys/recover"] {
        let answer = service.post_to(path, &[], &json!({"email": "maria@x.example"}));
        assert_eq!((answer.status, &answer.json()["code"]), (503, &json!("signup_closed")), "{path}");
        assert!(answer.header("retry-after").is_some());
    }
    let form = [("content-type", "application/x-www-form-urlencoded"), ("sec-fetch-site", "same-origin")];
    let page = exchange(service.listen, &request("POST", "/en/signup", &form, b"email=maria%40x.example"));
    assert_eq!(page.status, 503);
    assert!(page.text().contains("Sign-up is closed"), "{}", page.text());
    // a key is replaced all the same, and its mail does not stay in the queue
    let key = service.key("free");
    assert_eq!(service.post_to("/v1/keys/rotate", &[("x-api-key", &key)], &json!({})).status, 200);
    crate::mail::mailer_is_idle(service.ops);
    assert_eq!(service.counted("candango_mails_sent_total"), 0);
    assert_eq!(service.counted("candango_mails_pending"), 0);
}

#[test]
fn a_service_that_other_machines_reach_writes_no_mails_to_a_folder_by_oversight() {
    let address = format!("0.0.0.0:{}", free_port());
    let service = Service::start_with(&[&format!("listen={address}")]);
    let local = address.replace("0.0.0.0", "127.0.0.1").parse().expect("an address");
    let sign_up = request("POST", "/v1/signup", &[], br#"{"email":"maria@x.example"}"#);
    assert_eq!(exchange(local, &sign_up).json()["code"], "signup_closed");
    assert!(!service.data.join("outbox").exists());
    let log = service.log();
    assert!(log.contains("sign-up and recovery are closed") && log.contains("smtps://"), "{log}");
}
