//! Paid plans: what an account ordered and paid, the service behind the billing endpoints, and the background worker
//! that follows the gateway.

pub mod checkout;
pub mod report;
pub(crate) mod revenue_watch;
pub mod service;
pub mod step;
#[cfg(test)]
mod step_tests;
pub mod stored;
pub mod subscription;
pub mod worker;
