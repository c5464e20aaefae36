//! What readers tell the curator: something new, or something that has changed.

use std::time::Duration;

use super::account::SuggestionId;
use super::clock::UnixMillis;

/// The longest text, in characters.
pub const MAX_TEXT: usize = 1_000;

/// The longest contact, in characters.
pub const MAX_CONTACT: usize = 120;

/// The longest path of a record.
pub const MAX_ABOUT: usize = 160;

/// How long a suggestion is kept, done or not.
const KEPT: Duration = Duration::from_hours(365 * 24);

/// A suggestion of a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Its id.
    pub id: SuggestionId,
    /// When it was sent.
    pub at: UnixMillis,
    /// The page of the record that it is about, such as `/place/beirute`.
    pub about: Option<String>,
    /// What the reader wrote, on one line.
    pub text: String,
    /// How to reach the reader, if they said so. It is dropped when the suggestion is done.
    pub contact: Option<String>,
}

impl Suggestion {
    /// When the store drops it.
    pub fn forget_at(&self) -> UnixMillis {
        self.at.after(KEPT)
    }
}

/// The page of a record, if a text is the path of one.
pub fn record_path(text: &str) -> Option<&str> {
    let id = text.strip_prefix("/place/").or_else(|| text.strip_prefix("/event/"))?;
    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (!id.is_empty() && text.len() <= MAX_ABOUT && id.bytes().all(is_id)).then_some(text)
}
