//! How a plan is chosen and ordered on the pages of an account, and what they and that of the sandbox tell of the
//! order: paid, refused, overdue or closed.

use crate::account_pages::{EN, MANY_MAILS, MARIA, PT, Paths, cookie, entered, page, sign_in_code, submit};
use crate::mail::signed_up;
use crate::service::Service;

/// What the pages say in a language.
struct Words {
    no_order: &'static str,
    waiting: &'static str,
    paid: &'static str,
    refused: &'static str,
    overdue: &'static str,
    closed: &'static str,
    refunded: &'static str,
    /// Of the sandbox.
    declined: &'static str,
    overdue_declined: &'static str,
    /// In the table of payments.
    row_pending: &'static str,
    row_closed: &'static str,
    already_canceled: &'static str,
    withdraw: &'static str,
    /// What follows a withdrawal, and a cancellation.
    withdrawn: &'static str,
    canceled: &'static str,
    /// What is said of an order without a plan, and of a wrong tax id.
    no_plan: &'static str,
    type_again: &'static str,
}

const PORTUGUESE: Words = Words {
    no_order: "Nenhum pedido em aberto",
    waiting: "O pagamento ainda não foi confirmado",
    paid: "o plano está ativo",
    refused: "O cartão foi recusado",
    overdue: "O pagamento venceu",
    closed: "O pedido foi encerrado",
    refunded: "O pagamento voltou",
    declined: "Cartão recusado: tente de novo",
    overdue_declined: "Vencido, com o cartão recusado",
    row_pending: "<td>Aguardando",
    row_closed: "<td>Encerrado</td>",
    already_canceled: "A assinatura já foi cancelada",
    withdraw: "Encerrar o pedido",
    withdrawn: "O pedido foi encerrado",
    canceled: "A assinatura foi cancelada",
    no_plan: "Escolha um dos planos.",
    type_again: "Digite de novo todos os dígitos",
};

const ENGLISH: Words = Words {
    no_order: "No open order",
    waiting: "The payment is not confirmed yet",
    paid: "the plan is active",
    refused: "The card was declined",
    overdue: "The payment is overdue",
    closed: "The order was closed",
    refunded: "The payment went back",
    declined: "Card declined: try again",
    overdue_declined: "Overdue, with the card declined",
    row_pending: "<td>Awaited",
    row_closed: "<td>Closed</td>",
    already_canceled: "The subscription is canceled already",
    withdraw: "Close the order",
    withdrawn: "The order is closed",
    canceled: "The subscription is canceled",
    no_plan: "Choose one of the plans.",
    type_again: "Type all its digits again",
};

/// Orders a plan; returns the path of its page in the sandbox.
fn ordered(service: &Service, paths: &Paths, session: &str, plan: &str) -> String {
    let order = format!("plan={plan}&tax_id=52998224725&method=CREDIT_CARD");
    let answer = submit(service, paths.plan, session, &order);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let address = answer.header("location").expect("a page");
    let at = address.find("/sandbox/").expect("the sandbox");
    address[at..].split('?').next().expect("a path").to_owned()
}

fn orders_come_to(paths: &Paths, words: &Words, language: &str) {
    let service = Service::start();
    signed_up(&service, MARIA);
    let session = entered(&service, paths, 1);
    let says = |path: &str, expected: &str, others: &[&str]| {
        let text = page(&service, path, &session).text();
        assert!(text.contains(expected), "{path} says {expected}: {text}");
        for other in others {
            assert!(!text.contains(other), "{path} does not say {other}: {text}");
        }
    };
    let cancel = format!("href=\"{}\"", paths.cancel);
    let press = |pay: &str, button: &str| {
        assert_eq!(submit(&service, pay, "", &format!("do={button}")).status, 303, "{button}");
    };
    // what becomes of a cancellation is said on the page that follows
    let confirms = |session: &str, said: &str| {
        let done = submit(&service, paths.cancel, session, "confirm=yes");
        let next = done.header("location").expect("a page").to_owned();
        assert_eq!((done.status, next.starts_with(paths.account)), (303, true), "{next}");
        let text = page(&service, &next, session).text();
        assert!(text.contains("role=\"status\"") && text.contains(said), "{next}: {text}");
    };
    // all mistakes of an order at once
    let wrong = submit(&service, paths.plan, &session, "tax_id=111.111.111-11&method=cash").text();
    for field in ["plan", "tax_id", "method"] {
        assert!(wrong.contains(&format!("id=\"{field}-no\"")), "{field}: {wrong}");
    }
    assert!(wrong.contains(words.no_plan) && wrong.contains(words.type_again), "{wrong}");
    says(paths.paid, words.no_order, &[words.waiting, words.paid]);
    says(paths.account, "Free", &[&cancel]);
    // an order that waits can be withdrawn
    ordered(&service, paths, &session, "pro");
    says(paths.account, &cancel, &[]);
    says(paths.cancel, words.withdraw, &[words.already_canceled]);
    confirms(&session, words.withdrawn);
    says(paths.account, words.row_closed, &[words.row_pending, &cancel, words.withdrawn]);
    says(paths.paid, words.closed, &[words.paid]);
    let first = ordered(&service, paths, &session, "gringo");
    says(paths.paid, words.waiting, &[words.paid]);
    press(&first, "pay");
    says(paths.paid, words.paid, &[words.waiting]);
    says(paths.account, &cancel, &[]);

    // an upgrade whose card is refused, and which then expires
    let second = ordered(&service, paths, &session, "pro");
    let sandbox = format!("{second}?lang={language}");
    says(paths.paid, words.waiting, &[words.paid]);
    press(&second, "fail");
    says(paths.paid, words.refused, &[words.paid, words.waiting]);
    says(&sandbox, words.declined, &[]);
    press(&second, "expire");
    says(paths.paid, words.overdue, &[words.paid]);
    says(&sandbox, words.overdue_declined, &[words.declined]);
    says(paths.account, words.row_pending, &[]);

    // the cancellation closes it
    confirms(&session, words.canceled);
    says(paths.paid, words.closed, &[words.paid]);
    says(paths.account, words.row_closed, &[words.row_pending, &cancel]);
    says(paths.cancel, words.already_canceled, &["name=\"confirm\""]);
    // a new order may be called off again
    let third = ordered(&service, paths, &session, "pro");
    says(paths.account, &cancel, &[]);
    press(&third, "pay");
    press(&third, "refund");
    says(paths.paid, words.refunded, &[words.paid]);
}

#[test]
fn pages_tell_what_came_of_the_latest_order_and_offer_to_cancel_only_what_renews() {
    orders_come_to(&PT, &PORTUGUESE, "pt");
}

#[test]
fn they_tell_it_in_english_too() {
    orders_come_to(&EN, &ENGLISH, "en");
}

#[test]
fn the_plan_that_was_chosen_is_kept_while_signing_in() {
    let service = Service::start_with(&MANY_MAILS);
    let key = signed_up(&service, MARIA);
    for (count, paths, plans) in [(1, &PT, "/plans"), (2, &EN, "/en/plans")] {
        let chosen = format!("{}?plan=gringo", paths.plan);
        let asked = page(&service, &format!("{plans}?plan=gringo"), "").text();
        assert!(asked.contains(&format!("href=\"{chosen}\"")), "{asked}");
        let led = page(&service, &chosen, "");
        let sign_in = format!("{}?plan=gringo", paths.account);
        assert_eq!((led.status, led.header("location")), (303, Some(&*sign_in)));
        let hidden = "type=\"hidden\" name=\"plan\" value=\"gringo\"";
        assert_eq!(
            page(&service, &sign_in, "").text().matches(hidden).count(),
            2,
            "with a code and with a key"
        );
        let mailed = submit(&service, paths.sign_in, "", &format!("email={MARIA}&plan=gringo"));
        assert!(mailed.status == 200 && mailed.text().contains(hidden), "{}", mailed.text());
        let code = sign_in_code(&[&service], count);
        let wrong =
            submit(&service, paths.code, "", &format!("email={MARIA}&code=0000-0000-0000&plan=gringo"));
        assert!(wrong.status == 400 && wrong.text().contains(hidden), "{}", wrong.text());
        let entered = submit(&service, paths.code, "", &format!("email={MARIA}&code={code}&plan=gringo"));
        assert_eq!((entered.status, entered.header("location")), (303, Some(&*chosen)));
        let session = cookie(&entered);
        let form = page(&service, &chosen, &session).text();
        let (_, gringo) = form.split_once("id=\"plan-gringo\"").expect("a plan");
        assert!(gringo.split('>').next().is_some_and(|field| field.contains("checked")), "{form}");
        let current = if paths.account == PT.account { "Plano atual" } else { "Current plan" };
        assert!(form.contains(&format!("<dt>{current}</dt><dd>Free</dd>")), "{form}");
        // who is signed in already needs no key
        let led = page(&service, &format!("{plans}?plan=gringo"), &session);
        assert_eq!((led.status, led.header("location")), (303, Some(&*chosen)));
        // a plan and nothing else leads on
        for other in ["free", "https%3A%2F%2Fevil.example", "%2F%2Fevil.example", ""] {
            let entered = submit(&service, paths.sign_in, "", &format!("key={key}&plan={other}"));
            assert_eq!((entered.status, entered.header("location")), (303, Some(paths.account)), "{other}");
            let led = page(&service, &format!("{}?plan={other}", paths.plan), "");
            let sign_in = format!("{}?to=plan", paths.account);
            assert_eq!((led.status, led.header("location")), (303, Some(&*sign_in)), "{other}");
        }
    }
}

#[test]
fn who_has_to_sign_in_first_lands_where_they_wanted_to_go() {
    let service = Service::start_with(&MANY_MAILS);
    let key = signed_up(&service, MARIA);
    for (count, paths, why) in
        [(1, &PT, "por isso é preciso entrar antes"), (2, &EN, "so you have to sign in first")]
    {
        let pages = paths.personal().into_iter().chain([paths.plan]);
        for path in pages.filter(|path| *path != paths.export) {
            let led = page(&service, path, "");
            let sign_in = led.header("location").expect("the way to sign in").to_owned();
            assert!(led.status == 303 && sign_in.starts_with(&format!("{}?to=", paths.account)), "{sign_in}");
            let name = sign_in.rsplit('=').next().expect("a name");
            let hidden = format!("type=\"hidden\" name=\"to\" value=\"{name}\"");
            let form = page(&service, &sign_in, "").text();
            assert!(form.contains(why) && form.matches(&hidden).count() == 2, "{path}: {form}");
            let entered = submit(&service, paths.sign_in, "", &format!("key={key}&to={name}"));
            assert_eq!((entered.status, entered.header("location")), (303, Some(path)));
            if path != paths.plan {
                // the code that a key is not enough for leads on too
                let refused = page(&service, path, &cookie(&entered));
                assert!(refused.status == 403 && refused.text().contains(&hidden), "{path}");
            }
        }
        // a file would leave the page of the code
        let led = page(&service, paths.export, "");
        assert_eq!(led.header("location"), Some(&*format!("{}?to=data", paths.account)));
        // through the code, a wrong one first
        let mailed = submit(&service, paths.sign_in, "", &format!("email={MARIA}&to=cancel"));
        assert!(mailed.text().contains("name=\"to\" value=\"cancel\""), "{}", mailed.text());
        let code = sign_in_code(&[&service], count);
        let typed = |code: &str| format!("email={MARIA}&code={code}&to=cancel");
        let wrong = submit(&service, paths.code, "", &typed("0000-0000-0000"));
        assert!(wrong.status == 400 && wrong.text().contains("value=\"cancel\""), "{}", wrong.text());
        let entered = submit(&service, paths.code, "", &typed(&code));
        assert_eq!((entered.status, entered.header("location")), (303, Some(paths.cancel)));
        assert_eq!(page(&service, paths.cancel, &cookie(&entered)).status, 200);
        // a name of the closed set and nothing else
        for other in ["https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "sign-in", "%2Fconta%2Fchave"] {
            let entered = submit(&service, paths.sign_in, "", &format!("key={key}&to={other}"));
            assert_eq!((entered.status, entered.header("location")), (303, Some(paths.account)), "{other}");
        }
    }
}

#[test]
fn an_order_that_waits_is_withdrawn_alone_and_a_canceled_plan_says_what_follows() {
    for (paths, words) in [
        (
            &PT,
            [
                "Pagamento pendente",
                "também é encerrado",
                "Encerrar o pedido",
                "depois Free",
                "Assinar de novo",
            ],
        ),
        (&EN, ["Payment pending", "is closed too", "Close the order", "then Free", "Subscribe again"]),
    ] {
        let [pending, too, close, then, again] = words;
        let service = Service::start();
        signed_up(&service, MARIA);
        let session = entered(&service, paths, 1);
        let text = |path: &str| page(&service, path, &session).text();
        let alone = format!("{}?what=order", paths.cancel);
        let cancel = format!("href=\"{}\"", paths.cancel);
        let first = ordered(&service, paths, &session, "gringo");
        assert_eq!(submit(&service, &first, "", "do=pay").status, 303);
        let shown = text(paths.account);
        let number = |path: &str| path.rsplit('/').next().expect("a number").to_owned();
        assert!(shown.contains(&number(&first)), "a payment has the number of its order: {shown}");
        let contact = if paths.account == PT.account {
            "<a href=\"/contato\">Pedir"
        } else {
            "<a href=\"/en/contact\">Ask"
        };
        assert!(shown.contains(contact), "its money may be asked back: {shown}");

        // beside a plan that renews
        let second = ordered(&service, paths, &session, "pro");
        let paid = text(paths.paid);
        assert!(paid.contains(pending) && paid.contains(&format!("{second}?lang=")), "{paid}");
        let shown = text(paths.account);
        assert!(shown.contains(&format!("href=\"{alone}\"")) && shown.contains(&cancel), "{shown}");
        let both = text(paths.cancel);
        assert!(both.contains(too) && both.contains(&alone), "{both}");
        let asked = text(&alone);
        assert!(asked.contains(close) && asked.contains(&number(&second)) && !asked.contains(too), "{asked}");
        let confirmed = "confirm=yes&what=order";
        let done = submit(&service, paths.cancel, &session, confirmed);
        let next = done.header("location").expect("a page").to_owned();
        assert_eq!((done.status, next.ends_with("?done=withdrawn")), (303, true), "{next}");
        let shown = text(&next);
        assert!(shown.contains("role=\"status\"") && shown.contains(&cancel), "the plan renews: {shown}");
        // sent again it ends nothing else
        let asked = submit(&service, paths.cancel, &session, confirmed);
        assert!(asked.status == 200 && asked.text().contains("name=\"confirm\""), "{}", asked.text());
        assert!(text(paths.account).contains(&cancel));

        // beside one that is canceled
        assert_eq!(submit(&service, paths.cancel, &session, "confirm=yes").status, 303);
        let shown = text(paths.account);
        assert!(shown.contains(then) && shown.contains(again) && !shown.contains(&cancel), "{shown}");
        ordered(&service, paths, &session, "business");
        assert!(text(paths.cancel).contains(close), "{}", text(paths.cancel));
        let done = submit(&service, paths.cancel, &session, "confirm=yes");
        assert!(done.header("location").is_some_and(|next| next.ends_with("?done=withdrawn")));
        assert!(text(paths.account).contains(then));
    }
}
