//! `search_events` and `search_places`: from filters and free text to a page of records.

mod elsewhere;
mod explanation;

use chrono::NaiveDate;
use index::grammar::dates::Hours;
use index::grammar::hints::Hint;
use index::question::near::{AtPlace, Near};
use index::records::facets::Facets;
use index::records::selection::Selection;
use index::search::page::Interpretation;
use index::search::{ParsedQuery, usual_days};
use index::vocabulary::words::Words;
use index::{AreaId, AreaIds, CategoryIds, Collection, Cursor, Page, Query, View, Window, question::query};
use schemars::SchemaGenerator;

use super::answers::{Envelope, SearchEvents, SearchPlaces};
use super::cursor::{self, Fingerprint};
use super::filters::{self, CategoryFilter, RegionFilter};
use super::interpreted::{Interpreted, Relaxed};
use super::near::{self, Origin};
use super::words::{Coverage, MatchKind};
use super::{
    Action, LeftOut, MatchLevel, Param, Params, Prepared, QueryContext, Remarks, SearchOutcome, facets,
    fields, param, visible,
};
use crate::asked::Unmet;
use crate::domain::action::ActionId;
use crate::domain::asked::{FoundInstead, Sought};
use crate::domain::clock::LAST_DAY;
use crate::domain::error::ApiError;
use crate::domain::personal_data::may_be_personal;
use crate::domain::records::{ByKind, Records};
use crate::render::{JsonBody, Notes};

/// Events in date order.
pub(super) static SEARCH_EVENTS: Action = Action {
    id: ActionId::SearchEvents,
    title: "Search events",
    description: "Finds events, shows and fairs in Brasília, in date order. Use for what is on and when. \
                  Not for venues (use search_places). uau is the curator's seal.",
    params: &[
        &param::Q,
        &param::CATEGORY,
        &param::REGION,
        &param::NEAR,
        &param::WITHIN_M,
        &param::FROM,
        &param::TO,
        &param::TIME_FROM,
        &param::TIME_TO,
        &param::LIMIT,
        &param::CURSOR,
        &param::STRICT,
        &param::GROUP,
        &param::FIELDS_OF_EVENTS,
        &param::FACETS_OF_EVENTS,
    ],
    answer: SchemaGenerator::subschema_for::<Envelope<SearchEvents>>,
    tool: true,
    counted: true,
    prepare: |context, params| Ok(Box::new(Search::prepare(context, params, Records::Events)?)),
};

/// Places, most talked-about first.
pub(super) static SEARCH_PLACES: Action = Action {
    id: ActionId::SearchPlaces,
    title: "Search places",
    description: "Finds bars, restaurants, cafés, museums and more in the Federal District, most \
                  talked-about first. Use for where to eat, drink or go. Not for what is on \
                  (use search_events), nor for one known place (use get_place). uau is the \
                  curator's seal.",
    params: &[
        &param::Q_OF_PLACES,
        &param::CATEGORY,
        &param::REGION,
        &param::NEAR,
        &param::WITHIN_M,
        &param::LIMIT,
        &param::CURSOR,
        &param::STRICT,
        &param::FIELDS_OF_PLACES,
        &param::FACETS_OF_PLACES,
    ],
    answer: SchemaGenerator::subschema_for::<Envelope<SearchPlaces>>,
    tool: true,
    counted: true,
    prepare: |context, params| Ok(Box::new(Search::prepare(context, params, Records::Places)?)),
};

impl Records {
    /// The name of the list in answers.
    pub(super) fn list(self) -> &'static str {
        match self {
            Records::Events => "events",
            Records::Places => "places",
        }
    }

    /// The parameter that chooses their fields.
    fn fields(self) -> &'static Param {
        match self {
            Records::Events => &param::FIELDS_OF_EVENTS,
            Records::Places => &param::FIELDS_OF_PLACES,
        }
    }

    /// The parameter that says what to count them by.
    fn facets(self) -> &'static Param {
        match self {
            Records::Events => &param::FACETS_OF_EVENTS,
            Records::Places => &param::FACETS_OF_PLACES,
        }
    }

    fn sought(self) -> Sought {
        match self {
            Records::Events => Sought::Events,
            Records::Places => Sought::Places,
        }
    }

    fn mark(self) -> u8 {
        match self {
            Records::Events => b'e',
            Records::Places => b'p',
        }
    }
}

/// A page of a search, for a caller who reads it as it is.
#[derive(Debug)]
pub struct Listing {
    /// The page.
    pub page: Page,
    /// The cursor of the next page, if there is one.
    pub next_cursor: Option<String>,
    /// How much of the areas that the question names may be seen, when not all of them.
    pub coverage: Option<Coverage>,
    /// Whether the question asks for what is near the caller, who did not say where that is.
    pub is_here: bool,
}

/// Pages of events and of places for one query, whose events are on any day unless it names days; `None` for a kind
/// that is not in `sought`. Words are corrected only when neither kind has a match as written. A query for both kinds
/// has no cursor. Behind them the question, if nothing meets it and it may be counted.
pub fn find_each(
    context: QueryContext,
    params: &Params,
    sought: &[Records],
) -> Result<(ByKind<Option<Listing>>, Option<Unmet>), ApiError> {
    let dated = sought.contains(&Records::Events);
    let search = Search::prepare(context, params, if dated { Records::Events } else { Records::Places })?;
    let vocabulary = context.snapshot.guide.vocabulary();
    let question = search.question(search.window);
    let any_day;
    let mut parsed = ParsedQuery::of(vocabulary, &question);
    if search.window.is_none() && !parsed.names_days() {
        any_day = search.question(Some(visible::from(context.today)));
        parsed = parsed.with_filters_of(&any_day);
    }
    let each = |searching: fn(&ParsedQuery, &Collection) -> Page| {
        let mut pages = ByKind::default();
        for records in sought {
            *pages.get_mut(*records) = Some(search.page(*records, &parsed, searching));
        }
        pages
    };
    let mut found = each(|parsed, collection| parsed.search_as_written_and_further(collection));
    if found.iter().all(|(_, page)| page.as_ref().is_none_or(|page: &Page| page.total == 0)) {
        found = each(|parsed, collection| parsed.search(collection));
    } else if let Some(events) = found.events.as_mut().filter(|events| events.total == 0) {
        // "samba na sexta" asks for events, though places have samba
        let asks_for_days = parsed.names_days() || search.window.is_some();
        let searching: fn(&ParsedQuery, &Collection) -> Page = match asks_for_days {
            true => |parsed, collection| parsed.search(collection),
            false => |parsed, collection| parsed.search_read_otherwise(collection).unwrap_or_default(),
        };
        let page = search.page(Records::Events, &parsed, searching);
        if asks_for_days || page.total > 0 {
            *events = page;
        }
    }
    let pages = || found.events.iter().chain(&found.places);
    // what meets it in one kind is what was sought
    let unmet = match pages().any(|page| MatchLevel::of(page) == MatchLevel::Exact) {
        true => None,
        false => {
            let page = pages().find(|page| page.closest.is_some()).or_else(|| pages().next());
            let sought = match sought {
                [records] => records.sought(),
                _ => Sought::Both,
            };
            page.and_then(|page| search.unmet(page, sought))
        }
    };
    let listing = |page: Page| {
        let next_cursor = (sought.len() == 1).then(|| search.next_cursor(&page)).flatten();
        let coverage = search.coverage_of(&page);
        Listing { page, next_cursor, coverage, is_here: search.is_here }
    };
    let ByKind { places, events } = found;
    Ok((ByKind { places: places.map(listing), events: events.map(listing) }, unmet))
}

/// A search whose parameters were checked.
struct Search<'a> {
    context: QueryContext<'a>,
    records: Records,
    words: Words,
    /// `q` as it was sent: it may have characters and no words.
    text: &'a str,
    /// What `region` means, of what the plan covers.
    region: RegionFilter<'a>,
    near: Option<Near>,
    at: Option<AtPlace>,
    /// The areas that `near` means as a whole.
    whole: Option<near::WholeAreas>,
    /// Whether the question asks for what is near the caller.
    is_here: bool,
    category: CategoryFilter,
    window: Option<Window>,
    hours: Option<Hours>,
    limit: usize,
    /// What was sent, for cursors.
    params: &'a Params<'a>,
    after: Option<Cursor<'static>>,
    /// The day from which days are counted.
    today: NaiveDate,
    strict: bool,
    group: bool,
    /// The only fields of records to show.
    only: Option<Selection>,
    /// What to count all records by.
    facets: Facets,
    /// Whether the plan covers only a part of the requested area.
    narrowed: bool,
}

impl<'a> Search<'a> {
    fn prepare(
        context: QueryContext<'a>,
        params: &'a Params<'a>,
        records: Records,
    ) -> Result<Self, ApiError> {
        let text = params.sent(&param::Q)?.unwrap_or_default();
        let words = query::words(text)
            .map_err(|_| ApiError::TextTooLong { param: param::Q.name, max: query::MAX_CHARACTERS })?;
        let category = CategoryFilter::read(context, params, &param::CATEGORY)?;
        let (region, origin) = whereabouts(context, params, &words)?;
        let limit = params
            .integer(&param::LIMIT)?
            .and_then(|limit| usize::try_from(limit).ok())
            .unwrap_or(context.default_limit);
        let group = groups_series(context, params, records)?;
        let after = params
            .text(&param::CURSOR)?
            .map(|text| cursor::read(records.mark(), text, context.today, Fingerprint::of(params, group)))
            .transpose()?;
        // later pages count days from the day of the first
        let today = after.as_ref().and_then(|after| after.today).unwrap_or(context.today);
        let (window, hours) = match records {
            Records::Events => (window(params, today)?, hours(params)?),
            Records::Places => (None, None),
        };
        let limit = context.permit.results(limit, after.is_some());
        let only = fields::selected(params, records.fields())?;
        let facets = facets::asked(params, records.facets())?;

        // the plan comes after all parameters
        let (areas, is_whole) = filters::covered(context, &region.areas)?;
        Ok(Self {
            context,
            records,
            strict: params.flag(&param::STRICT)?,
            group,
            near: origin.near,
            at: origin.at,
            whole: origin.whole,
            is_here: origin.is_here,
            words: origin.rest.unwrap_or(words),
            text,
            region: RegionFilter { areas, ..region },
            category,
            window,
            hours,
            limit,
            params,
            after,
            today,
            only,
            facets,
            narrowed: !is_whole,
        })
    }

    fn collection(&self, records: Records) -> &'a Collection {
        records.collection(&self.context.snapshot.guide)
    }

    /// The page. `interpretation` is filled only when the query had filters.
    fn page(
        &self,
        records: Records,
        parsed: &ParsedQuery,
        searching: fn(&ParsedQuery, &Collection) -> Page,
    ) -> Page {
        // what the plan hides is not absent, so nothing else is offered in its place
        let hidden = self.coverage(&parsed.named_areas()) == Some(Coverage::Nothing);
        let mut page = match hidden {
            true => parsed.search_as_written(self.collection(records)),
            false => searching(parsed, self.collection(records)),
        };
        let given = !self.text.trim().is_empty()
            || !self.region.areas.is_empty()
            || !self.category.categories.is_empty()
            || self.window.is_some()
            || self.hours.is_some()
            || self.near.is_some();
        if !given {
            page.interpretation = Interpretation::default();
        }
        page
    }

    /// The part of `days` that the permit covers.
    fn covered_days(&self, days: Window) -> Option<Window> {
        match self.context.permit.days(self.context.today) {
            Some(covered) => days.within(covered),
            None => Some(days),
        }
    }

    /// How much of the areas that were named, also to be near, the caller's plan covers, when it does not cover all of
    /// them.
    fn coverage(&self, named: &[AreaId]) -> Option<Coverage> {
        let near = self.near.as_ref().and_then(|near| near.area);
        let areas: AreaIds = named.iter().copied().chain(near).collect();
        let (vocabulary, scope) = (self.context.snapshot.guide.vocabulary(), self.context.area());
        let outside = areas.iter().filter(|area| vocabulary.common_area(scope, **area).is_none()).count();
        match outside {
            0 => None,
            outside if outside == areas.len() => Some(Coverage::Nothing),
            _ => Some(Coverage::Partial),
        }
    }

    /// The same of the areas that the question of a page names for certain; where nothing was found, also of those that
    /// may be meant: the zoo is one.
    fn coverage_of(&self, page: &Page) -> Option<Coverage> {
        let Interpretation { areas, uncertain_areas, .. } = &page.interpretation;
        let is_meant = |area: &AreaId| page.total == 0 || !uncertain_areas.contains(area);
        let meant: AreaIds = areas.iter().copied().filter(is_meant).collect();
        self.coverage(&meant)
    }

    /// The question, if nothing meets it and it may be counted: not when the plan hides what was asked for, nor for
    /// further pages, nor when the text may hold personal data.
    fn unmet(&self, page: &Page, sought: Sought) -> Option<Unmet> {
        let result = match MatchLevel::of(page) {
            MatchLevel::Exact => return None,
            MatchLevel::Closest => FoundInstead::Closest,
            MatchLevel::Nothing => FoundInstead::Nothing,
        };
        let is_hidden = self.narrowed
            || page.interpretation.days_are_cut
            || self.left_out(page) == LeftOut::AllDays
            || self.coverage_of(page).is_some();
        if is_hidden || self.after.is_some() || may_be_personal(self.text) {
            return None;
        }
        Some(Unmet {
            sought,
            result,
            today: self.context.today,
            interpretation: page.interpretation.clone(),
            left_out: page.closest.as_ref().map_or_else(Vec::new, |closest| closest.left_out.clone()),
            near: self.near.is_some(),
        })
    }

    /// Whether a caller who may see more might have got more than this page.
    fn is_cut(&self, page: &Page) -> bool {
        page.more || page.total == 0 || page.interpretation.days_are_cut
    }

    /// The cursor of the page behind this one, if there is one.
    fn next_cursor(&self, page: &Page) -> Option<String> {
        if !page.more {
            return None;
        }
        let behind = Cursor::behind(self.collection(self.records), page)?;
        let today = (self.records == Records::Events).then_some(self.today);
        let cursor = Cursor { today, ..behind };
        Some(cursor::encode(self.records.mark(), &cursor, Fingerprint::of(self.params, self.group)))
    }

    /// What the plan left out of the page.
    fn left_out(&self, page: &Page) -> LeftOut {
        let window = page.interpretation.window;
        if window.is_some_and(|days| self.covered_days(days).is_none()) {
            LeftOut::AllDays
        } else if self.narrowed {
            LeftOut::Area
        } else if self.is_cut(page) {
            LeftOut::Usual
        } else {
            LeftOut::Nothing
        }
    }

    fn question(&self, window: Option<Window>) -> Query<'_> {
        let permit = &self.context.permit;
        Query {
            areas: AreaIds::from_slice(&self.region.areas),
            categories: CategoryIds::from_slice(&self.category.categories),
            window,
            hours: self.hours,
            quadras: self.region.quadras.clone(),
            near: self.near.as_ref(),
            at: self.at.as_ref(),
            scope: self.context.area(),
            after: self.after.as_ref(),
            strict: self.strict,
            group: self.group,
            facets: self.facets,
            covered: permit.days(self.today),
            ..Query::of(&self.words, self.today, permit.view(), self.limit)
        }
    }
}

impl<'a> Search<'a> {
    fn find(&self) -> Page {
        let question = self.question(self.window);
        let parsed = ParsedQuery::of(self.context.snapshot.guide.vocabulary(), &question);
        let mut page = self.page(self.records, &parsed, |parsed, collection| parsed.search(collection));
        page.interpretation.corrected.extend_from_slice(&self.category.corrected);
        let diets = self.category.diets.iter().map(|words| (Hint::Diet, words.clone()));
        page.interpretation.not_known.extend(diets);
        page
    }
}

impl<'a> Prepared<'a> for Search<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> Remarks {
        let QueryContext { snapshot, permit, .. } = self.context;
        let collection = self.collection(self.records);
        let page = self.find();
        // what is at a place that the question names is told with its distance, but events are no distance from it
        let around = page.around.as_ref().map(|around| &around.near);
        let there = around.filter(|_| self.records == Records::Places);
        let distance_from = self.near.as_ref().or(there).filter(|near| !near.is_vague);
        let notes = Notes {
            distance_from: distance_from.map(|near| (permit.view(), near.anchor())),
            only: self.only,
            ..Notes::default()
        };
        body.field("count", &page.ranks.len());
        body.field("total", &page.total);
        body.records(
            self.records.list(),
            collection,
            &page.ranks,
            permit.view(),
            Notes { dates: &page.dates, ..notes },
        );
        if let Some(cursor) = self.next_cursor(&page).filter(|_| !permit.is_preview()) {
            body.field("next_cursor", &cursor);
        }
        body.field("match", &if page.closest.is_some() { MatchKind::Closest } else { MatchKind::Exact });
        let further = page.further.len().min(self.limit);
        if further > 0 {
            body.records("more", collection, &page.further[..further], permit.view(), notes);
        }
        if let Some(next) = &page.next {
            body.object("next", |body| {
                body.field("date", &next.date);
                body.field("total", &next.total);
                let listed = next.ranks.len().min(self.limit);
                body.records("events", collection, &next.ranks[..listed], permit.view(), notes);
            });
        }
        if self.facets.any() {
            facets::write(self.facets, &page, snapshot, body);
        }
        let coverage = self.coverage_of(&page);
        body.optional("coverage", coverage.as_ref());
        let interpreted = Interpreted::of(&page, snapshot);
        body.optional("interpreted", interpreted.as_ref());
        let relaxed = page.relax.as_ref().and_then(|relax| Relaxed::of(relax, permit.is_preview()));
        body.optional("relax", relaxed.as_ref());
        let has_positions = !snapshot.guide.gazetteer.is_empty();
        let shows_positions =
            has_positions && (permit.view() == View::Full || self.near.is_some() || page.around.is_some());
        Remarks {
            left_out: self.left_out(&page),
            explanation: self.explanation(&page, coverage.is_some()),
            shows_positions,
            found: Some(SearchOutcome::new(self.records, &page)),
            unmet: self.unmet(&page, self.records.sought()),
        }
    }
}

/// The areas to search and where from, by the parameters and the question.
fn whereabouts<'p>(
    context: QueryContext,
    params: &'p Params,
    words: &Words,
) -> Result<(RegionFilter<'p>, Origin), ApiError> {
    let origin = Origin::of(context, params, words)?;
    let (mut region, mut origin) = match RegionFilter::read(context, params) {
        Ok(region) => (region, origin),
        // a landmark is no area, but people send it as one
        Err(error) if origin.near.is_none() && origin.whole.is_none() => (
            RegionFilter::default(),
            Origin { rest: origin.rest, ..Origin::of_region(context, params, error)? },
        ),
        Err(error) => return Err(error),
    };
    if let Some(whole) = &mut origin.whole {
        region.areas = whole.narrowed(context, region.areas);
    }
    Ok((region, origin))
}

/// The requested days. `from` defaults to today, `to` to seven days after `from`; without both there is no window.
fn window(params: &Params, today: NaiveDate) -> Result<Option<Window>, ApiError> {
    let from = params.day(&param::FROM, today, today)?;
    let to = params.day(&param::TO, today, from.unwrap_or(today))?;
    if from.is_none() && to.is_none() {
        return Ok(None);
    }
    let from = from.unwrap_or(today);
    let to = match to {
        Some(to) => to,
        None => usual_days(from).to.min(LAST_DAY),
    };
    if to < from { Err(ApiError::DatesReversed) } else { Ok(Some(Window { from, to })) }
}

/// Whether each series is listed once.
fn groups_series(context: QueryContext, params: &Params, records: Records) -> Result<bool, ApiError> {
    match records {
        Records::Places => Ok(false),
        Records::Events => match params.choice(&param::GROUP)? {
            Some(group) => Ok(group == "series"),
            None => Ok(context.groups_series),
        },
    }
}

/// The requested hours, from and to midnight where one of both is not given; without both there are none.
fn hours(params: &Params) -> Result<Option<Hours>, ApiError> {
    let (from, to) = (params.minute(&param::TIME_FROM)?, params.minute(&param::TIME_TO)?);
    // 24:00 is read as midnight: a day ends with it, and none begins
    if params.texts_of(param::TIME_FROM.name).any(|text| text.starts_with("24")) {
        return Err(ApiError::InvalidTime { param: param::TIME_FROM.name });
    }
    Ok((from.is_some() || to.is_some()).then(|| Hours::between_given(from, to)))
}
