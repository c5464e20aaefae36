//! What `candango snapshot publish` does with what others published since the folder began: it is merged or said, never
//! lost.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use serde_json::json;
use snapshots::{Collision, Depot, Diff, Digest, Files, Merged, Pointer, Snapshot, check, diff, merge};
use spreadsheets::{Lang, defects_text, translated};

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
            let shown = path.display();
            tell(self.lang.pick(
                format!(
                    "aviso: {shown} não diz de que publicação começou, e por isso não se vê o trabalho que um colega publicou \
                     desde então; uma pasta feita por `candango snapshot pull PASTA` diz, e esta também, depois de publicada"
                ),
                format!(
                    "warning: {shown} does not say which publication it began from, so that a colleague's work since then \
                     cannot be seen; a folder made by `candango snapshot pull DIR` says it, and so does this one once it is \
                     published"
                ),
            ));
            return Ok(Reconciled::AsItIs(ready));
        };
        if began == live {
            return Ok(Reconciled::AsItIs(ready));
        }
        let divergence = Divergence { began, live, is_taken_back: is_taken_back(current, &began) };
        let spinner = spinner(self.lang.pick(
            "comparando com o que foi publicado desde então",
            "comparing with what was published since",
        ));
        let base = snapshot_of(depot, &began).await.with_context(|| {
            let began = began.short();
            self.lang.pick(
                format!(
                    "a pasta começou de {began}, e outro guia está no ar: não podem ser comparados; baixe o que está no ar \
                     numa pasta nova e repita lá as mudanças, ou publique esta por cima com --over"
                ),
                format!(
                    "the folder began from {began}, and another snapshot is in service: they cannot be compared; pull the \
                     live one into a new folder and repeat the changes there, or publish this one over it with --over"
                ),
            )
        })?;
        let base = base.as_curated();
        let has_changes = ready.snapshot != base;
        if !has_changes && (!may_merge || divergence.is_taken_back) {
            spinner.finish_and_clear();
            return Ok(Reconciled::Said(self.show_without_changes(path, divergence)?));
        }
        let theirs = snapshot_of(depot, &live).await?.as_curated();
        let merged = merge(&base, &ready.snapshot, &theirs)
            .context(self.lang.pick("os guias não podem ser juntados", "the snapshots cannot be merged"))?;
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
            .map_err(|defects| anyhow!(defects_text(&defects, self.lang)))
            .context(self.lang.pick(
                "o que os dois lados mudaram está certo sozinho e errado junto; a pasta ficou como estava",
                "what both sides changed is right alone and wrong together; the folder is as it was",
            ))?;
        merged.order_like(&Files::read(path));
        let mut texts = merged.snapshot.texts()?;
        texts.retain(|(file, _)| changed.contains(file));
        Ok(match has_changes {
            true => Reconciled::Merged(self.packed(snapshot)?, texts),
            false => Reconciled::CaughtUp(texts),
        })
    }

    /// A comparison of two snapshots, with its headings in the language of messages.
    pub(super) fn diff_text(&self, diff: &Diff) -> String {
        let line = |line: &str| {
            let is_heading = !line.starts_with(' ');
            if is_heading { translated(line, self.lang) } else { line.to_owned() }
        };
        diff.to_string().lines().map(line).collect::<Vec<_>>().join("\n")
    }

    fn indented(&self, diff: &Diff) -> String {
        self.diff_text(diff).lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
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
                return self.lang.pick(
                    format!(
                        "não publicado: {path} é a publicação {began}, sem mudança própria, e um rollback a desfez. Para \
                         trazê-la de volta: candango snapshot rollback {began}. Para continuar de {live}, que está no ar: \
                         candango snapshot pull PASTA_NOVA"
                    ),
                    format!(
                        "not published: {path} is publication {began}, without a change of its own, and a rollback took it \
                         back. To bring it back: candango snapshot rollback {began}. To go on from {live}, which is in \
                         service: candango snapshot pull NEW_FOLDER"
                    ),
                );
            }
            self.lang.pick(
                format!(
                    "nada a publicar: {path} é a publicação {began}, sem mudança própria, e {live} foi publicada desde então \
                     e está no ar. Para deixar a pasta como ela: candango snapshot publish {path} --merge. Para trazer \
                     {began} de volta: candango snapshot rollback {began}"
                ),
                format!(
                    "nothing to publish: {path} is publication {began}, without a change of its own, and {live} was \
                     published since and is in service. To bring the folder up to it: candango snapshot publish {path} \
                     --merge. To bring {began} back: candango snapshot rollback {began}"
                ),
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
            let (back, mine) = (self.indented(back), self.indented(mine));
            self.lang.pick(
                format!(
                    "não publicado: um rollback desfez {began}, de que esta pasta começou, e {live} está no ar.\n\nO que o \
                     rollback mudou:\n{back}\n\nO que você mudou desde {began}:\n{mine}\n\nPara publicar a pasta como está \
                     agora, se foi corrigida: --over. Para continuar do que está no ar: candango snapshot pull PASTA_NOVA"
                ),
                format!(
                    "not published: a rollback took {began} back, from which this folder began, and {live} is in \
                     service.\n\nWhat the rollback changed:\n{back}\n\nWhat you changed since {began}:\n{mine}\n\nTo publish \
                     the folder as it is now, if it is corrected: --over. To go on from what is in service: candango \
                     snapshot pull NEW_FOLDER"
                ),
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
            let (lang, began, live) = (self.lang, began.short(), live.short());
            let (theirs, mine) = (self.indented(theirs), self.indented(mine));
            let mut text = lang.pick(
                format!(
                    "não publicado: {live} foi publicada desde que esta pasta começou de {began}.\n\nO que outros \
                     mudaram:\n{theirs}\n\nO que você mudou:\n{mine}\n\n"
                ),
                format!(
                    "not published: {live} was published since this folder began from {began}.\n\nWhat they \
                     changed:\n{theirs}\n\nWhat you changed:\n{mine}\n\n"
                ),
            );
            if collisions.is_empty() {
                text += lang.pick(
                    "Nada se contradiz: publique com --merge para publicar os dois.",
                    "Nothing collides: publish with --merge to publish both.",
                );
            } else {
                text += lang.pick("O que se contradiz:\n", "What collides:\n");
                text.extend(collisions.iter().map(|one| format!("  {}\n", collision_text(one, lang))));
                text += lang.pick(
                    "Escreva nesses campos o que está no ar e publique com --merge; mude-os numa publicação própria, se está \
                     certo.",
                    "Write what is live into these fields and publish with --merge; change them in a publication of their \
                     own if that is right.",
                );
            }
            text += lang.pick(
                "\nPara publicar a sua pasta como está, desfazendo o que outros mudaram: --over",
                "\nTo publish your folder as it is, so that what they changed is undone: --over",
            );
            text
        })
    }
}

/// What both sides changed, in a line.
fn collision_text(collision: &Collision, lang: Lang) -> String {
    if lang == Lang::En {
        return collision.to_string();
    }
    let Collision { file, id, field, base, mine, theirs } = collision;
    let shown = |value: &Option<serde_json::Value>| {
        value.as_ref().map_or_else(|| "(vazio)".to_owned(), ToString::to_string)
    };
    let parts: Vec<&str> =
        std::iter::once(file.name()).chain([id, field].into_iter().flatten().map(String::as_str)).collect();
    let (base, mine, theirs) = (shown(base), shown(mine), shown(theirs));
    format!("{}: era {base}, é {mine} aqui e {theirs} no ar", parts.join(": "))
}

/// Whether nothing but rollbacks came after a snapshot.
fn is_taken_back(pointer: &Pointer, began: &Digest) -> bool {
    let mut since = pointer.publications().take_while(|entry| entry.digest != *began).peekable();
    since.peek().is_some() && since.all(is_rollback)
}
