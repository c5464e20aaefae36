//! The counts of one day, in memory.

use std::collections::HashMap;

use chrono::NaiveDate;

use crate::domain::account::HolderId;
use crate::domain::asked::{AskedCount, MAX_A_DAY, MAX_CALLERS, MIN_CALLERS};

/// Different questions in memory. When there are more, the rarest are forgotten. As many of the days before may wait
/// for the store; of more, the oldest are forgotten.
pub(super) const MAX_QUESTIONS: usize = 10_000;

/// The part of them that stays when there are too many: so each question is looked through rarely.
const KEPT_WHEN_FULL: usize = MAX_QUESTIONS / 4 * 3;

/// The counts of one day.
pub(super) struct Today {
    pub(super) day: NaiveDate,
    questions: HashMap<String, Tally>,
}

/// The count of one question.
#[derive(Default)]
struct Tally {
    /// The hashes of distinct callers, at most [`MAX_CALLERS`].
    callers: Vec<u64>,
    times: u32,
    /// How much of it is written.
    saved: u32,
}

impl Today {
    /// A day of which nothing is counted yet.
    pub(super) fn new(day: NaiveDate) -> Today {
        Today { day, questions: HashMap::new() }
    }

    /// Counts a question; returns how many rarer ones were forgotten for it.
    pub(super) fn count(&mut self, question: String, caller: u64) -> usize {
        let mut forgotten = 0;
        if self.questions.len() >= MAX_QUESTIONS && !self.questions.contains_key(&question) {
            forgotten = self.forget_the_rarest();
        }
        let tally = self.questions.entry(question).or_default();
        tally.times = tally.times.saturating_add(1);
        if tally.callers.len() < MAX_CALLERS && !tally.callers.contains(&caller) {
            tally.callers.push(caller);
        }
        forgotten
    }

    fn forget_the_rarest(&mut self) -> usize {
        let before = self.questions.len();
        let mut ranked: Vec<(usize, u32)> =
            self.questions.values().map(|tally| (tally.callers.len(), tally.times)).collect();
        ranked.sort_unstable_by(|one, other| other.cmp(one));
        let Some(least) = ranked.get(KEPT_WHEN_FULL).copied() else { return 0 };
        // those that are as rare as the first to go stay only while there is room
        let mut room = KEPT_WHEN_FULL - ranked.partition_point(|rank| *rank > least);
        self.questions.retain(|_, tally| match (tally.callers.len(), tally.times).cmp(&least) {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal if room > 0 => {
                room -= 1;
                true
            }
            std::cmp::Ordering::Equal => false,
        });
        before - self.questions.len()
    }

    /// What has to be written, the most asked first.
    pub(super) fn unsaved(&self, run: &HolderId) -> Vec<AskedCount> {
        let enough = |tally: &Tally| tally.callers.len() >= MIN_CALLERS && tally.times > tally.saved;
        let mut counts: Vec<AskedCount> = self
            .questions
            .iter()
            .filter(|(_, tally)| enough(tally))
            .map(|(question, tally)| AskedCount {
                day: self.day,
                run: run.clone(),
                question: question.clone(),
                callers: u32::try_from(tally.callers.len()).unwrap_or(u32::MAX),
                times: tally.times,
            })
            .collect();
        counts.sort_unstable_by(|one, other| (other.times, &one.question).cmp(&(one.times, &other.question)));
        counts.truncate(MAX_A_DAY);
        counts
    }

    pub(super) fn saved(&mut self, counts: &[AskedCount]) {
        for count in counts {
            if let Some(tally) = self.questions.get_mut(&count.question) {
                tally.saved = count.times;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_the_rarest_are_forgotten_first() {
        let mut today = Today::new(NaiveDate::default());
        for caller in 0..5 {
            today.count("often".to_owned(), caller);
        }
        let mut forgotten = 0;
        for number in 0..3 * MAX_QUESTIONS {
            forgotten += today.count(format!("once {number}"), 1);
            assert!(today.questions.len() <= MAX_QUESTIONS);
        }
        assert_eq!(today.questions.len() + forgotten, 3 * MAX_QUESTIONS + 1);
        assert_eq!(today.questions["often"].callers.len(), 5);
    }

    #[test]
    fn what_two_callers_ask_is_not_written_however_often() {
        let mut today = Today::new(NaiveDate::default());
        let run = HolderId::from_stored("h_1".to_owned());
        for caller in 0..100 {
            today.count("rare".to_owned(), caller % 2);
        }
        for caller in 0..3 {
            today.count("enough".to_owned(), caller);
        }
        let counts = today.unsaved(&run);
        assert_eq!(counts.len(), 1);
        assert_eq!((counts[0].question.as_str(), counts[0].callers, counts[0].times), ("enough", 3, 3));
        today.saved(&counts);
        assert!(today.unsaved(&run).is_empty(), "what is written is not written again");
    }
}
