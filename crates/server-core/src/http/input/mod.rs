//! The query, the path and the body of a request, checked against the limits before the handler runs. An error names
//! the field.

mod body;
mod form;
mod json;
mod uri;

pub(crate) use body::{
    ByteSource, Json, OneOrMany, OptionalJson, bytes, content_length, parse_body, read, too_slow,
};
pub(crate) use form::{Form, FormPart, WholePart, form_boundary, is_form, media_type, whole_parts};
pub(crate) use json::{Keep, check_draft, from_value, parse_members, parse_value};
pub(crate) use tidings_model::web_url::{file_name, web_url};
pub(crate) use uri::{PathParams, Query};
