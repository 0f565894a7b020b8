//! What the page may ask, each a method of the app that does not know its host. Refuses to trust the page: whatever
//! comes from it is checked or clamped.

mod act;
mod backup;
pub(crate) mod begin;
mod exchange;
pub(crate) mod files;
pub(crate) mod find;
mod list;
mod mark;
mod reach;
mod server;
mod settings;
mod sources;
mod storage;
mod talk;
pub(crate) mod tell;
