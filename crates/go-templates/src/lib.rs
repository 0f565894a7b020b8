//! Fills in templates in the syntax of Go's `text/template`, with the functions that ntfy's users know, within bounds.
//!
//! It knows no inbox and no server. Whoever fills in a template hands over the data, the reader of JSON for the function
//! `fromJson`, and a thread with a stack of [`limits::STACK_BYTES`].

mod allowance;
mod engine;
mod functions;
#[cfg(test)]
mod hostile;
mod json;
pub mod limits;

pub use gotmpl::Value;

pub use self::engine::{RenderError, render};
pub use self::json::{ReadJson, value_of};
