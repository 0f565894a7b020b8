//! The interface of the server's database. A store has to pass the checks of `conformance`.

mod accounts;
mod address;
mod bounds;
#[cfg(test)]
mod conformance;
mod descent;
mod earlier_catalog;
#[cfg(test)]
mod earlier_tables;
mod fields;
mod files;
mod gotify;
mod groups;
#[cfg(test)]
mod histories;
mod inbox;
mod item_row;
mod live;
pub mod mend_clock;
pub mod migrate;
mod named;
pub(crate) mod page;
pub mod postgres;
pub mod prelude;
mod published;
mod publishing;
mod pull_builder;
mod records;
pub(crate) mod request_time;
mod room;
pub mod served;
pub mod sqlite;
mod subscription_builder;
mod subscriptions;
mod topic_events;
mod topics;
pub(crate) mod trace;
mod upkeep;
mod written;

pub use crate::domain::account::{Bearer, NewToken, Token, User, UserKey, WrittenContent};
pub use crate::domain::draft::{Audience, Draft, Post, Recipients};
pub use crate::domain::editor::Editor;
pub use crate::domain::file::{FileUsage, StoredFile};
pub use crate::domain::posted_by::PostedBy;
pub use crate::error::Error;

pub use self::accounts::{TokenStore, UserStore};
pub use self::address::StoreAddress;
pub use self::bounds::Bounds;
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
pub(crate) use self::records::Receipts;
pub use self::records::{
    AffectedSenders, Applied, CacheFigures, ChangedInbox, Changes, Conversation, ConversationQuery,
    Difference, Follow, Group, GroupSummary, Idempotency, InboxQuery, ListQuery, Member, MessageReceipt,
    OldReceipt, Outcome, Reader, Readers, ReceiptPage, RequestedOp, SequenceChange, StoreMeta,
    StoredResponse, Subscription, TargetRef, TopicChange, TopicEvent, TopicPage, Visit,
};
pub use self::subscriptions::{FollowStore, PreferenceStore, SubscriptionStore};
pub use self::topics::{Payload, TopicEventStore, TopicStore, Watched};
pub use self::upkeep::{RetentionStore, UpkeepStore};
pub use self::written::WrittenPage;

/// The name of the database file in the data folder.
pub(crate) const DATABASE_FILE: &str = "server.db";

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
