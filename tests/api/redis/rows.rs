//! What is read of one account, or of one table, costs no more the more accounts there are.

use candango::billing::subscription::Subscription;
use candango::domain::account::AccountId;

use super::*;

/// A row with these values in these columns.
fn row(table: Table, values: &[(&str, &str)]) -> Row {
    let mut row = Row(table, vec![None; table.columns().len()]);
    values.iter().for_each(|(column, value)| row.set(column, Some((*value).to_owned())));
    row
}

/// The rows of an account that has paid, called, been changed by hand, and to which a mail waits.
fn of_account(id: &str) -> Vec<Row> {
    let month = Clock::machine().moment().month();
    let (period, forget_at) = (month.to_string(), month.ends_at.0.to_string());
    let counts = [("number", "1"), ("granted", "5"), ("used", "5"), ("by_action", "[]")];
    let lease = [("account", id), ("period", &period), ("holder", "h_1"), ("forget_at", &forget_at)];
    let (email, text) = (format!("{id}@b.c"), serde_json::json!(Subscription::default()).to_string());
    let (mail, kind) = (format!("mail_{id}"), ("kind", "plan"));
    let mail = [("id", mail.as_str()), ("account", id), kind, ("queued_at", "5"), ("due_at", "5")];
    let changed = [("at", "5"), ("actor", "ana@web"), ("action", "account plan"), ("account", id)];
    vec![
        row(Table::Accounts, &[("id", id), ("email", &email), ("plan", "free"), ("created_at", "1000")]),
        row(Table::Mails, &[&mail[..], &[("attempts", "0")]].concat()),
        row(Table::Leases, &[&lease[..], &counts].concat()),
        row(Table::Subscriptions, &[("account", id), ("version", "1"), ("text", &text)]),
        row(Table::References, &[("reference", &format!("sub_{id}")), ("account", id)]),
        row(Table::Audit, &[&changed[..], &[("detail", "plan pro")]].concat()),
    ]
}

/// The rows that a reading answers, and the commands that it takes.
async fn counted(
    server: &RedisServer,
    store: &dyn Store,
    tables: &[Table],
    of: Option<&AccountId>,
) -> (Vec<Row>, Vec<(String, u64)>) {
    server.say::<()>(&["CONFIG", "RESETSTAT"]);
    let mut rows = store.rows(tables, of).await.expect("rows");
    let commands = server.commands();
    rows.sort();
    (rows, commands)
}

const OWN: [Table; 6] =
    [Table::Accounts, Table::Mails, Table::Leases, Table::Subscriptions, Table::References, Table::Audit];

#[tokio::test]
async fn all_of_one_account_is_read_without_a_look_at_the_others() {
    let server = RedisServer::start();
    let store = Process::at(server.url()).open();
    let mut own = of_account("acct_own");
    own.sort();
    store.fill(own.clone()).await.expect("filled");
    let id = AccountId::from_stored("acct_own".to_owned());
    // the first sends the script
    counted(&server, &*store, &OWN, Some(&id)).await;
    let (alone, few) = counted(&server, &*store, &OWN, Some(&id)).await;
    assert_eq!(alone, own);
    let mut others: Vec<Row> = (0..900).flat_map(|number| of_account(&format!("acct_{number}"))).collect();
    others.sort_by_key(|row| row.0);
    store.fill(others).await.expect("filled");
    let (among_others, commands) = counted(&server, &*store, &OWN, Some(&id)).await;
    assert_eq!(among_others, own);
    assert_eq!(commands, few, "the same commands as when it was alone");
    assert!(!commands.iter().any(|(name, _)| name == "scan"), "{commands:?}");
}

#[tokio::test]
async fn of_two_readers_of_an_address_the_latest_is_read() {
    let server = RedisServer::start();
    let store = Process::at(server.url()).open();
    let now = Clock::machine().now().0;
    // as when the first stops, and the address asks anew, between two pages of a reading
    store.save_reader(reader("rdr_1", "a@b.c", now)).await.expect("saved");
    server.say::<i64>(&["DEL", "{candango}:reader_of:a@b.c"]);
    store.save_reader(reader("rdr_2", "a@b.c", now + 1)).await.expect("saved");
    store.save_reader(reader("rdr_3", "d@b.c", now)).await.expect("saved");
    let rows = store.rows(&[Table::Readers], None).await.expect("rows");
    let ids: Vec<&str> = rows.iter().filter_map(|row| row.value("id")).collect();
    assert_eq!(ids, ["rdr_2", "rdr_3"]);
}

#[tokio::test]
async fn restored_codes_are_forgotten_when_the_last_of_them_ends() {
    let server = RedisServer::start();
    let store = Process::at(server.url()).open();
    let code = |hash: u8, in_millis: i64| {
        let (hash, ends_at) = (format!("{hash:064x}"), Clock::machine().now().0 + in_millis);
        let values = [("account", "acct_own"), ("hash", &*hash), ("expires_at", &*ends_at.to_string())];
        row(Table::Codes, &values)
    };
    let codes = [code(1, 600_000), code(2, 3_600_000), code(3, 1_200_000)];
    let rows = of_account("acct_own").into_iter().chain(codes).collect();
    store.fill(rows).await.expect("filled");
    let left = server.say::<i64>(&["PTTL", "{candango}:codes:acct_own"]);
    assert!((3_000_000..=3_600_000).contains(&left), "{left}");
}

#[tokio::test]
async fn a_restore_goes_on_whichever_of_its_replies_is_lost() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port);
    let store = Process::at(proxy.url()).open();
    let mut all = of_account("acct_first");
    // the first sends the scripts
    store.fill(all.clone()).await.expect("filled");
    // one that begins it, one of each table, and one that ends it
    for place in 0..2 + all.len() {
        let rows = of_account(&format!("acct_{place}"));
        all.extend(rows.clone());
        proxy.lose_after(place);
        store.fill(rows).await.unwrap_or_else(|error| panic!("reply {place}: {error}"));
        assert!(!proxy.is_to_lose(), "reply {place} did not come");
    }
    let mut kept = store.rows(&OWN, None).await.expect("rows");
    kept.sort();
    all.sort();
    assert_eq!(kept, all, "each is there once");
}

#[tokio::test]
async fn a_reading_of_the_books_reads_no_account_without_any() {
    let server = RedisServer::start();
    let store = Process::at(server.url()).open();
    let all = of_account("acct_own");
    store.fill(all.clone()).await.expect("filled");
    let others = (0..900).flat_map(|number| {
        let id = format!("acct_{number}");
        of_account(&id).into_iter().filter(|row| matches!(row.0, Table::Accounts | Table::Leases))
    });
    let mut others: Vec<Row> = others.collect();
    others.sort_by_key(|row| row.0);
    store.fill(others).await.expect("filled");
    let tables = [Table::Subscriptions, Table::Erased];
    let (rows, commands) = counted(&server, &*store, &tables, None).await;
    assert_eq!(rows, all.into_iter().filter(|row| row.0 == Table::Subscriptions).collect::<Vec<_>>());
    let of = |name: &str| commands.iter().find(|(known, _)| known == name).map_or(0, |(_, calls)| *calls);
    assert!(of("hmget") + of("hgetall") <= 5, "{commands:?}");
}
