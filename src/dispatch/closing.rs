//! The end of an answer: how the service is credited, and what the plan left out.

use index::records::rendered::RenderedJson;
use serde_json::json;

use super::Dispatcher;
use crate::actions::answers::Attribution;
use crate::actions::{LeftOut, Remarks};
use crate::config::Config;
use crate::domain::plan::Plan;
use crate::quota::permit::{PREVIEW_DAYS, PREVIEW_RESULTS, Permit};
use crate::render::JsonBody;
use crate::serving::ServingSnapshot;

/// `notice` on the free plan when a part of the requested area is outside of it.
const AREA_NOTICE: &str =
    "Your plan covers Plano Piloto only: the part of the requested area outside it was left out.";

/// Fields that are the same in many answers, rendered once.
pub(super) struct Texts {
    /// `attribution` on the free plan and in the preview, without its closing brace.
    free_attribution: RenderedJson,
    /// `attribution` on paid plans, likewise.
    paid_attribution: RenderedJson,
    /// The end of `attribution` in answers without positions; [`ServingSnapshot::positions_credit`] ends the others.
    no_positions: RenderedJson,
    /// `notice` of the preview.
    preview: String,
    /// `notice` of the preview when it covers none of the requested days.
    preview_without_days: String,
}

impl Texts {
    pub(super) fn new(config: &Config) -> Self {
        let attribution = |text: &str, required: bool| {
            let url = config.service_site.as_str();
            let whole = json!(Attribution { text, url, required, positions: None }).to_string();
            RenderedJson::new(format!(",\"attribution\":{}", whole.trim_end_matches('}')))
        };
        let name = &config.service_name;
        let base = config.base_url.as_str();
        let preview = format!(
            "Preview without a key: Plano Piloto only, at most {PREVIEW_RESULTS} results, events of the next \
             {PREVIEW_DAYS} days, basic fields. A free key (POST {base}/v1/signup) adds full pages and any dates; paid \
             plans ({base}/v1/plans) add the whole Federal District, addresses, descriptions and links."
        );
        let without_days =
            format!("Nothing was searched: the requested days are outside the preview. {preview}");
        Self {
            free_attribution: attribution(&format!("Dicas por {name}"), true),
            paid_attribution: attribution(name, false),
            no_positions: RenderedJson::new("}".to_owned()),
            preview,
            preview_without_days: without_days,
        }
    }

    /// Appends how the service is credited and what the plan left out.
    pub(super) fn close<'a>(
        &'a self,
        body: &mut JsonBody<'a>,
        snapshot: &'a ServingSnapshot,
        permit: Permit,
        remarks: &Remarks,
    ) {
        body.prerendered(match permit.plan() {
            Plan::Free => &self.free_attribution,
            _ => &self.paid_attribution,
        });
        body.prerendered(match remarks.shows_positions {
            true => &snapshot.positions_credit,
            false => &self.no_positions,
        });
        let of_plan = match (permit.is_preview(), remarks.left_out) {
            (_, LeftOut::Nothing) | (false, LeftOut::Usual | LeftOut::AllDays) => "",
            (true, LeftOut::AllDays) => &self.preview_without_days,
            (true, LeftOut::Usual | LeftOut::Area) => &self.preview,
            (false, LeftOut::Area) => AREA_NOTICE,
        };
        match &remarks.explanation {
            None if of_plan.is_empty() => {}
            None => body.field("notice", of_plan),
            Some(explanation) => {
                body.field("notice", format!("{explanation} {of_plan}").trim_end());
            }
        }
    }
}

impl Dispatcher {
    /// The end of an answer to a paying caller: the snapshot, and whom to credit.
    pub fn paid_credit(&self, snapshot: &ServingSnapshot) -> String {
        [&snapshot.rendered, &self.texts.paid_attribution, &snapshot.positions_credit]
            .map(|part| part.plain.as_str())
            .concat()
    }
}
