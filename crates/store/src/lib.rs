//! The interface of the server's database, and what both databases share: the rules of the domain, the meaning of a row,
//! and the bounds of a search. A store has to pass the checks of `tidings-conformance`.
//!
//! `tidings-store-sqlite` and `tidings-store-postgres` are the stores. The columns and the errors of both drivers are read
//! here ([`fields`], [`failure`]), because Rust wants that beside the trait and the type that they become.

mod accounts;
mod bounds;
pub mod checks;
pub mod descent;
pub mod domain;
pub mod earlier_catalog;
mod error;
pub mod failure;
pub mod fields;
mod files;
pub mod future_stamps;
pub mod gotify;
mod groups;
mod inbox;
pub mod item_row;
mod live;
pub mod named;
pub mod page;
pub mod prelude;
pub mod published;
mod publishing;
pub mod pull_builder;
mod records;
pub mod request_time;
pub mod room;
mod rows;
pub mod schedule_limit;
pub mod statements;
pub mod subscription_builder;
mod subscriptions;
mod threads;
pub mod topic_events;
pub mod topics;
pub mod trace;
pub mod traces;
mod upkeep;
pub mod user_locks;
pub mod worker_pool;
pub mod written;

pub use self::accounts::{TokenStore, UserStore};
pub use self::bounds::Bounds;
pub use self::domain::account::{Bearer, NewToken, Token, User, UserKey, WrittenContent};
pub use self::domain::draft::{Audience, Draft, Post, Recipients};
pub use self::domain::editor::Editor;
pub use self::domain::file::{FileUsage, StoredFile};
pub use self::domain::posted_by::PostedBy;
pub use self::error::Error;
pub use self::files::FileStore;
pub use self::gotify::{
    Application, ApplicationFields, Client, GotifyStore, Image, Message, MessagePage, MessagePageSize,
    MessagePosition, Messages, PostedMessage,
};
pub use self::groups::{GroupStore, ReceiptStore};
pub use self::inbox::{DeliveryStore, InboxStore, ReadStateStore, UnreadStore};
pub use self::live::LiveStore;
pub use self::page::{ItemsPage, JsonElements, ListPage, PullPage};
pub use self::publishing::{PublishingStore, RevisionStore};
pub use self::records::{
    AffectedSenders, Applied, CacheFigures, ChangedInbox, Changes, Conversation, ConversationQuery,
    Difference, Follow, Group, GroupSummary, Idempotency, InboxQuery, ListQuery, Member, MessageReceipt,
    OldReceipt, Outcome, Reader, Readers, ReceiptPage, Receipts, RequestedOp, SequenceChange, StoreMeta,
    StoredResponse, Subscription, TargetRef, TopicChange, TopicEvent, TopicPage, Visit,
};
pub use self::subscriptions::{FollowStore, PreferenceStore, SubscriptionStore};
pub use self::topics::{Payload, TopicEventStore, TopicStore, Watched};
pub use self::upkeep::{RetentionStore, UpkeepStore};
pub use self::written::WrittenPage;

/// The name of the database file in the data folder.
pub const DATABASE_FILE: &str = "server.db";

/// The database of a server, a trait for each concern. Who has a store of a known type takes the methods from
/// [`prelude`].
///
/// A method is one durable transaction, unless it is said to work in portions: then each portion is one, and repeating
/// an interrupted call finishes it. Stamps are assigned in strictly increasing order, one for each change. Creations
/// have one order for all; changes in an inbox have the order of that inbox. A reader never sees a stamp while a
/// smaller one of its order is not committed. Several processes may use one store if its database allows it.
///
/// Every method fails with [`Error::Store`] if the database fails, and with [`Error::Damaged`] if that is damaged. It fails
/// with [`Error::Unavailable`] or [`Error::Interrupted`] if the database does not answer, and then nothing was stored. Those
/// that write, except [`InboxStore::fan_in`], fail with [`Error::DiskFull`] if the disk is full, and with
/// [`Error::DiskFails`] if it fails. They fail with [`Error::OutcomeUnknown`] if the database was lost while it stored
/// something.
pub trait Store:
    DeliveryStore
    + FileStore
    + FollowStore
    + GotifyStore
    + GroupStore
    + InboxStore
    + LiveStore
    + PreferenceStore
    + PublishingStore
    + ReadStateStore
    + ReceiptStore
    + RetentionStore
    + RevisionStore
    + SubscriptionStore
    + TokenStore
    + TopicEventStore
    + TopicStore
    + UnreadStore
    + UpkeepStore
    + UserStore
{
}
