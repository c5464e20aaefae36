//! Names by what they or their words begin with, for suggestions while something is being typed.

use std::cmp::Ordering;
use std::ops::Range;

use smallvec::SmallVec;

use crate::error::BuildError;
use crate::grammar::fold::{fold, letters_of};
use crate::records::bits::Bits;

/// The names of numbered things, folded and sorted.
#[derive(Default)]
pub(crate) struct Prefixes {
    /// The folded names, each with its end behind it.
    text: String,
    /// Where the names of each number begin in `text`, and where the last ones end.
    bounds: Vec<u32>,
    /// The beginnings of names, and those of their further words.
    sorted: [Sorted; 2],
}

/// Positions in a text, sorted by the words that begin there.
#[derive(Default)]
struct Sorted {
    positions: Vec<u32>,
    /// What has the name, for each of them.
    numbers: Vec<u32>,
}

/// Behind each name. It is less than all that names have.
const END: u8 = b'\n';

/// Words of a name beyond these are not found.
const MAX_WORDS: usize = 8;

/// What was found, in order.
pub type Suggested = SmallVec<[u32; 8]>;

impl Prefixes {
    /// From the names of each number, in order.
    pub(crate) fn new<'n, N>(names: impl Iterator<Item = N>) -> Result<Self, BuildError>
    where
        N: IntoIterator<Item = &'n str>,
    {
        let mut all = Self::default();
        let mut found: [Vec<(u64, u32, u32)>; 2] = Default::default();
        let position = |at: usize| u32::try_from(at).map_err(|_| BuildError::TooLarge("names"));
        for (number, names) in (0..).zip(names) {
            all.bounds.push(position(all.text.len())?);
            for name in names {
                let start = all.text.len();
                all.text.push_str(&fold(name));
                for (word, at) in word_starts(&all.text[start..]).take(MAX_WORDS).enumerate() {
                    let at = start + at;
                    let head = head(&all.text.as_bytes()[at..]);
                    found[usize::from(word > 0)].push((head, position(at)?, number));
                }
                all.text.push(char::from(END));
            }
        }
        all.bounds.push(position(all.text.len())?);
        all.text.shrink_to_fit();
        let name = |at: u32| {
            let rest = &all.text.as_bytes()[at as usize..];
            &rest[..memchr::memchr(END, rest).unwrap_or(rest.len())]
        };
        all.sorted = found.map(|mut found| {
            // most are in order by their heads alone
            found.sort_unstable_by(|left, right| {
                (left.0.cmp(&right.0))
                    .then_with(|| name(left.1).cmp(name(right.1)))
                    .then_with(|| left.2.cmp(&right.2))
            });
            Sorted {
                positions: found.iter().map(|(_, at, _)| *at).collect(),
                numbers: found.iter().map(|(.., number)| *number).collect(),
            }
        });
        Ok(all)
    }

    /// At most `limit` numbers that `accept` accepts: those with a name that begins with the folded text, then those
    /// with a further word that does, each in order.
    pub(crate) fn find(&self, folded: &str, limit: usize, mut accept: impl FnMut(u32) -> bool) -> Suggested {
        let mut all = Suggested::new();
        if folded.is_empty() {
            return all;
        }
        for (is_inner, sorted) in [false, true].into_iter().zip(&self.sorted) {
            let range = self.range(sorted, folded);
            let len = u32::try_from(self.bounds.len().saturating_sub(1)).unwrap_or(u32::MAX);
            let mut add = |number: u32| {
                if all.len() < limit && !all.contains(&number) && accept(number) {
                    all.push(number);
                }
                all.len() < limit
            };
            let numbers = || sorted.numbers[range.clone()].iter().copied();
            // where many have it, the first of all soon do
            let is_frequent = range.len() * FREQUENT > len as usize;
            let walked = if is_frequent { len.min(WALKED) } else { 0 };
            let has = |number: &u32| self.has(*number, folded, is_inner);
            if !(0..walked).filter(has).all(&mut add) {
                break;
            }
            if range.len() > MAX_SORTED {
                let mut with = Bits::none(len);
                numbers().for_each(|number| with.insert(number));
                with.ranks_from(walked).all(&mut add);
            } else {
                let mut numbers: SmallVec<[u32; MAX_SORTED]> = numbers().collect();
                numbers.sort_unstable();
                numbers.dedup();
                numbers.into_iter().all(&mut add);
            }
        }
        all
    }

    /// The numbers whose first name begins with the folded words and goes on, in order; none when more than `most`
    /// names do.
    pub(crate) fn beginning_with(&self, folded: &str, most: usize) -> Vec<u32> {
        let [sorted, _] = &self.sorted;
        let range = self.range(sorted, &format!("{folded} "));
        if range.len() > most {
            return Vec::new();
        }
        let named = sorted.numbers[range.clone()].iter().zip(&sorted.positions[range]);
        let first = named.filter(|(number, at)| self.bounds[**number as usize] == **at);
        let mut numbers: Vec<u32> = first.map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// The first name of the number, folded.
    pub(crate) fn first_name(&self, number: u32) -> &str {
        let names = &self.text[self.bounds[number as usize] as usize..];
        &names[..memchr::memchr(END, names.as_bytes()).unwrap_or(0)]
    }

    /// The positions with words that begin with the text.
    fn range(&self, sorted: &Sorted, folded: &str) -> Range<usize> {
        let compare = |at: &u32| {
            let rest = &self.text.as_bytes()[*at as usize..];
            rest[..folded.len().min(rest.len())].cmp(folded.as_bytes())
        };
        let from = sorted.positions.partition_point(|at| compare(at) == Ordering::Less);
        let count = sorted.positions[from..].partition_point(|at| compare(at) == Ordering::Equal);
        from..from + count
    }

    /// Whether a name of the number begins with the text or, if `is_inner`, a further word of one.
    fn has(&self, number: u32, folded: &str, is_inner: bool) -> bool {
        let at = number as usize;
        let names = &self.text[self.bounds[at] as usize..self.bounds[at + 1] as usize];
        names.split_terminator(char::from(END)).any(|name| match is_inner {
            false => name.starts_with(folded),
            true => word_starts(name).take(MAX_WORDS).skip(1).any(|at| name[at..].starts_with(folded)),
        })
    }
}

/// A text that one name of so many begins with is frequent.
const FREQUENT: usize = 16;

/// How many numbers to look at for a frequent text, before all that have it are put in order.
const WALKED: u32 = 256;

/// Up to so many numbers are put in order by sorting them, more by a bitmap of all.
const MAX_SORTED: usize = 64;

/// Where the words of a folded name begin.
fn word_starts(name: &str) -> impl Iterator<Item = usize> {
    let first = (!name.is_empty()).then_some(0);
    first.into_iter().chain(memchr::memchr_iter(b' ', name.as_bytes()).map(|at| at + 1))
}

/// The first bytes, in the order of their words.
fn head(rest: &[u8]) -> u64 {
    let mut head = [0; 8];
    let len = rest.len().min(8);
    head[..len].copy_from_slice(&rest[..len]);
    if let Some(end) = head.iter().position(|byte| *byte == END) {
        head[end..].fill(0);
    }
    u64::from_be_bytes(head)
}

/// Which characters of a name, from the first to the one behind the last, are what was typed: the beginning of the name
/// or of a word of it. `None` if none are.
pub fn highlighted(name: &str, folded: &str) -> Option<Range<usize>> {
    let of_name = fold(name);
    let start = word_starts(&of_name).find(|at| of_name[*at..].starts_with(folded))?;
    // folding keeps letters and digits in order, and adds or drops only what is between words
    let count = |text: &str| text.bytes().filter(|byte| *byte != b' ').count();
    let (before, typed) = (count(&of_name[..start]), count(folded));
    let (mut seen, mut from, mut to) = (0, None, 0);
    for (at, letter) in name.chars().enumerate() {
        let letters = letters_of(letter);
        if letters > 0 && seen >= before && from.is_none() {
            from = Some(at);
        }
        if letters > 0 && seen < before + typed {
            to = at + 1;
        }
        seen += letters;
    }
    Some(from?..to)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn linear(names: &[Vec<String>], folded: &str, limit: usize, accept: impl Fn(u32) -> bool) -> Vec<u32> {
        let starts = |name: &String, skip: usize| {
            let name = fold(name);
            word_starts(&name)
                .take(MAX_WORDS)
                .enumerate()
                .any(|(word, at)| (word > 0) == (skip > 0) && name[at..].starts_with(folded))
        };
        let of = |skip: usize| {
            (0u32..)
                .zip(names)
                .filter(move |(_, names)| names.iter().any(|name| starts(name, skip)))
                .map(|(at, _)| at)
        };
        let mut all: Vec<u32> = Vec::new();
        for number in of(0).chain(of(1)).filter(|number| accept(*number)) {
            if !all.contains(&number) && all.len() < limit {
                all.push(number);
            }
        }
        all
    }

    proptest! {
        #[test]
        fn what_is_typed_finds_what_a_linear_look_finds(
            names in proptest::collection::vec(proptest::collection::vec("[abÃ ]{0,3}( [abç]{1,3}){0,3}", 1..3), 0..60),
            typed in "[abc]{1,3}( [ab])?", limit in 1usize..9, odd in any::<bool>(),
        ) {
            let prefixes = Prefixes::new(names.iter().map(|names| names.iter().map(String::as_str))).unwrap();
            let accept = |number: u32| !odd || number % 2 == 1;
            let found = prefixes.find(&typed, limit, accept);
            prop_assert_eq!(found.to_vec(), linear(&names, &typed, limit, accept));
        }

        #[test]
        fn what_is_highlighted_folds_to_what_was_typed(name in "[A-Za-zÇçãÉ0-9 .'-]{0,20}", typed in "[a-z0-9]{1,3}") {
            if let Some(range) = highlighted(&name, &typed) {
                let marked: String = name.chars().skip(range.start).take(range.len()).collect();
                prop_assert!(fold(&marked).replace(' ', "").starts_with(&typed.replace(' ', "")), "{name:?} {marked:?}");
            }
        }
    }

    #[test]
    fn of_many_names_the_first_accepted_are_found_however_late_they_come() {
        let name = |number: u32| {
            format!("{} {number} c{}", ["a", "b"][usize::from(number.is_multiple_of(40))], number % 9)
        };
        let names: Vec<Vec<String>> = (0..3_000).map(|number| vec![name(number)]).collect();
        let sorted = Prefixes::new(names.iter().map(|names| names.iter().map(String::as_str))).unwrap();
        for typed in ["a", "b", "c", "c3", "1", "12"] {
            for every in [1, 7, 333, 1_201] {
                let accept = |number: u32| number % every == every - 1;
                let expected = linear(&names, typed, 8, accept);
                assert_eq!(sorted.find(typed, 8, accept).as_slice(), expected, "{typed} {every}");
            }
        }
    }

    #[test]
    fn letters_of_several_characters_and_gaps_are_highlighted_whole() {
        for (name, typed, marked) in [
            ("Café Ção", "cao", "Ção"),
            ("W3 Sul", "w 3", "W3"),
            ("S.C.L.N. 408", "scln", "S.C.L.N"),
            ("Bar d'Água", "agua", "Água"),
            ("Straße Æsir", "aes", "Æs"),
        ] {
            let range = highlighted(name, typed).unwrap();
            let found: String = name.chars().skip(range.start).take(range.len()).collect();
            assert_eq!(found, marked, "{name}");
        }
        assert_eq!(highlighted("Beirute", "eir"), None);
    }
}
