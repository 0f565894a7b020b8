//! The query, the path and the body of a request, checked against the limits before the handler runs. An error names
//! the field.

mod body;
mod form;
mod json;
mod uri;

pub use body::{
    ByteSource, Json, OneOrMany, OptionalJson, bytes, content_length, parse_body, read, too_slow,
};
pub use form::{Form, FormPart, WholePart, form_boundary, is_form, media_type, whole_parts};
pub use json::{Keep, check_draft, from_value, parse_members, parse_value};
pub use tidings_model::web_url::{file_name, web_url};
pub use uri::{PathParams, Query};
