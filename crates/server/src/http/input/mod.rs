//! What a request says: its query, its path and its body, checked before anybody looks at the meaning. Refuses with
//! the name of the field.

mod address;
mod body;
mod json;

pub(crate) use address::{Query, Segments};
pub(crate) use body::{Json, OneOrMany, Optional, bytes, parsed};
pub(crate) use json::{typed, value};
