//! What the page may ask, each a method of the app that does not know its host. Refuses to trust the page: whatever
//! comes from it is checked or clamped.

mod act;
pub(crate) mod find;
mod list;
mod mark;
mod settings;
mod talk;
pub(crate) mod tell;
