//! Renders rows of the replica as text for lists, the reading pane, toasts and the tray. Callers read the replica.

pub(crate) mod addresses;
pub mod avatar;
pub mod budget;
pub(crate) mod contexts;
pub(crate) mod conversation;
pub mod emoji;
pub mod heading;
pub mod host_name;
pub mod item;
pub mod link;
pub mod markdown;
pub mod plain;
pub mod question;
pub mod row;
pub(crate) mod turn;
