//! From rows of the replica to text: lists, the reading pane, toasts and the tray. The replica is read by the callers.

pub mod avatar;
pub mod budget;
pub(crate) mod contexts;
pub(crate) mod conversation;
pub mod heading;
pub mod item;
pub mod link;
pub mod markdown;
pub mod plain;
pub mod row;
