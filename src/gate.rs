//! The gate: whether a caller may ask, and what they may see. A [`Permit`] is the proof, and only this file makes
//! one: what needs a permit cannot be reached without passing here. Uses [`crate::plans`] and `index`.

use index::{EVERYWHERE, Node, View};

use crate::plans::{Plan, Plans};

/// Proof that a caller may ask, with what they may see.
#[derive(Debug, Clone, Copy)]
pub struct Permit {
    plan: Plan,
    view: View,
    all_regions: bool,
}

impl Permit {
    /// The plan asked under.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The fields seen.
    pub fn view(&self) -> View {
        self.view
    }

    /// The area seen, given the one that narrow plans are held to.
    pub fn home(&self, free_area: Node) -> Node {
        if self.all_regions { EVERYWHERE } else { free_area }
    }
}

/// Lets a plan in.
pub fn admit(plans: &Plans, plan: Plan) -> Permit {
    let row = plans.row(plan);
    Permit { plan, view: row.view, all_regions: row.all_regions }
}
