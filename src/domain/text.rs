//! Texts: what people write in the fields of forms, and capital letters.

use super::error::ApiError;

/// A text with a capital first letter.
pub(crate) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A text that can be shown to the operator: one line, without control characters. Its length is measured as sent, as
/// documented.
pub(crate) fn clean_text(
    param: &'static str,
    text: Option<&str>,
    max: usize,
) -> Result<Option<String>, ApiError> {
    let Some(text) = text else { return Ok(None) };
    if text.chars().count() > max {
        return Err(ApiError::TextTooLong { param, max });
    }
    // bidirectional marks can make a text look like another
    let is_bidi = |char: char| matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let visible: String =
        text.chars().filter(|char| char.is_whitespace() || !(char.is_control() || is_bidi(*char))).collect();
    let clean = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(Some(clean).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn control_characters_and_line_breaks_are_removed() {
        let name = |text: &str| clean_text("name", Some(text), 10);
        assert_eq!(name(" Ana\t\nLima"), Ok(Some("Ana Lima".to_owned())));
        assert_eq!(name("A\u{1b}[31m\u{0}"), Ok(Some("A[31m".to_owned())));
        assert_eq!(name("\u{202e}anA\u{7}"), Ok(Some("anA".to_owned())));
        assert_eq!(name(" \u{1} "), Ok(None));
        assert_eq!(name("é".repeat(10).as_str()).map(|kept| kept.is_some()), Ok(true));
        for long in ["12345678901", "1234567890\u{7}"] {
            assert_eq!(name(long), Err(ApiError::TextTooLong { param: "name", max: 10 }));
        }
        assert_eq!(clean_text("name", None, 10), Ok(None));
    }

    proptest! {
        #[test]
        fn clean_text_is_one_line_of_bounded_length(text in any::<String>()) {
            if let Ok(Some(kept)) = clean_text("name", Some(&text), 20) {
                prop_assert!(kept.chars().count() <= 20 && !kept.chars().any(char::is_control));
                prop_assert_eq!(clean_text("name", Some(&kept), 20), Ok(Some(kept.clone())));
            }
        }
    }
}
