//! The sign-up service: sign-up, key rotation, and recovery of a lost key; sessions of the site are in [`session`], and
//! other addresses and the weekly letter in files of their own.
//!
//! A known address gets the same answer in the same time as an unknown one: the store is asked the same questions for
//! both, and only the mail differs.

mod address;
pub mod letter;
pub mod session;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use tokio::time::{Instant, sleep_until};

use crate::config::{Config, Signup};
use crate::domain::account::{Account, AccountId, Email, MailId, Profile};
use crate::domain::api_key::{ApiKey, KeyRecord};
use crate::domain::clock::{Clock, Moment, UnixMillis, seconds_until};
use crate::domain::code::RecoveryCode;
use crate::domain::error::ApiError;
use crate::domain::network::{CountedNetwork, network};
use crate::domain::text::clean_text;
use crate::mail::Mailer;
use crate::quota::keys::Caller;
use crate::quota::sketch::Cell;
use crate::store::journal::{Ended, NotedChanges};
use crate::store::{
    AccessRequest, AccountStore, Allowance, CodeRedemption, KeyReplacement, RateLimit, Reached, ReaderStore,
    RotationMail, Store, StoreResult,
};

/// The sign-up service.
#[derive(Debug)]
pub struct SignupService {
    store: Arc<dyn AccountStore>,
    readers: Arc<dyn ReaderStore>,
    clock: Clock,
    limits: Signup,
    mailer: Mailer,
    changes: NotedChanges,
    accepted: Counter,
    accepted_this_hour: Cell,
}

/// A sign-up request as it was sent.
#[derive(Debug, Clone, Copy)]
pub struct SignupRequest<'a> {
    /// The e-mail address.
    pub email: &'a str,
    /// The name.
    pub name: Option<&'a str>,
    /// The company.
    pub company: Option<&'a str>,
    /// What the guide is wanted for.
    pub use_case: Option<&'a str>,
}

/// A new key, in place of revoked ones.
#[derive(Debug)]
pub struct IssuedKey {
    /// The key: only this answer and its mail show it.
    pub key: ApiKey,
    /// When it was issued.
    pub at: UnixMillis,
}

/// After how long one more mail may go to an address that had several at once.
const REFILL_MILLIS: i64 = 60 * 60 * 1_000;

/// Counts the mails that bring a key or a code of the account that the address has, and no others: whoever sends those
/// fills the mailbox of an owner with good codes, but any other mail would only keep the owner from the next code.
const ACCESS_MAIL: &str = "mail";

/// The same of codes that open a session, apart, as a code of one kind is not taken for the other.
const SIGN_IN_MAIL: &str = "signin-mail";

/// Longer than a store usually takes: see [`with_padded_duration`].
const ANSWER_STEP: Duration = Duration::from_millis(50);

/// So many sign-ups in an hour, of one process, are worth a warning.
const MANY_SIGNUPS: u32 = 200;

/// Longest name and company, in characters.
pub const MAX_NAME: usize = 120;
/// Longest use case, in characters.
pub const MAX_USE_CASE: usize = 500;

impl SignupService {
    /// A sign-up service.
    pub fn new(
        config: &Config,
        store: Arc<dyn Store>,
        clock: Clock,
        mailer: Mailer,
        changes: NotedChanges,
        accepted: Counter,
    ) -> SignupService {
        let (limits, accepted_this_hour) = (config.signup.clone(), Cell::default());
        let readers = store.clone();
        SignupService { store, readers, clock, limits, mailer, changes, accepted, accepted_this_hour }
    }

    /// Mails a key to a new address, and a recovery code to a known one. The time it takes does not tell which.
    pub async fn sign_up(&self, request: SignupRequest<'_>, client: IpAddr) -> Result<(), ApiError> {
        with_padded_duration(self.mail_key_or_code(request, client)).await
    }

    /// Mails a recovery code to an address, if it is known. Of too many mails to it the next one is left out, whatever
    /// the answer says: the codes of those before are still valid. The time it takes tells nothing.
    pub async fn recover(&self, email: &str, client: IpAddr) -> Result<(), ApiError> {
        with_padded_duration(self.mail_code(email, client, false)).await
    }

    async fn mail_key_or_code(&self, request: SignupRequest<'_>, client: IpAddr) -> Result<(), ApiError> {
        self.check_open()?;
        let email = parse_email(request.email)?;
        let profile = Profile {
            name: clean_text("name", request.name, MAX_NAME)?,
            company: clean_text("company", request.company, MAX_NAME)?,
            use_case: clean_text("use_case", request.use_case, MAX_USE_CASE)?,
        };
        let now = self.clock.moment();
        let access = self.address_limits(ACCESS_MAIL, &email, now);
        self.count_request("signup", &email, access.into(), client, now).await?;
        self.accepted.inc();
        // all sign-ups together have no limit, which would shut everybody out: the operator decides
        if self.accepted_this_hour.count(now.hour_number()) == MANY_SIGNUPS {
            tracing::warn!(signups = MANY_SIGNUPS, "many sign-ups in one hour: look where they come from");
        }
        let account = Account::new(AccountId::generate()?, email.clone(), now.at);
        self.request_access(email, Some((account, profile)), false, now).await
    }

    /// Queues a code for a new key, or one that opens a session.
    async fn mail_code(&self, email: &str, client: IpAddr, signs_in: bool) -> Result<(), ApiError> {
        self.check_open()?;
        let email = parse_email(email)?;
        let now = self.clock.moment();
        let (what, mail) = if signs_in { ("signin", SIGN_IN_MAIL) } else { ("recover", ACCESS_MAIL) };
        let networks = self.network_limits(what, client, now);
        match self.count_code(networks, self.address_limits(mail, &email, now), now).await? {
            true => self.request_access(email, None, signs_in, now).await,
            false => Ok(()),
        }
    }

    /// Without mail neither a key nor a code reaches anybody.
    fn check_open(&self) -> Result<(), ApiError> {
        if self.mailer.sends() { Ok(()) } else { Err(ApiError::SignupClosed) }
    }

    /// Exchanges a recovery code for a new key, and revokes all others of the account. The time it takes tells nothing
    /// of the address.
    pub async fn redeem(&self, email: &str, code: &str, client: IpAddr) -> Result<IssuedKey, ApiError> {
        with_padded_duration(self.redeem_code(email, code, client)).await
    }

    async fn redeem_code(&self, email: &str, code: &str, client: IpAddr) -> Result<IssuedKey, ApiError> {
        let email = parse_email(email)?;
        let now = self.clock.moment();
        // tries count against the network they come from, never against the code: nobody else can use up an owner's
        let limits = self.network_limits("confirm", client, now);
        if let Some(reached) = self.store.count_attempt(limits, now.at).await? {
            return Err(ApiError::TooManyRecoveries { retry_after: seconds_until(reached.retry_at, now.at) });
        }
        let code = RecoveryCode::parse(code).ok_or(ApiError::InvalidCode)?;
        // for an unknown address the hash is of an account that does not exist: the store is asked all the same
        let account = match self.store.account(&email).await? {
            Some(account) => account.id,
            None => AccountId::generate()?,
        };
        let (issued, mail) = self.new_key(now.at)?;
        let id = mail.id.clone();
        let redemption = CodeRedemption {
            email,
            code: code.hash(&account),
            new: KeyRecord::of(&issued.key, now.at),
            mail,
        };
        let (store, new, at) = (self.store.clone(), redemption.new.hash, issued.at);
        let change = async move {
            let redeemed = store.redeem_recovery_code(redemption).await;
            let account = match &redeemed {
                Ok(account) => account.clone(),
                // the change may stand, as when another server did not acknowledge it in time; while the store does
                // not answer nobody knows whether the code was good, and a bad one must end nothing
                Err(_) => store.account_of_key(new).await.ok().flatten(),
            };
            (redeemed, account.map(|account| Ended::Keys { account: account.id, at }))
        };
        let redeemed = self.changes.run(change).await?;
        self.finish(redeemed.is_some(), issued, &id, ApiError::InvalidCode)
    }

    /// Replaces the caller's key. Of two requests at once, one gets a new key.
    pub async fn rotate(&self, caller: &Caller) -> Result<IssuedKey, ApiError> {
        if caller.account.is_blocked {
            return Err(ApiError::AccountBlocked);
        }
        self.count_rotation(&caller.account.id).await?;
        let now = self.clock.now();
        let (issued, mail) = self.new_key(now)?;
        let id = mail.id.clone();
        let replacement = KeyReplacement {
            account: caller.account.id.clone(),
            old: Some(caller.key),
            new: KeyRecord::of(&issued.key, now),
            mail,
        };
        let replaced = self.replace(replacement, Ended::key(caller.key, now)).await?;
        self.finish(replaced, issued, &id, ApiError::InvalidKey)
    }

    async fn count_rotation(&self, account: &AccountId) -> Result<(), ApiError> {
        let now = self.clock.moment();
        let hour = RateLimit::window("rotate", account, self.limits.rotations_per_hour, now.hour_ends_at());
        match self.store.count_attempt(vec![hour], now.at).await? {
            None => Ok(()),
            Some(reached) => {
                Err(ApiError::TooManyRotations { retry_after: seconds_until(reached.retry_at, now.at) })
            }
        }
    }

    /// Replaces keys and notes in the journal what that ended.
    async fn replace(&self, replacement: KeyReplacement, ended: Ended) -> StoreResult<bool> {
        let (store, new) = (self.store.clone(), replacement.new.hash);
        let change = async move {
            let replaced = store.replace_keys(replacement).await;
            let stands = match &replaced {
                Ok(replaced) => *replaced,
                // a store that does not answer may have replaced them, and who asked wanted them to end
                Err(_) => store.account_of_key(new).await.map_or(true, |account| account.is_some()),
            };
            (replaced, stands.then_some(ended))
        };
        self.changes.run(change).await
    }

    /// A key and the mail that carries it. The mailer gets the key before the store does: were the store's answer lost,
    /// the mail would be the only way to it.
    fn new_key(&self, at: UnixMillis) -> Result<(IssuedKey, RotationMail), ApiError> {
        let key = ApiKey::generate()?;
        let mail = self.mailer.hold_key(&key, at)?;
        Ok((IssuedKey { key, at }, mail))
    }

    fn finish(
        &self,
        is_stored: bool,
        issued: IssuedKey,
        mail: &MailId,
        error: ApiError,
    ) -> Result<IssuedKey, ApiError> {
        if is_stored {
            self.mailer.wake();
            Ok(issued)
        } else {
            self.mailer.drop_key(mail);
            Err(error)
        }
    }

    async fn request_access(
        &self,
        email: Email,
        new_account: Option<(Account, Profile)>,
        signs_in: bool,
        now: Moment,
    ) -> Result<(), ApiError> {
        let mail = MailId::generate()?;
        let request = AccessRequest { email, new_account, signs_in, mail, at: now.at };
        self.store.request_access(request).await?;
        self.mailer.wake();
        Ok(())
    }

    /// Counts a request that mails something to an address which may be new here, and against `further` limits of the
    /// address. The answer may tell of all of them.
    async fn count_request(
        &self,
        what: &str,
        email: &Email,
        further: Vec<RateLimit>,
        client: IpAddr,
        now: Moment,
    ) -> Result<(), ApiError> {
        let mut limits = self.network_limits(what, client, now);
        let of_network = limits.len();
        // an address with a tag reaches the same mailbox
        limits.extend(self.address_limits(what, &email.without_tag(), now));
        limits.extend(further);
        match self.store.count_attempt(limits, now.at).await? {
            None => Ok(()),
            Some(Reached { index, retry_at }) => Err(ApiError::TooManySignups {
                of_network: index < of_network,
                retry_after: seconds_until(retry_at, now.at),
            }),
        }
    }

    /// Counts the mail of a code against limits of whoever asks for it and against those of the address. Only a limit
    /// of the first kind is an error; false when the address has had too many, which the answer must not show.
    async fn count_code(
        &self,
        own: Vec<RateLimit>,
        of_address: [RateLimit; 2],
        now: Moment,
    ) -> Result<bool, ApiError> {
        let count = own.len();
        let limits = own.into_iter().chain(of_address).collect();
        match self.store.count_attempt(limits, now.at).await? {
            Some(Reached { index, retry_at }) if index < count => {
                Err(ApiError::TooManyRecoveries { retry_after: seconds_until(retry_at, now.at) })
            }
            reached => Ok(reached.is_none()),
        }
    }

    /// The limits of a client's network, and of the /48 around it. The day comes first: of two full windows the longer
    /// wait is returned.
    fn network_limits(&self, what: &str, client: IpAddr, now: Moment) -> Vec<RateLimit> {
        let Signup { per_ip_day, per_ip_hour, .. } = self.limits;
        let of_hour = format!("{}/hour", network(client));
        let of_hour = RateLimit::window(what, &of_hour, per_ip_hour, now.hour_ends_at());
        day_limits(what, client, per_ip_day, now).chain([of_hour]).collect()
    }

    /// The limits of mails to an address.
    fn address_limits(&self, what: &str, email: &Email, now: Moment) -> [RateLimit; 2] {
        let address = email.fingerprint();
        let Signup { per_address_day, per_address_burst, .. } = self.limits;
        let bucket = Allowance::Bucket { size: per_address_burst, every_millis: REFILL_MILLIS };
        [
            RateLimit::window(what, &address, per_address_day, now.day_ends_at()),
            RateLimit { name: format!("{what}/{address}"), allowance: bucket },
        ]
    }
}

/// The limits of a day for a client's network, which may have `per_network`, and for the /48 around it.
pub(crate) fn day_limits(
    what: &str,
    client: IpAddr,
    per_network: u32,
    now: Moment,
) -> impl Iterator<Item = RateLimit> {
    let ends_at = now.day_ends_at();
    CountedNetwork::all_of(client)
        .map(move |network| RateLimit::window(what, &network, network.limit(per_network), ends_at))
}

/// Answers when a whole number of steps has passed, so that the duration does not show what was found.
async fn with_padded_duration<T>(answer: impl Future<Output = T>) -> T {
    let (started, mut due) = (Instant::now(), ANSWER_STEP);
    let answer = answer.await;
    while started.elapsed() >= due {
        due += ANSWER_STEP;
    }
    sleep_until(started + due).await;
    answer
}

fn parse_email(sent: &str) -> Result<Email, ApiError> {
    sent.parse().map_err(|_| ApiError::InvalidEmail)
}
