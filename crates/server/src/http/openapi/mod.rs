//! The API reference: made from the same list as the router, as an OpenAPI document and as an HTML page.

pub(crate) mod docs;
pub(crate) mod endpoint;
pub(crate) mod schemas;
