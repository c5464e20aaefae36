//! Rules in the words of people, for a sheet that is made of a guide: the way back from `repeats`.

use chrono::NaiveDate;

use crate::dates::Years;
use crate::repeats::{Said, parse};

/// A rule as people say it, where [`parse`] reads the same rule in it.
pub(crate) fn phrase(rule: &str, date: Option<NaiveDate>, years: Years<'_>) -> Option<String> {
    let said = said_of(rule)?;
    let mut problems = Vec::new();
    let read = parse(&said, date, years, &mut problems)?;
    let is_same = read == Said { rule: Some(rule.to_owned()), ..Said::default() };
    (is_same && problems.is_empty()).then_some(said)
}

/// What a rule may be called: "toda sexta", "1º sábado do mês", "todo dia 25".
fn said_of(rule: &str) -> Option<String> {
    const NAMES: [(&str, &str); 7] = [
        ("MO", "segunda"),
        ("TU", "terça"),
        ("WE", "quarta"),
        ("TH", "quinta"),
        ("FR", "sexta"),
        ("SA", "sábado"),
        ("SU", "domingo"),
    ];
    let name = |code: &str| NAMES.iter().find(|(known, _)| *known == code).map(|(_, name)| *name);
    if let Some(codes) = rule.strip_prefix("FREQ=WEEKLY;BYDAY=") {
        let names: Vec<&str> = codes.split(',').map(name).collect::<Option<_>>()?;
        let week = NAMES.map(|(_, name)| name);
        let is_run = names.len() > 2 && week.windows(names.len()).any(|days| days == names);
        return Some(match &*names {
            [first, .., last] if is_run => format!("de {first} a {last}"),
            [one @ ("sábado" | "domingo")] => format!("todo {one}"),
            [one] => format!("toda {one}"),
            [most @ .., last] => {
                let most: Vec<String> = most.iter().map(|name| format!("{name}s")).collect();
                format!("{} e {last}s", most.join(", "))
            }
            [] => return None,
        });
    }
    if let Some(day) = rule.strip_prefix("FREQ=MONTHLY;BYMONTHDAY=") {
        return Some(format!("todo dia {day}"));
    }
    if let Some(counted) = rule.strip_prefix("FREQ=MONTHLY;BYDAY=") {
        let (nth, code) = counted.split_at_checked(counted.len().checked_sub(2)?)?;
        let name = name(code)?;
        let is_masculine = matches!(code, "SA" | "SU");
        return Some(match nth {
            "-1" => format!("{} {name} do mês", if is_masculine { "último" } else { "última" }),
            _ => format!("{nth}{} {name} do mês", if is_masculine { 'º' } else { 'ª' }),
        });
    }
    (rule == "FREQ=DAILY").then(|| "todos os dias".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_said_in_words_only_where_the_same_rule_is_read_in_them() {
        let today: NaiveDate = "2026-11-23".parse().unwrap();
        let said = |rule: &str| phrase(rule, None, Years::around(today, &[]));
        for (rule, expected) in [
            ("FREQ=WEEKLY;BYDAY=FR", "toda sexta"),
            ("FREQ=WEEKLY;BYDAY=SU", "todo domingo"),
            ("FREQ=WEEKLY;BYDAY=FR,SA", "sextas e sábados"),
            ("FREQ=WEEKLY;BYDAY=TU,TH,SA", "terças, quintas e sábados"),
            ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "de segunda a sexta"),
            ("FREQ=WEEKLY;BYDAY=TU,WE,TH,FR,SA,SU", "de terça a domingo"),
            ("FREQ=MONTHLY;BYDAY=1SA", "1º sábado do mês"),
            ("FREQ=MONTHLY;BYDAY=2FR", "2ª sexta do mês"),
            ("FREQ=MONTHLY;BYDAY=-1SU", "último domingo do mês"),
            ("FREQ=MONTHLY;BYMONTHDAY=25", "todo dia 25"),
            ("FREQ=DAILY", "todos os dias"),
        ] {
            assert_eq!(said(rule).as_deref(), Some(expected), "{rule}");
        }
        for rule in [
            "FREQ=WEEKLY",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR",
            "FREQ=MONTHLY;BYDAY=1SA,3SA",
            "FREQ=MONTHLY;BYDAY=SA",
            "FREQ=YEARLY;BYEASTER=-2",
            "FREQ=WEEKLY;BYDAY=1SA",
        ] {
            assert_eq!(said(rule), None, "{rule}");
        }
    }
}
