//! Renders rows of the replica as text for lists, the reading pane, toasts and the tray. Callers read the replica.
//!
//! Whatever arrives may be hostile. Markdown is rendered by a library and sanitised, links open outside, text in
//! toasts is escaped, and remote images load on request. The page allows neither scripts nor styles in what is
//! shown, and colours code in a worker that is ended if it takes too long.

pub(crate) mod addresses;
pub mod avatar;
pub mod budget;
pub mod buttons;
pub mod context;
pub(crate) mod contexts;
pub(crate) mod conversation;
pub mod emoji;
pub mod heading;
pub mod host_name;
pub mod item;
pub mod link;
pub mod markdown;
mod origin;
pub mod plain;
pub mod question;
pub mod row;
mod sanitize;
pub(crate) mod turn;
