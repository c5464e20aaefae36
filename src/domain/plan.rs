//! What each plan gives: one row per plan. The configuration may override the figures, the area of the
//! free plan, and nothing else of what a plan covers. A new plan is a variant and a row.

use index::View;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

use crate::domain::clock::PeriodKind;

/// The name of a plan.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", parse_err_ty = UnknownPlan, parse_err_fn = unknown_plan)]
pub enum Plan {
    /// Plano Piloto only, basic fields.
    Free,
    /// For individuals.
    Gringo,
    /// For applications.
    Pro,
    /// For applications with many users.
    Business,
}

impl Plan {
    /// Every plan, cheapest first.
    pub const ALL: [Plan; 4] = [Plan::Free, Plan::Gringo, Plan::Pro, Plan::Business];

    /// Names of all plans.
    pub const NAMES: &[&str] = Plan::VARIANTS;

    /// Names of the paid plans.
    pub const PAID: &[&str] = Plan::NAMES.split_at(1).1;

    /// The name in requests and answers.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether it covers the whole Federal District, or only Plano Piloto.
    pub fn covers_everything(self) -> bool {
        self != Plan::Free
    }

    /// The fields it shows.
    pub fn view(self) -> View {
        if self == Plan::Free { View::Basic } else { View::Full }
    }

    /// The display name.
    pub fn title(self) -> &'static str {
        match self {
            Plan::Free => "Free",
            Plan::Gringo => "Gringo",
            Plan::Pro => "Pro",
            Plan::Business => "Business",
        }
    }
}

/// The name is not that of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the plan must be free, gringo, pro or business")]
pub struct UnknownPlan;

fn unknown_plan(_: &str) -> UnknownPlan {
    UnknownPlan
}

/// The figures of a plan, which an operator may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Price per month, in centavos.
    pub price_cents: u32,
    /// Calls per clock minute.
    pub per_minute: u32,
    /// Calls per calendar month of Brasília.
    pub per_month: u32,
}

impl Figures {
    /// Calls per period.
    pub fn of(&self, kind: PeriodKind) -> u32 {
        match kind {
            PeriodKind::Minute => self.per_minute,
            PeriodKind::Month => self.per_month,
        }
    }
}

/// The figures of the free plan, and the area it covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FreePlan {
    /// Price per month, in centavos.
    pub price_cents: u32,
    /// Calls per clock minute.
    pub per_minute: u32,
    /// Calls per calendar month of Brasília.
    pub per_month: u32,
    /// Slug of the area that it covers; every snapshot must have it.
    pub area: String,
}

impl FreePlan {
    fn figures(&self) -> Figures {
        let FreePlan { price_cents, per_minute, per_month, area: _ } = *self;
        Figures { price_cents, per_minute, per_month }
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The plan.
    pub plan: Plan,
    /// Its price and limits.
    pub figures: Figures,
    /// Whether it covers the whole Federal District, or only Plano Piloto.
    pub all_regions: bool,
    /// The fields it shows.
    pub view: View,
}

/// The table: a row for each plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plans {
    /// The free plan.
    pub free: FreePlan,
    /// The `gringo` plan.
    pub gringo: Figures,
    /// The `pro` plan.
    pub pro: Figures,
    /// The `business` plan.
    pub business: Figures,
}

impl Default for Plans {
    fn default() -> Self {
        let figures = |price_cents, per_minute, per_month| Figures { price_cents, per_minute, per_month };
        Plans {
            free: FreePlan {
                price_cents: 0,
                per_minute: 30,
                per_month: 1_000,
                area: "plano-piloto".to_owned(),
            },
            gringo: figures(1_990, 60, 10_000),
            pro: figures(9_900, 300, 100_000),
            business: figures(49_900, 1_200, 1_000_000),
        }
    }
}

impl Plans {
    /// The row of a plan.
    pub fn row(&self, plan: Plan) -> Row {
        let figures = match plan {
            Plan::Free => self.free.figures(),
            Plan::Gringo => self.gringo,
            Plan::Pro => self.pro,
            Plan::Business => self.business,
        };
        Row { plan, figures, all_regions: plan.covers_everything(), view: plan.view() }
    }

    /// The price list. Paid plans are `available` when payments are open.
    pub fn price_list(&self, payments_open: bool) -> PriceList {
        let plans = Plan::ALL.map(|plan| {
            let Row { figures, all_regions, view, .. } = self.row(plan);
            Offer {
                id: plan,
                name: plan.title(),
                price_cents: figures.price_cents,
                price_label: reais(figures.price_cents),
                period: "month",
                monthly_calls: figures.per_month,
                per_minute: figures.per_minute,
                regions: Offer::REGIONS[usize::from(!all_regions)],
                view_fields: Offer::FIELDS[usize::from(view == View::Full)],
                available: plan == Plan::Free || payments_open,
            }
        });
        PriceList { ok: true, currency: "BRL", plans: plans.into() }
    }
}

/// The plans and their prices.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PriceList {
    /// Always true.
    pub ok: bool,
    /// Currency of the prices.
    #[schemars(extend("const" = "BRL"))]
    pub currency: &'static str,
    /// The plans, cheapest first.
    pub plans: Vec<Offer>,
}

/// A plan and its price.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Offer {
    /// Identifier, for checkout.
    #[schemars(with = "String", extend("enum" = Plan::NAMES))]
    pub id: Plan,
    /// Display name.
    pub name: &'static str,
    /// Price of a period, in centavos.
    pub price_cents: u32,
    /// Price of a period, as Brazilians write it.
    pub price_label: String,
    /// Billing period.
    #[schemars(extend("const" = "month"))]
    pub period: &'static str,
    /// Calls per calendar month of Brasília.
    pub monthly_calls: u32,
    /// Calls per clock minute.
    pub per_minute: u32,
    /// Regions that the plan covers.
    #[schemars(extend("enum" = Offer::REGIONS))]
    pub regions: &'static str,
    /// Fields that the plan shows.
    #[schemars(extend("enum" = Offer::FIELDS))]
    pub view_fields: &'static str,
    /// Whether it can be ordered now.
    pub available: bool,
}

impl Offer {
    /// The regions that a plan may cover.
    pub const REGIONS: [&str; 2] = ["all", "Plano Piloto"];

    /// The fields that a plan may show.
    pub const FIELDS: [&str; 2] = ["basic", "full"];
}

/// An amount as Brazilians write it: `R$ 1.299,90`.
pub fn reais(cents: impl Into<u64>) -> String {
    let cents = cents.into();
    format!("R$ {},{:02}", grouped(cents / 100, "."), cents % 100)
}

/// A number with its digits in groups of three.
pub fn grouped(number: impl Into<u64>, separator: &str) -> String {
    let digits = number.into().to_string();
    digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for plan in Plan::ALL {
            assert_eq!(plan.as_str().parse(), Ok(plan));
            assert_eq!(serde_json::to_string(&plan).expect("a name"), format!("\"{plan}\""));
        }
        assert_eq!("Pro".parse::<Plan>(), Err(UnknownPlan));
    }

    #[test]
    fn amounts_use_brazilian_notation() {
        for (cents, text) in [
            (0, "R$ 0,00"),
            (5, "R$ 0,05"),
            (1_990, "R$ 19,90"),
            (129_900, "R$ 1.299,00"),
            (u32::MAX, "R$ 42.949.672,95"),
        ] {
            assert_eq!(reais(cents), text);
        }
    }

    #[test]
    fn only_the_free_plan_is_limited_and_dearer_plans_allow_more() {
        let plans = Plans::default();
        let rows = Plan::ALL.map(|plan| plans.row(plan));
        assert!(!rows[0].all_regions && rows[0].view == View::Basic && rows[0].figures.price_cents == 0);
        for pair in rows.windows(2) {
            assert!(pair[1].all_regions && pair[1].view == View::Full);
            assert!(pair[0].figures.price_cents < pair[1].figures.price_cents);
            assert!(pair[0].figures.per_minute < pair[1].figures.per_minute);
            assert!(pair[0].figures.per_month < pair[1].figures.per_month);
        }
    }
}
