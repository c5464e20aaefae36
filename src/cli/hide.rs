//! `candango snapshot hide` and `unhide`: take a record out of service at once, until a publication says otherwise, and
//! back into it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use serde_json::json;
use snapshots::{Depot, DepotError, Hidden, NamedRecord, RecordKind, Snapshot, WhyHidden, split_date};
use spreadsheets::Lang;

use super::audit::Reason;
use super::curator::{Curator, snapshot_of, spinner, who};
use super::output::show;
use super::runtime::open_depot;

/// How often a change is tried while others change the same.
const ATTEMPTS: usize = 5;

/// The commands, as the audit log names them.
const HIDE: &str = "snapshot hide";
const UNHIDE: &str = "snapshot unhide";

impl Curator<'_> {
    pub(super) async fn hide(&self, typed: &str, reason: &Reason) -> Result<ExitCode> {
        let (depot, pointer) = self.published().await?;
        let spinner = spinner(self.lang.pick("procurando", "looking for it"));
        let snapshot = snapshot_of(&depot, &pointer.entry.digest).await?;
        let id = self.id_of(&snapshot, typed)?;
        let kinds = snapshot.kinds_of(&id, self.today());
        spinner.finish_and_clear();
        let by = who(Path::new("."));
        let is_recorded = self.record(HIDE, format!("{id}, by {by}"), Some(reason.as_str())).await;
        let said = snapshot.says_hidden(&id, self.today());
        let why = WhyHidden { reason: reason.as_str().to_owned(), by, at: self.now(), said, gone_at: None };
        let hidden = change(&depot, |hidden| {
            hidden.records.insert(id.clone(), why.clone());
        });
        let hidden = self.recorded((HIDE, is_recorded), hidden).await?;
        let shown = json!({ "ok": true, "id": id, "kinds": kinds, "hidden": hidden.records });
        show(self.json, &shown, || {
            let kinds: Vec<&str> = kinds.iter().map(|kind| kind_name(*kind, self.lang)).collect();
            let name = if id == typed { String::new() } else { format!(" ({typed})") };
            let kinds = kinds.join(self.lang.pick(" e ", " and "));
            self.lang.pick(
                format!(
                    "{kinds} {id}{name} está fora do ar; os servidores deixam de mostrar em até 2 s. Fica assim até `candango \
                     snapshot unhide {id}`, até faltar no guia por um mês, ou até uma publicação ter outro valor que o de \
                     agora na coluna \"oculto\" (o campo \"hidden\")."
                ),
                format!(
                    "{kinds} {id}{name} is hidden; servers hide it within 2 s. It stays hidden until `candango snapshot \
                     unhide {id}`, until it is gone from the guide for a month, or until a publication has another value \
                     than now in its column \"oculto\" (the field \"hidden\")."
                ),
            )
        })
    }

    /// The id that was typed, or that of the only record which is called so.
    fn id_of(&self, snapshot: &Snapshot, typed: &str) -> Result<String> {
        if !snapshot.kinds_of(typed, self.today()).is_empty() {
            return Ok(typed.to_owned());
        }
        let called = snapshot.called(typed);
        let mut ids: Vec<&str> = called.iter().map(|record| record.id).collect();
        ids.dedup();
        match *ids {
            [id] => return Ok(id.to_owned()),
            [] => {}
            _ => {
                let list = self.listed(&called);
                bail!(self.lang.pick(
                    format!("vários registros no ar se chamam {typed:?}; dê o id de um:{list}"),
                    format!("several records in service are called {typed:?}; give the id of one:{list}"),
                ));
            }
        }
        let near = snapshot.nearest_records(typed);
        let none = self.lang.pick(
            format!("nenhum lugar, evento ou data no ar tem o id ou o nome {typed:?}"),
            format!("no place, event or date in service has the id or the name {typed:?}"),
        );
        if near.is_empty() {
            bail!(none);
        }
        let list = self.listed(&near);
        bail!(self.lang.pick(format!("{none}; parecidos são:{list}"), format!("{none}; near are:{list}")));
    }

    /// Records by which one is chosen, a line each with the id.
    fn listed(&self, records: &[NamedRecord<'_>]) -> String {
        let line = |record: &NamedRecord<'_>| {
            let NamedRecord { kind, id, name, area, date, .. } = record;
            let when = match (kind, date) {
                (RecordKind::Place, _) => String::new(),
                (_, Some(date)) => {
                    format!(", {}", self.lang.pick(date.format("%d/%m/%Y"), date.format("%Y-%m-%d")))
                }
                (_, None) => format!(", {}", self.lang.pick("se repete", "repeats")),
            };
            format!("\n  {id}  {name}, {area}{when}")
        };
        records.iter().map(line).collect()
    }

    /// Ends the hiding of a record.
    pub(super) async fn unhide(&self, typed: &str) -> Result<ExitCode> {
        let depot = open_depot(self.config)?;
        let before = depot.hidden().await?.unwrap_or_default();
        let id = &*self.hidden_id(&depot, &before, typed).await?;
        let is_recorded = self.record(UNHIDE, format!("{id}, by {}", who(Path::new("."))), None).await;
        let hidden = change(&depot, |hidden| hidden.show_again(&[id.to_owned()], self.now()));
        let hidden = self.recorded((UNHIDE, is_recorded), hidden).await?;
        show(self.json, &json!({ "ok": true, "id": id, "hidden": hidden.records }), || {
            self.lang.pick(
                format!(
                    "{id} volta ao ar; os servidores mostram em até 2 s, a não ser que o próprio guia o oculte (a coluna \
                     \"oculto\", o campo \"hidden\")."
                ),
                format!(
                    "{id} is no longer hidden; servers show it within 2 s, unless the guide itself hides it (the column \
                     \"oculto\", the field \"hidden\")."
                ),
            )
        })
    }

    /// The hidden id that was typed, or that of the only hidden record which is called so.
    async fn hidden_id(&self, depot: &Depot, hidden: &Hidden, typed: &str) -> Result<String> {
        if hidden.records.contains_key(typed) {
            return Ok(typed.to_owned());
        }
        if hidden.records.is_empty() {
            bail!(self.lang.pick(
                "nada está oculto por `candango snapshot hide`",
                "nothing is hidden by `candango snapshot hide`",
            ));
        }
        // without the guide what is hidden has no name
        let live = depot.current().await.ok().flatten();
        let live = match &live {
            Some(live) => snapshot_of(depot, &live.entry.digest).await.ok(),
            None => None,
        };
        let called: Vec<&str> =
            live.iter().flat_map(|live| live.called(typed)).map(|record| record.id).collect();
        let is_called = |id: &&str| {
            called.contains(id) || split_date(id).is_some_and(|(series, _)| called.contains(&series))
        };
        let ids: Vec<&str> = hidden.records.keys().map(String::as_str).collect();
        let found: Vec<&str> = ids.iter().copied().filter(is_called).collect();
        if let [id] = *found {
            return Ok(id.to_owned());
        }
        let (found, all) = (found.join(", "), ids.join(", "));
        Err(anyhow!(match found.is_empty() {
            true => self.lang.pick(
                format!("{typed:?} não está oculto por `candango snapshot hide`; o que está: {all}"),
                format!("{typed:?} is not hidden by `candango snapshot hide`; what is: {all}"),
            ),
            false => self.lang.pick(
                format!("vários registros ocultos se chamam {typed:?}; dê o id de um: {found}"),
                format!("several hidden records are called {typed:?}; give the id of one: {found}"),
            ),
        }))
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

/// What kind of record it is.
fn kind_name(kind: RecordKind, lang: Lang) -> &'static str {
    match kind {
        RecordKind::Place => lang.pick("o lugar", "the place"),
        RecordKind::Event => lang.pick("o evento", "the event"),
        RecordKind::Date => lang.pick("a data", "the date"),
    }
}

/// Which records a publication shows again, a line each.
pub(super) fn show_ended(ended: &[String], lang: Lang) -> String {
    let said = lang.pick("não mais oculto por `snapshot hide`", "no longer hidden by `snapshot hide`");
    ended.iter().map(|id| format!("{said}: {id}\n")).collect()
}

/// What is hidden, a line each.
pub(super) fn describe_hidden(hidden: &Hidden, lang: Lang) -> String {
    let mut text = String::new();
    for (id, why) in &hidden.records {
        let WhyHidden { reason, by, at, .. } = why;
        let gone = why.hidden_while_gone().map(|until| {
            lang.pick(
                format!("; falta no guia, e fica oculto se voltar até {}", until.format("%d/%m/%Y")),
                format!(
                    "; it is gone from the guide, and hidden should it come back until {}",
                    until.format("%Y-%m-%d")
                ),
            )
        });
        let (at, gone) = (at.format("%Y-%m-%dT%H:%M:%SZ"), gone.unwrap_or_default());
        let (hidden, by_whom) = lang.pick(("oculto", "por"), ("hidden", "by"));
        // writing to a String cannot fail
        let _ = writeln!(text, "{hidden}: {id}  “{reason}”  {by_whom} {by}, {at}{gone}");
    }
    text
}
