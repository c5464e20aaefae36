//! Leases never exceed the limit.

use candango::domain::action::{ActionId, CallKind};
use candango::store::rows::{Row, Table};

use super::*;

/// A lease holder that keeps to the contract.
#[derive(Clone)]
pub(crate) struct Holder {
    pub(crate) claim: Claim,
}

impl Holder {
    pub(crate) fn new(account: &str, limit: u32) -> Holder {
        let now = UnixMillis(1_000);
        let claim = Claim {
            account: AccountId::from_stored(account.to_owned()),
            period: Clock::standing_at(now).moment().minute(),
            limit,
            holder: HolderId::generate().expect("an id"),
            number: 0,
            used: 0,
            held: 0,
            want: 0,
            by_action: Vec::new(),
            now,
        };
        Holder { claim }
    }

    /// The next claim.
    pub(crate) fn next(&mut self, want: u32) -> Claim {
        self.claim.number += 1;
        let claim = Claim { want, ..self.claim.clone() };
        if want == 0 {
            self.claim.held = self.claim.used;
        }
        claim
    }

    /// Claims, and takes the grant.
    pub(crate) async fn ask(&mut self, store: &dyn Store, want: u32) -> Grant {
        let grant = store.lease(self.next(want)).await.expect("a grant");
        self.claim.held = grant.granted;
        grant
    }

    pub(crate) fn spend(&mut self, calls: u32) {
        self.claim.used = self.claim.held.min(self.claim.used + calls);
    }
}

/// Opens an account with an id of its own: none has leases without.
async fn opened(store: &dyn Store, id: &str) {
    let mut account = Row(Table::Accounts, vec![None; Table::Accounts.columns().len()]);
    let address = format!("{id}@b.c");
    for (column, value) in [("id", id), ("email", &address), ("plan", "pro"), ("created_at", "1000")] {
        account.set(column, Some(value.to_owned()));
    }
    store.fill(vec![account]).await.expect("opened");
}

pub(super) async fn leases_never_exceed_the_limit_together(place: Place) {
    let store = place.open();
    opened(&*store, "acct_1").await;
    let mut holders = [Holder::new("acct_1", 100), Holder::new("acct_1", 100), Holder::new("acct_1", 100)];
    assert_eq!(
        holders[0].ask(&*store, 60).await,
        Grant { granted: 60, others_used: 0, others_granted: 0, others_lost: 0 }
    );
    holders[0].spend(10);
    assert_eq!(holders[0].ask(&*store, 60).await.granted, 70, "ten are spent, and sixty wanted");
    assert_eq!(
        holders[1].ask(&*store, 60).await,
        Grant { granted: 30, others_used: 10, others_granted: 70, others_lost: 0 }
    );
    assert_eq!(holders[2].ask(&*store, 60).await.granted, 0);
    holders[0].spend(70);
    assert_eq!(holders[0].ask(&*store, 60).await.granted, 70, "nothing is left");
    assert_eq!(
        holders[2].ask(&*store, 1).await,
        Grant { granted: 0, others_used: 70, others_granted: 100, others_lost: 0 }
    );
}

pub(super) async fn concurrent_claims_never_exceed_the_limit(place: Place) {
    let stores = [place.open(), place.open()];
    opened(&*stores[0], "acct_1").await;
    let holders: Vec<_> = (0..8)
        .map(|number| {
            let store = stores[number % 2].clone();
            tokio::spawn(async move {
                let mut holder = Holder::new("acct_1", 300);
                for _ in 0..40 {
                    holder.ask(&*store, 3).await;
                    holder.spend(2);
                }
                holder.claim.used
            })
        })
        .collect();
    let mut used = 0;
    for holder in holders {
        used += holder.await.expect("a holder");
    }
    assert!((300 - 8..=300).contains(&used), "{used}");
}

pub(super) async fn a_repeated_or_late_claim_is_answered_with_the_last_grant(place: Place) {
    let store = place.open();
    opened(&*store, "acct_1").await;
    let mut holder = Holder::new("acct_1", 100);
    let first = holder.next(10);
    let second = holder.next(20);
    assert_eq!(store.lease(second.clone()).await.expect("a grant").granted, 20);
    assert_eq!(store.lease(first).await.expect("a grant").granted, 20, "late");
    assert_eq!(store.lease(second).await.expect("a grant").granted, 20, "again");
    holder.claim.held = 20;
    holder.spend(5);
    assert_eq!(holder.ask(&*store, 0).await.granted, 5);
}

pub(super) async fn released_calls_are_granted_to_others(place: Place) {
    let store = place.open();
    opened(&*store, "acct_1").await;
    let (mut one, mut two) = (Holder::new("acct_1", 100), Holder::new("acct_1", 100));
    one.ask(&*store, 100).await;
    one.spend(40);
    assert_eq!(two.ask(&*store, 100).await.granted, 0);
    assert_eq!(one.ask(&*store, 0).await.granted, 40);
    assert_eq!(
        two.ask(&*store, 100).await,
        Grant { granted: 60, others_used: 40, others_granted: 40, others_lost: 0 }
    );
}

pub(super) async fn a_changed_limit_applies_from_the_next_claim(place: Place) {
    let store = place.open();
    opened(&*store, "acct_1").await;
    let mut holder = Holder::new("acct_1", 100);
    holder.ask(&*store, 80).await;
    holder.spend(20);
    holder.claim.limit = 50;
    assert_eq!(holder.ask(&*store, 60).await.granted, 50);
    holder.claim.limit = 10;
    assert_eq!(holder.ask(&*store, 60).await.granted, 20, "spent calls stay granted");
    holder.claim.limit = 1_000;
    assert_eq!(holder.ask(&*store, 60).await.granted, 80);
}

pub(super) async fn leases_are_listed_as_their_holders_reported_them(place: Place) {
    let store = place.open();
    opened(&*store, "acct_1").await;
    let (mut one, mut two) = (Holder::new("acct_1", 100), Holder::new("acct_1", 100));
    one.ask(&*store, 10).await;
    one.spend(3);
    one.claim.by_action = vec![("search_events", 2), ("get_place", 1)];
    one.ask(&*store, 10).await;
    two.ask(&*store, 5).await;
    let leases = store.leases(&one.claim.account, one.claim.period).await.expect("leases");
    assert_eq!(leases.len(), 2);
    let of = |holder: &Holder| {
        let mut all = leases.iter();
        all.find(|statement| statement.holder == holder.claim.holder).expect("a statement")
    };
    let first = of(&one);
    assert_eq!((first.granted, first.used), (13, 3));
    assert_eq!(first.by_action, [("search_events".to_owned(), 2), ("get_place".to_owned(), 1)]);
    assert_eq!((of(&two).granted, of(&two).used), (5, 0));
}

pub(super) async fn spent_calls_are_reported_while_a_lease_lasts_and_when_its_month_is_over(place: Place) {
    let (store, _) = place.serving().await;
    let clock = Clock::machine();
    let clock = Clock::standing_at(clock.now());
    let metrics = Metrics::new();
    let background = tokio::runtime::Handle::current();
    let quota = Quota::new(store.clone(), clock.clone(), background, metrics.leases.clone());
    let quota = Arc::new(quota);
    let keys = Arc::new(Keys::new(store.clone(), quota.clone(), metrics.keys.clone()));
    let Issued { account, key } = issued(&*store, "a@b.c", Plan::Pro).await;
    let caller = keys.caller(key.reveal().as_bytes()).await.expect("a caller");
    let (moment, figures) =
        (clock.moment(), Figures { price_cents: 0, per_minute: 1_000, per_month: 10_000 });
    let charge = async |calls: u32| {
        for _ in 0..calls {
            quota
                .charge(&caller.quota, moment, figures, CallKind::Action(ActionId::SearchEvents))
                .await
                .expect("a call");
        }
    };
    let reported = async || {
        let leases = store.leases(&account.id, moment.month()).await.expect("leases");
        let [lease] = leases.as_slice() else { panic!("one lease: {leases:?}") };
        (lease.used, lease.by_action.iter().map(|(_, calls)| *calls).sum::<u32>(), lease.granted)
    };

    charge(20).await;
    let (known, _, granted) = reported().await;
    assert!(known < 20, "no renewal has told them");
    quota.report().await;
    assert_eq!(reported().await, (20, 20, granted), "and nothing more is granted");
    let claims = metrics.leases.claims.get();
    quota.report().await;
    assert_eq!(metrics.leases.claims.get(), claims, "nothing is new since");

    charge(3).await;
    clock.set(moment.month().ends_at);
    quota.close().await;
    assert_eq!(reported().await, (23, 23, 23), "of the month that is over too");
}

pub(super) async fn each_account_and_period_has_its_own_leases(place: Place) {
    let store = place.open();
    opened(&*store, "acct_1").await;
    let mut one = Holder::new("acct_1", 100);
    one.ask(&*store, 100).await;
    opened(&*store, "acct_2").await;
    assert_eq!(Holder::new("acct_2", 100).ask(&*store, 100).await.granted, 100);
    let moment = Clock::standing_at(UnixMillis(1_000)).moment();
    for period in [moment.month(), moment.minute().following()] {
        let mut other = Holder::new("acct_1", 100);
        other.claim.period = period;
        assert_eq!(other.ask(&*store, 100).await.granted, 100);
    }
    let leases = async |period: Period| store.leases(&one.claim.account, period).await.map(|all| all.len());
    assert!(matches!(leases(moment.month()).await, Ok(1)));
    assert!(matches!(leases(moment.minute().following().following()).await, Ok(0)));
}
