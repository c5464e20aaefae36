//! `candango report`: what a month brought.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use chrono::NaiveDate;
use clap::Args;

use super::output::show;
use super::runtime::with_store;
use crate::billing::report::{Month, Report, Sum, TABLES};
use crate::config::Config;
use crate::domain::clock::Clock;
use crate::domain::plan::reais;

/// The flags of `candango report`.
#[derive(Debug, Args)]
pub(super) struct ReportFlags {
    /// The month, in Brasília [default: this month]
    #[arg(long, value_name = "YYYY-MM", value_parser = first_day)]
    month: Option<NaiveDate>,
}

fn first_day(text: &str) -> Result<NaiveDate, &'static str> {
    NaiveDate::parse_from_str(&format!("{text}-01"), "%Y-%m-%d")
        .map_err(|_| "expected YYYY-MM, such as 2026-11")
}

pub(super) fn run(config: &Config, flags: &ReportFlags, json: bool) -> anyhow::Result<ExitCode> {
    with_store(config, async |store| {
        let clock = Clock::machine();
        let day = flags.month.unwrap_or_else(|| clock.today().date());
        ensure!(day <= clock.today().date(), "{} has not begun", day.format("%Y-%m"));
        let month = Month::of(day).context("the month is out of range")?;
        let report = Report::of(&store.rows(&TABLES, None).await?, month, clock.now());
        show(json, &report, || text(&report))
    })
}

fn text(report: &Report) -> String {
    let mut lines = vec![format!("{}, until {}", report.month, report.until), String::new()];
    for plan in &report.plans {
        lines.push(format!(
            "{:<9} {:>5} paying  {:>5} {:<8}  {}",
            plan.plan.as_str(),
            plan.paying_accounts,
            plan.received.count,
            if plan.received.count == 1 { "payment" } else { "payments" },
            reais(plan.received.cents)
        ));
    }
    let sum = |what: &str, sum: Sum| format!("{what:<13} {:>5}  {}", sum.count, reais(sum.cents));
    let net =
        format!("{}{}", if report.net_cents < 0 { "-" } else { "" }, reais(report.net_cents.unsigned_abs()));
    lines.extend([
        String::new(),
        format!("paying {}, new {}, lost {}", report.paying_accounts, report.new, report.lost),
        sum("received", report.received),
        sum("refunded", report.refunded),
        sum("disputed", report.disputed),
        sum("disputes won", report.disputes_won),
        format!("{:<13} {:>5}  {net}", "net", ""),
        sum("failed", report.failed),
    ]);
    if report.undated > 0 {
        lines
            .push(format!("refunds of an older version, without a date and in no month: {}", report.undated));
    }
    if report.unreadable > 0 {
        lines.push(format!(
            "subscriptions that this program cannot read, and that are in no figure: {}",
            report.unreadable
        ));
    }
    if !report.ending_soon.is_empty() {
        lines.extend([String::new(), "ending within two weeks:".to_owned()]);
        lines.extend(report.ending_soon.iter().map(|ending| {
            let email = ending.email.as_deref().unwrap_or("erased");
            format!("  {}  {:<9} {}  {email}", ending.ends, ending.plan.as_str(), ending.account)
        }));
    }
    lines.extend([String::new(), format!("active keys: {}", report.active_keys)]);
    if !report.calls.is_empty() {
        let calls = report.calls.iter().fold(String::new(), |mut text, (action, calls)| {
            // writing to a String cannot fail
            let _ = write!(text, "  {action} {calls}");
            text
        });
        lines.push(format!("calls:{calls}"));
    }
    if !report.top_customers.is_empty() {
        lines.extend([String::new(), "top customers:".to_owned()]);
        lines.extend(report.top_customers.iter().map(|customer| {
            let email = customer.email.as_deref().unwrap_or("erased");
            format!(
                "  {:>14}  {:>8} {:<5}  {}  {email}",
                reais(customer.paid_cents),
                customer.calls,
                if customer.calls == 1 { "call" } else { "calls" },
                customer.account
            )
        }));
    }
    lines.join("\n")
}
