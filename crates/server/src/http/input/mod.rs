//! The query, the path and the body of a request, checked against the limits before the handler runs. An error names
//! the field.

mod address;
mod body;
mod json;

pub(crate) use address::{Query, Segments};
pub(crate) use body::{Json, OneOrMany, Optional, bytes, parsed};
pub(crate) use json::{typed, value};
