//! The events of a snapshot that are still to come, from one day on: series with their dates, and the number of events
//! a day. Computed once for a snapshot and a day.

use std::collections::{HashMap, HashSet};

use chrono::{Datelike, Days, NaiveDate};
use index::{AreaId, Collection, Window};
use snapshots::recur::{self, Repeat};

use super::date_pattern::SeriesDates;
use super::record_view::Record;
use crate::domain::clock::LAST_DAY;
use crate::serving::{SeriesRule, SeriesRules};

/// How many days ahead events are counted.
const MOST_DAYS: i64 = 3 * 366;

/// How many days the strip of days has, today included.
pub(crate) const STRIP_DAYS: u64 = 14;

/// The events to come in an area. It holds no reference to the snapshot, which can be dropped.
pub(crate) struct Upcoming {
    pub(crate) today: NaiveDate,
    /// The first event of each series and the events that are in none, in order.
    pub(crate) firsts: Vec<u32>,
    pub(crate) series: Vec<Series>,
    by_id: HashMap<String, usize>,
    /// By the number that the index gives a series.
    by_number: HashMap<u32, usize>,
    /// The number of events by day, from today.
    counts: Vec<u32>,
}

/// An event that is repeated.
pub(crate) struct Series {
    /// What its dates have in common.
    pub(crate) id: String,
    /// Its events to come with their days, in order.
    pub(crate) dates: Vec<(u32, NaiveDate)>,
    /// When it takes place; none when no few words say it.
    pub(crate) when: Option<SeriesDates>,
}

impl Series {
    /// How often it takes place, which stays the same from one date to the next.
    pub(crate) fn often(&self) -> Option<&SeriesDates> {
        self.when.as_ref().filter(|when| matches!(when, SeriesDates::Often(..)))
    }

    /// The first `count` days after one.
    pub(crate) fn after(&self, day: NaiveDate, count: usize) -> impl Iterator<Item = NaiveDate> {
        let days = self.dates.iter().map(|(_, date)| *date);
        days.filter(move |date| *date > day).take(count)
    }
}

impl Upcoming {
    pub(crate) fn new(events: &Collection, rules: &SeriesRules, area: AreaId, today: NaiveDate) -> Upcoming {
        let mut upcoming = Upcoming {
            today,
            firsts: Vec::new(),
            series: Vec::new(),
            by_id: HashMap::new(),
            by_number: HashMap::new(),
            counts: Vec::new(),
        };
        for rank in events.events_in(Window { from: today, to: LAST_DAY }, area, None) {
            let Some(date) = events.first_day(rank) else { continue };
            upcoming.add(events, rank, date);
        }
        for series in &mut upcoming.series {
            let dates: Vec<NaiveDate> = series.dates.iter().map(|(_, date)| *date).collect();
            series.when = SeriesDates::of(&dates, rules.get(&series.id), today);
        }
        let last = events.last_day().unwrap_or(today);
        let ahead = (last - today).num_days().clamp(0, MOST_DAYS);
        let day = |ahead: i64| today + Days::new(ahead.unsigned_abs());
        upcoming.counts =
            (0..=ahead).map(|ahead| events.count_events(Window::day(day(ahead)), area, None)).collect();
        // other areas may have events later
        let listed = upcoming.counts.iter().rposition(|count| *count > 0).unwrap_or(0);
        upcoming.counts.truncate(listed + 1);
        upcoming
    }

    fn add(&mut self, events: &Collection, rank: u32, date: NaiveDate) {
        let Some(number) = events.series(rank) else {
            self.firsts.push(rank);
            return;
        };
        let at = *self.by_number.entry(number).or_insert_with(|| {
            let id = Record::new(&events.rendered, rank).series.into_owned();
            self.firsts.push(rank);
            self.by_id.insert(id.clone(), self.series.len());
            self.series.push(Series { id, dates: Vec::new(), when: None });
            self.series.len() - 1
        });
        self.series[at].dates.push((rank, date));
    }

    /// The series with this id.
    pub(crate) fn with_id(&self, id: &str) -> Option<&Series> {
        self.by_id.get(id).map(|at| &self.series[*at])
    }

    /// The series of an event, if it is to come again.
    pub(crate) fn of(&self, events: &Collection, rank: u32) -> Option<&Series> {
        self.by_number.get(&events.series(rank)?).map(|at| &self.series[*at])
    }

    /// The first of each series among these events, and those that are in none.
    pub(crate) fn once(events: &Collection, ranks: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut seen = HashSet::new();
        let is_new = |rank: &u32| events.series(*rank).is_none_or(|series| seen.insert(series));
        ranks.into_iter().filter(is_new).collect()
    }

    /// How many events there are on a day.
    pub(crate) fn count(&self, day: NaiveDate) -> u32 {
        let ahead = usize::try_from((day - self.today).num_days());
        ahead.ok().and_then(|ahead| self.counts.get(ahead)).copied().unwrap_or(0)
    }

    /// The first day after this one that has an event.
    pub(crate) fn next_day(&self, day: NaiveDate) -> Option<NaiveDate> {
        let from = day.max(self.today - Days::new(1));
        from.iter_days().skip(1).take(self.counts.len()).find(|day| self.count(*day) > 0)
    }

    /// The last day on which an event is known to be, or today.
    pub(crate) fn last_day(&self) -> NaiveDate {
        let ahead = self.counts.len().saturating_sub(1);
        self.today + Days::new(u64::try_from(ahead).unwrap_or(0))
    }

    /// The last day before this one that has an event, from today on.
    pub(crate) fn day_before(&self, day: NaiveDate) -> Option<NaiveDate> {
        let ahead = usize::try_from((day - self.today).num_days()).ok()?.min(self.counts.len());
        let ahead = self.counts[..ahead].iter().rposition(|count| *count > 0)?;
        Some(self.today + Days::new(u64::try_from(ahead).ok()?))
    }

    /// The first days of the months that have events, this month among them.
    pub(crate) fn months(&self) -> Vec<NaiveDate> {
        let days = self.today.iter_days().zip(&self.counts);
        let mut months: Vec<NaiveDate> = days
            .filter(|(day, count)| **count > 0 || *day == self.today)
            .filter_map(|(day, _)| day.with_day(1))
            .collect();
        months.dedup();
        months
    }
}

/// Whether the rule of a series gives a date, be it one that its curator left out.
pub(crate) fn gives(rule: &SeriesRule, date: NaiveDate) -> bool {
    let repeat = Repeat { except: Vec::new(), ..rule.repeat.clone() };
    // the first date of the window that begins with it
    let given = recur::days(&repeat, rule.first, Days::new(0), date);
    given.is_ok_and(|given| given.first() == Some(&date))
}
