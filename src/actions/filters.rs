//! The filters by area and category: one text or a list. A text that means nothing as a whole may join several names.

use std::borrow::Cow;

use index::grammar::fold::fold;
use index::grammar::tokens::diet;
use index::vocabulary::regions::CodeNote;
use index::{AreaIds, CategoryIds, Quadras, vocabulary::categories, vocabulary::regions};
use smallvec::{SmallVec, smallvec};

use super::{Param, Params, QueryContext, param};
use crate::domain::error::ApiError;

/// What `region` or its alias means; nothing when neither was sent.
#[derive(Default)]
pub(super) struct RegionFilter<'p> {
    /// The areas that it names.
    pub(super) areas: AreaIds,
    /// The superquadras that it names, each with its wing.
    pub(super) quadras: Quadras,
    /// What was made of its address codes that do not name their area alone.
    pub(super) code_notes: Vec<CodeNote>,
    /// What was sent, if it was one text.
    pub(super) text: Option<&'p str>,
}

/// What a parameter of categories means; nothing when it was not sent.
pub(super) struct CategoryFilter {
    /// The categories that it names.
    pub(super) categories: CategoryIds,
    /// Its names that are usual misspellings, each with the category that it was read as.
    pub(super) corrected: Vec<(String, String)>,
    /// Its words about a diet, which the guide does not know.
    pub(super) diets: Vec<String>,
}

impl<'p> RegionFilter<'p> {
    /// The filter that the parameters have.
    pub(super) fn read(context: QueryContext, params: &'p Params) -> Result<RegionFilter<'p>, ApiError> {
        let vocabulary = context.snapshot.guide.vocabulary();
        let (param, texts) = regions_sent(params)?;
        let mut filter = RegionFilter::default();
        let mut without_number = AreaIds::new();
        for (item, text) in &texts {
            let named = names(text, (texts.len() > 1).then_some(*item), |name, item| {
                regions::resolve(vocabulary, name).map_err(|error| region_error(error, param, item))
            })?;
            filter.areas.extend(named.iter().flat_map(|(_, areas)| areas).copied());
            // most texts have no number
            if !text.bytes().any(|byte| byte.is_ascii_digit()) {
                without_number.extend(named.into_iter().flat_map(|(_, areas)| areas));
                continue;
            }
            filter.quadras.extend(regions::quadras(vocabulary, text));
            for (name, areas) in &named {
                filter.code_notes.extend(regions::code_notes(vocabulary, name, areas));
            }
        }
        filter.areas.sort_unstable();
        filter.areas.dedup();
        // any of the texts will do, so that a whole wing is not only the superquadra of another text
        let whole: SmallVec<[_; 4]> = without_number.iter().map(|area| vocabulary.area_run(*area)).collect();
        filter.quadras.retain(|(wing, _)| !whole.iter().any(|run| run.contains(wing)));
        filter.quadras.sort_unstable();
        filter.quadras.dedup();
        filter.code_notes.dedup();
        filter.text = match texts[..] {
            [(_, text)] => Some(text),
            _ => None,
        };
        Ok(filter)
    }
}

impl CategoryFilter {
    /// The filter that this parameter has.
    pub(super) fn read(
        context: QueryContext,
        params: &Params,
        param: &Param,
    ) -> Result<CategoryFilter, ApiError> {
        let vocabulary = context.snapshot.guide.vocabulary();
        let texts = params.texts(param)?;
        let (mut categories, mut corrected) = (CategoryIds::new(), Vec::new());
        for (item, text) in &texts {
            let named = names(text, (texts.len() > 1).then_some(*item), |name, item| {
                categories::resolve(vocabulary, name).map_err(|unknown| ApiError::UnknownCategory {
                    param: param.name,
                    item,
                    nearest: unknown.nearest,
                })
            })?;
            for (name, (found, is_misspelt)) in named {
                let read_as = found.first().filter(|_| is_misspelt);
                corrected.extend(read_as.map(|id| (fold(&name), vocabulary.category(*id).pt.to_string())));
                categories.extend(found);
            }
        }
        categories.sort_unstable();
        categories.dedup();
        let diets = texts.iter().filter_map(|(_, text)| diet(text)).collect();
        Ok(CategoryFilter { categories, corrected, diets })
    }
}

/// The part of the areas that the plan covers, and whether that is all of them.
pub(super) fn covered(context: QueryContext, areas: &AreaIds) -> Result<(AreaIds, bool), ApiError> {
    let vocabulary = context.snapshot.guide.vocabulary();
    let home = context.area();
    let covered: AreaIds = areas.iter().filter_map(|area| vocabulary.common_area(home, *area)).collect();
    if covered.is_empty() && !areas.is_empty() {
        return Err(context.permit.region_error());
    }
    let is_whole = covered == *areas;
    Ok((covered, is_whole))
}

/// The parameter that names areas, and its texts.
fn regions_sent<'p>(params: &'p Params) -> Result<(&'static str, Texts<'p>), ApiError> {
    let (region, neighbourhood) = (params.texts(&param::REGION)?, params.texts(&param::NEIGHBOURHOOD)?);
    let folded = |texts: &Texts| texts.iter().map(|(_, text)| fold(text)).collect::<Vec<_>>();
    match (region.is_empty(), neighbourhood.is_empty()) {
        (false, false) if folded(&region) != folded(&neighbourhood) => Err(ApiError::ConflictingRegion),
        (true, _) => Ok((param::NEIGHBOURHOOD.name, neighbourhood)),
        (false, _) => Ok((param::REGION.name, region)),
    }
}

fn region_error(error: regions::RegionError, param: &'static str, item: Option<usize>) -> ApiError {
    match error {
        regions::RegionError::Unknown { nearest } => ApiError::UnknownRegion { param, item, nearest },
        regions::RegionError::Ambiguous { readings } => ApiError::AmbiguousRegion { param, item, readings },
        regions::RegionError::Outside => ApiError::OutsideCoverage { param, item },
    }
}

/// What was sent, each text with its place in the list.
type Texts<'p> = SmallVec<[(usize, &'p str); 2]>;

/// What joins names in one text: "Asa Sul or Asa Norte", "Brasília - DF".
const JOINERS: [&str; 8] = [",", "-", "or", "ou", "o", "and", "e", "y"];

/// Marks that do so too, also without a blank: "Asa Sul & Asa Norte", "Gama/Guará".
const MARKS: [char; 6] = [',', ';', '/', '&', '+', '|'];

/// The names that one text joins, without the country behind a town.
fn parts(text: &str) -> Vec<String> {
    let spaced = text.replace(MARKS, " , ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let is_joiner = |word: &&str| JOINERS.iter().any(|joiner| word.eq_ignore_ascii_case(joiner));
    let mut parts: Vec<String> = words.split(is_joiner).map(|part| part.join(" ")).collect();
    parts.retain(|part| !part.is_empty());
    let is_country = |part: &String| matches!(&*fold(part), "df" | "distrito federal" | "brasil" | "brazil");
    if !parts.iter().all(is_country) {
        parts.retain(|part| !is_country(part));
    }
    parts
}

/// Names, each with its meaning.
type Named<'t, Meaning> = SmallVec<[(Cow<'t, str>, Meaning); 1]>;

/// The names in a text, each with its meaning: the text as a whole, else those that it joins. An error names the item
/// of the list, or of one text that joins several names, by its place.
fn names<'t, Meaning, Error>(
    text: &'t str,
    item: Option<usize>,
    mut resolve: impl FnMut(&str, Option<usize>) -> Result<Meaning, Error>,
) -> Result<Named<'t, Meaning>, Error> {
    let error = match resolve(text, item) {
        Ok(meaning) => return Ok(smallvec![(Cow::Borrowed(text), meaning)]),
        Err(error) => error,
    };
    let parts = parts(text);
    if parts.first().is_none_or(|first| first == text) {
        return Err(error);
    }
    let is_several = parts.len() > 1;
    let named = parts.into_iter().zip(1..).map(|(part, place)| {
        let meaning = resolve(&part, item.or(is_several.then_some(place)))?;
        Ok((Cow::Owned(part), meaning))
    });
    named.collect()
}
