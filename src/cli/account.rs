//! `candango account`: accounts, for the operator; works while servers run. Every change is recorded: see
//! [`super::audit`].

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use chrono::{Days, NaiveDate};
use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;

use super::audit::{AuditLog, Changed, Reason, audited};
use super::output::{counted, named, show};
use super::runtime::{billing, check_writable, with_store};
use super::whose::{Whose, account_of, subscription_of};
use crate::billing::service::BillingService;
use crate::billing::step::Event;
use crate::billing::stored::{Erased, StoredAccounts, described};
use crate::billing::subscription::{PlanGrant, Subscription};
use crate::billing::worker::end_charges;
use crate::config::Config;
use crate::domain::account::{Account, Email, MailId};
use crate::domain::clock::{Clock, UnixMillis, day_of, start_of};
use crate::domain::plan::Plan;
use crate::store::journal::{Ended, Journal, NotedChanges};
use crate::store::rows::Table;
use crate::store::{Block, EmailChange, Erasure, Store};

/// The commands of `candango account`.
#[derive(Debug, Subcommand)]
pub(super) enum AccountCommand {
    /// List accounts, oldest first
    #[command(
        after_help = "Examples:\n  candango account list --plan pro\n  candango account list --search example.com --json"
    )]
    List {
        /// Only those on this plan
        #[arg(long)]
        plan: Option<Plan>,
        /// Only those whose address, name or company contains this text
        #[arg(long)]
        search: Option<String>,
    },
    /// Show an account: its plan, keys, calls, subscription and mails
    #[command(after_help = "Example:\n  candango account show --email maria@example.com")]
    Show(Whose),
    /// Put an account on a plan without payment and without end; see grant for one with an end
    #[command(after_help = "Example:\n  candango account plan --email maria@example.com --plan pro")]
    Plan {
        #[command(flatten)]
        whose: Whose,
        /// free, gringo, pro or business
        #[arg(long)]
        plan: Plan,
        /// Cancel the subscription that the account pays for, which would go on charging
        #[arg(long)]
        cancel_subscription: bool,
        /// Why, for the audit log; without addresses, as the log outlives an erasure
        #[arg(long)]
        reason: Option<Reason>,
    },
    /// Give an account a plan until a day, beside what it pays for
    #[command(
        after_help = "Example:\n  candango account grant --email maria@example.com --plan pro --until 2027-01-31 --reason 'school project'"
    )]
    Grant {
        #[command(flatten)]
        whose: Whose,
        /// gringo, pro or business
        #[arg(long)]
        plan: Plan,
        /// The last day, in Brasília; a day that has passed ends an earlier grant
        #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
        until: NaiveDate,
        /// Why, for the audit log; without addresses, as the log outlives an erasure
        #[arg(long)]
        reason: Reason,
    },
    /// Refuse all keys of an account on every server; sign-up and recovery send it nothing
    #[command(
        after_help = "Example:\n  candango account block --email maria@example.com --reason 'resells the data' --cancel-subscription"
    )]
    Block {
        #[command(flatten)]
        whose: Whose,
        /// Why, for the audit log; without addresses, as the log outlives an erasure
        #[arg(long)]
        reason: Reason,
        #[command(flatten)]
        subscription: KeepOrCancel,
    },
    /// End the block of an account: its keys work again
    #[command(
        after_help = "Example:\n  candango account unblock --email maria@example.com --reason 'a mistake'"
    )]
    Unblock {
        #[command(flatten)]
        whose: Whose,
        /// Why, for the audit log; without addresses, as the log outlives an erasure
        #[arg(long)]
        reason: Option<Reason>,
    },
    /// Print all that is stored of an account, as JSON
    #[command(after_help = "Example:\n  candango account export --email maria@example.com > maria.json")]
    Export(Whose),
    /// Delete an account and all that belongs to it; payments stay under its id, as the law demands
    #[command(
        after_help = "Example:\n  candango account erase --email maria@example.com --reason 'asked on 3 May'"
    )]
    Erase {
        #[command(flatten)]
        whose: Whose,
        /// Why, for the audit log; without addresses, as the log outlives an erasure
        #[arg(long)]
        reason: Option<Reason>,
    },
    /// Give an account another address, for an owner who has lost the mailbox
    #[command(
        after_help = "Example:\n  candango account email --from maria@old.example --to maria@new.example --reason 'called, knew the last invoice'"
    )]
    Email {
        /// The address it has
        #[arg(long)]
        from: Email,
        /// The address it gets
        #[arg(long)]
        to: Email,
        /// Why, for the audit log; without addresses, as the log outlives an erasure
        #[arg(long)]
        reason: Option<Reason>,
    },
    /// Cancel the subscription of an account; the plan stays until the end of the paid time
    #[command(
        after_help = "Example:\n  candango account cancel --email maria@example.com --reason 'asked by phone'"
    )]
    Cancel {
        #[command(flatten)]
        whose: Whose,
        /// Why, for the audit log; without addresses, as the log outlives an erasure
        #[arg(long)]
        reason: Option<Reason>,
    },
    /// Have the payment gateway refund a charge; the month that it paid for ends with it
    #[command(
        after_help = "Example:\n  candango account refund --email maria@example.com --reason 'charged twice'"
    )]
    Refund {
        #[command(flatten)]
        whose: Whose,
        /// The gateway's id of the charge [default: the one paid last]
        #[arg(long)]
        charge: Option<String>,
        /// Why, for the audit log; without addresses, as the log outlives an erasure
        #[arg(long)]
        reason: Option<Reason>,
    },
}

/// What becomes of a subscription that goes on charging.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(super) struct KeepOrCancel {
    /// Cancel its subscription, so that nothing more is charged
    #[arg(long)]
    cancel_subscription: bool,
    /// Keep its subscription, which goes on charging
    #[arg(long)]
    keep_subscription: bool,
}

/// Of the calls of an account: `/v1/usage` of a server knows its own of this minute too.
const LAST_REPORT: &str =
    "calls_this_month is as of the last reports of the servers, which follow within a minute.";

/// What the commands work with.
struct Accounts<'a> {
    config: &'a Config,
    store: &'a Arc<dyn Store>,
    clock: Clock,
    journal: Journal,
    json: bool,
    log: &'a AuditLog<'a>,
}

/// The day that a flag names.
fn day(text: &str) -> Result<NaiveDate, &'static str> {
    text.parse().map_err(|_| "expected a real day in the form YYYY-MM-DD, such as 2027-01-31")
}

pub(super) fn run(config: &Config, command: AccountCommand, json: bool) -> anyhow::Result<ExitCode> {
    with_store(config, async |store| {
        audited(&**store, async |log| {
            let (clock, journal) = (Clock::machine(), Journal::of(&config.data));
            Accounts { config, store, clock, journal, json, log }.run(command).await
        })
        .await
    })
}

impl Accounts<'_> {
    async fn run(&self, command: AccountCommand) -> anyhow::Result<ExitCode> {
        let store = &**self.store;
        match command {
            AccountCommand::List { plan, search } => self.list(plan, search.as_deref()).await,
            AccountCommand::Show(whose) => self.show(&whose.account(store).await?).await,
            AccountCommand::Export(whose) => self.export(&whose.account(store).await?).await,
            AccountCommand::Plan { whose, plan, cancel_subscription, reason } => {
                let account = whose.account(store).await?;
                self.set_plan(&account, plan, cancel_subscription, reason.as_ref()).await
            }
            AccountCommand::Grant { whose, plan, until, reason } => {
                self.grant(&whose.account(store).await?, plan, until, &reason).await
            }
            AccountCommand::Block { whose, reason, subscription } => {
                self.block(&whose.account(store).await?, &reason, &subscription).await
            }
            AccountCommand::Unblock { whose, reason } => {
                self.unblock(&whose.account(store).await?, reason.as_ref()).await
            }
            AccountCommand::Erase { whose, reason } => {
                self.erase(&whose.account(store).await?, reason.as_ref()).await
            }
            AccountCommand::Email { from, to, reason } => {
                let account = account_of(store, &from).await?;
                self.set_email(&account, &to, reason.as_ref()).await
            }
            AccountCommand::Cancel { whose, reason } => {
                self.cancel(&whose.account(store).await?, reason.as_ref()).await
            }
            AccountCommand::Refund { whose, charge, reason } => {
                self.refund(&whose.account(store).await?, charge.as_deref(), reason.as_ref()).await
            }
        }
    }

    async fn list(&self, plan: Option<Plan>, search: Option<&str>) -> anyhow::Result<ExitCode> {
        let mut rows = self.store.rows(&[Table::Accounts], None).await?;
        let search = search.map(str::to_lowercase);
        rows.retain(|row| {
            let is_on_plan = plan.is_none_or(|plan| row.value("plan") == Some(plan.as_str()));
            let has_text = search.as_ref().is_none_or(|search| {
                ["email", "name", "company"]
                    .into_iter()
                    .filter_map(|column| row.value(column))
                    .any(|text| text.to_lowercase().contains(search))
            });
            is_on_plan && has_text
        });
        rows.sort_by_key(|row| row.value("created_at").and_then(|at| at.parse::<i64>().ok()));
        let listed: Vec<Value> = rows.iter().map(described).collect();
        show(self.json, &listed, || {
            let mut text = String::new();
            for row in &rows {
                let value = |column: &str| row.value(column).unwrap_or_default().to_owned();
                let blocked = row.value("blocked_at").map(|_| "  blocked").unwrap_or_default();
                // writing to a String cannot fail
                let _ = writeln!(text, "{}  {:<9}  {}{blocked}", value("id"), value("plan"), value("email"));
            }
            format!("{text}{}", counted(rows.len(), ["account", "accounts"]))
        })
    }

    async fn show(&self, account: &Account) -> anyhow::Result<ExitCode> {
        let rows = self.stored()?.rows(&account.id).await?;
        let of = |table: Table| rows.iter().filter(move |row| row.0 == table);
        let mut shown = match of(Table::Accounts).next().map(described) {
            Some(Value::Object(shown)) => shown,
            _ => Map::new(),
        };
        let month = format!("{}", self.clock.moment().month());
        let mut calls: Map<String, Value> = Map::new();
        for lease in of(Table::Leases).filter(|row| row.value("period") == Some(&month)) {
            for (action, count) in lease.by_action() {
                let known = calls.get(&action).and_then(Value::as_u64).unwrap_or_default();
                calls.insert(action, json!(known + count));
            }
        }
        let subscription =
            of(Table::Subscriptions).find_map(|row| Subscription::parse(row.value("text")?).ok());
        let subscription = subscription.unwrap_or_default();
        shown.insert("keys".to_owned(), of(Table::Keys).map(described).collect());
        shown.insert("calls_this_month".to_owned(), Value::Object(calls));
        shown.insert("subscription".to_owned(), json!(subscription.status(self.clock.now())));
        let grant = subscription.granted().map(|PlanGrant { plan, until, .. }| {
            // the last day, as `account grant` takes it
            json!({ "plan": plan, "until": day_of(UnixMillis(until.0.saturating_sub(1))) })
        });
        shown.insert("grant".to_owned(), json!(grant));
        shown.insert("queued_mails".to_owned(), of(Table::Mails).map(described).collect());
        shown.insert("changes_by_hand".to_owned(), of(Table::Audit).map(described).collect());
        show(self.json, &shown, || {
            let mut lines: Vec<String> =
                shown.iter().map(|(name, value)| format!("{name}: {}", plain(value))).collect();
            lines.push(LAST_REPORT.to_owned());
            lines.join("\n")
        })
    }

    async fn export(&self, account: &Account) -> anyhow::Result<ExitCode> {
        let tables = self.stored()?.export(&account.id).await?;
        show(true, &tables, String::new)
    }

    async fn set_plan(
        &self,
        account: &Account,
        plan: Plan,
        cancel: bool,
        reason: Option<&Reason>,
    ) -> anyhow::Result<ExitCode> {
        let billing = self.billing()?;
        if billing.grant_of(&account.id).await?.is_some() {
            bail!("{} has a granted plan, whose end would undo this: use account grant", account.email);
        }
        let is_charging = billing.is_charging(&account.id).await?;
        if is_charging && !cancel {
            bail!(
                "{} has a subscription, which would go on charging: give --cancel-subscription, or use account cancel or \
                 account grant",
                account.email
            );
        }
        if is_charging {
            self.config.check_gateway()?;
        }
        self.record("account plan", account, format!("plan {plan}"), reason).await?;
        if is_charging {
            end_charges(&billing, &account.id, &Event::Canceled).await?;
        }
        let (mail, now) = (MailId::generate()?, self.clock.now());
        if !self.store.set_plan(&account.id, plan, &mail, now).await? {
            bail!("no account has the e-mail address {}", account.email);
        }
        let was = account.plan;
        // what is paid ends one day, whatever plan was set meanwhile
        let until = match plan {
            Plan::Free => None,
            _ => billing.paid_until(&account.id).await?.map(|at| at.to_string()),
        };
        let shown = json!({ "account": account.id, "email": account.email, "plan": plan, "until": until });
        show(self.json, &shown, || {
            let end = until.as_ref().map(|at| {
                format!(
                    " Its paid time ends on {at} and puts it on free: account grant gives a plan beyond that."
                )
            });
            let end = end.unwrap_or_default();
            format!(
                "{} ({}) is on the {plan} plan now; before it was on {was}.{end}",
                account.email, account.id
            )
        })
    }

    async fn grant(
        &self,
        account: &Account,
        plan: Plan,
        until: NaiveDate,
        reason: &Reason,
    ) -> anyhow::Result<ExitCode> {
        if plan == Plan::Free {
            bail!("grant gringo, pro or business: free needs no grant");
        }
        let end =
            until.checked_add_days(Days::new(1)).and_then(start_of).context("the day is out of range")?;
        let is_past = end <= self.clock.now();
        let has_end = subscription_of(&**self.store, &account.id).await?.active_plan.is_some();
        if !is_past && account.plan != Plan::Free && !has_end {
            bail!(
                "{} has the {} plan without end, and the end of a grant would put it on free: use account plan, or first \
                 account plan --plan free if that is meant",
                account.email,
                account.plan
            );
        }
        self.record("account grant", account, format!("plan {plan} until {until}"), Some(reason)).await?;
        self.billing()?.grant(&account.id, PlanGrant::new(plan, end)).await?;
        let shown = json!({ "account": account.id, "plan": plan, "until": until });
        show(self.json, &shown, || match is_past {
            false => format!("{} has the {plan} plan until the end of {until}.", account.email),
            true => format!(
                "{until} is past, which ends a grant: {} has no granted plan any more.",
                account.email
            ),
        })
    }

    async fn block(
        &self,
        account: &Account,
        reason: &Reason,
        subscription: &KeepOrCancel,
    ) -> anyhow::Result<ExitCode> {
        let billing = self.billing()?;
        let is_charging = billing.is_charging(&account.id).await?;
        if is_charging && !subscription.cancel_subscription && !subscription.keep_subscription {
            bail!("{} pays: give --cancel-subscription or --keep-subscription", account.email);
        }
        if is_charging && subscription.cancel_subscription {
            self.config.check_gateway()?;
        }
        let at = self.clock.now();
        self.record("account block", account, "blocked".to_owned(), Some(reason)).await?;
        let ended = Ended::Blocked { account: account.id.clone(), at, reason: reason.as_str().to_owned() };
        self.journal.append(&ended).context("the journal cannot be written")?;
        let block = Block { at, reason: reason.as_str().to_owned() };
        let silent = self.store.set_block(&account.id, Some(block)).await?.context("the account is gone")?;
        if is_charging && subscription.cancel_subscription {
            end_charges(&billing, &account.id, &Event::Canceled).await?;
        }
        let shown = json!({ "account": account.id, "blocked": true, "reason": reason.as_str(), "silent_servers": silent });
        show(self.json, &shown, || {
            format!("{} is blocked: servers refuse its keys.{}", account.email, named(&silent))
        })
    }

    async fn unblock(&self, account: &Account, reason: Option<&Reason>) -> anyhow::Result<ExitCode> {
        self.record("account unblock", account, "unblocked".to_owned(), reason).await?;
        let silent = self.store.set_block(&account.id, None).await?.context("the account is gone")?;
        let unblocked = Ended::Unblocked { account: account.id.clone(), at: self.clock.now() };
        self.journal.append(&unblocked).context("the journal cannot be written")?;
        let shown = json!({ "account": account.id, "blocked": false, "silent_servers": silent });
        show(self.json, &shown, || format!("{} is not blocked: its keys work.", account.email))
    }

    async fn erase(&self, account: &Account, reason: Option<&Reason>) -> anyhow::Result<ExitCode> {
        if self.billing()?.is_charging(&account.id).await? {
            self.config.check_gateway()?;
        }
        self.record("account erase", account, "erased".to_owned(), reason).await?;
        let Erased { mails, erasure: Erasure { silent, is_in_log } } = self.stored()?.erase(account).await?;
        let shown = json!({
            "account": account.id, "erased": true, "mails_deleted": mails, "silent_servers": silent,
            "in_write_ahead_log": is_in_log,
        });
        show(self.json, &shown, || {
            let log = match is_in_log {
                true => {
                    " What was deleted stays in the write-ahead log of the database, which another process reads (a \
                     backup?), until the server stops."
                }
                false => "",
            };
            let block = match account.is_blocked {
                true => " Its block ended with it: whoever has the address may sign up again.",
                false => "",
            };
            format!(
                "The account {} and all that belongs to it is erased.{}{block}{log}",
                account.id,
                named(&silent)
            )
        })
    }

    async fn set_email(
        &self,
        account: &Account,
        to: &Email,
        reason: Option<&Reason>,
    ) -> anyhow::Result<ExitCode> {
        let taken = || anyhow!("{to} is the address of another account");
        if self.store.account(to).await?.is_some_and(|other| other.id != account.id) {
            return Err(taken());
        }
        self.record("account email", account, "another address".to_owned(), reason).await?;
        // before the store: an interrupted command must not leave an account whose old mailbox a backup brings back
        let moved = Ended::Moved { account: account.id.clone(), at: self.clock.now() };
        self.journal.append(&moved).context("the journal cannot be written")?;
        match self.store.set_email(&account.id, to).await? {
            EmailChange::Done => {}
            EmailChange::Taken => return Err(taken()),
            EmailChange::NoAccount => bail!("the account is gone"),
        }
        show(self.json, &json!({ "account": account.id, "email": to }), || {
            format!("{} has the address {to} now; its keys stay the same.", account.id)
        })
    }

    async fn cancel(&self, account: &Account, reason: Option<&Reason>) -> anyhow::Result<ExitCode> {
        let billing = self.billing()?;
        if !billing.is_charging(&account.id).await? {
            bail!("{} has no subscription that charges", account.email);
        }
        self.config.check_gateway()?;
        self.record("account cancel", account, "to cancel the subscription".to_owned(), reason).await?;
        end_charges(&billing, &account.id, &Event::Canceled).await?;
        let detail = "the subscription is canceled".to_owned();
        self.log.note("account cancel", Some(&account.id), detail).await;
        let status =
            billing.status(&account.id).await.map_err(|error| anyhow::anyhow!(error.details().message))?;
        let ends_at = status.paid_until.map(|at| at.to_string());
        show(self.json, &json!({ "account": account.id, "canceled": true, "ends_at": ends_at }), || {
            let end = ends_at.as_ref().map(|at| format!("; the plan stays until {at}")).unwrap_or_default();
            format!("The subscription of {} is canceled{end}.", account.email)
        })
    }

    async fn refund(
        &self,
        account: &Account,
        charge: Option<&str>,
        reason: Option<&Reason>,
    ) -> anyhow::Result<ExitCode> {
        self.config.check_gateway()?;
        let detail = format!("to refund {}", charge.unwrap_or("the charge paid last"));
        self.record("account refund", account, detail, reason).await?;
        let charge = self.billing()?.refund(&account.id, charge).await?;
        let detail = format!("the gateway refunds {charge}");
        self.log.note("account refund", Some(&account.id), detail).await;
        show(self.json, &json!({ "account": account.id, "charge": charge, "refunded": true }), || {
            format!("The gateway refunds {charge}; the month ends when it reports so.")
        })
    }

    fn billing(&self) -> anyhow::Result<BillingService> {
        billing(self.config, self.store)
    }

    fn stored(&self) -> anyhow::Result<StoredAccounts> {
        let changes = NotedChanges::new(self.journal.clone(), Handle::current());
        Ok(StoredAccounts::new(self.config, self.store.clone(), self.billing()?, self.clock.clone(), changes))
    }

    async fn record(
        &self,
        action: &str,
        account: &Account,
        detail: String,
        reason: Option<&Reason>,
    ) -> anyhow::Result<()> {
        check_writable(&self.journal)?;
        let reason = reason.map(Reason::as_str);
        self.log.record(Changed { action, account: Some(&account.id), detail, reason }).await
    }
}

/// A value for people: the elements of a list on a line each, without the account that all of them belong to.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(list) if list.is_empty() => "none".to_owned(),
        Value::Array(list) => list.iter().map(|one| format!("\n  {}", plain(one))).collect(),
        Value::Object(fields) => {
            let named = fields.iter().filter(|(name, _)| *name != "account");
            let named: Vec<String> = named.map(|(name, value)| format!("{name} {}", plain(value))).collect();
            if named.is_empty() { "none".to_owned() } else { named.join(", ") }
        }
        other => other.to_string(),
    }
}
