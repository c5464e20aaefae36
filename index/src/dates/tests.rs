//! Tests of all phrases together.

use chrono::NaiveDate;

use super::*;
use crate::tokens::Tokens;

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

#[test]
fn smoke() {
    let tokens = Tokens::new("sexta à noite");
    let (taken, when) = read(&tokens.all(), 0, day("2026-11-21"), Language::Portuguese).unwrap();
    assert_eq!(taken, 3);
    assert_eq!(when.hours, Some(Hours { from: 1080, to: 360 }));
}
