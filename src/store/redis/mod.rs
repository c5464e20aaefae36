//! The store in Redis, for many nodes.
//!
//! `redis://`, `rediss://` (TLS) or `redis-cluster://HOST:PORT`; a cluster is found by the one node named, and by
//! further ones that stand in for it: `redis-cluster://HOST:PORT?node=HOST:PORT&node=HOST:PORT`. All names begin
//! with one hash tag, so that everything rests on one node of a cluster and each method is one script there. What
//! several processes must agree on is in three files beside this one: `line` is how they reach Redis, `epoch` how
//! they know it, `presence` how they know of each other. Uses [`crate::store`], the nouns of
//! [`crate::domain::account`] and the crate `redis`.

mod epoch;
mod line;
mod presence;
mod scripts;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use redis::{FromRedisValue, RedisError, Script, ToRedisArgs};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use url::Url;

use self::epoch::Epoch;
use self::line::{Line, is_away};
use self::presence::{ChangeId, Presence};
use super::leases::forget_at;
use super::{
    Asked, Claim, CodeRecord, Entry, Grant, Invitation, Issue, Listener, Mail, NOTICE_KNOWN, Redemption,
    Replacement, Statement, Store, StoreError, SubscriptionRecord, Tally, WebhookEvent,
};
use crate::domain::account::{Account, AccountId, Email, HolderId, KeyHash, KeyRecord, MailId, Profile};
use crate::domain::clock::{Period, UnixMillis};
use crate::domain::plan::Plan;

/// What tells one Redis from another.
const EPOCH: &str = "{candango}:epoch";

/// The feed of changes.
const CHANGES: &str = "{candango}:changes";

/// How often it is looked whether all have taken notice of a change.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How long others have to give up what they hold.
const CALL_IN: Duration = Duration::from_secs(1);

/// A code is kept no longer than this, whatever it says of itself.
const FORGET_CODE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The store in Redis.
#[derive(Debug)]
pub struct Redis {
    wire: Arc<Wire>,
    attending: OnceLock<Attending>,
}

/// What a process has that serves.
#[derive(Debug)]
struct Attending {
    presence: Arc<Presence>,
    tasks: [AbortHandle; 2],
}

impl Drop for Attending {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

/// How scripts get to the one Redis that is known.
#[derive(Debug)]
struct Wire {
    line: Line,
    epoch: Epoch,
    /// How long what is remembered may be honoured after Redis fell silent.
    trust: Duration,
}

/// Why a script was not run.
enum Trouble {
    /// The Redis that was known was begun anew: the epoch it has now.
    Begun(String),
    Store(StoreError),
}

impl From<RedisError> for Trouble {
    fn from(error: RedisError) -> Trouble {
        match (error.code(), error.detail()) {
            (Some("BEGUN"), Some(epoch)) => Trouble::Begun(epoch.to_owned()),
            (Some("EMPTIED"), _) => Trouble::Store(StoreError::Emptied),
            _ if is_away(&error) => Trouble::Store(StoreError::Unreachable(error.to_string())),
            _ => Trouble::Store(StoreError::Failed(Arc::new(error))),
        }
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Trouble {
        Trouble::Store(error)
    }
}

impl From<Trouble> for StoreError {
    fn from(trouble: Trouble) -> StoreError {
        match trouble {
            // the process that serves takes notice with its next beat
            Trouble::Begun(_) => StoreError::Emptied,
            Trouble::Store(error) => error,
        }
    }
}

impl Wire {
    async fn run<T: FromRedisValue>(
        &self,
        script: &Script,
        arguments: impl ToRedisArgs,
    ) -> Result<T, Trouble> {
        let epoch = match self.epoch.known() {
            Some(epoch) => epoch,
            None => self.greet().await?,
        };
        Ok(self.line.run(script.key(EPOCH).arg(&*epoch).arg(arguments)).await?)
    }

    /// Meets Redis: for a process whose folder remembers nothing of it, or for one that just began.
    async fn greet(&self) -> Result<Arc<str>, Trouble> {
        let known = self.epoch.known();
        let mut call = scripts::GREET.key(EPOCH);
        let call = call.arg(known.as_deref().unwrap_or_default()).arg(fresh_epoch());
        let epoch: String = self.line.run(call).await?;
        self.epoch.learn(&epoch)?;
        Ok(epoch.into())
    }
}

fn fresh_epoch() -> String {
    format!("e_{:032x}", rand::random::<u128>())
}

impl Redis {
    /// A store at a URL, which is called `name` where it is shown; nothing is connected yet. What it must remember
    /// of it goes into the folder `data`.
    pub fn at(url: &Url, name: String, data: &Path, trust: Duration) -> Result<Redis, StoreError> {
        let line = Line::to(url).map_err(|error| StoreError::Unsuited(error.to_string()))?;
        let epoch = Epoch::remembered(data.to_owned(), name)?;
        Ok(Redis { wire: Arc::new(Wire { line, epoch, trust }), attending: OnceLock::new() })
    }

    /// Begins anew in an empty or another Redis than the one that is known; false when there was no need to.
    pub async fn begin(&self) -> Result<bool, StoreError> {
        let known = self.wire.epoch.known();
        let mut call = scripts::BEGIN.key(EPOCH);
        let call = call.arg(known.as_deref().unwrap_or_default()).arg(fresh_epoch());
        let (begun, epoch): (Option<bool>, String) = self.wire.line.run(call).await.map_err(Trouble::from)?;
        self.wire.epoch.learn(&epoch)?;
        Ok(begun.is_some())
    }

    async fn ask<T: FromRedisValue>(
        &self,
        script: &Script,
        arguments: impl ToRedisArgs,
    ) -> Result<T, StoreError> {
        let answer = self.wire.run(script, arguments).await;
        if let (Err(Trouble::Begun(_)), Some(Attending { presence, .. })) = (&answer, self.attending.get()) {
            presence.want_beat();
        }
        Ok(answer?)
    }

    /// Waits until this process has taken notice of a change, if it serves.
    async fn noticed_here(&self, change: ChangeId) -> Result<(), StoreError> {
        match self.attending.get() {
            Some(Attending { presence, .. }) => presence.notices(change).await,
            None => Ok(()),
        }
    }

    /// Whether keys were moved, once no process that serves goes by what was before.
    async fn moved(&self, change: Option<ChangeId>) -> Result<bool, StoreError> {
        let Some(change) = change else { return Ok(false) };
        self.noticed_everywhere(change).await?;
        Ok(true)
    }

    /// Waits until no process that serves goes by what was before a change.
    async fn noticed_everywhere(&self, change: ChangeId) -> Result<(), StoreError> {
        if let Some(Attending { presence, .. }) = self.attending.get() {
            presence.want_beat();
        }
        let window = self.wire.trust.as_millis() as u64;
        let all = async {
            while !self.ask::<bool>(&scripts::NOTICED, (change.millis, change.number, window)).await? {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            Ok(())
        };
        // silence is waited for until its window has passed; only one that beats and is deaf takes longer
        let unheeded = || failed("a process that serves takes no notice of changes");
        timeout(2 * self.wire.trust + CALL_IN, all).await.unwrap_or_else(|_| Err(unheeded()))
    }
}

/// An account as scripts answer it.
type Described = (String, String, String, i64);

fn account((id, email, plan, created_at): Described) -> Result<Account, StoreError> {
    Ok(Account {
        id: AccountId::kept(id),
        email: email.parse().map_err(unreadable)?,
        plan: plan.parse().map_err(unreadable)?,
        created_at: UnixMillis(created_at),
    })
}

fn failed(what: &'static str) -> StoreError {
    StoreError::Failed(Box::<dyn std::error::Error + Send + Sync>::from(what).into())
}

fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::Failed(Arc::new(error))
}

fn in_hex(hash: &[u8; 32]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A key as scripts take it: its hash, both ends, when it was made.
fn of_key(key: &KeyRecord) -> (String, &str, &str, i64) {
    (in_hex(&key.hash.0), &key.first4, &key.last4, key.created_at.0)
}

/// A letter to queue, and when it is due, as scripts take it: without a name there is none.
fn of_letter(letter: &Option<(MailId, UnixMillis)>) -> (&str, i64) {
    letter.as_ref().map_or(("", 0), |(letter, due_at)| (letter.as_str(), due_at.0))
}

fn key_hash(text: &str) -> Result<KeyHash, StoreError> {
    let byte = |at: usize| text.get(2 * at..2 * at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let mut hash = [0; 32];
    for (at, place) in hash.iter_mut().enumerate() {
        *place = byte(at).ok_or_else(|| failed("a key is on record that is none"))?;
    }
    Ok(KeyHash(hash))
}

/// Where the leases of an account in a period are.
fn leases_of(account: &AccountId, period: Period) -> String {
    format!("{account}:{period}")
}

impl Store for Redis {
    fn issue(&self, issue: Issue) -> Asked<'_, Account> {
        Box::pin(async move {
            let Issue { opening: Account { id, email, plan, created_at }, key } = issue;
            let (found, change): (Described, ChangeId) = self
                .ask(
                    &scripts::ISSUE,
                    (id.as_str(), email.as_str(), plan.as_str(), created_at.0, of_key(&key)),
                )
                .await?;
            self.noticed_here(change).await?;
            account(found)
        })
    }

    fn account(&self, email: &Email) -> Asked<'_, Option<Account>> {
        let email = email.clone();
        Box::pin(async move {
            let found: Option<Described> = self.ask(&scripts::ACCOUNT, (email.as_str(),)).await?;
            found.map(account).transpose()
        })
    }

    fn profile(&self, account: &AccountId) -> Asked<'_, Profile> {
        let account = account.clone();
        Box::pin(async move {
            let (name, company, use_case) = self.ask(&scripts::PROFILE, (account.as_str(),)).await?;
            Ok(Profile { name, company, use_case })
        })
    }

    fn keys(&self, account: &AccountId) -> Asked<'_, Vec<KeyRecord>> {
        let account = account.clone();
        Box::pin(async move {
            let found: Vec<(String, String, String, i64, Option<i64>)> =
                self.ask(&scripts::KEYS, (account.as_str(),)).await?;
            let record = |(hash, first4, last4, created_at, revoked_at): (String, _, _, _, Option<i64>)| {
                Ok(KeyRecord {
                    hash: key_hash(&hash)?,
                    first4,
                    last4,
                    created_at: UnixMillis(created_at),
                    revoked_at: revoked_at.map(UnixMillis),
                })
            };
            let mut keys = found.into_iter().map(record).collect::<Result<Vec<KeyRecord>, StoreError>>()?;
            keys.sort_by_key(|key| (key.created_at, key.hash.0));
            Ok(keys)
        })
    }

    fn holder(&self, key: KeyHash) -> Asked<'_, Option<Account>> {
        Box::pin(async move {
            let found: Option<Described> = self.ask(&scripts::HOLDER, (in_hex(&key.0),)).await?;
            found.map(account).transpose()
        })
    }

    fn revoke(&self, key: KeyHash, at: UnixMillis) -> Asked<'_, bool> {
        Box::pin(async move {
            let change: Option<ChangeId> = self.ask(&scripts::REVOKE, (in_hex(&key.0), at.0)).await?;
            self.moved(change).await
        })
    }

    fn replace(&self, replacement: Replacement) -> Asked<'_, bool> {
        Box::pin(async move {
            let Replacement { account, old, new, letter } = replacement;
            let old = old.map(|old| in_hex(&old.0)).unwrap_or_default();
            let change: Option<ChangeId> = self
                .ask(&scripts::REPLACE, (account.as_str(), old, of_key(&new), of_letter(&letter)))
                .await?;
            self.moved(change).await
        })
    }

    fn welcome(&self, letter: &MailId, key: KeyRecord) -> Asked<'_, bool> {
        let letter = letter.clone();
        Box::pin(async move {
            let made: Option<ChangeId> = self.ask(&scripts::WELCOME, (letter.as_str(), of_key(&key))).await?;
            self.moved(made).await
        })
    }

    fn set_plan(&self, account: &AccountId, plan: Plan) -> Asked<'_, bool> {
        let account = account.clone();
        Box::pin(async move {
            let change: Option<ChangeId> =
                self.ask(&scripts::SET_PLAN, (account.as_str(), plan.as_str())).await?;
            let Some(change) = change else { return Ok(false) };
            self.noticed_here(change).await?;
            Ok(true)
        })
    }

    fn tally(&self, tallies: Vec<Tally>, now: UnixMillis) -> Asked<'_, Option<usize>> {
        Box::pin(async move {
            let tallies: Vec<_> = tallies
                .iter()
                .map(|tally| (&tally.name, tally.most, tally.ends_at.0.saturating_sub(now.0)))
                .collect();
            self.ask(&scripts::TALLY, tallies).await
        })
    }

    fn invite(&self, invitation: Invitation) -> Asked<'_, ()> {
        Box::pin(async move {
            let Invitation { email, opening, letter, at } = invitation;
            let letter = (email.as_str(), letter.as_str(), at.0);
            match &opening {
                None => self.ask(&scripts::INVITE, (letter, "")).await,
                Some((Account { id, plan, created_at, .. }, Profile { name, company, use_case })) => {
                    let said = [("name", name), ("company", company), ("use_case", use_case)];
                    let said: Vec<_> =
                        said.into_iter().filter_map(|(name, said)| Some((name, said.as_ref()?))).collect();
                    let opening = (id.as_str(), plan.as_str(), created_at.0);
                    self.ask(&scripts::INVITE, (letter, opening, said)).await
                }
            }
        })
    }

    fn collect(&self, now: UnixMillis, again: UnixMillis, most: usize) -> Asked<'_, Vec<Mail>> {
        Box::pin(async move {
            let due: Vec<(String, String, String, String, i64, u32)> =
                self.ask(&scripts::COLLECT, (now.0, again.0, most)).await?;
            let letter = |(id, account, to, kind, queued_at, attempts): (_, _, String, String, _, _)| {
                Ok(Mail {
                    id: MailId::kept(id),
                    account: AccountId::kept(account),
                    to: to.parse().map_err(unreadable)?,
                    kind: kind.parse().map_err(unreadable)?,
                    queued_at: UnixMillis(queued_at),
                    attempts,
                })
            };
            due.into_iter().map(letter).collect()
        })
    }

    fn put_off(&self, letter: &MailId, until: UnixMillis) -> Asked<'_, ()> {
        let letter = letter.clone();
        Box::pin(async move { self.ask(&scripts::PUT_OFF, (letter.as_str(), until.0)).await })
    }

    fn discard(&self, letter: &MailId) -> Asked<'_, ()> {
        let letter = letter.clone();
        Box::pin(async move { self.ask(&scripts::DISCARD, (letter.as_str(),)).await })
    }

    fn keep_code(&self, account: &AccountId, code: CodeRecord) -> Asked<'_, ()> {
        let account = account.clone();
        Box::pin(async move {
            let CodeRecord { hash, expires_at, tries } = code;
            let forget = FORGET_CODE.as_millis() as u64;
            self.ask(&scripts::KEEP_CODE, (account.as_str(), in_hex(&hash.0), expires_at.0, tries, forget))
                .await
        })
    }

    fn redeem(&self, redemption: Redemption) -> Asked<'_, Option<Account>> {
        Box::pin(async move {
            let Redemption { email, code, new, letter } = redemption;
            let redeemed: Option<(Described, ChangeId)> = self
                .ask(&scripts::REDEEM, (email.as_str(), in_hex(&code.0), of_key(&new), of_letter(&letter)))
                .await?;
            let Some((found, change)) = redeemed else { return Ok(None) };
            self.noticed_everywhere(change).await?;
            account(found).map(Some)
        })
    }

    fn books(&self, account: &AccountId) -> Asked<'_, SubscriptionRecord> {
        let account = account.clone();
        Box::pin(async move {
            let (version, text): (Option<u32>, Option<String>) =
                self.ask(&scripts::BOOKS, (account.as_str(),)).await?;
            Ok(SubscriptionRecord { version: version.unwrap_or_default(), text: text.unwrap_or_default() })
        })
    }

    fn enter(&self, entry: Entry) -> Asked<'_, bool> {
        Box::pin(async move {
            let Entry { account, version, text, plan, references, letters, due_at, settles, at } = entry;
            let plan = plan.map(Plan::as_str).unwrap_or_default();
            let due_at = due_at.map(|due_at| due_at.0.to_string()).unwrap_or_default();
            let letters: Vec<_> =
                letters.iter().map(|(letter, kind)| (letter.as_str(), kind.as_str())).collect();
            let entered: Option<(Option<ChangeId>,)> = self
                .ask(
                    &scripts::ENTER,
                    (
                        (account.as_str(), version, text, plan, due_at, at.0),
                        (settles.unwrap_or_default(), NOTICE_KNOWN.as_millis() as u64),
                        references.len(),
                        references,
                        letters,
                    ),
                )
                .await?;
            let Some((change,)) = entered else { return Ok(false) };
            if let Some(change) = change {
                self.noticed_here(change).await?;
            }
            Ok(true)
        })
    }

    fn payer(&self, reference: &str) -> Asked<'_, Option<AccountId>> {
        let reference = reference.to_owned();
        Box::pin(async move {
            let found: Option<String> = self.ask(&scripts::PAYER, (reference,)).await?;
            Ok(found.map(AccountId::kept))
        })
    }

    fn due_books(&self, now: UnixMillis, again: UnixMillis, most: usize) -> Asked<'_, Vec<AccountId>> {
        Box::pin(async move {
            let due: Vec<String> = self.ask(&scripts::DUE_BOOKS, (now.0, again.0, most)).await?;
            Ok(due.into_iter().map(AccountId::kept).collect())
        })
    }

    fn receive(&self, notice: WebhookEvent) -> Asked<'_, bool> {
        Box::pin(async move {
            let WebhookEvent { id, text, at, attempts } = notice;
            self.ask(&scripts::RECEIVE, (id, text, at.0, attempts)).await
        })
    }

    fn notices(&self, now: UnixMillis, again: UnixMillis, most: usize) -> Asked<'_, Vec<WebhookEvent>> {
        Box::pin(async move {
            let due: Vec<(String, String, i64, u32)> =
                self.ask(&scripts::NOTICES, (now.0, again.0, most)).await?;
            let notice = |(id, text, at, attempts)| WebhookEvent { id, text, at: UnixMillis(at), attempts };
            Ok(due.into_iter().map(notice).collect())
        })
    }

    fn settle(&self, notice: &str, _: UnixMillis) -> Asked<'_, ()> {
        let notice = notice.to_owned();
        Box::pin(async move { self.ask(&scripts::SETTLE, (notice, NOTICE_KNOWN.as_millis() as u64)).await })
    }

    fn lease(&self, claim: Claim) -> Asked<'_, Grant> {
        Box::pin(async move {
            let Claim { account, period, limit, holder, number, used, held, want, by_action, now } = claim;
            let by_action = serde_json::to_string(&by_action).map_err(unreadable)?;
            let keep = forget_at(period).0.saturating_sub(now.0);
            let (granted, others_used, others_granted, life): (u32, u32, u32, String) = self
                .ask(
                    &scripts::LEASE,
                    (
                        leases_of(&account, period),
                        holder.as_str(),
                        limit,
                        number,
                        used,
                        held,
                        want,
                        by_action,
                        keep,
                    ),
                )
                .await?;
            if let Some(Attending { presence, .. }) = self.attending.get()
                && !presence.lives_in(&life)
            {
                presence.want_beat();
            }
            Ok(Grant { granted, others_used, others_granted })
        })
    }

    fn statements(&self, account: &AccountId, period: Period) -> Asked<'_, Vec<Statement>> {
        let leases = leases_of(account, period);
        Box::pin(async move {
            let found: Vec<(String, String)> = self.ask(&scripts::STATEMENTS, (leases,)).await?;
            let statement = |(holder, stated): (String, String)| {
                let mut parts = stated.splitn(4, ':');
                let (_, granted, used, by_action) =
                    (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
                Some(Statement {
                    holder: HolderId::kept(holder),
                    granted: granted.parse().ok()?,
                    used: used.parse().ok()?,
                    by_action: serde_json::from_str(by_action).ok()?,
                })
            };
            // the two sums stand among them under names that no holder has
            let holders = found.into_iter().filter(|(holder, _)| !holder.starts_with('='));
            let statements: Option<Vec<Statement>> = holders.map(statement).collect();
            let mut statements = statements.ok_or_else(|| failed("a lease is on record that is none"))?;
            statements.sort_by(|one, other| one.holder.cmp(&other.holder));
            Ok(statements)
        })
    }

    fn recall(&self, account: &AccountId) -> Asked<'_, ()> {
        let account = account.clone();
        Box::pin(async move {
            let asking = self.attending.get().map_or("", |attending| &attending.presence.process);
            let change = self.ask(&scripts::CALL_IN, (account.as_str(), asking)).await?;
            // whoever has not answered by then is not waited for
            timeout(CALL_IN, self.noticed_everywhere(change)).await.unwrap_or(Ok(()))
        })
    }

    fn attend(&self, listener: Listener) -> Asked<'_, ()> {
        Box::pin(async move {
            self.wire.line.settle(Handle::current());
            self.wire.greet().await?;
            let presence = Arc::new(Presence::begin(self.wire.clone(), listener).await?);
            let tasks = [
                tokio::spawn(presence.clone().beat_on()).abort_handle(),
                tokio::spawn(presence.clone().wait_for_news()).abort_handle(),
            ];
            // a second one, which nobody should ask for, ends here
            let _ = self.attending.set(Attending { presence, tasks });
            Ok(())
        })
    }

    fn is_trusted(&self, at: Instant) -> bool {
        self.attending.get().is_some_and(|attending| attending.presence.is_trusted(at))
    }

    fn renew(&self) -> Asked<'_, ()> {
        Box::pin(async move {
            match self.attending.get() {
                Some(attending) => attending.presence.renew().await,
                // whoever does not attend hears of no change, and must remember nothing
                None => Err(StoreError::Shut),
            }
        })
    }

    fn leave(&self) -> Asked<'_, ()> {
        Box::pin(async move {
            let Some(Attending { presence, tasks }) = self.attending.get() else { return Ok(()) };
            tasks.iter().for_each(AbortHandle::abort);
            presence.leave().await
        })
    }
}
