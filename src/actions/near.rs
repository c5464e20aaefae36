//! Where to search from: the parameters `near` and `within_m`, and what a question says.

use index::Words;
use index::near::{Caller, Near, NearError, NearWish};

use super::{Params, QueryContext, param};
use crate::domain::error::ApiError;

/// Two names of one place may be known by points so far apart, in metres.
const SAME_PLACE: u32 = 300;

/// Where to search from.
#[derive(Default)]
pub(super) struct Origin {
    pub(super) near: Option<Near>,
    /// The question without the words that name the place.
    pub(super) rest: Option<Words>,
    /// Whether the question asks for what is near the caller, who did not say where that is.
    pub(super) is_here: bool,
}

impl Origin {
    /// What the parameters say, else the question.
    pub(super) fn of(context: QueryContext, params: &Params, words: &Words) -> Result<Self, ApiError> {
        let within_m = params.integer(&param::WITHIN_M)?;
        let within_m = within_m.and_then(|within| u32::try_from(within).ok());
        let guide = &context.snapshot.guide;
        if let Some(text) = params.text(&param::NEAR)? {
            let near = guide.near(text, caller(context)).map_err(error)?;
            // agents say the place in the question too
            let rest = match guide.near_wish(words, caller(context)) {
                Some(NearWish::Place(said, rest)) if is_same_place(&said, &near) => Some(rest),
                Some(NearWish::Here(rest)) => Some(rest),
                _ => None,
            };
            return Ok(Self { near: Some(Near { within_m, ..near }), rest, is_here: false });
        }
        if within_m.is_some() {
            return Err(ApiError::missing("near"));
        }
        Ok(match guide.near_wish(words, caller(context)) {
            Some(NearWish::Place(near, rest)) => Self { near: Some(near), rest: Some(rest), is_here: false },
            Some(NearWish::Here(rest)) => Self { near: None, rest: Some(rest), is_here: true },
            None => Self::default(),
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
        let near = context.snapshot.guide.near(text, caller(context)).map_err(|_| error)?;
        Ok(Self { near: Some(near), ..Self::default() })
    }
}

/// Whether two names mean one place, as far as their points tell.
fn is_same_place(one: &Near, other: &Near) -> bool {
    one.location.point.distance(other.location.point) <= SAME_PLACE
}

/// Whose view places the records.
pub(super) fn caller(context: QueryContext) -> Caller {
    let QueryContext { permit, today, .. } = context;
    Caller { view: permit.view(), scope: context.area(), covered: permit.days(today) }
}

fn error(error: NearError) -> ApiError {
    match error {
        NearError::Unknown { nearest } => ApiError::UnknownNear { nearest },
        NearError::Outside => ApiError::OutsideCoverage { param: "near", item: None },
        NearError::Here => ApiError::PositionNeeded,
    }
}
