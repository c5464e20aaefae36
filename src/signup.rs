//! The sign-up service: sign-up, key rotation, and recovery of a lost key; sessions of the site are in [`session`], and
//! other addresses and the weekly letter in files of their own.
//!
//! A known address gets the same answer in the same time as an unknown one: the store is asked the same questions for
//! both, and only the mail differs.

mod address;
pub mod letter;
pub mod session;

use std::fmt::Display;
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
use crate::quota::sketch::PeriodCount;
use crate::store::journal::{Ended, NotedChanges};
use crate::store::{
    AccessRequest, AccessRequestKind, AccountStore, Allowance, CodeRedemption, KeyReplacement, RateLimit,
    Reached, ReaderStore, RotationMail, Store, StoreResult, count_or_refuse,
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
    accepted_this_hour: PeriodCount,
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

/// Counts the mails that bring a key, or a code for one.
const ACCESS_MAIL: &str = "mail";

/// Counts the mails with a code that opens a session, apart, as a code of one kind is not taken for the other.
const SIGN_IN_MAIL: &str = "signin-mail";

impl AccessRequestKind {
    /// The name of the limits of such requests.
    fn limit_name(&self) -> &'static str {
        match self {
            AccessRequestKind::SignUp(..) => "signup",
            AccessRequestKind::Recover => "recover",
            AccessRequestKind::SignIn => "signin",
        }
    }

    /// The name of the limits of the mails that such requests send.
    fn mail_limit_name(&self) -> &'static str {
        match self {
            AccessRequestKind::SignUp(..) | AccessRequestKind::Recover => ACCESS_MAIL,
            AccessRequestKind::SignIn => SIGN_IN_MAIL,
        }
    }
}

/// How often a network may try codes and keys, for each time that it may try those of one address: a code has 60 bits,
/// and who tries must not keep all others out who share the network.
const TRIES_OF_NETWORK: u32 = 20;

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
        let (limits, accepted_this_hour) = (config.signup.clone(), PeriodCount::default());
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
        with_padded_duration(self.mail_code(email, client, AccessRequestKind::Recover)).await
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
        let account = Account::new(AccountId::generate()?, email.clone(), now.at);
        let kind = AccessRequestKind::SignUp(account, profile);
        self.count_request(kind.limit_name(), &email, client, now).await?;
        self.accepted.inc();
        // all sign-ups together have no limit, which would shut everybody out: the operator decides
        if self.accepted_this_hour.count(now.hour_number()) == MANY_SIGNUPS {
            tracing::warn!(signups = MANY_SIGNUPS, "many sign-ups in one hour: look where they come from");
        }
        self.request_access(email, kind, now).await
    }

    /// Queues a code for a new key, or one that opens a session.
    async fn mail_code(&self, email: &str, client: IpAddr, kind: AccessRequestKind) -> Result<(), ApiError> {
        self.check_open()?;
        let email = parse_email(email)?;
        let now = self.clock.moment();
        let limits = self.network_limits(kind.limit_name(), client, now);
        self.count_own(limits.into(), now).await?;
        self.request_access(email, kind, now).await
    }

    /// Without mail neither a key nor a code reaches anybody.
    fn check_open(&self) -> Result<(), ApiError> {
        if self.mailer.sends() { Ok(()) } else { Err(ApiError::SignupClosed) }
    }

    /// Exchanges a recovery code for a new key, and revokes all others of the account. The time it takes tells nothing
    /// of the address.
    pub async fn redeem(&self, email: &str, code: &str, client: IpAddr) -> Result<IssuedKey, ApiError> {
        with_padded_duration(async { Ok(self.redeem_code(email, code, client).await?.1) }).await
    }

    async fn redeem_code(
        &self,
        email: &str,
        code: &str,
        client: IpAddr,
    ) -> Result<(AccountId, IssuedKey), ApiError> {
        let email = parse_email(email)?;
        // what cannot be a code is not counted, so that it costs the store nothing
        let code = RecoveryCode::parse(code).ok_or(ApiError::InvalidCode)?;
        let now = self.clock.moment();
        self.count_code_try("confirm", &address_group(&email), client).await?;
        let account = self.account_or_unknown(&email).await?;
        let (issued, mail) = self.new_key(now.at)?;
        let id = mail.id.clone();
        let renewed = self.access_limit_names(&email, now);
        let redemption = CodeRedemption {
            email,
            renewed,
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
        let issued = self.finish(redeemed.is_some(), issued, &id, ApiError::InvalidCode)?;
        Ok((account, issued))
    }

    /// The account of an address; of an unknown address the id of an account that does not exist, so that the store is
    /// asked the same questions.
    async fn account_or_unknown(&self, email: &Email) -> Result<AccountId, ApiError> {
        match self.store.account(email).await? {
            Some(account) => Ok(account.id),
            None => Ok(AccountId::generate()?),
        }
    }

    /// Replaces the caller's key. Of two requests at once, one gets a new key.
    pub async fn rotate(&self, caller: &Caller) -> Result<IssuedKey, ApiError> {
        caller.account.check_not_blocked()?;
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
        let refusal = |_, retry_after| ApiError::TooManyRotations { retry_after };
        count_or_refuse(&*self.store, vec![hour], now.at, refusal).await
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
        kind: AccessRequestKind,
        now: Moment,
    ) -> Result<(), ApiError> {
        let limits = self.access_limits(&email, kind.mail_limit_name(), now).into();
        let request = AccessRequest { email, kind, mail: MailId::generate()?, limits, at: now.at };
        self.store.request_access(request).await?;
        self.mailer.wake();
        Ok(())
    }

    /// Counts a request that mails something to an address which may be new here. The answer may tell of its limits:
    /// they count whether or not the address has an account.
    async fn count_request(
        &self,
        what: &str,
        email: &Email,
        client: IpAddr,
        now: Moment,
    ) -> Result<(), ApiError> {
        let [_, of_hour] = self.network_limits(what, client, now);
        // a client that another network of its /48 keeps out can wait, since sign-up is not urgent: the /48 counts too
        let of_day = day_limits(what, client, self.limits.per_ip_day, now);
        let mut limits: Vec<RateLimit> = of_day.chain([of_hour]).collect();
        let of_network = limits.len();
        // an address with a tag reaches the same mailbox
        limits.extend(self.address_limits(what, &email.without_tag(), now));
        let refusal = |index, retry_after| {
            let of_network = index < of_network;
            ApiError::TooManySignups { of_network, retry_after }
        };
        count_or_refuse(&*self.store, limits, now.at, refusal).await
    }

    /// Counts a request against limits of whoever asks.
    async fn count_own(&self, limits: Vec<RateLimit>, now: Moment) -> Result<(), ApiError> {
        let refusal = |_, retry_after| ApiError::TooManyRecoveries { retry_after };
        count_or_refuse(&*self.store, limits, now.at, refusal).await
    }

    /// Counts a try of a code against the network that it comes from, and there by whose it is; never against the code:
    /// nobody else can use up an owner's. A /48 that tried too often makes no more counters, and keeps nobody who
    /// shares it from the code in their mailbox.
    async fn count_code_try(&self, what: &str, whose: &str, client: IpAddr) -> Result<(), ApiError> {
        let now = self.clock.moment();
        let of_network = self.network_try_limits(what, CountedNetwork::of(client), now);
        let of_wide = CountedNetwork::wide_of(client).map(|wide| self.network_try_limits(what, wide, now));
        let wide: Vec<RateLimit> = of_wide.into_iter().flatten().collect();
        let (first, beyond) = (of_network.len(), of_network.len() + wide.len());
        let own = self.own_try_limits(what, whose, client, now);
        let limits = of_network.iter().cloned().chain(wide).chain(own).collect();
        match self.store.count_attempt(limits, now.at).await? {
            None => Ok(()),
            Some(reached) if (first..beyond).contains(&reached.index) => {
                self.count_own(of_network.into(), now).await
            }
            Some(Reached { retry_at, .. }) => {
                Err(ApiError::TooManyRecoveries { retry_after: seconds_until(retry_at, now.at) })
            }
        }
    }

    /// Counts a try to open a session with a key against all networks that it comes from, and there by the account.
    async fn count_key_try(&self, account: &AccountId, client: IpAddr) -> Result<(), ApiError> {
        // not as codes are counted: who has a key, be it leaked, must not keep owners from their codes
        let (what, now) = ("enter-key", self.clock.moment());
        let networks = CountedNetwork::all_of(client);
        let of_networks = networks.flat_map(|network| self.network_try_limits(what, network, now));
        let limits = of_networks.chain(self.own_try_limits(what, account.as_str(), client, now));
        self.count_own(limits.collect(), now).await
    }

    /// The limits of tries of a network.
    fn network_try_limits(&self, what: &str, network: CountedNetwork, now: Moment) -> [RateLimit; 2] {
        self.day_and_hour(what, &network, network.limit(TRIES_OF_NETWORK), now)
    }

    /// The limits of tries of what is somebody's, from a network.
    fn own_try_limits(&self, what: &str, whose: &str, client: IpAddr, now: Moment) -> [RateLimit; 2] {
        self.day_and_hour(what, &format!("{}/{whose}", network(client)), 1, now)
    }

    /// Whether a mail that brings no access may go to an address, and counts it. The answer must not show it: mails
    /// that bring access count too, and only those of accounts do.
    async fn may_mail(&self, email: &Email, now: Moment) -> Result<bool, ApiError> {
        let limits = self.other_mail_limits(email, now).into();
        Ok(self.store.count_attempt(limits, now.at).await?.is_none())
    }

    /// The limits of a client's network.
    fn network_limits(&self, what: &str, client: IpAddr, now: Moment) -> [RateLimit; 2] {
        self.day_and_hour(what, &network(client), 1, now)
    }

    /// What `who` may do in a day and in an hour: `factor` times what a network may. The day comes first: of two full
    /// windows the longer wait is returned.
    fn day_and_hour(&self, what: &str, who: &dyn Display, factor: u32, now: Moment) -> [RateLimit; 2] {
        let [day, hour] =
            [self.limits.per_ip_day, self.limits.per_ip_hour].map(|limit| limit.saturating_mul(factor));
        [
            RateLimit::window(what, who, day, now.day_ends_at()),
            RateLimit::window(what, &format!("{who}/hour"), hour, now.hour_ends_at()),
        ]
    }

    /// The limits of mails of one kind to an address.
    fn address_limits(&self, what: &str, email: &Email, now: Moment) -> [RateLimit; 2] {
        let day =
            RateLimit::window(what, &email.fingerprint(), self.limits.per_address_day, now.day_ends_at());
        [day, self.burst(what, email)]
    }

    fn burst(&self, what: &str, email: &Email) -> RateLimit {
        let allowance =
            Allowance::Bucket { size: self.limits.per_address_burst, every_millis: REFILL_MILLIS };
        RateLimit { name: format!("{what}/{}", email.fingerprint()), allowance }
    }

    /// The limits of mails that bring access to the account of an address, of one kind.
    fn access_limits(&self, email: &Email, mails: &str, now: Moment) -> [RateLimit; 2] {
        [self.mailbox_limit(email, now), self.burst(mails, email)]
    }

    /// The names of all [`SignupService::access_limits`]. Whoever uses a code reads the mailbox, and all other codes of
    /// the account may end with it: without a reset, whoever uses these limits up would keep the owner from the next
    /// code.
    fn access_limit_names(&self, email: &Email, now: Moment) -> Vec<String> {
        let of = |mails| self.access_limits(email, mails, now).map(|limit| limit.name);
        [ACCESS_MAIL, SIGN_IN_MAIL].map(of).concat()
    }

    /// The limits of mails that strangers can have sent to an address and that bring no access: they may take a third
    /// of what the mailbox gets in a day, so that they do not keep an owner from the next code.
    fn other_mail_limits(&self, email: &Email, now: Moment) -> [RateLimit; 2] {
        let (email, day) = (email.without_tag(), self.limits.per_address_day);
        let others =
            RateLimit::window("mailbox-other", &email.fingerprint(), (day / 3).max(1), now.day_ends_at());
        [self.mailbox_limit(&email, now), others]
    }

    /// The limit of all mails to a mailbox in a day that strangers can have sent. The accounts of addresses with a tag
    /// are counted apart: whoever opens such accounts for a mailbox must not use up the codes of its owner.
    fn mailbox_limit(&self, email: &Email, now: Moment) -> RateLimit {
        let mailbox = email.without_tag();
        let what = if mailbox == *email { "mailbox" } else { "mailbox-tagged" };
        RateLimit::window(what, &mailbox.fingerprint(), self.limits.per_address_day, now.day_ends_at())
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

/// One of 256 groups of addresses, whose tries a network counts together: made-up addresses must not make a counter
/// each.
fn address_group(email: &Email) -> String {
    // two hexadecimal digits
    format!("{:.2}", email.fingerprint())
}

fn parse_email(sent: &str) -> Result<Email, ApiError> {
    sent.parse().map_err(|_| ApiError::InvalidEmail)
}
