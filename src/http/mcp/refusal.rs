//! Why a request to an action has no answer.

use super::jsonrpc::Fault;
use crate::domain::error::ApiError;

/// Why a request to an action has no answer.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It does not follow the protocol, or names no resource, and is counted with no action.
    Protocol(Fault),
    /// The action refused it, and it is counted with it.
    Action(ApiError),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Refusal {
        Refusal::Protocol(fault)
    }
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Refusal {
        Refusal::Action(error)
    }
}
