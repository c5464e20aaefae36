//! Random text in base 62, from the operating system's source of randomness.

use rand::TryRng;
use rand::rngs::{SysError, SysRng};

/// The operating system gave no randomness.
#[derive(Debug, thiserror::Error)]
#[error("the operating system's source of randomness failed: {0}")]
pub struct NoRandomness(#[from] SysError);

pub(super) const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// `N` characters, each equally likely.
pub(super) fn random<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut text = [0; N];
    let mut filled = 0;
    while filled < N {
        let mut bytes = [0; 64];
        SysRng.try_fill_bytes(&mut bytes)?;
        // bytes beyond the last whole multiple of 62 would favour the first characters
        for byte in bytes.into_iter().filter(|&byte| byte < 248) {
            if let Some(place) = text.get_mut(filled) {
                *place = ALPHABET[usize::from(byte) % 62];
                filled += 1;
            }
        }
    }
    Ok(text)
}

/// ASCII bytes as text.
pub(super) fn as_text(ascii: &[u8]) -> &str {
    std::str::from_utf8(ascii).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn random_texts_differ_and_use_the_whole_alphabet() {
        let texts: Vec<[u8; 32]> = (0..500).map(|_| random().expect("randomness")).collect();
        assert_eq!(texts.iter().collect::<HashSet<_>>().len(), 500);
        assert_eq!(texts.iter().flatten().collect::<HashSet<_>>().len(), 62);
    }
}
