//! The pages of an account and that of the sandbox tell what came of an order: paid, refused, overdue or closed.

use crate::account_pages::{EN, MARIA, PT, Paths, entered, page, submit};
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
    row_pending: "<td>Aguardando</td>",
    row_closed: "<td>Encerrado</td>",
    already_canceled: "A assinatura já foi cancelada",
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
    row_pending: "<td>Awaited</td>",
    row_closed: "<td>Closed</td>",
    already_canceled: "The subscription is canceled already",
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
    says(paths.paid, words.no_order, &[words.waiting, words.paid]);
    says(paths.account, "Free", &[&cancel]);
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
    says(paths.account, words.row_pending, &[words.row_closed]);

    // the cancellation closes it
    assert_eq!(submit(&service, paths.cancel, &session, "confirm=yes").status, 303);
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
