//! The pages of an account: who gets in, what each session may do and when it ends, orders, keys, and the end of it.

use serde_json::{Value, json};

use crate::mail::{Mail, SOON, awaited, held_search, mails, outbox, sign_up, signed_up};
use crate::redis::RedisServer;
use crate::service::{Answer, Service, exchange, get, open, printed, read, request, run};
use std::io::Write;
use std::time::{Duration, Instant};

pub(crate) const MARIA: &str = "maria@x.example";
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
/// The paths of a language.
pub(crate) struct Paths {
    pub(crate) account: &'static str,
    pub(crate) sign_in: &'static str,
    pub(crate) code: &'static str,
    key: &'static str,
    pub(crate) plan: &'static str,
    pub(crate) cancel: &'static str,
    data: &'static str,
    email: &'static str,
    pub(crate) export: &'static str,
    pub(crate) delete: &'static str,
    recover: &'static str,
    pub(crate) paid: &'static str,
    sign_out: &'static str,
    tokens: &'static str,
    calendars: &'static str,
    webhook: &'static str,
}

pub(crate) const PT: Paths = Paths {
    account: "/conta",
    sign_in: "/conta/entrar",
    code: "/conta/codigo",
    key: "/conta/chave",
    plan: "/conta/plano",
    cancel: "/conta/cancelar",
    data: "/conta/dados",
    email: "/conta/email",
    export: "/conta/exportar",
    delete: "/conta/excluir",
    recover: "/conta/recuperar",
    paid: "/conta/pago",
    sign_out: "/conta/sair",
    tokens: "/conta/navegador",
    calendars: "/conta/calendarios",
    webhook: "/conta/avisos",
};

pub(crate) const EN: Paths = Paths {
    account: "/en/account",
    sign_in: "/en/account/sign-in",
    code: "/en/account/code",
    key: "/en/account/key",
    plan: "/en/account/plan",
    cancel: "/en/account/cancel",
    data: "/en/account/data",
    email: "/en/account/email",
    export: "/en/account/export",
    delete: "/en/account/delete",
    recover: "/en/account/recover",
    paid: "/en/account/paid",
    sign_out: "/en/account/sign-out",
    tokens: "/en/account/browser",
    calendars: "/en/account/calendars",
    webhook: "/en/account/webhook",
};

impl Paths {
    /// The pages that are for the owner of the mailbox only.
    pub(crate) fn personal(&self) -> [&'static str; 9] {
        [
            self.key,
            self.cancel,
            self.data,
            self.email,
            self.export,
            self.delete,
            self.tokens,
            self.calendars,
            self.webhook,
        ]
    }
}

fn send(service: &Service, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    exchange(service.listen, &request(method, path, headers, body.as_bytes()))
}

pub(crate) fn page(service: &Service, path: &str, cookie: &str) -> Answer {
    send(service, "GET", path, &[("accept", "text/html"), ("cookie", cookie)], "")
}

pub(crate) fn submit(service: &Service, path: &str, cookie: &str, body: &str) -> Answer {
    send(service, "POST", path, &[FORM, ("cookie", cookie)], body)
}

/// Sends a form that works once, with the mark that its page has now.
fn submit_once(service: &Service, path: &str, cookie: &str, body: &str) -> Answer {
    submit(service, path, cookie, &format!("{body}&{}", once(service, path, cookie)))
}

/// The field that makes the form of a page work once.
fn once(service: &Service, path: &str, cookie: &str) -> String {
    let form = page(service, path, cookie).text();
    let (_, rest) = form.split_once("name=\"once\" value=\"").unwrap_or_else(|| panic!("a mark: {form}"));
    format!("once={}", rest.split('"').next().expect("a mark"))
}

/// The cookie that an answer sets, as a browser sends it.
pub(crate) fn cookie(answer: &Answer) -> String {
    let set = answer.header("set-cookie").unwrap_or_else(|| panic!("a cookie: {}", answer.text()));
    set.split(';').next().expect("a pair").to_owned()
}

/// The code of the newest mail that signs in, once there are `count` of them.
pub(crate) fn sign_in_code(services: &[&Service], count: usize) -> String {
    awaited("a code", SOON, || {
        let found: Vec<Mail> = services
            .iter()
            .flat_map(|service| mails(&service.data.join("outbox")))
            .filter(|mail| mail.body.contains("/conta/codigo"))
            .collect();
        (found.len() >= count).then(|| found.last().and_then(Mail::code).expect("a code"))
    })
}

/// Signs in with the code of the `count`th mail; returns the cookie.
pub(crate) fn entered(service: &Service, paths: &Paths, count: usize) -> String {
    assert_eq!(submit(service, paths.sign_in, "", &format!("email={MARIA}")).status, 200);
    let code = sign_in_code(&[service], count);
    let answer = submit(service, paths.code, "", &format!("email={MARIA}&code={code}"));
    assert_eq!((answer.status, answer.header("location")), (303, Some(paths.account)), "{}", answer.text());
    cookie(&answer)
}

pub(crate) fn entered_with_key(service: &Service, paths: &Paths, key: &str) -> String {
    let answer = submit(service, paths.sign_in, "", &format!("key={key}"));
    assert_eq!((answer.status, answer.header("location")), (303, Some(paths.account)), "{}", answer.text());
    cookie(&answer)
}

/// Whether a session of the owner is open.
fn is_open(service: &Service, cookie: &str) -> bool {
    page(service, PT.data, cookie).status == 200
}

fn works(service: &Service, key: &str) -> bool {
    service.ask(key, json!({"action": "summary"})).status == 200
}

/// The key that a page shows.
fn shown_key(answer: &Answer) -> String {
    let text = answer.text();
    let (_, rest) = text.split_once("cdg_live_").unwrap_or_else(|| panic!("a key: {text}"));
    format!("cdg_live_{}", rest.split('<').next().expect("a key").trim())
}

/// Lets one address have many mails.
pub(crate) const MANY_MAILS: [&str; 2] = ["signup.per_address_burst=1000", "signup.per_address_day=1000"];

fn whole_life(paths: &Paths) {
    let service = Service::start_with(&MANY_MAILS);
    let first = signed_up(&service, MARIA);
    let session = entered(&service, paths, 1);
    let calls = 3;
    for _ in 0..calls {
        assert_eq!(service.ask(&first, json!({"action": "search_places", "limit": 1})).status, 200);
    }
    let front = page(&service, paths.account, &session).text();
    assert!(front.contains(MARIA) && front.contains("Free"), "{front}");
    assert!(front.contains("search_places") && front.contains("<progress"), "{front}");

    // order without the key, pay in the sandbox, and come back
    let order = "plan=pro&tax_id=52998224725&method=PIX";
    let ordered = submit(&service, paths.plan, &session, order);
    assert_eq!(ordered.status, 303, "{}", ordered.text());
    let pay_url = ordered.header("location").expect("a page").to_owned();
    let at = pay_url.find("/sandbox/").expect("the sandbox");
    let language = if paths.account == PT.account { "pt" } else { "en" };
    let (pay, in_language) = pay_url[at..].split_once('?').expect("a language");
    assert_eq!(in_language, format!("lang={language}"));
    assert!(!page(&service, paths.paid, &session).text().contains("2026-"), "not paid yet");
    let waiting = page(&service, paths.paid, &session).text();
    assert_eq!(submit(&service, pay, "", "do=pay").status, 303);
    let sandbox = page(&service, &format!("{pay}?lang={language}"), "").text();
    assert!(sandbox.contains(&format!("href=\"{}\"", paths.paid)), "the gateway leads back: {sandbox}");
    let confirmed = page(&service, paths.paid, &session).text();
    assert_ne!(waiting, confirmed);
    let front = page(&service, paths.account, &session).text();
    assert!(front.contains("Pro") && front.contains("R$ "), "{front}");

    // another key, shown once; the old one and the old session end, and another begins
    assert!(!page(&service, paths.key, &session).text().contains("cdg_live_"));
    let form = once(&service, paths.key, &session);
    let replaced = submit(&service, paths.key, &session, &form);
    let second = shown_key(&replaced);
    assert!(works(&service, &second) && !works(&service, &first));
    let renewed = cookie(&replaced);
    // loaded again, the page sends its form again
    for sent in [&*form, ""] {
        let again = submit(&service, paths.key, &renewed, sent);
        assert_eq!((again.status, again.header("set-cookie")), (409, None), "{sent}");
        assert!(!again.text().contains("cdg_live_") && again.text().contains(paths.key), "{}", again.text());
    }
    assert_eq!(submit(&service, paths.key, &session, &form).status, 303, "its session has ended");
    assert!(works(&service, &second));
    assert!(is_open(&service, &renewed) && !is_open(&service, &session));

    // cancel: the page asks, then the renewal ends and the plan stays
    let asked = page(&service, paths.cancel, &renewed);
    assert!(asked.text().contains("name=\"confirm\""), "{}", asked.text());
    submit(&service, paths.cancel, &renewed, "");
    let status = |key: &str| {
        service.post_to("/v1/billing/status", &[("x-api-key", key)], &json!({})).json()["subscription"]["status"].clone()
    };
    assert_eq!(status(&second), "active", "not confirmed");
    assert_eq!(submit(&service, paths.cancel, &renewed, "confirm=yes").status, 303);
    assert_eq!(status(&second), "canceled");

    // what is kept, and all of it as a file
    let file = page(&service, paths.export, &renewed);
    assert!(file.header("content-disposition").is_some_and(|how| how.starts_with("attachment")));
    let stored = file.json();
    assert_eq!(stored["accounts"][0]["email"], MARIA, "{stored}");
    assert!(stored["books"].is_array() && stored["keys"].is_array() && !file.text().contains("hash"));
    assert!(page(&service, paths.data, &renewed).text().contains(&second[second.len() - 4..]));

    // a lost key
    let asked = submit(&service, paths.recover, "", &format!("email={MARIA}"));
    assert_eq!(asked.status, 200);
    let code = awaited("a recovery", SOON, || {
        let mut found = outbox(&service, MARIA, 1);
        found.retain(|mail| mail.body.contains("/v1/keys/recover/confirm"));
        found.pop().and_then(|mail| mail.code())
    });
    let wrong = submit(&service, paths.recover, "", &format!("email={MARIA}&code=0000-0000-0000"));
    assert_eq!(wrong.status, 400);
    let recovered = submit(&service, paths.recover, "", &format!("email={MARIA}&code={code}"));
    let third = shown_key(&recovered);
    assert!(works(&service, &third) && !works(&service, &second));
    assert!(!is_open(&service, &renewed), "a recovery ends sessions");
    let set = recovered.header("set-cookie").expect("a cookie");
    assert!(set.contains("; HttpOnly; SameSite=Lax") && set.contains("Max-Age=1800"), "{set}");
    assert!(is_open(&service, &cookie(&recovered)), "who proved to read the mailbox is signed in");

    // the end: first asked, then only with the address
    let last = entered(&service, paths, 2);
    assert!(page(&service, paths.delete, &last).text().contains("CTN 173"));
    assert_eq!(submit(&service, paths.delete, &last, "").status, 400);
    assert_eq!(submit(&service, paths.delete, &last, "email=ana@x.example").status, 400);
    assert!(is_open(&service, &last));
    let deleted = submit(&service, paths.delete, &last, &format!("email={MARIA}"));
    assert_eq!(deleted.status, 200, "{}", deleted.text());
    assert!(deleted.header("set-cookie").is_some_and(|set| set.contains("Max-Age=0")));
    assert!(!is_open(&service, &last) && !works(&service, &third));
    // a mail tells of the deletion, and none of a plan that goes on
    let told = |words: &str| outbox(&service, MARIA, 1).iter().any(|mail| mail.body.contains(words));
    awaited("the mail", SOON, || told("A sua conta do").then_some(()));
    assert!(told("was deleted, with all that we kept of it"));
    let known = run(&service.data, &["account", "show", "--email", MARIA]);
    assert_eq!(known.status.code(), Some(1));
    let audit = printed(&run(&service.data, &["audit"]), 0);
    assert!(audit.contains("its owner") && audit.contains("erase") && !audit.contains(MARIA), "{audit}");
}

#[test]
fn an_owner_orders_pays_uses_replaces_cancels_recovers_and_deletes() {
    whole_life(&PT);
}

#[test]
fn an_owner_does_all_that_in_english() {
    whole_life(&EN);
}

#[test]
fn the_holder_of_a_key_alone_sees_plan_and_calls_and_nothing_else() {
    let service = Service::start();
    let key = signed_up(&service, MARIA);
    let session = entered_with_key(&service, &PT, &key);
    let front = page(&service, PT.account, &session).text();
    assert!(front.contains("Free") && front.contains("<progress") && !front.contains(MARIA), "{front}");
    // a token says its level, and saying another does not help
    let (name, value) = session.split_once('=').expect("a pair");
    let raised = format!("{name}={}", value.replacen("key.", "owner.", 1));
    assert_ne!(raised, session);
    for paths in [&PT, &EN] {
        for path in paths.personal() {
            for cookie in [&session, &raised] {
                let expected = if *cookie == session { 403 } else { 303 };
                let shown = page(&service, path, cookie);
                assert_eq!(shown.status, expected, "{path}: {}", shown.text());
                assert!(!shown.text().contains(MARIA) && !shown.text().contains("cdg_live_x"));
            }
        }
        for path in [paths.key, paths.cancel, paths.email, paths.delete] {
            let tried = submit(&service, path, &session, &format!("confirm=yes&email={MARIA}"));
            assert_eq!(tried.status, 403, "{path}");
            assert_eq!(submit(&service, path, &raised, &format!("email={MARIA}")).status, 303, "{path}");
        }
    }
    assert!(works(&service, &key), "nothing has changed");
    let wrong = submit(&service, PT.sign_in, "", "key=cdg_live_wrong");
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
    // nor does the other kind of code help: that of a recovery opens no session, and that of a session brings no key
    assert_eq!(sign_up(&service, MARIA).status, 200);
    let recovery =
        awaited("a recovery", SOON, || outbox(&service, MARIA, 2).pop().and_then(|mail| mail.code()));
    let tried = submit(&service, PT.code, "", &format!("email={MARIA}&code={recovery}"));
    assert_eq!((tried.status, tried.header("set-cookie")), (400, None));
    assert_eq!(submit(&service, PT.sign_in, "", &format!("email={MARIA}")).status, 200);
    let code = sign_in_code(&[&service], 1);
    let confirm = service.post_to("/v1/keys/recover/confirm", &[], &json!({"email": MARIA, "code": code}));
    assert_eq!((confirm.status, confirm.json()["code"].clone()), (400, json!("invalid_code")));
}

#[test]
fn an_account_gets_another_address_with_a_code_mailed_to_it_and_the_old_one_a_notice() {
    let service = Service::start_with(&MANY_MAILS);
    let key = signed_up(&service, MARIA);
    signed_up(&service, "ana@x.example");
    let session = entered(&service, &PT, 1);
    let to = |address: &str, session: &str| {
        submit(&service, PT.email, session, &format!("email={address}")).status
    };
    let code_at = |address: &str, count: usize| {
        let code = outbox(&service, address, count).pop().and_then(|mail| mail.code());
        code.unwrap_or_else(|| panic!("a code to {address}"))
    };
    let change = |address: &str, code: &str, session: &str| {
        submit(&service, PT.email, session, &format!("email={address}&code={code}"))
    };
    // a code goes to the address, known or not, and works for that address only
    let form = page(&service, PT.email, &session).text();
    assert!(form.contains("Novo e-mail") && !form.contains("O da sua conta."), "{form}");
    let mailed = submit(&service, PT.email, &session, "email=outra@x.example").text();
    assert!(mailed.contains("Novo e-mail") && !mailed.contains("O da sua conta."), "{mailed}");
    assert_eq!(to("not an address", &session), 400);
    assert_eq!(to(MARIA, &session), 400, "it has that one");
    assert_eq!(to("nova@x.example", &session), 200);
    assert_eq!(to("ana@x.example", &session), 200, "as for an address that nobody has");
    let (new, taken) = (code_at("nova@x.example", 1), code_at("ana@x.example", 2));
    assert_eq!(change("outra@x.example", &new, &session).status, 400);
    assert_eq!(change(MARIA, &new, &session).status, 400, "a code is needed for the address that it has too");
    assert_eq!(change("nova@x.example", "0000-0000-0000", &session).status, 400);
    assert_eq!(change("ana@x.example", &taken, &session).status, 409);
    assert!(is_open(&service, &session), "nothing has changed");
    let sign_in = submit(&service, PT.code, "", &format!("email={MARIA}&code={new}"));
    assert_eq!(sign_in.status, 400, "it opens no session");

    let changed = change("nova@x.example", &new, &session);
    assert_eq!((changed.status, changed.header("location")), (303, Some(PT.account)), "{}", changed.text());
    let renewed = cookie(&changed);
    assert!(is_open(&service, &renewed) && !is_open(&service, &session));
    assert!(page(&service, PT.account, &renewed).text().contains("nova@x.example"));
    assert!(works(&service, &key), "the key stays");
    awaited("the notice", SOON, || {
        outbox(&service, MARIA, 1).iter().any(|mail| mail.body.contains("/contato")).then_some(())
    });
    // the old address has no account any more, the new one has
    assert_eq!(submit(&service, PT.sign_in, "", &format!("email={MARIA}")).status, 200);
    assert_eq!(submit(&service, PT.sign_in, "", "email=nova@x.example").status, 200);
    let code = awaited("a code", SOON, || {
        let mails = outbox(&service, "nova@x.example", 1);
        mails.iter().find(|mail| mail.body.contains("/conta/codigo")).and_then(Mail::code)
    });
    assert_eq!(submit(&service, PT.code, "", &format!("email=nova@x.example&code={code}")).status, 303);
    crate::mail::mailer_is_idle(service.ops);
    let to_old = outbox(&service, MARIA, 1);
    assert_eq!(to_old.iter().filter(|mail| mail.body.contains("/conta/codigo")).count(), 1);
    let audit = printed(&run(&service.data, &["audit"]), 0);
    assert!(audit.contains("its owner") && audit.contains("account email") && !audit.contains("@x.example"));
}

#[test]
fn a_code_works_once_and_for_its_address_only() {
    let service = Service::start_with(&MANY_MAILS);
    signed_up(&service, MARIA);
    signed_up(&service, "ana@x.example");
    assert_eq!(submit(&service, PT.sign_in, "", &format!("email={MARIA}")).status, 200);
    let code = sign_in_code(&[&service], 1);
    for other in ["ana@x.example", "nobody@x.example"] {
        let tried = submit(&service, PT.code, "", &format!("email={other}&code={code}"));
        assert_eq!((tried.status, tried.header("set-cookie")), (400, None), "{other}");
    }
    let body = format!("email={MARIA}&code={code}");
    assert_eq!(submit(&service, PT.code, "", &body).status, 303);
    assert_eq!(submit(&service, PT.code, "", &body).status, 400, "it is used up");
    // one that is not taken sends no other, and the way to ask for one is there
    let session = entered(&service, &PT, 2);
    let typed = "email=nova@x.example&code=0000-0000-0000";
    for (path, cookie, lead) in [
        (PT.recover, "", "Escreva o e-mail da conta e o código"),
        (PT.email, session.as_str(), "Escreva o novo e-mail e o código"),
        (EN.recover, "", "Type the e-mail of the account and the code"),
        (EN.email, session.as_str(), "Type the new e-mail and the code"),
    ] {
        let refused = submit(&service, path, cookie, typed);
        let text = refused.text();
        assert_eq!((refused.status, text.contains(lead)), (400, true), "{path}: {text}");
        assert!(text.contains(&format!("<p class=\"more\"><a href=\"{path}\">")), "{path}: {text}");
        assert!(!text.contains("vai um código") && !text.contains("on its way"), "{path}: {text}");
    }
}

#[test]
fn a_session_ends_with_its_keys_a_block_and_a_sign_out_on_every_server() {
    let redis = RedisServer::start();
    let store = format!("store={}", redis.url());
    let [burst, day] = MANY_MAILS;
    let settings = [store.as_str(), burst, day];
    let (one, two) = (Service::start_with(&settings), Service::start_with(&settings));
    let key = {
        let issued =
            run(&one.data, &["key", "issue", "--email", MARIA, "--plan", "free", "--json", "--set", &store]);
        let issued: Value = serde_json::from_str(&printed(&issued, 0)).expect("JSON");
        issued["api_key"].as_str().expect("a key").to_owned()
    };
    let mut count = 0;
    let mut enter = || {
        count += 1;
        assert_eq!(submit(&one, PT.sign_in, "", &format!("email={MARIA}")).status, 200);
        awaited("a session", SOON, || {
            let services = [&one, &two];
            let found = services.iter().flat_map(|service| mails(&service.data.join("outbox")));
            let codes: Vec<String> = found.filter_map(|mail| mail.code()).collect();
            if codes.len() < count {
                return None;
            }
            codes.iter().find_map(|code| {
                let answer = submit(&two, PT.code, "", &format!("email={MARIA}&code={code}"));
                (answer.status == 303).then(|| cookie(&answer))
            })
        })
    };
    let both = |session: &str, open: bool| {
        for service in [&one, &two] {
            assert_eq!(is_open(service, session), open);
        }
    };
    // signing out ends one session, not the other
    let (first, second) = (enter(), enter());
    both(&first, true);
    let left = submit(&one, PT.sign_out, &first, "");
    assert_eq!((left.status, left.header("location")), (303, Some("/conta")));
    both(&first, false);
    both(&second, true);
    // a key that is replaced over the API ends all
    let by_key = entered_with_key(&one, &PT, &key);
    assert!(page(&two, PT.account, &by_key).text().contains("<progress"));
    let rotated = two.post_to("/v1/keys/rotate", &[("x-api-key", &key)], &json!({}));
    assert_eq!(rotated.status, 200);
    both(&second, false);
    assert!(!page(&one, PT.account, &by_key).text().contains("<progress"));
    // a block
    let third = enter();
    both(&third, true);
    let block = ["account", "block", "--email", MARIA, "--reason", "a test", "--set", &store];
    printed(&run(&one.data, &block), 0);
    both(&third, false);
    let key = rotated.json()["api_key"].as_str().expect("a key").to_owned();
    let blocked = submit(&two, PT.sign_in, "", &format!("key={key}"));
    assert_eq!((blocked.status, blocked.header("set-cookie")), (401, None));
    printed(&run(&one.data, &["account", "unblock", "--email", MARIA, "--set", &store]), 0);
    both(&third, false);
    // an erasure
    let fourth = enter();
    both(&fourth, true);
    printed(&run(&one.data, &["account", "erase", "--email", MARIA, "--set", &store]), 0);
    both(&fourth, false);
}

#[test]
fn forms_of_other_sites_are_refused_and_the_cookie_is_the_sites_own() {
    let service = Service::start();
    let key = signed_up(&service, MARIA);
    let answer = submit(&service, PT.sign_in, "", &format!("key={key}"));
    let set = answer.header("set-cookie").expect("a cookie").to_owned();
    for part in ["; HttpOnly", "; SameSite=Lax", "; Path=/", "; Max-Age=1800"] {
        assert!(set.contains(part), "{set}");
    }
    assert!(!set.contains("Secure"), "the base URL is not https: {set}");
    let session = entered(&service, &PT, 1);
    let host = "http://localhost".to_owned();
    for (name, value, allowed) in [
        ("origin", "https://evil.example", false),
        ("origin", "null", false),
        ("sec-fetch-site", "cross-site", false),
        ("sec-fetch-site", "same-site", false),
        ("origin", host.as_str(), true),
        ("sec-fetch-site", "same-origin", true),
    ] {
        for path in
            [PT.key, PT.cancel, PT.delete, PT.email, PT.plan, PT.sign_out, PT.sign_in, PT.code, PT.recover]
        {
            if allowed && path != PT.delete {
                continue;
            }
            let answer =
                send(&service, "POST", path, &[FORM, ("cookie", &session), (name, value)], "confirm=yes");
            assert_eq!(answer.status == 403, !allowed, "{path} {name}: {value}: {}", answer.text());
        }
    }
    assert!(is_open(&service, &session) && works(&service, &key));

    let secure = Service::start_with(&["base_url=https://guia.example", "payments=none", "mail=none"]);
    let key = secure.key("free");
    let set = submit(&secure, PT.sign_in, "", &format!("key={key}"));
    let set = set.header("set-cookie").expect("a cookie");
    assert!(set.starts_with("__Host-candango=") && set.contains("; Secure"), "{set}");
}

#[test]
fn nothing_of_an_account_is_kept_framed_or_listed() {
    let service = Service::start();
    signed_up(&service, MARIA);
    let session = entered(&service, &PT, 1);
    for paths in [&PT, &EN] {
        let open = [paths.account, paths.code, paths.plan, paths.recover, paths.paid];
        for path in open.into_iter().chain(paths.personal()) {
            for cookie in ["", &session] {
                let answer = page(&service, path, cookie);
                assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
                assert_eq!(answer.header("etag"), None, "{path}");
                assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
                assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
                let policy = answer.header("content-security-policy").expect("a policy");
                assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
                let is_page = answer.status == 200 && path != paths.export;
                assert_eq!(is_page, answer.text().contains("content=\"noindex\""), "{path}");
                assert!(answer.text().len() < 60_000);
            }
            // whatever is appended, nobody is led elsewhere
            let answer = page(&service, &format!("{path}?next=https://evil.example&to=//evil.example"), "");
            let location = answer.header("location").unwrap_or("/");
            assert!(location.starts_with('/') && !location.contains("evil"), "{location}");
        }
    }
    let robots = get(service.listen, "/robots.txt").text();
    for line in ["Disallow: /conta$\n", "Disallow: /conta/\n", "Disallow: /en/account\n"] {
        assert!(robots.contains(line), "{robots}");
    }
    let sitemap = get(service.listen, "/sitemap.xml").text();
    assert!(!["/conta<", "/conta/", "/account"].iter().any(|path| sitemap.contains(path)));
}

#[test]
fn a_known_address_gets_the_answer_of_an_unknown_one_and_floods_end() {
    let settings = ["signup.per_ip_hour=8", "signup.per_ip_day=100"];
    let service = Service::start_with(&settings);
    signed_up(&service, MARIA);
    let mut answers = Vec::new();
    for email in [MARIA, "nobody@x.example"] {
        let begun = Instant::now();
        let answer = submit(&service, PT.sign_in, "", &format!("email={email}"));
        assert!(begun.elapsed() >= Duration::from_millis(50), "answers come in steps");
        answers.push((answer.status, answer.text().replace(email, "")));
    }
    assert_eq!(answers[0], answers[1]);
    // mails to one address are limited in silence, and the codes of those before stay valid
    for _ in 0..4 {
        assert_eq!(submit(&service, PT.sign_in, "", &format!("email={MARIA}")).status, 200);
    }
    crate::mail::mailer_is_idle(service.ops);
    let mailed = outbox(&service, MARIA, 4);
    assert!(mailed.len() <= 4, "a key and at most three codes: {}", mailed.len());
    // and a network is limited, whoever it names
    for number in 0..2 {
        let answer = submit(&service, PT.sign_in, "", &format!("email=nobody{number}@x.example"));
        assert_eq!(answer.status, 200);
    }
    let flooded = submit(&service, PT.sign_in, "", &format!("email={MARIA}"));
    assert_eq!(flooded.status, 429);
    assert!(flooded.header("retry-after").is_some());
    let code =
        mailed.iter().find(|mail| mail.body.contains("/conta/codigo")).and_then(Mail::code).expect("a code");
    for _ in 0..7 {
        assert_eq!(submit(&service, PT.code, "", &format!("email={MARIA}&code=0000-0000-0000")).status, 400);
    }
    assert_eq!(submit(&service, PT.code, "", &format!("email={MARIA}&code={code}")).status, 303);
    assert_eq!(
        submit(&service, PT.code, "", &format!("email={MARIA}&code={code}")).status,
        429,
        "tries end too"
    );
}

#[test]
fn recoveries_that_somebody_asks_for_leave_an_owner_the_codes_to_sign_in() {
    let service = Service::start();
    signed_up(&service, MARIA);
    for _ in 0..3 {
        let asked = service.post_to("/v1/keys/recover", &[], &json!({"email": MARIA}));
        assert_eq!(asked.status, 200, "{}", asked.text());
    }
    entered(&service, &PT, 1);
}

#[test]
fn deleting_a_paid_account_sends_no_mail_of_a_plan_that_goes_on() {
    let service = Service::start();
    signed_up(&service, MARIA);
    let session = entered(&service, &PT, 1);
    let ordered = submit(&service, PT.plan, &session, "plan=pro&tax_id=52998224725&method=PIX");
    let address = ordered.header("location").expect("a page").to_owned();
    let pay = &address[address.find("/sandbox/").expect("the sandbox")..];
    assert_eq!(submit(&service, pay, "", "do=pay").status, 303);
    awaited("the plan", SOON, || page(&service, PT.account, &session).text().contains("Pro").then_some(()));
    let terms = page(&service, PT.plan, &session).text();
    for sentence in ["renova todo mês", "mais 3 dias", "O que resta do seu plano vale mais", "de Gringo"] {
        assert!(terms.contains(sentence), "{sentence}: {terms}");
    }
    assert!(page(&service, PT.cancel, &session).text().contains("Peça o dinheiro de volta"));
    assert_eq!(submit(&service, PT.delete, &session, &format!("email={MARIA}")).status, 200);
    let mails = awaited("the mail", SOON, || {
        let all = outbox(&service, MARIA, 1);
        all.iter().any(|mail| mail.body.contains("foi excluída, com tudo")).then_some(all)
    });
    assert!(!mails.iter().any(|mail| mail.body.contains("was canceled")), "{mails:?}");
}

#[test]
fn pages_of_a_session_are_limited_by_the_minute() {
    let service = Service::start_with(&["signup.owner_calls_per_minute=5"]);
    let session = entered_with_key(&service, &PT, &service.key("free"));
    let statuses: Vec<u16> = (0..12).map(|_| page(&service, PT.account, &session).status).collect();
    // an edge of the minute may lie between them
    assert!(statuses.contains(&429) && statuses[0] == 200, "{statuses:?}");
}

#[test]
fn without_mail_the_forms_that_need_it_are_not_shown() {
    let service = Service::start_with(&["mail=none"]);
    for (paths, signup, closed) in
        [(&PT, "/signup", "O cadastro está fechado"), (&EN, "/en/signup", "Sign-up is closed")]
    {
        for path in [signup, paths.account, paths.recover] {
            let text = page(&service, path, "").text();
            assert!(text.contains(closed) && !text.contains("name=\"email\""), "{path}: {text}");
        }
    }
    // a key still shows its plan
    let session = entered_with_key(&service, &PT, &service.key("free"));
    assert!(page(&service, PT.account, &session).text().contains("<progress"));
}

#[test]
fn mails_lead_to_the_account() {
    let service = Service::start();
    signed_up(&service, MARIA);
    let welcome = outbox(&service, MARIA, 1).remove(0).body;
    let at = |text: &str| welcome.find(text).unwrap_or_else(|| panic!("{text}: {welcome}"));
    assert!(at("/conta\n") < at("cdg_live_") && at("cdg_live_") < at("curl "), "{welcome}");
    assert!(welcome.contains("/en/account") && welcome.contains("<a href="));
}

#[test]
fn browser_tokens_are_made_and_revoked_by_the_owner() {
    for paths in [&PT, &EN] {
        let service = Service::start_with(&MANY_MAILS);
        signed_up(&service, MARIA);
        let session = entered(&service, paths, 1);
        let wrong = submit(&service, paths.tokens, &session, "origins=http%3A%2F%2Fapp.example%0A%3Cb%3E");
        assert_eq!(wrong.status, 400);
        assert!(wrong.text().contains("role=\"alert\"") && !wrong.text().contains("<b>"), "{}", wrong.text());
        let field = wrong.text();
        let field = field.split("<textarea").nth(1).and_then(|rest| rest.split('>').next()).expect("a field");
        assert!(field.contains("aria-describedby=\"origins-no origins-help\""), "{field}");
        assert!(field.contains(" autofocus"), "{field}");
        let data = page(&service, paths.data, &session).text();
        assert!(
            data.contains("webhook")
                && data.contains(if paths.data == PT.data { "Tokens de" } else { "Browser" })
        );
        let foreign = [FORM, ("cookie", session.as_str()), ("origin", "https://evil.example")];
        let forged = send(&service, "POST", paths.tokens, &foreign, "origins=https%3A%2F%2Fevil.example");
        assert_eq!(forged.status, 403, "forms are taken from this site only");
        let sent = format!(
            "origins=https%3A%2F%2Fapp.example%0D%0Ahttp%3A%2F%2Flocalhost%3A3000&{}",
            once(&service, paths.tokens, &session)
        );
        let made = submit(&service, paths.tokens, &session, &sent);
        assert_eq!(submit(&service, paths.tokens, &session, &sent).status, 409, "sent again");
        let text = made.text();
        let (_, rest) = text.split_once("cdg_browser_").unwrap_or_else(|| panic!("a token: {text}"));
        let token = format!("cdg_browser_{}", rest.split('<').next().expect("a token").trim());
        let ask = |origin: &str| {
            let headers = [("x-browser-token", token.as_str()), ("origin", origin)];
            service.post(&headers, br#"{"action":"summary"}"#).status
        };
        assert_eq!(
            ["https://app.example", "http://localhost:3000", "https://evil.example"].map(ask),
            [200, 200, 403]
        );
        let listed = page(&service, paths.tokens, &session).text();
        assert_eq!(listed.matches("name=\"revoke\"").count(), 1, "{listed}");
        assert!(listed.contains("https://app.example") && !listed.contains(&token), "{listed}");
        let (_, rest) = listed.split_once("name=\"revoke\" value=\"").expect("a button");
        let id = rest.split('"').next().expect("an id");
        let revoked = submit(&service, paths.tokens, &session, &format!("revoke={id}"));
        assert_eq!((revoked.status, revoked.header("location")), (303, Some(paths.tokens)));
        assert_eq!(ask("https://app.example"), 401);
        assert!(!page(&service, paths.tokens, &session).text().contains("https://app.example"));
        // those of another account cannot be revoked
        let other = crate::browser_tokens::issue(&service, MARIA, &["https://app.example"]);
        for unknown in ["tok_0000000000000000", "x"] {
            let revoked = submit(&service, paths.tokens, &session, &format!("revoke={unknown}"));
            assert_eq!((revoked.status, revoked.header("location")), (303, Some(paths.tokens)), "{unknown}");
        }
        let headers = [("x-browser-token", other.token.as_str()), ("origin", "https://app.example")];
        assert_eq!(service.post(&headers, br#"{"action":"summary"}"#).status, 200);
    }
}

#[test]
fn calendar_addresses_are_made_and_revoked_by_the_owner() {
    for paths in [&PT, &EN] {
        let service = Service::start_with(&MANY_MAILS);
        signed_up(&service, MARIA);
        let session = entered(&service, paths, 1);
        for (wrong, status) in [
            ("region=%3Cb%3Enowhere".to_owned(), 400),
            ("region=Taguatinga".to_owned(), 403),
            (format!("q={}", "x".repeat(401)), 400),
        ] {
            let answer = submit(&service, paths.calendars, &session, &wrong);
            assert_eq!(answer.status, status, "{wrong}");
            assert!(
                answer.text().contains("role=\"alert\"") && !answer.text().contains("<b>"),
                "{}",
                answer.text()
            );
            assert!(!answer.text().contains("cdg_calendar_"), "a wrong question makes no address");
        }
        let foreign = [FORM, ("cookie", session.as_str()), ("origin", "https://evil.example")];
        let forged = send(&service, "POST", paths.calendars, &foreign, "q=samba");
        assert_eq!(forged.status, 403, "forms are taken from this site only");
        let question = "q=feira+%26+samba&region=Asa+Norte";
        let sent = format!("{question}&{}", once(&service, paths.calendars, &session));
        let made = submit(&service, paths.calendars, &session, &sent);
        assert_eq!(submit(&service, paths.calendars, &session, &sent).status, 409, "sent again");
        let text = made.text();
        assert_eq!((made.status, made.header("cache-control")), (200, Some("no-store")), "{text}");
        let (_, rest) =
            text.split_once("id=\"new-address\">").unwrap_or_else(|| panic!("an address: {text}"));
        let shown = rest.split('<').next().expect("an address").replace("&amp;", "&");
        let (_, rest) = shown.split_once("://").expect("a scheme");
        assert!(text.replace("&amp;", "&").contains(&format!("href=\"webcal://{rest}\"")), "{text}");
        let path = &rest[rest.find('/').expect("a path")..];
        assert!(path.ends_with(".ics?q=feira+%26+samba&region=Asa+Norte&limit=50"), "{path}");
        let read = || page(&service, path, "");
        assert_eq!(
            (read().status, read().header("content-type")),
            (200, Some("text/calendar; charset=utf-8"))
        );
        assert!(read().text().starts_with("BEGIN:VCALENDAR"));

        let (start, _) = path.split_once(".ics").expect("an end");
        let listed = page(&service, paths.calendars, &session).text();
        assert!(
            listed.contains(&format!("…{}", &start[start.len() - 4..])) && !listed.contains(start),
            "{listed}"
        );
        assert!(
            !page(&service, paths.tokens, &session).text().contains("name=\"revoke\""),
            "it is no browser token"
        );
        let (_, rest) = listed.split_once("name=\"revoke\" value=\"").expect("a button");
        let id = rest.split('"').next().expect("an id");
        let export = page(&service, paths.export, &session).text();
        assert!(export.contains(id) && !export.contains(start), "{export}");
        let revoked = submit(&service, paths.calendars, &session, &format!("revoke={id}"));
        assert_eq!((revoked.status, revoked.header("location")), (303, Some(paths.calendars)));
        assert_eq!(read().status, 404);
        assert!(!page(&service, paths.calendars, &session).text().contains(id));
    }
}

#[test]
fn a_webhook_is_set_tried_and_removed_by_the_owner() {
    for paths in [&PT, &EN] {
        let service = Service::start_with(&MANY_MAILS);
        signed_up(&service, MARIA);
        let session = entered(&service, paths, 1);
        for wrong in ["http%3A%2F%2Fhooks.example", "https%3A%2F%2F10.0.0.1%2F", "%3Cb%3E"] {
            let answer = submit_once(&service, paths.webhook, &session, &format!("url={wrong}"));
            assert_eq!(answer.status, 400, "{wrong}");
            assert!(answer.text().contains("role=\"alert\"") && !answer.text().contains("<b>"));
        }
        let foreign = [FORM, ("cookie", session.as_str()), ("origin", "https://evil.example")];
        let forged = send(&service, "POST", paths.webhook, &foreign, "url=https%3A%2F%2Fevil.example");
        assert_eq!(forged.status, 403, "forms are taken from this site only");
        // reserved: this name resolves nowhere
        let form = once(&service, paths.webhook, &session);
        let sent = format!("url=https%3A%2F%2Fhooks.invalid%2Fa&{form}");
        let set = submit(&service, paths.webhook, &session, &sent);
        let again = submit(&service, paths.webhook, &session, &sent);
        assert!(again.status == 409 && !again.text().contains("whsec_"), "it keeps its secret");
        let text = set.text();
        let (_, rest) = text.split_once("whsec_").unwrap_or_else(|| panic!("a secret: {text}"));
        let secret = rest.split('<').next().expect("a secret").trim();
        let shown = page(&service, paths.webhook, &session).text();
        assert!(shown.contains("https://hooks.invalid/a") && !shown.contains(secret), "{shown}");
        let export = page(&service, paths.export, &session).text();
        assert!(export.contains("hooks.invalid") && !export.contains(secret), "{export}");
        assert_eq!(submit(&service, paths.webhook, &session, "do=test").status, 303);
        awaited("what came of the test", SOON, || {
            page(&service, paths.webhook, &session).text().contains("no connection").then_some(())
        });
        assert_eq!(submit(&service, paths.webhook, &session, "do=remove").status, 303);
        assert!(!page(&service, paths.webhook, &session).text().contains("hooks.invalid"));
    }
}

/// Whether Maria's account is gone and her key with it.
fn is_erased(service: &Service) -> bool {
    run(&service.data, &["account", "show", "--email", MARIA]).status.code() == Some(1)
}

#[test]
fn an_erasure_whose_request_was_given_up_is_done_all_the_same() {
    let service = Service::start_with(&["limits.request_timeout_ms=3000"]);
    let key = signed_up(&service, MARIA);
    let session = entered(&service, &PT, 1);
    let held = held_search(&service.data.join("outbox"));
    let given_up = submit(&service, PT.delete, &session, &format!("email={MARIA}"));
    assert_eq!(given_up.status, 503, "{}", given_up.text());
    let searching = held.begun();
    assert!(works(&service, &key), "nothing is erased yet");
    drop(searching);
    awaited("the erasure", SOON, || is_erased(&service).then_some(()));
    awaited("the end of the key", SOON, || (!works(&service, &key)).then_some(()));
    let told = || outbox(&service, MARIA, 1).iter().any(|mail| mail.body.contains("A sua conta do"));
    awaited("the mail", SOON, || told().then_some(()));
}

#[test]
fn a_server_that_stops_waits_for_an_erasure() {
    let mut service = Service::start_with(&["limits.drain_ms=100", "limits.lame_duck_ms=0"]);
    signed_up(&service, MARIA);
    let session = entered(&service, &PT, 1);
    let held = held_search(&service.data.join("outbox"));
    let call = request("POST", PT.delete, &[FORM, ("cookie", &session)], format!("email={MARIA}").as_bytes());
    let mut waiting = open(service.listen);
    waiting.write_all(&call).expect("sent");
    let searching = held.begun();
    service.signal("-TERM");
    assert!(read(&mut waiting, false).is_none(), "the time to drain is over before");
    assert!(!is_erased(&service));
    drop(searching);
    awaited("the end of the server", SOON, || service.has_ended().then_some(()));
    assert!(is_erased(&service));
    assert!(outbox(&service, MARIA, 1).iter().any(|mail| mail.body.contains("A sua conta do")));
}
