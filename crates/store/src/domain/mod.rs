//! The rules of the server: the rights of a scope, the form of a publication, and the effect of an operation on an
//! item. They depend on neither SQL nor HTTP.

pub mod account;
pub mod draft;
pub mod editor;
pub mod expectation;
pub mod file;
pub mod hook_template;
pub mod item;
pub(crate) mod json_size;
pub mod limits;
pub mod msgid;
pub mod origin;
pub mod posted_by;
pub(crate) mod question;
pub(crate) mod thread;
pub mod topic;
mod topic_target;
