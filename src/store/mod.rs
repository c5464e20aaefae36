//! Where accounts, keys, quotas, letters and books rest, whatever the back-end.
//!
//! A [`Store`] has raw methods, each atomic; what they mean together is decided above. A new back-end is a
//! file beside this one and an arm of [`open`]; all of them pass the same tests. Uses [`crate::domain::account`] (the
//! nouns), [`crate::domain::clock`], [`crate::config`], [`crate::domain::plan`] and [`crate::domain::error`].

mod leases;
pub mod redis;
pub mod sqlite;

use std::fmt;
use std::fs::{DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::pin::Pin;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::config::StoreSpec;
use crate::domain::account::{
    Account, AccountId, CodeHash, Email, HolderId, KeyHash, KeyRecord, MailId, Profile,
};
use crate::domain::clock::{Period, UnixMillis};
use crate::domain::error::ApiError;
use crate::domain::mail::MailKind;
use crate::domain::plan::Plan;

/// What a store will answer.
pub type Asked<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A place where accounts, keys, quotas, letters and books rest.
///
/// It is used as `dyn Store`, and so its methods answer in boxes: no request pays for that, because a warm one
/// never gets here, and no room above has to be generic. Every method is atomic, and what it answered for is kept
/// whatever dies. Each may be asked again after a failure whose outcome is unknown.
pub trait Store: fmt::Debug + Send + Sync {
    /// Adds a key to the account of an address and puts the account on a plan; opens the account if the address
    /// is new. Answers the account as it is now.
    fn issue(&self, issue: Issue) -> Asked<'_, Account>;

    /// The account of an address.
    fn account(&self, email: &Email) -> Asked<'_, Option<Account>>;

    /// What the holder of an account said of themselves; empty when there is no such account.
    fn profile(&self, account: &AccountId) -> Asked<'_, Profile>;

    /// The keys of an account, revoked ones too, oldest first.
    fn keys(&self, account: &AccountId) -> Asked<'_, Vec<KeyRecord>>;

    /// The account that holds a key; none when the key is unknown or revoked.
    fn holder(&self, key: KeyHash) -> Asked<'_, Option<Account>>;

    /// Revokes a key; false when there is no such key, or it was revoked before. Answers when no process that
    /// serves honours the key any more.
    fn revoke(&self, key: KeyHash, at: UnixMillis) -> Asked<'_, bool>;

    /// Puts a new key in the place of one or all of an account's; false, and nothing is changed, when the one to
    /// replace is not a live key of the account. Answers when no process that serves honours the old any more.
    fn replace(&self, replacement: Replacement) -> Asked<'_, bool>;

    /// Makes a key for a letter of [`MailKind::Welcome`], in the place of the one that was made for it before; false,
    /// and nothing is changed, when the account has come to a live key otherwise, or the letter is gone.
    fn welcome(&self, letter: &MailId, key: KeyRecord) -> Asked<'_, bool>;

    /// Puts an account on a plan; false when there is no such account. Every process knows within a second.
    fn set_plan(&self, account: &AccountId, plan: Plan) -> Asked<'_, bool>;

    /// Counts one against each of the tallies, unless one of them is full: then nothing is counted, and the answer
    /// is the place of the first full one.
    fn tally(&self, tallies: Vec<Tally>, now: UnixMillis) -> Asked<'_, Option<usize>>;

    /// Queues a letter to an address that lets its reader in: [`MailKind::Welcome`] when its account has no live
    /// key, else [`MailKind::Recovery`]. Opens the account first if the invitation says so and the address is
    /// new; without an account nothing is queued, and the answer is the same.
    fn invite(&self, invitation: Invitation) -> Asked<'_, ()>;

    /// Takes letters that are due at `now`, the longest due first, at most `most` of them: each counts one attempt
    /// more and is due again at `again`, so that nobody else takes it meanwhile and none is lost with a process.
    fn collect(&self, now: UnixMillis, again: UnixMillis, most: usize) -> Asked<'_, Vec<Mail>>;

    /// Puts a letter off; nothing when it is gone.
    fn put_off(&self, letter: &MailId, until: UnixMillis) -> Asked<'_, ()>;

    /// Drops a letter that was sent or given up.
    fn discard(&self, letter: &MailId) -> Asked<'_, ()>;

    /// Keeps the recovery code of an account, in the place of any other.
    fn keep_code(&self, account: &AccountId, code: CodeRecord) -> Asked<'_, ()>;

    /// Gives the account of an address a new key in the place of all its live ones, when the code is its own,
    /// has not expired and was not tried wrongly too often; the code is spent with that. Otherwise none, and a wrong
    /// one counts as a try. Answers when no process that serves honours an old key any more.
    fn redeem(&self, redemption: Redemption) -> Asked<'_, Option<Account>>;

    /// The books of an account: empty ones when nothing was entered yet.
    fn books(&self, account: &AccountId) -> Asked<'_, SubscriptionRecord>;

    /// Enters what an account's payments have come to; false, and nothing is changed, when the books are of another
    /// version than the entry goes by, or there is no such account. Asked again it answers false, for the version
    /// has moved. Every process knows of a plan within a second.
    fn enter(&self, entry: Entry) -> Asked<'_, bool>;

    /// The account whose books a reference was entered with.
    fn payer(&self, reference: &str) -> Asked<'_, Option<AccountId>>;

    /// Takes accounts whose books are due at `now`, the longest due first, at most `most` of them: each is due again
    /// at `again`.
    fn due_books(&self, now: UnixMillis, again: UnixMillis, most: usize) -> Asked<'_, Vec<AccountId>>;

    /// Keeps a notice of the gateway, due at once; false when it was kept before, be it that it was settled within
    /// the last month.
    fn receive(&self, notice: WebhookEvent) -> Asked<'_, bool>;

    /// Takes notices that are due, as [`Store::collect`] takes letters.
    fn notices(&self, now: UnixMillis, again: UnixMillis, most: usize) -> Asked<'_, Vec<WebhookEvent>>;

    /// Puts a notice away that nothing is to be done about; it is still known when it comes again.
    fn settle(&self, notice: &str, at: UnixMillis) -> Asked<'_, ()>;

    /// Restates what a holder of a lease has spent, and grants it more or takes back what it gives up: see
    /// [`Claim`]. Over all holders of an account and period never more is granted than the limit.
    fn lease(&self, claim: Claim) -> Asked<'_, Grant>;

    /// What every holder of leases of an account in a period has last stated.
    fn statements(&self, account: &AccountId, period: Period) -> Asked<'_, Vec<Statement>>;

    /// Asks the other processes to restate and give up what they hold of an account, and waits until all have, for
    /// a second at most.
    fn recall(&self, account: &AccountId) -> Asked<'_, ()>;

    /// Makes this process one that serves: from now on others wait for it, and `listener` hears of every change
    /// that another process makes, within a second. Asked once, by a server; the command line does not.
    fn attend(&self, listener: Listener) -> Asked<'_, ()>;

    /// Whether what this process remembers may still be honoured at a moment: it heard from the store within the
    /// trust window before.
    fn is_trusted(&self, at: Instant) -> bool;

    /// Asks the store for its word again, once [`Store::is_trusted`] has said no; every change that was missed
    /// meanwhile has been told to the listener when this answers.
    fn renew(&self) -> Asked<'_, ()>;

    /// Ends what [`Store::attend`] began: nobody waits for this process any more, and it must not serve.
    fn leave(&self) -> Asked<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}

/// Hears of a change; it has been taken notice of when the future is done. It is told of one after the other, so it
/// must not take long, and must not itself ask for what is answered only when it was told.
pub type Listener = Arc<dyn Fn(Change) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// What a process must know that another one, or this one, has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Keys or plan of an account may be others now.
    Account(AccountId),
    /// Anything may: forget what is remembered of keys.
    Everything,
    /// Someone wants to know what was spent of an account's quotas, or is in need of calls: restate, and give up
    /// what is held.
    Recall(AccountId),
    /// The store may have lost what it was last told: restate everything that is held.
    Restate,
    /// The store was begun anew and is empty: what was leased from the old one is void.
    Begun,
}

/// What [`Store::issue`] writes down.
#[derive(Debug, Clone)]
pub struct Issue {
    /// The account as it will be if the address is new; otherwise only its address and plan count.
    pub opening: Account,
    /// The key.
    pub key: KeyRecord,
}

/// What [`Store::replace`] writes down.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// Whose keys.
    pub account: AccountId,
    /// The key that gives way; every live one of the account when none is named.
    pub old: Option<KeyHash>,
    /// The key that comes, made at the moment of the replacement.
    pub new: KeyRecord,
    /// A letter of [`MailKind::Rotated`] to queue with it, due at the moment given.
    pub letter: Option<(MailId, UnixMillis)>,
}

/// A count that must not pass a limit before it ends.
#[derive(Debug, Clone)]
pub struct Tally {
    /// What is counted, its window included: "signup/day/20778/a@b.c".
    pub name: String,
    /// The most it may count.
    pub most: u32,
    /// When it may be forgotten.
    pub ends_at: UnixMillis,
}

/// What [`Store::invite`] writes down.
#[derive(Debug, Clone)]
pub struct Invitation {
    /// Whom the letter is to.
    pub email: Email,
    /// The account to open if the address is new, and what its holder says of themselves.
    pub opening: Option<(Account, Profile)>,
    /// What the letter will be called.
    pub letter: MailId,
    /// When: the letter is due at once.
    pub at: UnixMillis,
}

/// What is kept of an account's payments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubscriptionRecord {
    /// How often they were written.
    pub version: u32,
    /// What they say: to a store it is text. Empty when they were never written.
    pub text: String,
}

/// What [`Store::enter`] writes down, all of it or nothing.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Whose books.
    pub account: AccountId,
    /// The version that it goes by.
    pub version: u32,
    /// What the books say now.
    pub text: String,
    /// The plan to put the account on, if it changes.
    pub plan: Option<Plan>,
    /// Further names that the gateway may know the account's orders by; each stays the account's that had it first.
    pub references: Vec<String>,
    /// Letters to queue, due at once.
    pub letters: Vec<(MailId, MailKind)>,
    /// When the books are due next; never when nothing is to be seen to.
    pub due_at: Option<UnixMillis>,
    /// The notice that is settled with it.
    pub settles: Option<String>,
    /// When.
    pub at: UnixMillis,
}

/// Something the gateway told, until it is settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookEvent {
    /// What the gateway calls it: it has told the same before when it had the same name.
    pub id: String,
    /// What it says: to a store it is text.
    pub text: String,
    /// When it came.
    pub at: UnixMillis,
    /// How often it was taken, this time included.
    pub attempts: u32,
}

/// How long a notice that was settled is known when it comes again: the gateway repeats it for 14 days at most.
const NOTICE_KNOWN: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A letter in the queue. It holds no key and no code: those are made when the letter is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// What it is called.
    pub id: MailId,
    /// Whose account it is about.
    pub account: AccountId,
    /// Whom it is to.
    pub to: Email,
    /// What it says.
    pub kind: MailKind,
    /// When it was queued.
    pub queued_at: UnixMillis,
    /// How often it was taken from the queue, this time included.
    pub attempts: u32,
}

/// What is kept of a recovery code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeRecord {
    /// Which code it is.
    pub hash: CodeHash,
    /// The first moment at which it is worth nothing.
    pub expires_at: UnixMillis,
    /// How often a wrong one may still be tried in its place.
    pub tries: u32,
}

/// What [`Store::redeem`] is given.
#[derive(Debug, Clone)]
pub struct Redemption {
    /// Whose code it is said to be.
    pub email: Email,
    /// The code.
    pub code: CodeHash,
    /// The key that comes in the place of the account's live ones, made at the moment of the redemption.
    pub new: KeyRecord,
    /// A letter of [`MailKind::Rotated`] to queue with it, due at the moment given.
    pub letter: Option<(MailId, UnixMillis)>,
}

/// A statement of what a holder has spent of an account's quota in a period, and what it wants.
///
/// A lease is a number of calls granted to its holder in total, spent ones included. Every claim restates the
/// holder's own totals under a rising number, so one that comes twice, late or out of order changes nothing:
/// the store answers a number it knows or that lies behind with what it last granted.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Whose quota.
    pub account: AccountId,
    /// In which minute or month.
    pub period: Period,
    /// The quota.
    pub limit: u32,
    /// Who holds the lease; a name that no other process, and no other lease, has or ever had.
    pub holder: HolderId,
    /// Higher than in every claim of the holder before, from 1.
    pub number: u32,
    /// The calls that it has spent in total.
    pub used: u32,
    /// The calls that it believes to be granted in total, never fewer than it has spent.
    pub held: u32,
    /// How many unspent calls it would like to hold. None gives up what it holds; otherwise it keeps what it
    /// has, if the limit allows.
    pub want: u32,
    /// What it has spent by action, in total.
    pub by_action: Vec<(&'static str, u32)>,
    /// The present moment, by the clock of the holder.
    pub now: UnixMillis,
}

/// What a claim got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// The calls granted to the holder in total: never fewer than it has spent, and otherwise never more than the
    /// limit leaves.
    pub granted: u32,
    /// What all other holders have stated to have spent.
    pub others_used: u32,
    /// What is granted to all other holders, spent or not.
    pub others_granted: u32,
}

/// What a holder has last stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Who.
    pub holder: HolderId,
    /// The calls granted to it in total.
    pub granted: u32,
    /// The calls that it has spent in total.
    pub used: u32,
    /// Those by action.
    pub by_action: Vec<(String, u32)>,
}

/// Why a store did not do as asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Redis cannot be reached, or does not answer in time.
    #[error("Redis cannot be reached: {0}")]
    Unreachable(String),
    /// Redis is not the one that is known.
    #[error(
        "the Redis that holds keys and quotas is empty or another one: restore it, or run `candango store begin` to \
         begin anew"
    )]
    Emptied,
    /// Redis, or its URL, is not fit for the service.
    #[error("{0}")]
    Unsuited(String),
    /// The file was written by a later version of the service.
    #[error("the store is of version {found}, and this program knows {known} at most: use the newer program")]
    Newer {
        /// The version of the file.
        found: i64,
        /// The version of this program.
        known: i64,
    },
    /// Its file cannot be made or opened.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// Why.
        source: Arc<io::Error>,
    },
    /// More writes wait than are allowed to.
    #[error("too many writes are waiting")]
    Overloaded,
    /// It has been shut.
    #[error("the store is shut")]
    Shut,
    /// It failed.
    #[error("the store failed: {0}")]
    Failed(Arc<dyn std::error::Error + Send + Sync>),
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        // With the store away every request comes by here: told once a second, by whoever comes first.
        static TOLD: Mutex<Option<Instant>> = Mutex::new(None);
        if let Ok(mut told) = TOLD.try_lock()
            && told.is_none_or(|told| told.elapsed() >= Duration::from_secs(1))
        {
            *told = Some(Instant::now());
            tracing::error!(%error, "requests cannot be answered without the store");
        }
        ApiError::StoreUnavailable
    }
}

/// Opens the store that the configuration names, for a process whose data folder is `data`; it honours what it
/// remembers for the time of `trust` after the store has fallen silent.
pub fn open(spec: &StoreSpec, data: &Path, trust: Duration) -> Result<Arc<dyn Store>, StoreError> {
    match spec {
        StoreSpec::Sqlite(path) => Ok(Arc::new(sqlite::Sqlite::open(path)?)),
        StoreSpec::Redis(url) => Ok(Arc::new(redis::Redis::at(url, spec.to_string(), data, trust)?)),
    }
}

/// Begins anew in a store that has lost everything, so that it is served again; false when it is the one that is
/// known and there is no need to. Servers that run take notice within a second and go on.
pub async fn begin(spec: &StoreSpec, data: &Path) -> Result<bool, StoreError> {
    match spec {
        // a file that is gone is made anew when it is opened
        StoreSpec::Sqlite(_) => Ok(false),
        StoreSpec::Redis(url) => redis::Redis::at(url, spec.to_string(), data, Duration::ZERO)?.begin().await,
    }
}

/// Proof that this process is the only server on a data folder, or on a store of one file. Ends with the process,
/// however it ends.
#[derive(Debug)]
pub struct ServerLock {
    _file: File,
}

/// Why a data folder cannot be served from.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another server has it.
    #[error(
        "{folder} is in use by another server: stop that one, or give this one its own folder with --data"
    )]
    Taken {
        /// The folder.
        folder: String,
    },
    /// The folder or the lock in it cannot be made.
    #[error("{folder}: {source}")]
    Folder {
        /// The folder.
        folder: String,
        /// Why.
        source: io::Error,
    },
}

impl ServerLock {
    /// Takes the folder, making it when it is not there. The command line takes no lock: it may write beside a
    /// running server.
    pub fn take(data: &Path) -> Result<ServerLock, LockError> {
        let folder = || data.display().to_string();
        let cannot = |source| LockError::Folder { folder: folder(), source };
        private_folder(data).map_err(cannot)?;
        match ServerLock::on(&data.join("server.lock")) {
            Ok(lock) => Ok(lock),
            Err(TryLockError::WouldBlock) => Err(LockError::Taken { folder: folder() }),
            Err(TryLockError::Error(source)) => Err(cannot(source)),
        }
    }

    /// Locks a file, making it when it is not there.
    fn on(path: &Path) -> Result<ServerLock, TryLockError> {
        let file = File::options().create(true).truncate(false).write(true).open(path);
        let file = file.map_err(TryLockError::Error)?;
        file.try_lock()?;
        Ok(ServerLock { _file: file })
    }
}

/// Makes a folder that only its owner may look into; one that is there is left as it is.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
