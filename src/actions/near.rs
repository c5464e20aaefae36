//! Where to search from: the parameters `near` and `within_m`, and what a question says.

use index::grammar::fold::fold;
use index::question::near::{AtPlace, Caller, Near, NearError, NearPhrase};
use index::{AreaId, AreaIds, Words};

use super::{Params, QueryContext, param};
use crate::domain::error::ApiError;

/// Where to search from.
#[derive(Default)]
pub(super) struct Origin {
    pub(super) near: Option<Near>,
    /// The areas that `near` means as a whole, of which no point says what is near.
    pub(super) whole: Option<WholeAreas>,
    /// The question without the words that name the place.
    pub(super) rest: Option<Words>,
    /// Where the question asks for something, when it is not to be near a place.
    pub(super) at: Option<AtPlace>,
    /// Whether the question asks for what is near the caller, who did not say where that is.
    pub(super) is_here: bool,
}

/// Areas that are searched as a whole, because no point says what is near to them.
pub(super) struct WholeAreas {
    /// The record of which no more is known than these.
    of: Option<String>,
    areas: AreaIds,
    /// Whether they have nothing in common with `region`, which alone was searched.
    is_apart: bool,
}

impl WholeAreas {
    /// The areas to search beside those of `region`: what both have in common, if anything.
    pub(super) fn narrowed(&mut self, context: QueryContext, region: AreaIds) -> AreaIds {
        if region.is_empty() {
            return self.areas.clone();
        }
        let vocabulary = context.snapshot.guide.vocabulary();
        let common = |area: &AreaId| {
            region.iter().filter_map(|other| vocabulary.common_area(*area, *other)).collect::<AreaIds>()
        };
        let common: AreaIds = self.areas.iter().flat_map(common).collect();
        self.is_apart = common.is_empty();
        if self.is_apart { region } else { common }
    }

    /// What the caller should know of it.
    pub(super) fn notice(&self, context: QueryContext) -> String {
        let names = names(context, &self.areas).join(" and ");
        let lead = match &self.of {
            Some(record) => format!("Of {record} the guide knows no more than that it is in {names}"),
            None => format!("near names all of {names}"),
        };
        if self.is_apart {
            return format!("{lead}, none of which is in region: region alone was searched.");
        }
        let instead = if self.areas.len() > 1 { "one of them" } else { "an address or \"lat,lon\"" };
        format!("{lead}: it was searched as region. For what is around send {instead} as near.")
    }
}

fn names(context: QueryContext, areas: &AreaIds) -> Vec<String> {
    let vocabulary = context.snapshot.guide.vocabulary();
    areas.iter().map(|area| vocabulary.area(*area).name.to_string()).collect()
}

impl Origin {
    /// What the parameters say, else the question.
    pub(super) fn of(context: QueryContext, params: &Params, words: &Words) -> Result<Self, ApiError> {
        let within_m = params.integer(&param::WITHIN_M)?;
        let within_m = within_m.and_then(|within| u32::try_from(within).ok());
        let guide = &context.snapshot.guide;
        if let Some(text) = params.text(&param::NEAR)? {
            let said = || guide.near_phrase(words, caller(context));
            let near = match guide.near(text, caller(context)) {
                Err(NearError::Areas { name, areas }) if within_m.is_none() => {
                    let rest = match said() {
                        Some(NearPhrase::Here(rest)) => Some(rest),
                        _ => None,
                    };
                    let whole = Some(WholeAreas { of: name, areas, is_apart: false });
                    return Ok(Self { whole, rest, ..Self::default() });
                }
                near => near.map_err(|cause| error(context, cause))?,
            };
            // agents say the place in the question too
            let rest = match said() {
                Some(NearPhrase::Place(said, rest)) if said.location.is_same_place(&near.location) => {
                    Some(rest)
                }
                Some(NearPhrase::Here(rest)) => Some(rest),
                _ => None,
            };
            return Ok(Self { near: Some(Near { within_m, ..near }), rest, ..Self::default() });
        }
        Ok(match guide.near_phrase(words, caller(context)) {
            Some(NearPhrase::Place(near, rest)) => {
                // of what has no point of its own a distance says nothing, as with `near`
                if within_m.is_some() && near.is_vague {
                    guide.near(&near.name, caller(context)).map_err(|cause| error(context, cause))?;
                }
                // a distance that a parameter demands is no wish
                let near = match within_m {
                    Some(_) => Near { within_m, phrase: None, ..near },
                    None => near,
                };
                Self { near: Some(near), rest: Some(rest), ..Self::default() }
            }
            _ if within_m.is_some() => return Err(ApiError::missing("near")),
            Some(NearPhrase::Here(rest)) => Self { rest: Some(rest), is_here: true, ..Self::default() },
            None => Self { at: guide.at_place(words, caller(context)), ..Self::default() },
        })
    }

    /// The landmark or record that a `region` names; the error when it names none.
    pub(super) fn of_region(
        context: QueryContext,
        params: &Params,
        error: ApiError,
    ) -> Result<Self, ApiError> {
        let text = match params
            .get("region")
            .or_else(|| params.get("neighbourhood"))
            .and_then(super::Value::as_text)
        {
            Some(text) if matches!(error, ApiError::UnknownRegion { .. }) => text,
            _ => return Err(error),
        };
        let near = match (context.snapshot.guide.near(text, caller(context)), error) {
            (Ok(near), _) => near,
            // "asa" is of areas, whatever the records of that name are
            (Err(NearError::Ambiguous { readings }), ApiError::UnknownRegion { param, item, nearest })
                if !nearest.iter().any(|name| fold(name).split(' ').any(|word| word == fold(text))) =>
            {
                return Err(ApiError::AmbiguousRegion { param, item, readings });
            }
            (Err(_), error) => return Err(error),
        };
        Ok(Self { near: Some(near), ..Self::default() })
    }
}

/// Whose view places the records.
pub(super) fn caller(context: QueryContext) -> Caller {
    let QueryContext { permit, today, .. } = context;
    Caller { view: permit.view(), scope: context.area(), covered: permit.days(today) }
}

fn error(context: QueryContext, error: NearError) -> ApiError {
    match error {
        NearError::Unknown { nearest } => ApiError::UnknownNear { nearest, whole: Vec::new() },
        NearError::Areas { areas, .. } => {
            ApiError::UnknownNear { nearest: Vec::new(), whole: names(context, &areas) }
        }
        NearError::Ambiguous { readings } => ApiError::AmbiguousNear { readings },
        NearError::Outside => ApiError::OutsideCoverage { param: "near", item: None },
        NearError::Here => ApiError::PositionNeeded,
    }
}
