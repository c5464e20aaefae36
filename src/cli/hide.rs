//! `candango snapshot hide` and `unhide`: take a record out of service at once, until a publication says otherwise, and
//! back into it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use serde_json::json;
use snapshots::{Depot, DepotError, Hidden, RecordKind, WhyHidden};

use super::audit::Reason;
use super::curator::{Curator, snapshot_of, spinner, who};
use super::output::show;
use super::runtime::open_depot;

/// How often a change is tried while others change the same.
const ATTEMPTS: usize = 5;

impl Curator<'_> {
    pub(super) async fn hide(&self, id: &str, reason: &Reason) -> Result<ExitCode> {
        let (depot, pointer) = self.published().await?;
        let spinner = spinner("looking for it");
        let snapshot = snapshot_of(&depot, &pointer.entry.digest).await?;
        let kinds = snapshot.kinds_of(id, self.today());
        if kinds.is_empty() {
            match snapshot.nearest_ids(id).as_slice() {
                [] => bail!("no place and no event in service has the id {id:?}"),
                near => bail!(
                    "no place, event or date in service has the id {id:?}; near are {}",
                    near.join(", ")
                ),
            }
        }
        spinner.finish_and_clear();
        let by = who(Path::new("."));
        self.record("snapshot hide", format!("{id}, by {by}"), Some(reason.as_str())).await;
        let said = snapshot.says_hidden(id, self.today());
        let why = WhyHidden { reason: reason.as_str().to_owned(), by, at: self.now(), said, gone_at: None };
        let hidden = change(&depot, |hidden| {
            hidden.records.insert(id.to_owned(), why.clone());
        });
        let hidden = hidden.await?;
        let shown = json!({ "ok": true, "id": id, "kinds": kinds, "hidden": hidden.records });
        show(self.json, &shown, || {
            let kinds: Vec<&str> = kinds
                .iter()
                .map(|kind| match kind {
                    RecordKind::Place => "the place",
                    RecordKind::Event => "the event",
                    RecordKind::Date => "the date",
                })
                .collect();
            format!(
                "{} {id} is hidden; servers hide it within 2 s. It stays hidden until `candango snapshot unhide {id}`, until \
                 it is gone from the guide for a month, or until a publication has another value than now in its column \
                 \"oculto\" (the field \"hidden\").",
                kinds.join(" and ")
            )
        })
    }

    /// Ends the hiding of a record.
    pub(super) async fn unhide(&self, id: &str) -> Result<ExitCode> {
        let depot = open_depot(self.config)?;
        let before = depot.hidden().await?.unwrap_or_default();
        if !before.records.contains_key(id) {
            match before.records.keys().map(String::as_str).collect::<Vec<_>>().as_slice() {
                [] => bail!("nothing is hidden by `candango snapshot hide`"),
                hidden => {
                    bail!("{id:?} is not hidden by `candango snapshot hide`; what is: {}", hidden.join(", "))
                }
            }
        }
        self.record("snapshot unhide", format!("{id}, by {}", who(Path::new("."))), None).await;
        let hidden = change(&depot, |hidden| hidden.show_again(&[id.to_owned()], self.now())).await?;
        show(self.json, &json!({ "ok": true, "id": id, "hidden": hidden.records }), || {
            format!(
                "{id} is no longer hidden; servers show it within 2 s, unless the guide itself hides it (the column \
                 \"oculto\", the field \"hidden\")."
            )
        })
    }

    /// Ends the hiding of records that a publication shows again, and notes which ones it does not have; returns what
    /// is still hidden.
    pub(super) async fn show_again(
        &self,
        depot: &Depot,
        ended: &[String],
        gone: &BTreeSet<String>,
    ) -> Result<Hidden> {
        let mut hidden = depot.hidden().await?.unwrap_or_default();
        if ended.is_empty() && !hidden.note_gone(gone, self.now()) {
            return Ok(hidden);
        }
        let now = self.now();
        let noted = |hidden: &mut Hidden| {
            hidden.show_again(ended, now);
            hidden.note_gone(gone, now);
        };
        change(depot, noted).await
    }
}

/// Changes what is hidden, however many others do so.
async fn change(depot: &Depot, change: impl Fn(&mut Hidden)) -> Result<Hidden> {
    for _ in 0..ATTEMPTS {
        let mut hidden = depot.hidden().await?.unwrap_or_default();
        change(&mut hidden);
        hidden.version += 1;
        match depot.replace_hidden(hidden.clone()).await {
            Ok(()) => return Ok(hidden),
            Err(DepotError::HiddenConflict) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(DepotError::HiddenConflict.into())
}

/// Which records a publication shows again, a line each.
pub(super) fn show_ended(ended: &[String]) -> String {
    ended.iter().map(|id| format!("no longer hidden by `snapshot hide`: {id}\n")).collect()
}

/// What is hidden, a line each.
pub(super) fn describe_hidden(hidden: &Hidden) -> String {
    let mut text = String::new();
    for (id, why) in &hidden.records {
        let WhyHidden { reason, by, at, .. } = why;
        let gone = why.hidden_while_gone().map(|until| {
            format!(
                "; it is gone from the guide, and hidden should it come back until {}",
                until.format("%Y-%m-%d")
            )
        });
        let (at, gone) = (at.format("%Y-%m-%dT%H:%M:%SZ"), gone.unwrap_or_default());
        // writing to a String cannot fail
        let _ = writeln!(text, "hidden: {id}  “{reason}”  by {by}, {at}{gone}");
    }
    text
}
