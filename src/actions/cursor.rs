//! Cursors as callers carry them: opaque, checked, and good for any later snapshot, since they name a place in
//! the order and not a position in a list.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use index::Cursor;

use crate::domain::error::ApiError;

/// No cursor of ours is longer; names and ids are bounded.
const MAX_LENGTH: usize = 2_048;

/// Appends a cursor for the shelf marked `shelf`.
pub(super) fn write(shelf: u8, cursor: &Cursor, out: &mut Vec<u8>) {
    let Cursor { primary, name, id } = cursor;
    let start = out.len();
    out.push(shelf);
    out.extend_from_slice(&primary.to_be_bytes());
    out.extend_from_slice(&(name.len() as u16).to_be_bytes());
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(&crc32fast::hash(&out[start..]).to_be_bytes());
    // coded behind itself, and then moved to where it stood
    let plain = out.len() - start;
    let coded = base64::encoded_len(plain, false).unwrap_or_default();
    out.resize(start + plain + coded, 0);
    let (bytes, room) = out[start..].split_at_mut(plain);
    // there is room for all of it: that is how long it was made
    let _ = URL_SAFE_NO_PAD.encode_slice(bytes, room);
    out.copy_within(start + plain.., start);
    out.truncate(start + coded);
}

/// Reads a cursor for the shelf marked `shelf`; one that was cut, altered or made for the other shelf is refused.
pub(super) fn read(shelf: u8, text: &str) -> Result<Cursor<'static>, ApiError> {
    decode(shelf, text).ok_or(ApiError::InvalidCursor)
}

fn decode(shelf: u8, text: &str) -> Option<Cursor<'static>> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (bytes, checksum) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(bytes) != u32::from_be_bytes(*checksum) {
        return None;
    }
    let rest = bytes.strip_prefix(&[shelf])?;
    let (primary, rest) = rest.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<2>()?;
    let (name, id) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok().map(Cow::Owned);
    Some(Cursor { primary: u64::from_be_bytes(*primary), name: text(name)?, id: text(id)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_whole_or_not_at_all() {
        let cursor = Cursor { primary: 7, name: "Café \"Ó\"".into(), id: "cafe-o".into() };
        let before = "what stands before it";
        let mut text = before.as_bytes().to_vec();
        write(b'p', &cursor, &mut text);
        let text = String::from_utf8(text).unwrap();
        let text = text.strip_prefix(before).unwrap().to_owned();
        assert_eq!(read(b'p', &text), Ok(cursor));
        assert_eq!(read(b'e', &text), Err(ApiError::InvalidCursor));
        for at in 0..text.len() {
            let mut altered = text.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(
                read(b'p', &String::from_utf8(altered).unwrap()),
                Err(ApiError::InvalidCursor),
                "{at}"
            );
            assert_eq!(read(b'p', &text[..at]), Err(ApiError::InvalidCursor));
        }
        assert_eq!(read(b'p', "é"), Err(ApiError::InvalidCursor));
    }
}
