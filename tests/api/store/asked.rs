//! What people asked, and mails to any address.

use candango::domain::asked::{AskedCount, MAX_A_DAY};

use super::*;

/// A count of a day.
pub(super) fn asked(question: &str, run: &str, times: u32) -> AskedCount {
    AskedCount {
        day: "2026-11-23".parse().expect("a day"),
        run: HolderId::from_stored(run.to_owned()),
        question: question.to_owned(),
        callers: 3,
        times,
    }
}

pub(super) async fn what_was_asked_is_replaced_by_its_run_and_the_rarest_of_a_day_go(place: Place) {
    let store = place.open();
    let later = UnixMillis(Clock::machine().now().0 + 3_600_000);
    let day = asked("", "", 0).day;
    let many: Vec<AskedCount> = (0..MAX_A_DAY).map(|number| asked(&format!("q{number}"), "h_1", 5)).collect();
    store.save_asked(many.clone(), later).await.expect("saved");
    // in total, so that a repeated report counts once
    store.save_asked(vec![asked("q7", "h_1", 6)], later).await.expect("saved");
    store.save_asked(vec![asked("q7", "h_1", 6), asked("rare", "h_1", 4)], later).await.expect("saved");
    store.save_asked(vec![asked("q7", "h_2", 1), asked("new", "h_2", 9)], later).await.expect("saved");
    let found = store.asked(day).await.expect("read");
    let times = |question: &str| {
        let mut times: Vec<u32> =
            found.iter().filter(|count| count.question == question).map(|count| count.times).collect();
        times.sort_unstable();
        times
    };
    assert_eq!((times("q7"), times("new"), times("rare")), (vec![1, 6], vec![9], vec![]));
    let different: HashSet<&str> = found.iter().map(|count| count.question.as_str()).collect();
    assert_eq!(different.len(), MAX_A_DAY);
    assert!(store.asked(day.succ_opt().expect("a day")).await.expect("read").is_empty());
}

pub(super) async fn a_mail_is_queued_once_and_opens_an_account_if_its_address_is_new(place: Place) {
    let store = place.open();
    let known = issued(&*store, "maria@b.c", Plan::Pro).await.account;
    let account = |address: &str| {
        Account::new(AccountId::generate().expect("an id"), email(address), UnixMillis(1_000))
    };
    let mail = mail_id();
    for _ in 0..2 {
        store
            .queue_mail(account("maria@b.c"), &mail, MailKind::Asked, UnixMillis(1_000))
            .await
            .expect("queued");
    }
    store
        .queue_mail(account("new@b.c"), &mail_id(), MailKind::Asked, UnixMillis(1_001))
        .await
        .expect("queued");
    let mails = taken(&*store, 2_000).await;
    let to: Vec<&str> = mails.iter().map(|mail| mail.to.as_str()).collect();
    assert_eq!(to, ["maria@b.c", "new@b.c"]);
    assert_eq!((&mails[0].account, mails[0].kind), (&known.id, MailKind::Asked));
    let new = store.account(&email("new@b.c")).await.expect("answered").expect("an account");
    assert_eq!((new.plan, store.keys(&new.id).await.expect("keys").len()), (Plan::Free, 0));
}
