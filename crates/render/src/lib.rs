//! Renders rows of the replica as text for lists, the reading pane, toasts and the tray. [`preview`] shows files, and
//! [`export`] writes an inbox to one.
//!
//! Whatever arrives may be hostile. Markdown is rendered by a library and sanitised, links open outside, text in
//! toasts is escaped, and remote images load on request. The page allows neither scripts nor styles in what is
//! shown, and colours code in a worker that is ended if it takes too long.

mod addresses;
pub mod avatar;
pub mod budget;
pub mod buttons;
pub mod context;
pub mod contexts;
pub mod conversation;
pub mod emoji;
pub mod export;
pub mod heading;
pub mod host_name;
pub mod item;
pub mod link;
pub mod markdown;
mod origin;
pub mod plain;
pub mod preview;
pub mod question;
pub mod row;
mod sanitize;
pub mod tidings_link;
mod turn;
