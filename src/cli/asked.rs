//! `candango asked`: what people asked and did not find.

use std::fmt::Write as _;
use std::process::ExitCode;

use chrono::NaiveDate;
use clap::Args;

use super::output::show;
use super::runtime::with_store;
use crate::asked::asked;
use crate::config::Config;
use crate::domain::asked::{Asked, FoundInstead, KEPT_DAYS};
use crate::domain::clock::Clock;
use crate::domain::clock::days_to;

/// The flags of `candango asked`.
#[derive(Debug, Args)]
pub(super) struct AskedFlags {
    /// Only what found nothing
    #[arg(long, conflicts_with = "closest")]
    zero: bool,
    /// Only what found no more than something close
    #[arg(long)]
    closest: bool,
    /// Of so many days, today included
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u64).range(1..=KEPT_DAYS))]
    days: u64,
}

pub(super) fn run(config: &Config, flags: &AskedFlags, json: bool) -> anyhow::Result<ExitCode> {
    with_store(config, async |store| {
        let mut found = asked(&**store, &days_to(Clock::machine().today().date(), flags.days)).await?;
        found.retain(|asked| match asked.question.result {
            FoundInstead::Nothing => !flags.closest,
            FoundInstead::Closest => !flags.zero,
        });
        show(json, &found, || table(&found))
    })
}

/// A line for each question.
fn table(found: &[Asked]) -> String {
    if found.is_empty() {
        return "nothing that three callers asked on one day went unanswered".to_owned();
    }
    let words = |asked: &Asked| match asked.question.words.as_str() {
        "" => "-".to_owned(),
        words => words.to_owned(),
    };
    let width = found.iter().map(|asked| words(asked).chars().count()).max().unwrap_or_default().max(5);
    let mut text = format!("callers  times  found    {:<width$}  understood as; days\n", "words");
    for asked in found {
        let result = match asked.question.result {
            FoundInstead::Nothing => "nothing",
            FoundInstead::Closest => "close",
        };
        // writing to a String cannot fail
        let _ = writeln!(
            text,
            "{:>7}  {:>5}  {result:<7}  {:<width$}  {}; {}",
            asked.callers(),
            asked.times,
            words(asked),
            asked.question,
            days(asked),
        );
    }
    text
}

/// The days on which it was asked: 21/11, or the first and the last and how many.
fn days(asked: &Asked) -> String {
    let short = |day: &NaiveDate| day.format("%d/%m").to_string();
    match (asked.days_asked.first(), asked.days_asked.last(), asked.days_asked.len()) {
        (Some(first), Some(last), count) if count > 1 => {
            format!("{count} days, {} to {}", short(first), short(last))
        }
        (first, ..) => first.map(short).unwrap_or_default(),
    }
}
