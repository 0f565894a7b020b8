//! The rules of the server that its stores keep: the rights of a scope, the form of a publication, and the effect of an
//! operation on an item. They depend on neither SQL nor HTTP.

pub mod account;
pub mod draft;
pub mod editor;
pub mod expectation;
pub mod file;
pub mod item;
pub mod json_size;
pub mod limits;
pub mod msgid;
pub mod posted_by;
pub mod question;
pub mod thread;
pub mod topic;
mod topic_target;
