//! The query, the path and the body of a request, checked against the limits before the handler runs. An error names
//! the field.

mod body;
mod json;
mod uri;
mod web_url;

pub(crate) use body::{
    Json, OneOrMany, OptionalJson, bytes, content_length, next_part, parse_body, too_slow,
};
pub(crate) use json::{from_value, parse_value};
pub(crate) use uri::{PathParams, Query};
pub(crate) use web_url::{file_name, web_url};
