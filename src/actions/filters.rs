//! The filters by area and category: one text or a list. A text that means nothing as a whole may join several names.

use index::grammar::fold::fold;
use index::vocabulary::regions::CodeNote;
use index::{AreaIds, CategoryIds, Quadras, vocabulary::categories, vocabulary::regions};
use smallvec::SmallVec;

use super::{Param, Params, QueryContext, param};
use crate::domain::error::ApiError;

/// The areas that `region` or its alias names; none when neither was sent.
pub(super) fn areas(context: QueryContext, params: &Params) -> Result<AreaIds, ApiError> {
    let vocabulary = context.snapshot.guide.vocabulary();
    let (region, neighbourhood) = (params.texts(&param::REGION)?, params.texts(&param::NEIGHBOURHOOD)?);
    let folded = |texts: &Texts| texts.iter().map(|(_, text)| fold(text)).collect::<Vec<_>>();
    let (param, texts) = match (region.is_empty(), neighbourhood.is_empty()) {
        (false, false) if folded(&region) != folded(&neighbourhood) => {
            return Err(ApiError::ConflictingRegion);
        }
        (true, _) => (param::NEIGHBOURHOOD.name, neighbourhood),
        (false, _) => (param::REGION.name, region),
    };
    any_of(&texts, |text, item| {
        regions::resolve(vocabulary, text).map_err(|error| match error {
            regions::RegionError::Unknown { nearest } => ApiError::UnknownRegion { param, item, nearest },
            regions::RegionError::Ambiguous { readings } => {
                ApiError::AmbiguousRegion { param, item, readings }
            }
            regions::RegionError::Outside => ApiError::OutsideCoverage { param, item },
        })
    })
}

/// The superquadras that `region` or its alias names, each with its wing.
pub(super) fn quadras(context: QueryContext, params: &Params) -> Result<Quadras, ApiError> {
    let vocabulary = context.snapshot.guide.vocabulary();
    let (region, neighbourhood) = (params.texts(&param::REGION)?, params.texts(&param::NEIGHBOURHOOD)?);
    // most texts have no number
    let has_number = |text: &&str| text.bytes().any(|byte| byte.is_ascii_digit());
    let (numbered, whole): (Texts, Texts) =
        region.iter().chain(&neighbourhood).copied().partition(|(_, text)| has_number(text));
    let mut quadras: Quadras =
        numbered.iter().flat_map(|(_, text)| regions::quadras(vocabulary, text)).collect();
    if !quadras.is_empty() {
        // any of the texts will do, so that a whole wing is not only the superquadra of another text
        let named = any_of(&whole, |text, _| regions::resolve(vocabulary, text)).unwrap_or_default();
        quadras.retain(|(wing, _)| !named.iter().any(|area| vocabulary.area_run(*area).contains(wing)));
        quadras.sort_unstable();
        quadras.dedup();
    }
    Ok(quadras)
}

/// What was made of the address codes of `region` or its alias that do not name their area alone.
pub(super) fn code_notes(context: QueryContext, params: &Params) -> Vec<CodeNote> {
    let vocabulary = context.snapshot.guide.vocabulary();
    // parameters that could not be read were refused before
    let sent =
        [params.texts(&param::REGION), params.texts(&param::NEIGHBOURHOOD)].into_iter().flatten().flatten();
    let mut notes: Vec<CodeNote> = Vec::new();
    for (_, text) in sent.filter(|(_, text)| text.bytes().any(|byte| byte.is_ascii_digit())) {
        let of_text = match regions::resolve(vocabulary, text) {
            Ok(areas) => regions::code_notes(vocabulary, text, &areas),
            Err(_) => {
                let parts = parts(text).into_iter().filter_map(|part| {
                    let areas = regions::resolve(vocabulary, &part).ok()?;
                    Some(regions::code_notes(vocabulary, &part, &areas))
                });
                parts.flatten().collect()
            }
        };
        notes.extend(of_text);
    }
    notes.dedup();
    notes
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

/// The categories that the parameter names; none when it was not sent.
pub(super) fn categories(
    context: QueryContext,
    params: &Params,
    param: &Param,
) -> Result<CategoryIds, ApiError> {
    categories_with_corrections(context, params, param).map(|(categories, _)| categories)
}

/// The same, and of the names that are usual misspellings each with the category that it was read as.
pub(super) fn categories_with_corrections(
    context: QueryContext,
    params: &Params,
    param: &Param,
) -> Result<(CategoryIds, Vec<(String, String)>), ApiError> {
    let vocabulary = context.snapshot.guide.vocabulary();
    let mut corrected = Vec::new();
    let named = any_of(&params.texts(param)?, |text, item| match categories::resolve(vocabulary, text) {
        Ok((categories, is_misspelt)) => {
            let read_as = categories.first().filter(|_| is_misspelt);
            corrected.extend(read_as.map(|id| (fold(text), vocabulary.category(*id).pt.to_string())));
            Ok(categories)
        }
        Err(unknown) => Err(ApiError::UnknownCategory { param: param.name, item, nearest: unknown.nearest }),
    });
    Ok((named?, corrected))
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

/// What any of the texts means. An error names the item of the list, or of one text that joins several names, by its
/// place.
fn any_of<Id: Copy + Ord, Error>(
    texts: &[(usize, &str)],
    mut resolve: impl FnMut(&str, Option<usize>) -> Result<SmallVec<[Id; 4]>, Error>,
) -> Result<SmallVec<[Id; 4]>, Error> {
    let mut all = SmallVec::new();
    for (item, text) in texts {
        let item = (texts.len() > 1).then_some(*item);
        match resolve(text, item) {
            Ok(found) => all.extend(found),
            Err(error) => {
                let parts = parts(text);
                if parts.first().is_none_or(|first| first == text) {
                    return Err(error);
                }
                for (part, place) in parts.iter().zip(1..) {
                    let place = (parts.len() > 1).then_some(place);
                    all.extend(resolve(part, item.or(place))?);
                }
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}
