//! Pages for those who write clients: the first steps, agents, and the reference of the API.

pub(crate) mod agents;
pub(crate) mod docs;
pub(crate) mod examples;
pub(crate) mod reference;
pub(crate) mod schema_reference;
