//! The sheets that answers are written on, and put together on to be sent. A thread that has sent an answer keeps its
//! sheet for the next one: memory that was written to a moment ago is still in the processor's cache, and need not be
//! asked for. Uses no other room.

use std::cell::RefCell;

use bytes::Bytes;

/// Room for most answers; a sheet grows when one is longer.
const ROOM: usize = 16 * 1_024;

/// A longer sheet is not kept.
const LONGEST: usize = 64 * 1_024;

/// More sheets than this a thread does not keep: that many answers wait for their readers at once only where readers
/// are slow.
const MOST: usize = 16;

thread_local! {
    static KEPT: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// An empty sheet.
pub fn take() -> Vec<u8> {
    let kept = KEPT.with(|kept| kept.try_borrow_mut().ok()?.pop());
    kept.unwrap_or_else(|| Vec::with_capacity(ROOM))
}

/// What is written on a sheet, to be sent. With it the sheet comes back.
pub fn written(sheet: Vec<u8>) -> Bytes {
    Bytes::from_owner(Written(sheet))
}

struct Written(Vec<u8>);

impl AsRef<[u8]> for Written {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        give_back(std::mem::take(&mut self.0));
    }
}

/// Keeps a sheet that nobody reads any more for the next answer of this thread, unless it is too small or too long, or
/// there are enough.
pub fn give_back(mut sheet: Vec<u8>) {
    if !(ROOM..=LONGEST).contains(&sheet.capacity()) {
        return;
    }
    sheet.clear();
    // a thread that ends keeps nothing
    let _ = KEPT.try_with(|kept| {
        if let Ok(mut kept) = kept.try_borrow_mut()
            && kept.len() < MOST
        {
            kept.push(sheet);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_that_was_sent_is_written_on_again_and_says_nothing_of_before() {
        let mut sheet = take();
        sheet.extend_from_slice(b"first");
        let (place, room) = (sheet.as_ptr(), sheet.capacity());
        let sent = written(sheet);
        let slice = sent.slice(1..3);
        drop(sent);
        assert_eq!(&slice[..], b"ir", "it is not written on while somebody reads");
        let other = take();
        assert_ne!(other.as_ptr(), place);
        drop(slice);
        let again = take();
        assert_eq!((again.as_ptr(), again.capacity(), again.len()), (place, room, 0));
    }

    #[test]
    fn neither_many_sheets_are_kept_nor_long_nor_short_ones() {
        let sheets: Vec<Bytes> = (0..MOST + 8).map(|_| written(Vec::with_capacity(ROOM))).collect();
        drop(sheets);
        drop([written(Vec::with_capacity(LONGEST + 1)), written(Vec::new())]);
        assert_eq!(KEPT.with_borrow(Vec::len), MOST);
        assert!(KEPT.with_borrow(|kept| kept.iter().all(|sheet| sheet.capacity() == ROOM)));
    }
}
