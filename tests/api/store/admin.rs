//! What operators do with accounts, and the rows of a store.

use candango::domain::account::SuggestionId;
use candango::domain::suggestion::Suggestion;
use candango::store::rows::{Row, Table};
use candango::store::{Backlog, Block, EmailChange, EraseOutcome, Erasure, HookQueue, Once};
use strum::VariantArray as _;

use super::accounts::{code, limit, redeem, redemption};
use super::billing::{event, update};
use super::mails::access_request;
use super::*;

fn block() -> Option<Block> {
    Some(Block { at: UnixMillis(1_500), reason: "a \"reason\": é".to_owned() })
}

/// What is due at 9,000, as mail kinds.
async fn due(store: &dyn Store) -> Vec<MailKind> {
    let take = TakeDue { now: UnixMillis(9_000), retry_at: UnixMillis(9_000), max: 10 };
    let mails = store.take_due_mails(&mailer(), take).await.expect("mails");
    mails.into_iter().map(|mail| mail.kind).collect()
}

pub(super) async fn a_blocked_account_gets_no_key_and_no_mail_until_it_is_unblocked(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    store.save_code(&account.id, code(1)).await.expect("saved");
    store.request_access(access_request("a@b.c", false)).await.expect("queued");
    assert_eq!(store.set_block(&account.id, block()).await.expect("answered"), Some(vec![]));

    let found = store.account_of_key(key.hash()).await.expect("answered").expect("still its key");
    assert!(found.is_blocked);
    assert!(store.account(&account.email).await.expect("answered").expect("an account").is_blocked);
    assert_eq!(redeem(&*store, redemption("a@b.c", 1)).await, None);
    store.request_access(access_request("a@b.c", true)).await.expect("the usual answer");
    assert_eq!(due(&*store).await, [], "neither what was queued nor what was asked for");

    assert_eq!(store.set_block(&account.id, None).await.expect("answered"), Some(vec![]));
    let found = store.account_of_key(key.hash()).await.expect("answered").expect("its key");
    assert!(!found.is_blocked);
    assert_eq!(redeem(&*store, redemption("a@b.c", 1)).await, None, "its codes are gone");
    store.request_access(access_request("a@b.c", false)).await.expect("queued");
    assert_eq!(due(&*store).await, [MailKind::Recovery]);
    let nobody = AccountId::generate().expect("an id");
    assert_eq!(store.set_block(&nobody, block()).await.expect("answered"), None);
}

pub(super) async fn what_waits_is_told_by_its_age_and_a_backup_by_its_time(place: Place) {
    let store = place.open();
    let backlog = async || store.backlog().await.expect("a backlog");
    assert_eq!(backlog().await, Backlog::default());

    // queued at 1,000, tried and postponed: its age counts from the first
    store.request_access(access_request("a@b.c", true)).await.expect("queued");
    let take = TakeDue { now: UnixMillis(2_000), retry_at: UnixMillis(90_000), max: 10 };
    let taken = store.take_due_mails(&mailer(), take).await.expect("mails");
    assert!(store.save_webhook_event(event("late", 4_000)).await.expect("saved"));
    assert!(store.save_webhook_event(event("early", 3_000)).await.expect("saved"));
    store.take_due_webhook_events(TakeDue { now: UnixMillis(3_500), ..take }).await.expect("events");
    let account = store.account(&email("a@b.c")).await.expect("answered").expect("an account").id;
    let due = SubscriptionUpdate { due_at: Some(UnixMillis(7_000)), ..update(&account, 0, "one") };
    assert!(store.save_subscription(due).await.expect("saved"));
    store.note_backup(UnixMillis(8_000)).await.expect("noted");
    store.note_backup(UnixMillis(9_000)).await.expect("noted");
    let expected = Backlog {
        oldest_mail: Some(UnixMillis(1_000)),
        oldest_webhook_event: Some(UnixMillis(3_000)),
        subscription_due_at: Some(UnixMillis(7_000)),
        backup_at: Some(UnixMillis(9_000)),
    };
    assert_eq!(backlog().await, expected);

    store.delete_mail(&taken[0].id).await.expect("deleted");
    store.finish_webhook_event("early", UnixMillis(9_500)).await.expect("finished");
    let expected = Backlog { oldest_mail: None, oldest_webhook_event: Some(UnixMillis(4_000)), ..expected };
    assert_eq!(backlog().await, expected);
    let rows = store.rows(Table::VARIANTS, None).await.expect("rows");
    let of = |text: &str| rows.iter().any(|row| row.1.iter().flatten().any(|value| value == text));
    assert!(!of("9000"), "the record of a backup is part of no backup");
}

pub(super) async fn an_account_gets_another_address_unless_it_is_taken(place: Place) {
    let store = place.open();
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    issued(&*store, "x@y.z", Plan::Free).await;
    store.save_code(&account.id, code(1)).await.expect("saved");
    let change = async |to: &str| store.set_email(&account.id, &email(to)).await.expect("answered");
    assert_eq!(change("x@y.z").await, EmailChange::Taken);
    assert_eq!(change("new@b.c").await, EmailChange::Done);
    assert_eq!(change("new@b.c").await, EmailChange::Done, "a repeated request");
    assert_eq!(store.account(&email("a@b.c")).await.expect("answered"), None);
    let found = store.account_of_key(key.hash()).await.expect("answered").expect("its key");
    assert_eq!((found.id, found.email), (account.id.clone(), email("new@b.c")));
    assert_eq!(redeem(&*store, redemption("new@b.c", 1)).await, None, "the code is in the old mailbox");
    let nobody = AccountId::generate().expect("an id");
    let change = store.set_email(&nobody, &email("q@b.c")).await.expect("answered");
    assert_eq!(change, EmailChange::NoAccount);
}

/// A store with a row in every table.
async fn full_store(place: &Place) -> (Arc<dyn Store>, AccountId) {
    let store = place.open();
    let now = Clock::machine().now().0;
    let account = issued(&*store, "maria@b.c", Plan::Pro).await.account.id;
    let old = issued(&*store, "maria@b.c", Plan::Pro).await.key;
    issued(&*store, "other@b.c", Plan::Free).await;
    store.revoke_key(old.hash(), UnixMillis(4_000)).await.expect("revoked");
    let record = CodeRecord { expires_at: UnixMillis(now + 3_600_000), ..code(7) };
    store.save_code(&account, record).await.expect("saved");
    let session = CodeRecord { expires_at: UnixMillis(now + 3_600_000), ..code(8) };
    store.save_key_session(&account, session, 50).await.expect("saved");
    store.request_access(access_request("maria@b.c", false)).await.expect("queued");
    store.request_access(access_request("new@b.c", true)).await.expect("queued");
    let ends_at = UnixMillis(now + 3_600_000);
    let counted = RateLimit { allowance: Allowance::Window { max: 5, ends_at }, ..limit("x", 5) };
    let of_account = RateLimit::window("checkout", &account, 5, ends_at);
    let of_address = RateLimit::window("signup", &email("maria@b.c").fingerprint(), 5, ends_at);
    let limits = vec![counted, of_account, of_address];
    store.count_attempt(limits, UnixMillis(now)).await.expect("counted");
    let once = Once { name: format!("quota/{}/{account}/100", ends_at.0), ends_at };
    let told = (mail_id(), MailKind::QuotaLow);
    store.notify(&account, once, message_of(now), 5, told).await.expect("told");
    let mut holder = Holder::new(account.as_str(), 100);
    holder.claim.now = UnixMillis(now);
    holder.claim.period = Clock::machine().moment().month();
    holder.spend(0);
    holder.ask(&*store, 40).await;
    let paid = SubscriptionUpdate {
        references: vec!["sub_1".to_owned()],
        due_at: Some(UnixMillis(8_000)),
        ..update(&account, 0, "{\"orders\":[\"é\"]}")
    };
    assert!(store.save_subscription(paid).await.expect("saved"));
    store.save_webhook_event(event("evt_1", 1_000)).await.expect("saved");
    store.save_webhook_event(event("evt_2", 1_000)).await.expect("saved");
    store.finish_webhook_event("evt_2", UnixMillis(now)).await.expect("finished");
    let audit = |action: &str, reason: Option<&str>| {
        let account = Some(account.to_string());
        let values = [Some("5"), Some("ana@web"), Some(action)].map(|text| text.map(str::to_owned));
        let rest = [account, Some("plan pro".to_owned()), reason.map(str::to_owned)];
        Row(Table::Audit, values.into_iter().chain(rest).collect())
    };
    let entries = vec![audit("second", Some("=why: \"é\"")), audit("first", None), audit("third", Some(""))];
    for entry in entries {
        store.note(entry).await.expect("recorded");
    }
    store.save_asked(vec![asked("é: \"1\"", "h_1", 7)], ends_at).await.expect("saved");
    for suggestion in [suggestion("sug_1", Some("/place/é"), now), suggestion("sug_2", None, now)] {
        store.save_suggestion(suggestion).await.expect("saved");
    }
    let done = SuggestionId::from_stored("sug_2".to_owned());
    assert!(store.close_suggestion(&done, UnixMillis(now)).await.expect("closed"));
    store.mail_new_address(&account, &email("nova@b.c"), &mail_id(), UnixMillis(now)).await.expect("queued");
    for reader in [reader("rdr_1", "um@b.c", now), reader("rdr_2", "dois@b.c", now)] {
        store.save_reader(reader).await.expect("saved");
    }
    let (confirmed, week) = (ReaderId::from_stored("rdr_2".to_owned()), UnixMillis(now + 9_000));
    assert!(store.confirm_reader(&confirmed, UnixMillis(now), week).await.expect("confirmed"));
    for scope in ["https://a.example", "calendar"] {
        assert!(store.add_token(token(&account, scope), 20).await.expect("added"));
    }
    assert!(store.set_hook(&account, Some(hook("https://a.example/é"))).await.expect("set"));
    assert_eq!(store.queue_for(&account, message_of(now), 5).await.expect("queued"), HookQueue::Queued);
    let erased = issued(&*store, "gone@b.c", Plan::Free).await.account.id;
    store.erase(&erased, 0, Some("{\"paid\":1}".to_owned()), UnixMillis(6_000)).await.expect("erased");
    (store, account)
}

fn suggestion(id: &str, about: Option<&str>, at: i64) -> Suggestion {
    Suggestion {
        id: SuggestionId::from_stored(id.to_owned()),
        at: UnixMillis(at),
        about: about.map(str::to_owned),
        text: "é: \"1\"".to_owned(),
        contact: Some("61 3333".to_owned()),
    }
}

pub(super) async fn a_suggestion_is_kept_once_and_loses_its_contact_when_it_is_done(place: Place) {
    let store = place.open();
    let now = Clock::machine().now();
    let sent = suggestion("sug_1", Some("/event/a"), now.0);
    let id = sent.id.clone();
    let unknown = SuggestionId::from_stored("sug_0".to_owned());
    assert!(!store.close_suggestion(&unknown, now).await.expect("answered"));
    store.save_suggestion(sent.clone()).await.expect("saved");
    assert!(store.close_suggestion(&id, now).await.expect("closed"));
    store.save_suggestion(sent).await.expect("a repetition changes nothing");
    assert!(store.close_suggestion(&id, UnixMillis(now.0 + 1)).await.expect("closed again"));
    let rows = store.rows(&[Table::Suggestions], None).await.expect("rows");
    let [row] = rows.as_slice() else { panic!("one suggestion: {rows:?}") };
    assert_eq!((row.value("about"), row.value("contact")), (Some("/event/a"), None));
    assert_eq!(row.value("done_at"), Some(now.0.to_string().as_str()), "when it was done first");
}

/// Rows without those of the month's lease, whose holder is random, in one order.
fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort();
    rows
}

pub(super) async fn every_row_is_read_and_written_into_every_engine(place: Place) {
    let (store, owner) = full_store(&place).await;
    let rows = store.rows(Table::VARIANTS, None).await.expect("rows");
    let is_of_owner = |row: &&Row| row.account() == Some(owner.as_str());
    let of_owner = sorted(rows.iter().filter(is_of_owner).cloned().collect());
    assert_eq!(sorted(store.rows(Table::VARIANTS, Some(&owner)).await.expect("rows")), of_owner);
    for table in Table::VARIANTS {
        let alone = store.rows(&[*table], None).await.expect("rows");
        assert!(alone.iter().eq(rows.iter().filter(|row| row.0 == *table)), "{table:?} alone: {alone:?}");
        assert!(rows.iter().any(|row| row.0 == *table), "{table:?} has no row: {rows:?}");
    }
    let levels: Vec<_> =
        rows.iter().filter(|row| row.0 == Table::Codes).map(|row| row.value("level")).collect();
    assert!(levels.len() == 2 && levels.contains(&None) && levels.contains(&Some("key")), "{levels:?}");
    let actions: Vec<_> = rows.iter().filter_map(|row| row.value("action")).collect();
    assert_eq!(actions, ["second", "first", "third"], "the audit log keeps its order");
    for other in [Place::sqlite(), Place::redis()] {
        let copy = other.open();
        copy.fill(rows.clone()).await.expect("inserted");
        assert_eq!(sorted(copy.rows(Table::VARIANTS, None).await.expect("rows")), sorted(rows.clone()));
        assert_eq!(sorted(copy.rows(Table::VARIANTS, Some(&owner)).await.expect("rows")), of_owner);
        let account = copy.account(&email("maria@b.c")).await.expect("answered").expect("an account");
        assert_eq!(account.plan, Plan::Pro);
        assert_eq!(copy.subscription_record(&account.id).await.expect("answered").version, 1);
        assert_eq!(copy.account_of_reference("sub_1").await.expect("answered"), Some(account.id.clone()));
        let month = Clock::machine().moment().month();
        let mut holder = Holder::new(account.id.as_str(), 100);
        holder.claim.period = month;
        holder.claim.now = Clock::machine().now();
        assert_eq!(holder.ask(&*copy, 100).await.granted, 60, "quotas go on from where they were");
        assert_eq!(copy.keys(&account.id).await.expect("keys").len(), 2);
        assert!(copy.fill(vec![Row(Table::Keys, vec![None])]).await.is_err(), "a row of too few values");
    }
}

pub(super) async fn of_an_erased_account_nothing_is_left_but_what_is_kept(place: Place) {
    let (store, account) = full_store(&place).await;
    let erased =
        store.erase(&account, 1, Some("kept".to_owned()), UnixMillis(7_000)).await.expect("answered");
    assert_eq!(erased, EraseOutcome::Done(Erasure::default()));
    let rows = store.rows(Table::VARIANTS, None).await.expect("rows");
    for Row(table, values) in &rows {
        let of_it = values.iter().flatten().any(|value| value.contains(account.as_str()));
        let is_kept = matches!(table, Table::Audit | Table::Erased);
        assert!(!of_it || is_kept, "{table:?} {values:?}");
        assert!(!values.iter().flatten().any(|value| value.contains("maria@")), "{table:?} {values:?}");
    }
    let counters = rows.iter().filter(|row| row.0 == Table::Counters);
    let names: Vec<&str> = counters.filter_map(|row| row.value("name")).collect();
    let of_address = email("maria@b.c").fingerprint();
    let kept = names.iter().filter(|name| name.ends_with(&of_address)).count();
    assert_eq!((names.len(), kept), (2, 1), "to sign up again resets no limit of the address: {names:?}");
    assert!(place.bytes().iter().all(|bytes| !contains(bytes, b"maria@b.c")), "its address is on the disk");
    let again = store.erase(&account, 0, None, UnixMillis(7_000)).await.expect("answered");
    assert_eq!(again, EraseOutcome::NoAccount);
    // the address is free again
    let again = issued(&*store, "maria@b.c", Plan::Free).await.account;
    assert_ne!(again.id, account);
}

pub(super) async fn an_erasure_at_an_old_version_of_the_subscription_changes_nothing(place: Place) {
    let (store, account) = full_store(&place).await;
    let all = async || sorted(store.rows(Table::VARIANTS, None).await.expect("rows"));
    let before = all().await;
    for version in [0, 2] {
        let refused = store.erase(&account, version, Some("kept".to_owned()), UnixMillis(7_000)).await;
        assert_eq!(refused.expect("answered"), EraseOutcome::Conflict);
        assert_eq!(all().await, before);
    }
    assert!(store.save_subscription(update(&account, 1, "two")).await.expect("saved"));
    let erase = |version| store.erase(&account, version, None, UnixMillis(7_000));
    assert_eq!(erase(1).await.expect("answered"), EraseOutcome::Conflict);
    assert_eq!(erase(2).await.expect("answered"), EraseOutcome::Done(Erasure::default()));
    assert!(!store.save_subscription(update(&account, 2, "three")).await.expect("answered"));
    assert!(!store.save_subscription(update(&account, 0, "one")).await.expect("answered"));
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

pub(super) async fn a_store_names_the_processes_that_serve_from_it(place: Place) {
    let store = place.open();
    assert_eq!(store.serving().await.expect("answered"), Vec::<String>::new());
    let server = place.open();
    server.register(Received::default().listener()).await.expect("registered");
    assert_eq!(store.serving().await.expect("answered").len(), 1);
}
