//! From rows to words: what a list, a reading pane, a toast and the tray say about a thread. Refuses to touch the
//! replica: it is handed what it renders.

pub mod avatar;
pub mod budget;
pub(crate) mod conversation;
pub mod heading;
pub mod item;
pub mod link;
pub mod markdown;
pub mod plain;
pub mod row;
