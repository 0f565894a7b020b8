//! The words everyone shares: what a notification is, when it is unread, how a sentence about it reads, and the
//! shapes of API v1. Refuses any I/O: nothing here opens, sends or stores.

pub mod catalog;
pub mod clock;
pub mod group;
pub mod id;
pub mod notification;
pub mod problem;
pub mod stamp;
pub mod template;
pub mod text;
pub mod unread;
pub mod view;
pub mod wire;

pub use catalog::{ActionRule, Catalog, Class};
pub use clock::{Clock, SystemClock};
pub use id::{IdError, check_id, check_target_id};
pub use notification::{
    Action, ActionKind, Actor, Attachment, Content, Format, Kind, MsgId, Notification, Priority, Receipt,
    Target,
};
pub use problem::{Code, Problem};
pub use stamp::Stamp;
pub use template::{Lang, Piece, Sentence};
pub use unread::{State, content_at, is_covered, is_unread};
pub use view::View;
