//! Paid plans: the pure billing step, the service that callers reach, and the worker that follows the gateway.

pub mod service;
pub mod subscription;
pub mod worker;
