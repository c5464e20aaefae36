//! The records that a closest answer may list, and those of them that a clause of the question asks for.

use std::rc::Rc;

use crate::question::clauses::{ClauseKind, Reading};
use crate::records::bits::Bits;
use crate::records::postings::Cursors;
use crate::search::Search;
use crate::search::narrowed::Wanted;

/// The records that meet a clause, shared by equal clauses.
#[derive(Clone)]
pub(crate) struct ClauseRecords<'s> {
    pub(crate) records: Rc<Wanted<'s>>,
    /// How many of them may be listed; nobody asks how many are in an area.
    pub(crate) count: Option<u32>,
}

impl ClauseRecords<'_> {
    /// Of a clause that is let go unseen.
    pub(crate) fn none() -> Self {
        ClauseRecords { records: Wanted::Any(Cursors::new()).into(), count: Some(0) }
    }
}

/// The records that a closest answer may list.
pub(crate) struct Candidates {
    pub(crate) all: Bits,
    /// The first rank and the one after the last, if it has all ranks between them.
    span: Option<(u32, u32)>,
}

impl Candidates {
    pub(crate) fn of(all: Bits) -> Self {
        Self { span: all.span(), all }
    }

    /// Those that one of the lists has.
    pub(crate) fn asked<'g>(&self, lists: Cursors<'g>) -> ClauseRecords<'g> {
        let (records, count) = match lists[..] {
            [list] => {
                let count = match self.span {
                    Some((from, to)) => list.count_between(from, to),
                    None => self.all.count_in(&list),
                };
                (Wanted::Any(lists), count)
            }
            _ => {
                let records = self.all.and_any(&lists);
                let count = records.count();
                (Wanted::Set(records), count)
            }
        };
        ClauseRecords { records: records.into(), count: Some(count) }
    }

    /// Those that the clause asks for.
    pub(crate) fn asked_by<'s>(&self, search: &Search<'s, '_>, at: usize) -> ClauseRecords<'s> {
        let clause = &search.text.clauses[at];
        let asked = || self.asked(search.lists(at).clone());
        if search.is_child(at) {
            // not who has the word in a name
            return self.asked(search.named(clause));
        }
        if clause.terms.iter().any(|term| term.kind() == ClauseKind::Category) {
            // by the narrow reading, where a record has it
            let narrow = self.asked(search.lists_by(clause, Reading::Narrow));
            return if narrow.count == Some(0) { asked() } else { narrow };
        }
        match clause.kind() {
            ClauseKind::Area => {
                ClauseRecords { records: Wanted::Any(search.lists(at).clone()).into(), count: None }
            }
            _ => asked(),
        }
    }
}
