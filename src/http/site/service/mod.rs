//! Pages of the service: who stands behind it, plans, sign-up, orders, forms, its state and its changes.

pub(crate) mod about;
pub(crate) mod changelog;
pub(crate) mod forms;
pub(crate) mod plans;
pub(crate) mod sandbox;
pub(crate) mod service_pages;
pub(crate) mod signup;
pub(crate) mod submissions;
