//! The rules of requests: what may be set for a topic, and what its template makes of a payload. Those that the stores keep
//! are in [`tidings_store::domain`].

pub mod hook_template;
pub mod limits;
pub mod origin;
pub mod topic_settings;
