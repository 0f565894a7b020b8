//! The description of the API: made from the same list as the router, as OpenAPI and as a page for people.

pub(crate) mod docs;
pub(crate) mod endpoint;
pub(crate) mod schemas;
