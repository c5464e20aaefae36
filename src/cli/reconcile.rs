//! What `candango snapshot publish` does with what others published since the folder began: it is merged or said, never
//! lost.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::json;
use snapshots::{Collision, Depot, Diff, Digest, Files, Merged, Pointer, Snapshot, check, diff, merge};

use super::base;
use super::curator::{Curator, Ready, is_rollback, snapshot_of, spinner};
use super::output::{show, tell};

/// What to publish after a look at what others published.
pub(super) enum Reconciled {
    /// The folder as it is.
    AsItIs(Ready),
    /// It was merged, and the folder is to be rewritten.
    Merged(Ready, Vec<snapshots::FileText>),
    /// It had no change of its own, and is to be brought up to the one in service.
    CaughtUp(Vec<snapshots::FileText>),
    /// Nothing is to be published, which has been said: a colleague's work would be lost, or the folder says nothing
    /// of its own.
    Said(ExitCode),
}

/// A folder that began from another snapshot than the one in service.
#[derive(Clone, Copy)]
struct Divergence {
    began: Digest,
    live: Digest,
    /// Whether nothing but rollbacks came since.
    is_taken_back: bool,
}

impl Curator<'_> {
    /// Compares the folder with what was published since it began.
    pub(super) async fn reconcile(
        &self,
        depot: &Depot,
        path: &Path,
        ready: Ready,
        current: &Pointer,
        may_merge: bool,
    ) -> Result<Reconciled> {
        let live = current.entry.digest;
        if !path.is_dir() || ready.packed.digest == live {
            return Ok(Reconciled::AsItIs(ready));
        }
        let Some(began) = base::read(path, Some(current))? else {
            tell(format_args!(
                "warning: {} does not say which publication it began from, so that a colleague's work since then cannot \
                 be seen; a folder made by `candango snapshot pull DIR` says it, and so does this one once it is published",
                path.display()
            ));
            return Ok(Reconciled::AsItIs(ready));
        };
        if began == live {
            return Ok(Reconciled::AsItIs(ready));
        }
        let divergence = Divergence { began, live, is_taken_back: is_taken_back(current, &began) };
        let spinner = spinner("comparing with what was published since");
        let base = snapshot_of(depot, &began).await.with_context(|| {
            format!(
                "the folder began from {}, and another snapshot is in service: they cannot be compared; pull the \
                 live one into a new folder and repeat the changes there, or publish this one over it with --over",
                began.short()
            )
        })?;
        let base = base.as_curated();
        let has_changes = ready.snapshot != base;
        if !has_changes && (!may_merge || divergence.is_taken_back) {
            spinner.finish_and_clear();
            return Ok(Reconciled::Said(self.show_without_changes(path, divergence)?));
        }
        let theirs = snapshot_of(depot, &live).await?.as_curated();
        let merged = merge(&base, &ready.snapshot, &theirs).context("the snapshots cannot be merged")?;
        spinner.finish_and_clear();
        if !may_merge || !merged.collisions.is_empty() {
            let changes = [diff(&base, &theirs), diff(&base, &ready.snapshot)];
            if divergence.is_taken_back {
                self.show_taken_back(divergence, &changes)?;
            } else {
                self.show_unmerged(divergence, &changes, &merged.collisions)?;
            }
            return Ok(Reconciled::Said(ExitCode::FAILURE));
        }
        self.merge_into(path, &ready.snapshot, merged, has_changes)
    }

    /// What to write into a folder, so that it holds what was merged, and what to publish. Files without a change stay
    /// as they were written.
    fn merge_into(
        &self,
        path: &Path,
        mine: &Snapshot,
        mut merged: Merged,
        has_changes: bool,
    ) -> Result<Reconciled> {
        let (before, after) = (mine.texts()?, merged.snapshot.texts()?);
        let changed = before.iter().zip(&after).filter(|(before, after)| before != after);
        let changed: Vec<_> = changed.map(|(_, (file, _))| *file).collect();
        let snapshot = check(&Files::from_iter(after), self.today())
            .context("what both sides changed is right alone and wrong together; the folder is as it was")?;
        merged.order_like(&Files::read(path));
        let mut texts = merged.snapshot.texts()?;
        texts.retain(|(file, _)| changed.contains(file));
        Ok(match has_changes {
            true => Reconciled::Merged(self.packed(snapshot)?, texts),
            false => Reconciled::CaughtUp(texts),
        })
    }

    /// Says that a folder has no change of its own since the publication that it began from. That is no failure, as a
    /// line of cron comes to it after a colleague's publication; after a rollback the folder has to be corrected.
    fn show_without_changes(
        &self,
        path: &Path,
        Divergence { began, live, is_taken_back }: Divergence,
    ) -> Result<ExitCode> {
        let shown = json!({
            "ok": !is_taken_back, "base": began, "live": live, "mine": [], "unchanged": true, "behind": true,
        });
        show(self.json, &shown, || {
            let (path, began, live) = (path.display(), began.short(), live.short());
            if is_taken_back {
                return format!(
                    "not published: {path} is publication {began}, without a change of its own, and a rollback took it \
                     back. To bring it back: candango snapshot rollback {began}. To go on from {live}, which is in \
                     service: candango snapshot pull NEW_FOLDER"
                );
            }
            format!(
                "nothing to publish: {path} is publication {began}, without a change of its own, and {live} was published \
                 since and is in service. To bring the folder up to it: candango snapshot publish {path} --merge. To bring \
                 {began} back: candango snapshot rollback {began}"
            )
        })?;
        Ok(if is_taken_back { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// Says that what a folder was published as was taken back since.
    fn show_taken_back(
        &self,
        Divergence { began, live, .. }: Divergence,
        [back, mine]: &[Diff; 2],
    ) -> Result<ExitCode> {
        let shown = json!({
            "ok": false, "base": began, "live": live, "rolled_back": true, "theirs": back, "mine": mine, "collisions": [],
        });
        show(self.json, &shown, || {
            let (began, live) = (began.short(), live.short());
            format!(
                "not published: a rollback took {began} back, from which this folder began, and {live} is in service.\n\n\
                 What the rollback changed:\n{}\n\nWhat you changed since {began}:\n{}\n\nTo publish the folder as it is \
                 now, if it is corrected: --over. To go on from what is in service: candango snapshot pull NEW_FOLDER",
                indented(&back.to_string()),
                indented(&mine.to_string())
            )
        })
    }

    /// Says what both sides changed since the folder began from a publication, and what of it collides.
    fn show_unmerged(
        &self,
        Divergence { began, live, .. }: Divergence,
        [theirs, mine]: &[Diff; 2],
        collisions: &[Collision],
    ) -> Result<ExitCode> {
        let shown = json!({
            "ok": false, "base": began, "live": live, "theirs": theirs, "mine": mine, "collisions": collisions,
        });
        show(self.json, &shown, || {
            let mut text = format!(
                "not published: {} was published since this folder began from {}.\n\nWhat they changed:\n{}\n\nWhat you \
                 changed:\n{}\n\n",
                live.short(),
                began.short(),
                indented(&theirs.to_string()),
                indented(&mine.to_string())
            );
            if collisions.is_empty() {
                text += "Nothing collides: publish with --merge to publish both.";
            } else {
                text += "What collides:\n";
                text.extend(collisions.iter().map(|one| format!("  {one}\n")));
                text += "Write what is live into these fields and publish with --merge; change them in a publication of \
                         their own if that is right.";
            }
            text += "\nTo publish your folder as it is, so that what they changed is undone: --over";
            text
        })
    }
}

/// Whether nothing but rollbacks came after a snapshot.
fn is_taken_back(pointer: &Pointer, began: &Digest) -> bool {
    let mut since = pointer.publications().take_while(|entry| entry.digest != *began).peekable();
    since.peek().is_some() && since.all(is_rollback)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
