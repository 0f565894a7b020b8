//! What the page may ask, each a method of the app that does not know its host. Refuses to trust the page: whatever
//! comes from it is checked or clamped.

mod actions;
pub(crate) mod attachments;
mod backup;
pub(crate) mod compose;
mod conversations;
mod marks;
pub(crate) mod notify;
pub(crate) mod search;
mod server;
mod settings;
mod settings_file;
mod source_probe;
mod sources;
mod storage;
mod threads;
