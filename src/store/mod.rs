//! The contract of the store: one trait for each client, and [`Store`], which is all of them.
//!
//! Every method is atomic and durable once it has answered, and safe to repeat after a failure whose outcome is
//! unknown; a method that says whether there was something to change says no when a repeated call finds it done. A
//! store holds no policy: what the calls mean together is decided by its clients. Every engine passes the same tests
//! (`tests/api/store.rs`).

mod access;
mod epoch;
pub mod error;
pub mod hooks;
pub mod journal;
mod lease_rule;
mod limits;
pub mod lock;
pub mod open;
pub(crate) mod owner;
pub mod redis;
pub mod rows;
pub mod sqlite;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::NaiveDate;

pub use self::access::{
    AccessRequest, AccessRequestKind, AddressChange, CodeExchange, CodeRecord, CodeRedemption,
    KeyReplacement, RotationMail,
};
pub use self::error::StoreError;
pub use self::hooks::{Delivery, ElseMail, HookQueue, Message, Once};
pub use self::limits::{Allowance, RateLimit, RateLimitStore, Reached, count_or_refuse};
use self::rows::{EVENT_REMEMBERED_MILLIS, REVOKED_KEY_KEPT_MILLIS, REVOKED_KEYS_KEPT, Row, Table};
use crate::domain::account::{
    Account, AccountId, Email, HolderId, MailId, MailerId, Profile, ReaderId, SuggestionId, TokenId,
};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::asked::{AskedCount, MAX_A_DAY};
use crate::domain::clock::{Period, UnixMillis};
use crate::domain::code::CodeHash;
use crate::domain::hook::HookRecord;
use crate::domain::mail::MailKind;
use crate::domain::plan::Plan;
use crate::domain::reader::Reader;
use crate::domain::suggestion::Suggestion;
use crate::domain::token::TokenRecord;

/// The result of every store method.
pub type StoreResult<T> = Result<T, StoreError>;

/// A whole store.
pub trait Store:
    AccountStore
    + TokenStore
    + HookStore
    + MailStore
    + BillingStore
    + AdminStore
    + QuotaStore
    + PresenceStore
    + AskedStore
    + SuggestionStore
    + ReaderStore
{
}

/// Accounts and their API keys.
#[async_trait]
pub trait AccountStore: RateLimitStore {
    /// Adds a key to the account of the e-mail address of `new`, which is created as it is if the address is new;
    /// with `plan`, the account is on it then. Returns the account as it is afterwards.
    async fn issue_key(&self, new: Account, key: KeyRecord, plan: Option<Plan>) -> StoreResult<Account>;

    /// The account of an e-mail address.
    async fn account(&self, email: &Email) -> StoreResult<Option<Account>>;

    /// The profile of an account; empty when there is no such account.
    async fn profile(&self, account: &AccountId) -> StoreResult<Profile>;

    /// The keys of an account, oldest first; of revoked ones the newest 50, and those of the last 90 days.
    async fn keys(&self, account: &AccountId) -> StoreResult<Vec<KeyRecord>>;

    /// The account that a key belongs to; `None` when the key is unknown or revoked.
    async fn account_of_key(&self, key: KeyHash) -> StoreResult<Option<Account>>;

    /// Revokes a key; `None` when it is unknown or was revoked before. Returns, as [`AdminStore::set_block`], once no
    /// serving process accepts the key any more. This, as all that is said of other processes here, holds for a store
    /// of several servers; of an embedded one the server knows within 250 ms what a command has changed.
    async fn revoke_key(&self, key: KeyHash, at: UnixMillis) -> StoreResult<Option<Silent>>;

    /// Replaces one key of an account, or all of them; false, with nothing changed, when the key to replace is not a
    /// live key of the account. Returns once no serving process accepts the old keys any more.
    async fn replace_keys(&self, replacement: KeyReplacement) -> StoreResult<bool>;

    /// Sets the plan of an account and queues [`MailKind::Plan`]; false when there is no such account. Every process
    /// knows within a second.
    async fn set_plan(
        &self,
        account: &AccountId,
        plan: Plan,
        mail: &MailId,
        at: UnixMillis,
    ) -> StoreResult<bool>;

    /// Queues the mail that gives the owner of an address access: [`MailKind::SignIn`] when that is asked for, else
    /// [`MailKind::Welcome`] when the account has no live key, else [`MailKind::Recovery`]. Creates the account first
    /// when somebody signs up and the address is new. Without an account, for a blocked one, and beyond a limit of the
    /// request nothing is created, counted or queued, and neither answer nor duration shows it.
    async fn request_access(&self, request: AccessRequest) -> StoreResult<()>;

    /// Saves a session of an account, or a code that no mail brings, beside earlier ones. For a code of a mail see
    /// [`MailStore::save_mailed_code`].
    async fn save_code(&self, account: &AccountId, code: CodeRecord) -> StoreResult<()>;

    /// Saves a session that a key has opened, as a code is saved. Beyond `max` of them the one that ends first ends
    /// now; codes, and sessions that were opened otherwise, are left alone.
    async fn save_key_session(&self, account: &AccountId, session: CodeRecord, max: usize)
    -> StoreResult<()>;

    /// Exchanges a recovery code for a new key in place of all live keys of the account, whose other codes end with
    /// it. `None` when the code is wrong or expired, or the account is blocked. Returns once no serving process accepts
    /// an old key any more.
    async fn redeem_recovery_code(&self, redemption: CodeRedemption) -> StoreResult<Option<Account>>;

    /// Exchanges a code for a session, which is stored as a code is: it ends by [`AccountStore::end_session`], at its
    /// time, and with the codes of its account. Other codes and the keys stay. `None` when the code is wrong or
    /// expired, or the account is blocked or unknown.
    async fn exchange_code(&self, exchange: CodeExchange) -> StoreResult<Option<Account>>;

    /// The account of a session; `None` when it has ended, or the account is blocked.
    async fn account_of_session(
        &self,
        account: &AccountId,
        session: CodeHash,
        at: UnixMillis,
    ) -> StoreResult<Option<Account>>;

    /// Queues [`MailKind::NewAddress`] to another address of an account, due at once. Without the account, and for a
    /// blocked one, nothing is queued.
    async fn mail_new_address(
        &self,
        account: &AccountId,
        to: &Email,
        mail: &MailId,
        at: UnixMillis,
    ) -> StoreResult<()>;

    /// Exchanges a code for another address of the account, queues [`MailKind::Moved`] to the old one, and drops codes,
    /// sessions and unsent mails with access. `None` when the code is wrong or expired, or the account is blocked; a
    /// code for an address that another account has is used up too.
    async fn redeem_new_address(&self, change: AddressChange) -> StoreResult<Option<EmailChange>>;

    /// Ends a session.
    async fn end_session(&self, account: &AccountId, session: CodeHash) -> StoreResult<()>;
}

/// Tokens, of web pages and of calendar addresses.
#[async_trait]
pub trait TokenStore: fmt::Debug + Send + Sync {
    /// Adds a token; false, with nothing changed, when its account is unknown or has `max` tokens already. Every
    /// process knows within a second.
    async fn add_token(&self, token: TokenRecord, max: usize) -> StoreResult<bool>;

    /// The tokens of an account, oldest first.
    async fn tokens(&self, account: &AccountId) -> StoreResult<Vec<TokenRecord>>;

    /// A token and the account that it belongs to; `None` when it is unknown or revoked.
    async fn account_of_token(&self, token: KeyHash) -> StoreResult<Option<(Account, TokenRecord)>>;

    /// Revokes a token of an account, of which nothing is kept; false when the account has no such token. Returns once
    /// no serving process accepts the token any more.
    async fn revoke_token(&self, account: &AccountId, token: &TokenId) -> StoreResult<bool>;
}

/// Webhooks of accounts, and the messages that wait for them.
#[async_trait]
pub trait HookStore: fmt::Debug + Send + Sync {
    /// Sets the webhook of an account, or removes it, and drops the messages that wait for another address; false when
    /// there is no such account, or no webhook to remove.
    async fn set_hook(&self, account: &AccountId, hook: Option<HookRecord>) -> StoreResult<bool>;

    /// The webhook of an account.
    async fn hook(&self, account: &AccountId) -> StoreResult<Option<HookRecord>>;

    /// Queues a message to the webhook of an account, due at once, unless `max` wait for it already.
    async fn queue_for(&self, account: &AccountId, message: Message, max: usize) -> StoreResult<HookQueue>;

    /// Notifies an account of an event, unless that was done or it is blocked: queues the message as
    /// [`HookStore::queue_for`] does, or the mail, if the account has no webhook.
    async fn notify(
        &self,
        account: &AccountId,
        once: Once,
        message: Message,
        max: usize,
        otherwise: ElseMail,
    ) -> StoreResult<()>;

    /// Notifies all accounts of an event, unless that was done: queues a message to the webhooks of those that are not
    /// blocked, due at once, but not to those for which `max` wait already.
    async fn notify_all(&self, once: Once, message: Message, max: usize) -> StoreResult<()>;

    /// Takes messages that are due, as [`MailStore::take_due_mails`] takes mails, but so that at most `max_each` of an
    /// account are taken at a time: those before have been recorded, or are due again.
    async fn take_due_deliveries(&self, take: TakeDue, max_each: usize) -> StoreResult<Vec<Delivery>>;

    /// Records what came of an attempt, and when to try again; `None` removes the message.
    async fn record_attempt(
        &self,
        delivery: &Delivery,
        result: &str,
        at: UnixMillis,
        retry_at: Option<UnixMillis>,
    ) -> StoreResult<()>;
}

/// What people asked and did not find.
#[async_trait]
pub trait AskedStore: fmt::Debug + Send + Sync {
    /// Writes what one run of a server has counted of one day, in total, in place of what it wrote before. Of a day
    /// only the [`MAX_A_DAY`] most asked questions stay, and none beyond `forget_at`.
    async fn save_asked(&self, counts: Vec<AskedCount>, forget_at: UnixMillis) -> StoreResult<()>;

    /// What was counted on a day.
    async fn asked(&self, day: NaiveDate) -> StoreResult<Vec<AskedCount>>;
}

/// What readers suggest. The list is read by its rows.
#[async_trait]
pub trait SuggestionStore: RateLimitStore {
    /// Keeps a suggestion; one that is kept already stays as it is.
    async fn save_suggestion(&self, suggestion: Suggestion) -> StoreResult<()>;

    /// Marks a suggestion as done and drops the contact in it; false when there is none with the id.
    async fn close_suggestion(&self, id: &SuggestionId, at: UnixMillis) -> StoreResult<bool>;
}

/// Readers of the weekly letter, who are the queue of its mails: each has one at most, to confirm or the letter.
#[async_trait]
pub trait ReaderStore: RateLimitStore {
    /// Keeps somebody who asks for the letter, with a mail that is due at once. Of an address that is known the id
    /// stays; for a reader who has confirmed nothing changes. Whoever was to be forgotten by then may be dropped.
    async fn save_reader(&self, reader: Reader) -> StoreResult<()>;

    /// The reader of an id.
    async fn reader(&self, id: &ReaderId) -> StoreResult<Option<Reader>>;

    /// Records a confirmation, and when the first letter is due, once; false when there is no such reader.
    async fn confirm_reader(&self, id: &ReaderId, at: UnixMillis, due_at: UnixMillis) -> StoreResult<bool>;

    /// Deletes a reader; false when there is none.
    async fn delete_reader(&self, id: &ReaderId) -> StoreResult<bool>;

    /// Deletes the reader of an address; returns the id.
    async fn delete_reader_of(&self, email: &Email) -> StoreResult<Option<ReaderId>>;

    /// Takes readers whose mail is due, as [`MailStore::take_due_mails`] takes mails, with how often this mail was
    /// taken.
    async fn take_due_readers(&self, take: TakeDue) -> StoreResult<Vec<(Reader, u32)>>;

    /// Says when the mail of a reader is due after it was taken `attempts` times, or that none is. Nothing changes when
    /// the reader is gone, or has confirmed since it was taken.
    async fn reschedule_reader(
        &self,
        taken: &Reader,
        due_at: Option<UnixMillis>,
        attempts: u32,
    ) -> StoreResult<()>;
}

/// The mail queue. A mail is written from its account and subscription, or from what people asked, so its sender reads
/// those too, and sends the weekly letter.
#[async_trait]
pub trait MailStore: AccountStore + BillingStore + AskedStore + ReaderStore {
    /// Queues a mail to an account that is due at once, unless it is queued already. The account is created if its
    /// address is new.
    async fn queue_mail(
        &self,
        account: Account,
        mail: &MailId,
        kind: MailKind,
        at: UnixMillis,
    ) -> StoreResult<()>;

    /// Takes mails that are due, longest due first. Each counts one more attempt and is due again at
    /// [`TakeDue::retry_at`], so that nobody else takes it meanwhile and none is lost with a process. A mail whose key
    /// another mailer holds is left to it for half a minute, and a mail of a kind that only a newer version knows to
    /// that one.
    async fn take_due_mails(&self, taker: &MailerId, take: TakeDue) -> StoreResult<Vec<Mail>>;

    /// Makes a mail due at another time; does nothing when it is gone.
    async fn postpone_mail(&self, mail: &MailId, until: UnixMillis) -> StoreResult<()>;

    /// Makes mails that are due after `later` due at `now`, those due first before others and at most `max`; returns
    /// how many they were.
    async fn hasten_mails(&self, later: UnixMillis, now: UnixMillis, max: usize) -> StoreResult<usize>;

    /// Removes a mail that was sent or given up.
    async fn delete_mail(&self, mail: &MailId) -> StoreResult<()>;

    /// Saves the code that a mail brings to its account, beside earlier ones: a mail that somebody else asked for must
    /// not make the code of another mail invalid. False, with nothing saved, when the mail is gone: since it was taken
    /// the account may have been blocked or got another address, and the old mailbox must get no access.
    async fn save_mailed_code(&self, mail: &MailId, code: CodeRecord) -> StoreResult<bool>;

    /// Adds the key that a [`MailKind::Welcome`] mail carries, in place of the one made for an earlier attempt, and
    /// leaves the mail to the mailer that holds it. Only this replaces that one and keeps the mail: when it is not
    /// live any more, somebody else has ended it.
    async fn issue_welcome_key(
        &self,
        mail: &MailId,
        holder: &MailerId,
        key: KeyRecord,
    ) -> StoreResult<WelcomeKey>;
}

/// What became of [`MailStore::issue_welcome_key`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WelcomeKey {
    /// It is a key of the account.
    Issued,
    /// Nothing has changed, as the account has another live key that is not of this mail.
    HasOther,
    /// Nothing has changed, as the key of an earlier attempt was replaced or revoked, or the mail is gone.
    Ended,
}

/// Subscriptions and the payment gateway's webhook events.
#[async_trait]
pub trait BillingStore: RateLimitStore {
    /// The subscription record of an account; an empty one, version 0, when none was saved yet.
    async fn subscription_record(&self, account: &AccountId) -> StoreResult<SubscriptionRecord>;

    /// Saves a subscription record and everything that follows from it; false, with nothing changed, when the stored
    /// version is not the update's, or there is no such account. Repeating it returns false, as the version has moved.
    /// Every process knows of a new plan within a second.
    async fn save_subscription(&self, update: SubscriptionUpdate) -> StoreResult<bool>;

    /// The account that a gateway reference was saved with.
    async fn account_of_reference(&self, reference: &str) -> StoreResult<Option<AccountId>>;

    /// Takes accounts whose subscription is due, longest due first; each is due again at [`TakeDue::retry_at`].
    async fn take_due_subscriptions(&self, take: TakeDue) -> StoreResult<Vec<AccountId>>;

    /// Saves a webhook event, due at once; false when it is known, which includes events finished within the last
    /// month.
    async fn save_webhook_event(&self, event: WebhookEvent) -> StoreResult<bool>;

    /// Takes webhook events that are due, as [`MailStore::take_due_mails`] takes mails.
    async fn take_due_webhook_events(&self, take: TakeDue) -> StoreResult<Vec<WebhookEvent>>;

    /// Marks a webhook event as finished; it is still recognised when the gateway repeats it.
    async fn finish_webhook_event(&self, event: &str, at: UnixMillis) -> StoreResult<()>;
}

/// What operators do with accounts, and the rows of the whole store.
#[async_trait]
pub trait AdminStore: fmt::Debug + Send + Sync {
    /// Blocks an account, whose codes, unsent mails with access and messages to its webhook are dropped, or ends its
    /// block. `None` when there is no such account. Returns once no serving process accepts a key of a blocked account
    /// any more, with the names of the processes that did not answer: their trust window has passed, so they accept no
    /// cached key.
    async fn set_block(&self, account: &AccountId, block: Option<Block>) -> StoreResult<Option<Silent>>;

    /// Gives an account another address; codes and unsent mails with access for the old one are dropped.
    async fn set_email(&self, account: &AccountId, email: &Email) -> StoreResult<EmailChange>;

    /// Deletes an account and all that belongs to it, except for `kept`, which is stored under its id; changes nothing
    /// when its subscription record has another version than the one that `kept` was made from. Returns when
    /// [`AdminStore::set_block`] does.
    async fn erase(
        &self,
        account: &AccountId,
        version: u32,
        kept: Option<String>,
        at: UnixMillis,
    ) -> StoreResult<EraseOutcome>;

    /// The rows of tables, or those of one account, to which the reader of its address belongs; those of the audit log
    /// in the order of their insertion. The rows of an account are of one moment, its leases, mails and reader perhaps
    /// of another, and all that was acknowledged before the call is there.
    async fn rows(&self, tables: &[Table], of: Option<&AccountId>) -> StoreResult<Vec<Row>>;

    /// The names of the processes that serve from the store.
    async fn serving(&self) -> StoreResult<Vec<String>>;

    /// Appends a row to the audit log.
    async fn note(&self, entry: Row) -> StoreResult<()>;

    /// Fails when the store is set up so that it may lose what it was given, as at the start of a server.
    async fn check_settings(&self) -> StoreResult<()> {
        Ok(())
    }

    /// What waits in the store, and when it was backed up.
    async fn backlog(&self) -> StoreResult<Backlog>;

    /// Deletes what was to be kept until `now` at most, which Redis does by itself, and what is left of accounts that
    /// were erased: calls that were counted later, and what an erasure that was cut off has left.
    async fn forget(&self, now: UnixMillis) -> StoreResult<()>;

    /// Records that a backup was made. The record itself is part of no backup.
    async fn note_backup(&self, at: UnixMillis) -> StoreResult<()>;

    /// Inserts all rows of an empty store. If that is cut off, nothing was inserted, or nobody can serve from it.
    async fn fill(&self, rows: Vec<Row>) -> StoreResult<()>;
}

/// The names of serving processes that did not answer in time.
pub type Silent = Vec<String>;

/// What became of [`AdminStore::erase`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EraseOutcome {
    /// The account is deleted.
    Done(Erasure),
    /// Its subscription record has another version.
    Conflict,
    /// There is no such account.
    NoAccount,
}

/// What became of an account that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Erasure {
    /// Processes that did not answer: see [`AdminStore::set_block`].
    pub silent: Silent,
    /// Whether a log of the store still has what was deleted, since another process reads it, such as a backup. It goes
    /// when that ends and the store is written to, or the server stops.
    pub is_in_log: bool,
}

/// What waits in the store, and when it was backed up; `None` where there is nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// When the oldest mail to an account was queued that is neither sent nor abandoned.
    pub oldest_mail: Option<UnixMillis>,
    /// When the oldest webhook event arrived that is not finished.
    pub oldest_webhook_event: Option<UnixMillis>,
    /// When the first of the subscriptions is or was due.
    pub subscription_due_at: Option<UnixMillis>,
    /// When the last backup was made.
    pub backup_at: Option<UnixMillis>,
}

/// Why an account is blocked, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Since when.
    pub at: UnixMillis,
    /// Why, for the operator.
    pub reason: String,
}

/// What became of [`AdminStore::set_email`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmailChange {
    /// The account has the address.
    Done,
    /// Another account has it.
    Taken,
    /// There is no such account.
    NoAccount,
}

/// Leases of calls: see [`Claim`].
#[async_trait]
pub trait QuotaStore: fmt::Debug + Send + Sync {
    /// Records what a lease has spent, and grants it more calls or takes back released ones. The grants of all
    /// leases of an account and period never exceed the limit.
    async fn lease(&self, claim: Claim) -> StoreResult<Grant>;

    /// All leases of an account in a period, as last reported; all calls of a holder that has ended count as spent.
    async fn leases(&self, account: &AccountId, period: Period) -> StoreResult<Vec<LeaseRecord>>;

    /// Asks the other processes to report and release their leases of an account, and waits for them, for at most a
    /// second.
    async fn recall(&self, account: &AccountId) -> StoreResult<()>;
}

/// This process among the processes that serve from the store.
#[async_trait]
pub trait PresenceStore: fmt::Debug + Send + Sync {
    /// Registers this process as serving: others now wait for it, and `listener` receives every change that another
    /// process makes, within a second. A server calls it until it has succeeded once; the command line does not.
    /// Before, nothing is trusted that may be cached.
    async fn register(&self, listener: ChangeListener) -> StoreResult<()>;

    /// Whether this process may act on cached data now: it heard from the store within the trust window
    /// before. Cheap, as every request asks.
    fn is_trusted(&self) -> bool;

    /// Contacts the store after [`PresenceStore::is_trusted`] said no. When it returns, the listener has received
    /// every change that was missed.
    async fn refresh(&self) -> StoreResult<()>;

    /// Ends the registration: nobody waits for this process any more, and it must not serve.
    async fn leave(&self) -> StoreResult<()>;

    /// Whether calls with a key can be answered, as a small write in the background found within the last second or
    /// so. Cheap, for readiness probes. A store server that is unreachable is no error while known keys are served from
    /// what is cached.
    fn health(&self) -> StoreResult<()>;

    /// How often since the start a thread or task of the store panicked and went on. For metrics.
    fn panics(&self) -> u64;

    /// The last contact with the store in the background. For metrics.
    fn last_probe(&self) -> LastProbe;
}

/// A contact with the store in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastProbe {
    /// Whether it succeeded.
    pub is_up: bool,
    /// How long it took; `None` before the first.
    pub took: Option<Duration>,
}

/// Receives changes, one after the other; a change counts as handled when the future is done. It must not take long,
/// and must not itself await a store call that waits for changes to be handled.
pub type ChangeListener = Arc<dyn Fn(Change) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// Something that a process must know because this or another process wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Keys or plan of an account may have changed.
    Account(AccountId),
    /// Any keys or plans may have changed: drop everything cached.
    Everything,
    /// Another process needs the usage of an account, or calls: report and release its leases.
    Recall(AccountId),
    /// The store may have lost the last writes: report all leases again.
    Restate,
    /// The operator started over with an empty store: leases of the old one are void.
    StoreReset,
}

/// For how long a due mail is left to its owner. A mailer reads the queue every second, and is late only when all its
/// connections to the mail server hang.
const LEFT_TO_OWNER_MILLIS: i64 = 30_000;

/// The stored state of an account's subscription.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubscriptionRecord {
    /// How often it was saved.
    pub version: u32,
    /// The state, opaque to the store; empty when it was never saved.
    pub text: String,
}

/// A new subscription state and its effects: see [`BillingStore::save_subscription`].
#[derive(Debug, Clone)]
pub struct SubscriptionUpdate {
    /// Whose subscription.
    pub account: AccountId,
    /// The version that the update was made from.
    pub version: u32,
    /// The new state.
    pub text: String,
    /// The new plan of the account, if it changes.
    pub plan: Option<Plan>,
    /// Further references that the gateway may know the account's orders by. A reference stays with the account that
    /// had it first.
    pub references: Vec<String>,
    /// References of the account that no order has any more. They are dropped.
    pub dropped_references: Vec<String>,
    /// Mails to queue, due at once.
    pub mails: Vec<(MailId, MailKind)>,
    /// When the subscription is due next; `None` when nothing is to be done.
    pub due_at: Option<UnixMillis>,
    /// The webhook event that is finished with this update.
    pub finished_event: Option<String>,
    /// When.
    pub at: UnixMillis,
}

/// A webhook event of the payment gateway, waiting to be handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookEvent {
    /// The gateway's id: the same event comes again under the same id.
    pub id: String,
    /// Its content, opaque to the store.
    pub text: String,
    /// When it arrived.
    pub at: UnixMillis,
    /// How often it was taken, this time included.
    pub attempts: u32,
}

/// Which entries of a queue to take.
#[derive(Debug, Clone, Copy)]
pub struct TakeDue {
    /// The present: what is due by then is taken.
    pub now: UnixMillis,
    /// When what is taken is due again.
    pub retry_at: UnixMillis,
    /// How many entries to take at most.
    pub max: usize,
}

impl TakeDue {
    /// A mail that was due by then is taken from any owner.
    fn abandoned_at(&self) -> UnixMillis {
        UnixMillis(self.now.0.saturating_sub(LEFT_TO_OWNER_MILLIS))
    }
}

/// A queued mail. It holds no key and no code: those are made when the mail is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Its id.
    pub id: MailId,
    /// The account it is about.
    pub account: AccountId,
    /// The recipient.
    pub to: Email,
    /// What it says.
    pub kind: MailKind,
    /// When it was queued.
    pub queued_at: UnixMillis,
    /// How often it was taken from the queue, this time included.
    pub attempts: u32,
}

/// A report of what a lease has spent, with a request for more calls.
///
/// A lease is a total number of calls granted to its holder, spent ones included. Every claim reports the holder's
/// totals under a rising number, so that a claim which is repeated, late or out of order changes nothing: the store
/// answers a number that is not new with the last grant.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Whose quota.
    pub account: AccountId,
    /// The minute or month.
    pub period: Period,
    /// The quota.
    pub limit: u32,
    /// The holder of the lease: unique to one lease of one process.
    pub holder: HolderId,
    /// Higher than in every earlier claim of the holder, from 1.
    pub number: u32,
    /// The calls spent in total.
    pub used: u32,
    /// The calls that the holder believes granted in total, at least those it has spent.
    pub held: u32,
    /// How many unspent calls the holder would like. Zero releases what it holds; otherwise it keeps what it has, if
    /// the limit allows.
    pub want: u32,
    /// The calls spent by action, in total.
    pub by_action: Vec<(&'static str, u32)>,
    /// The present, by the holder's clock.
    pub now: UnixMillis,
}

/// The answer to a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// The calls granted to the holder in total: at least those it has spent, otherwise at most what the limit leaves.
    pub granted: u32,
    /// The calls that all other holders have reported as spent.
    pub others_used: u32,
    /// The calls granted to all other holders, spent or not.
    pub others_granted: u32,
    /// Those of them that nobody will spend, as their holders have ended. Known only when the claim got nothing.
    pub others_lost: u32,
}

/// A lease as last reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRecord {
    /// Its holder.
    pub holder: HolderId,
    /// The calls granted in total.
    pub granted: u32,
    /// The calls spent in total.
    pub used: u32,
    /// The calls spent by action.
    pub by_action: Vec<(String, u32)>,
}

impl LeaseRecord {
    /// The calls that were counted by this name.
    pub fn calls(&self, name: &str) -> Option<u32> {
        self.by_action.iter().find(|(known, _)| known == name).map(|(_, calls)| *calls)
    }
}
