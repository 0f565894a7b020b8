//! The domain types that server, replica and app share: notifications, stamps, views, the catalog, templates, and the
//! requests and answers of API v1. No I/O.

pub mod age_hold;
mod bounds;
pub mod catalog;
pub mod clock;
pub mod gotify;
pub mod group;
pub mod id;
pub mod language;
pub mod mark;
pub mod notification;
pub mod problem;
pub mod sentence;
pub mod stamp;
pub mod template;
pub mod text;
pub mod topic;
pub mod unread;
pub mod view;
pub mod web_url;
pub mod wire;

pub use age_hold::AgeHold;
pub use catalog::{ActionRule, ActionSentences, Catalog, Class};
pub use clock::{Clock, SystemClock};
pub use id::{IdError, check_id, check_target_id};
pub use language::Language;
pub use mark::Mark;
pub use notification::{
    Action, ActionKind, Actor, Answer, Attachment, Choice, ChoiceStyle, Content, Format, Kind, MsgId,
    Notification, Priority, Question, QuestionState, Receipt, Target,
};
pub use problem::{Code, Problem};
pub use stamp::Stamp;
pub use template::{Lang, Piece, Sentence};
pub use unread::{State, content_at, is_covered, is_unread};
pub use view::View;
