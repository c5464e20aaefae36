//! Turns a snapshot back into the files of a folder, for a curator to go on with.

use serde::Serialize;

use crate::file::File;
use crate::folder::Files;
use crate::{FORMAT, Snapshot};

/// The text of a file; `None` for an optional one that is not needed.
pub type FileText = (File, Option<String>);

/// `guide.json`.
#[derive(Serialize)]
struct Guide<'s> {
    name: &'s str,
    curated_at: &'s str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    not_listed: &'s [String],
}

impl Snapshot {
    /// The snapshot as [`crate::check()`] makes it of its own [`Snapshot::texts`]. It is another one only for format 1,
    /// whose dates of repeated events become events of their own.
    #[must_use]
    pub fn as_curated(mut self) -> Self {
        self.format = FORMAT;
        self.events.iter_mut().for_each(|event| event.series = None);
        self
    }

    /// The files of a folder that holds this snapshot.
    pub fn texts(&self) -> serde_json::Result<Vec<FileText>> {
        let Self { name, curated_at, not_listed, vocabulary, positions, map, places, events, .. } = self;
        let text = |file| {
            Ok(match file {
                File::Guide => Some(pretty(&Guide { name, curated_at, not_listed })?),
                File::Regions => Some(pretty(&vocabulary.geography)?),
                File::AddressCodes => Some(pretty(&vocabulary.addresses)?),
                File::Categories => Some(pretty(&vocabulary.taxonomy)?),
                File::Synonyms if vocabulary.synonyms.is_empty() => None,
                File::Synonyms => Some(pretty(&vocabulary.synonyms)?),
                File::Positions if positions.is_empty() => None,
                File::Positions => Some(pretty(positions)?),
                File::Map if map.is_empty() => None,
                File::Map => Some(pretty(map)?),
                File::Places => Some(pretty(places)?),
                File::Events => Some(pretty(events)?),
            })
        };
        File::ALL.into_iter().map(|file| Ok((file, text(file)?))).collect()
    }
}

/// The folder that some texts make.
impl FromIterator<FileText> for Files {
    fn from_iter<I: IntoIterator<Item = FileText>>(texts: I) -> Self {
        let texts = texts.into_iter().filter_map(|(file, text)| Some((file, text?)));
        texts.fold(Self::default(), |files, (file, text)| files.with(file, text))
    }
}

fn pretty(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
