//! Takes questions that were not met on the path of requests, each with a hash of who asked it.

use std::net::IpAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use chrono::NaiveDate;
use index::search::page::Interpretation;
use index::search::usual_days;
use index::{AreaId, CategoryId};
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc;

use crate::domain::account::AccountId;
use crate::domain::asked::{Days, FoundInstead, Hours, Question, Sought};
use crate::domain::network::network;
use crate::metrics::AskedMetrics;
use crate::serving::ServingSnapshot;

/// A question that was not met, and how it was understood.
#[derive(Debug)]
pub struct Unmet {
    /// What it looked for.
    pub sought: Sought,
    /// What it found instead.
    pub result: FoundInstead,
    /// The day in Brasília.
    pub today: NaiveDate,
    /// How it was understood.
    pub interpretation: Interpretation,
    /// What the closest records do not meet.
    pub left_out: Vec<String>,
    /// Whether it looked near a place.
    pub near: bool,
}

/// Who asked.
#[derive(Debug, Clone, Copy)]
pub enum Who<'a> {
    /// The holder of a key.
    Account(&'a AccountId),
    /// A client without a key, at this address.
    Visitor(IpAddr),
}

/// A question on its way to be counted.
pub(super) struct Sent {
    pub(super) caller: u64,
    pub(super) unmet: Unmet,
    /// The snapshot that it was understood with, which knows the names.
    pub(super) snapshot: Arc<ServingSnapshot>,
}

pub(super) type Salt = [u8; 16];

/// Takes questions on the path of requests. Clones share the queue.
#[derive(Clone)]
pub struct Recorder {
    queue: mpsc::Sender<Sent>,
    salt: Arc<ArcSwap<Salt>>,
    metrics: AskedMetrics,
}

impl Recorder {
    /// A recorder that hands questions to a queue.
    pub(super) fn new(
        queue: mpsc::Sender<Sent>,
        salt: Arc<ArcSwap<Salt>>,
        metrics: AskedMetrics,
    ) -> Recorder {
        Recorder { queue, salt, metrics }
    }

    /// A recorder that forgets everything: for tests, and where nothing is written.
    pub fn none() -> Recorder {
        let (queue, _) = mpsc::channel(1);
        Recorder { queue, salt: Arc::default(), metrics: AskedMetrics::default() }
    }

    /// Hands a question over.
    pub fn record(&self, unmet: Unmet, snapshot: &Arc<ServingSnapshot>, who: Who<'_>) {
        let caller = caller(&self.salt.load(), who);
        let sent = Sent { caller, unmet, snapshot: snapshot.clone() };
        if let Err(mpsc::error::TrySendError::Full(_)) = self.queue.try_send(sent) {
            self.metrics.dropped.inc();
        }
    }
}

/// Tells callers of one day apart, and says nothing else about them.
fn caller(salt: &Salt, who: Who<'_>) -> u64 {
    let hash = Sha256::new().chain_update(salt);
    let hash = match who {
        Who::Account(account) => hash.chain_update(b"a").chain_update(account.as_str()),
        Who::Visitor(address) => match network(address) {
            IpAddr::V4(address) => hash.chain_update(b"4").chain_update(address.octets()),
            IpAddr::V6(address) => hash.chain_update(b"6").chain_update(address.octets()),
        },
    };
    let mut first = [0; 8];
    first.copy_from_slice(&hash.finalize()[..8]);
    u64::from_le_bytes(first)
}

impl Unmet {
    /// The question with the names that the snapshot has.
    pub(super) fn question(&self, snapshot: &ServingSnapshot) -> Question {
        let Interpretation { areas, quadras, categories, window, hours, text, .. } = &self.interpretation;
        let vocabulary = snapshot.guide.vocabulary();
        let area =
            |id: &AreaId| vocabulary.areas.get(usize::from(*id)).map(|area| area.name.as_str().to_owned());
        let category = |id: &CategoryId| {
            vocabulary.categories.get(usize::from(*id)).map(|category| category.pt.as_str().to_owned())
        };
        let mut question = Question {
            sought: self.sought,
            result: self.result,
            category: categories.iter().filter_map(category).collect(),
            region: areas.iter().filter_map(area).collect(),
            quadra: quadras.to_vec(),
            // the usual days are nothing that was asked for
            days: window
                .filter(|window| *window != usual_days(self.today))
                .map(|window| Days::of(window.from, window.to, self.today)),
            hours: hours.map(|(hours, _)| Hours::from_minute(hours.from)),
            near: self.near,
            words: text.clone(),
            left_out: self.left_out.clone(),
        };
        // one question, in whatever order it was asked
        question.category.sort_unstable();
        question.region.sort_unstable();
        question.quadra.sort_unstable();
        question
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_are_told_apart_by_account_and_network_and_differ_with_the_salt() {
        let account = AccountId::from_stored("acct_1".to_owned());
        let visitor = |address: &str| Who::Visitor(address.parse().expect("an address"));
        let salt = [1; 16];
        assert_eq!(caller(&salt, visitor("2001:db8::1")), caller(&salt, visitor("2001:db8::2")));
        assert_ne!(caller(&salt, visitor("192.0.2.1")), caller(&salt, visitor("192.0.2.2")));
        assert_ne!(caller(&salt, Who::Account(&account)), caller(&[2; 16], Who::Account(&account)));
    }
}
