//! Readers of the weekly letter, and other addresses of accounts.

use candango::domain::language::Language;
use candango::domain::reader::Reader;
use candango::store::rows::Table;
use strum::VariantArray as _;

use super::*;

pub(crate) fn reader(id: &str, address: &str, at: i64) -> Reader {
    Reader {
        id: ReaderId::from_stored(id.to_owned()),
        email: email(address),
        language: Language::English,
        area: Some("asa-norte".to_owned()),
        asked_at: UnixMillis(at),
        confirmed_at: None,
    }
}

fn id(text: &str) -> ReaderId {
    ReaderId::from_stored(text.to_owned())
}

/// Takes what is due at a moment, to be due again after a minute.
async fn due(store: &dyn Store, at: i64) -> Vec<(Reader, u32)> {
    let take = TakeDue { now: UnixMillis(at), retry_at: UnixMillis(at + 60_000), max: 10 };
    store.take_due_readers(take).await.expect("readers")
}

pub(super) async fn a_reader_is_kept_once_and_confirms_once(place: Place) {
    let store = place.open();
    let now = Clock::machine().now().0;
    let first = reader("rdr_1", "a@b.c", now);
    store.save_reader(first.clone()).await.expect("saved");
    assert_eq!(due(&*store, now).await, [(first.clone(), 1)]);
    store.reschedule_reader(&first, None, 0).await.expect("done");
    assert_eq!(due(&*store, now + 120_000).await, [], "one mail for each request");
    // who asks again keeps the id, so that the link of the first mail works
    let again = Reader { area: None, language: Language::Portuguese, ..reader("rdr_2", "a@b.c", now + 1) };
    store.save_reader(again.clone()).await.expect("saved");
    let kept = Reader { id: id("rdr_1"), ..again };
    assert_eq!(due(&*store, now + 1).await, [(kept.clone(), 1)]);
    assert_eq!(store.reader(&id("rdr_2")).await.expect("answered"), None);
    let [at, letter, later] = [2, 3_600_000, 7_200_000].map(|ahead| UnixMillis(now + ahead));
    assert!(!store.confirm_reader(&id("rdr_2"), at, letter).await.expect("answered"));
    assert!(store.confirm_reader(&id("rdr_1"), at, letter).await.expect("confirmed"));
    assert!(store.confirm_reader(&id("rdr_1"), later, later).await.expect("a repetition"));
    let confirmed = Reader { confirmed_at: Some(at), ..kept };
    assert_eq!(store.reader(&id("rdr_1")).await.expect("answered"), Some(confirmed.clone()));
    // and what anybody asks for the address changes nothing any more
    store.save_reader(reader("rdr_3", "a@b.c", now + 3)).await.expect("saved");
    assert_eq!(due(&*store, letter.0 - 1).await, []);
    assert_eq!(due(&*store, letter.0).await, [(confirmed, 1)]);
    let rows = store.rows(&[Table::Readers], None).await.expect("rows");
    assert_eq!((rows.len(), rows[0].ends_at()), (1, None), "who has confirmed is not forgotten: {rows:?}");
}

pub(super) async fn the_rows_of_an_account_have_the_reader_of_its_address(place: Place) {
    let store = place.open();
    let now = Clock::machine().now().0;
    let account = issued(&*store, "a@b.c", Plan::Pro).await.account.id;
    let readers = async || {
        let rows = store.rows(&[Table::Accounts, Table::Readers], Some(&account)).await.expect("rows");
        let readers = rows.iter().filter(|row| row.0 == Table::Readers);
        readers.filter_map(|row| row.value("id").map(str::to_owned)).collect::<Vec<_>>()
    };
    store.save_reader(reader("rdr_1", "x@y.z", now)).await.expect("saved");
    assert_eq!(readers().await, [""; 0]);
    store.save_reader(reader("rdr_2", "a@b.c", now)).await.expect("saved");
    assert_eq!(readers().await, ["rdr_2"]);
}

pub(super) async fn a_letter_is_taken_once_before_its_retry_and_never_after_a_stop(place: Place) {
    let (one, other) = (place.open(), place.open());
    let now = Clock::machine().now().0;
    for number in 0..20 {
        let reader = reader(&format!("rdr_{number}"), &format!("r{number}@b.c"), now);
        one.save_reader(reader.clone()).await.expect("saved");
        assert!(one.confirm_reader(&reader.id, UnixMillis(now), UnixMillis(now)).await.expect("confirmed"));
    }
    let take = TakeDue { now: UnixMillis(now), retry_at: UnixMillis(now + 60_000), max: 3 };
    let mut taken = Vec::new();
    loop {
        let (mine, theirs) = tokio::join!(one.take_due_readers(take), other.take_due_readers(take));
        let found = [mine.expect("readers"), theirs.expect("readers")].concat();
        if found.is_empty() {
            break;
        }
        taken.extend(found.into_iter().map(|(reader, attempts)| (reader.email.to_string(), attempts)));
    }
    let addresses: HashSet<&String> = taken.iter().map(|(address, _)| address).collect();
    assert_eq!((taken.len(), addresses.len()), (20, 20), "{taken:?}");
    assert!(taken.iter().all(|(_, attempts)| *attempts == 1), "{taken:?}");
    assert!(one.delete_reader(&id("rdr_0")).await.expect("deleted"));
    assert!(!one.delete_reader(&id("rdr_0")).await.expect("answered"));
    assert_eq!(other.delete_reader_of(&email("r1@b.c")).await.expect("deleted"), Some(id("rdr_1")));
    assert_eq!(other.delete_reader_of(&email("r1@b.c")).await.expect("answered"), None);
    let again = take_all(&*other, now + 60_000).await;
    assert_eq!(again.len(), 18, "what was not sent comes again");
    let (last, attempts) = &again[0];
    assert_eq!(*attempts, 2);
    one.delete_reader(&last.id).await.expect("deleted");
    one.reschedule_reader(last, Some(UnixMillis(now)), 0).await.expect("nothing");
    assert_eq!(take_all(&*one, now).await, [], "who has stopped is not brought back");
    let bytes = format!("{:?}", one.rows(Table::VARIANTS, None).await.expect("rows"));
    assert!(!bytes.contains("r0@b.c") && !bytes.contains("r1@b.c"), "nothing of them is kept");
}

async fn take_all(store: &dyn Store, at: i64) -> Vec<(Reader, u32)> {
    let take = TakeDue { now: UnixMillis(at), retry_at: UnixMillis(at + 60_000), max: 100 };
    store.take_due_readers(take).await.expect("readers")
}

pub(super) async fn a_mail_that_was_taken_before_a_confirmation_changes_nothing_after_it(place: Place) {
    let store = place.open();
    let now = Clock::machine().now().0;
    let asked = reader("rdr_1", "a@b.c", now);
    store.save_reader(asked.clone()).await.expect("saved");
    assert_eq!(due(&*store, now).await.len(), 1);
    let letter = UnixMillis(now + 3_600_000);
    assert!(store.confirm_reader(&asked.id, UnixMillis(now + 1), letter).await.expect("confirmed"));
    // the mail that asked for it is finished only now
    store.reschedule_reader(&asked, None, 0).await.expect("nothing");
    assert_eq!(due(&*store, letter.0).await.len(), 1, "the letter is still due");
}

pub(super) async fn a_code_gives_its_address_to_the_account_and_the_old_one_a_notice(place: Place) {
    let store = place.open();
    let account = issued(&*store, "maria@b.c", Plan::Pro).await.account.id;
    issued(&*store, "other@b.c", Plan::Free).await;
    let nobody = AccountId::generate().expect("an id");
    for whose in [&account, &nobody] {
        store
            .mail_new_address(whose, &email("nova@b.c"), &mail_id(), UnixMillis(1_000))
            .await
            .expect("queued");
    }
    let mails = taken(&*store, 1_000).await;
    let sent: Vec<_> = mails.iter().map(|mail| (mail.to.as_str(), mail.kind)).collect();
    assert_eq!(sent, [("nova@b.c", MailKind::NewAddress)]);
    let change = |code: u8, address: &str| AddressChange {
        account: account.clone(),
        code: CodeHash([code; 32]),
        email: email(address),
        notice: mail_id(),
        at: UnixMillis(2_000),
    };
    for hash in [1, 2, 3] {
        let record =
            CodeRecord { hash: CodeHash([hash; 32]), expires_at: UnixMillis(9_000), at: UnixMillis(1_000) };
        store.save_code(&account, record).await.expect("saved");
    }
    let redeem = async |change: AddressChange| store.redeem_new_address(change).await.expect("answered");
    assert_eq!(redeem(change(9, "nova@b.c")).await, None, "a wrong code");
    assert_eq!(
        redeem(AddressChange { at: UnixMillis(9_000), ..change(1, "nova@b.c") }).await,
        None,
        "too late"
    );
    assert_eq!(redeem(change(2, "other@b.c")).await, Some(EmailChange::Taken));
    assert_eq!(redeem(change(2, "nova@b.c")).await, None, "that code is used up");
    let wanted = change(1, "nova@b.c");
    assert_eq!(redeem(wanted.clone()).await, Some(EmailChange::Done));
    assert_eq!(redeem(wanted).await, None, "that code is used up too");
    assert_eq!(redeem(change(9, "nova@b.c")).await, None, "a wrong code for the address that it has");
    assert_eq!(store.account(&email("maria@b.c")).await.expect("answered"), None);
    let found = store.account(&email("nova@b.c")).await.expect("answered").expect("the account");
    assert_eq!((found.id, found.plan), (account.clone(), Plan::Pro));
    assert_eq!(redeem(change(3, "third@b.c")).await, None, "all codes have ended");
    let mails = taken(&*store, 3_000).await;
    let sent: Vec<_> = mails.iter().map(|mail| (mail.to.as_str(), mail.kind)).collect();
    assert_eq!(sent, [("maria@b.c", MailKind::Moved)]);
}
