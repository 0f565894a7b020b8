//! The public types: sources, threads, items, lists, marks, counts, rules, and changes.

mod changed;
mod conversation;
mod counts;
mod difference;
mod digest;
mod filter;
mod item;
mod item_page;
mod list;
mod mark;
mod mute;
mod noise;
mod notify;
mod pull;
mod rule;
mod service_item;
mod source;
mod subscription;
mod thread;
mod thread_page;
mod waiting_subscription;

pub use self::changed::Changed;
pub use self::conversation::{Group, GroupChange, GroupNews, Outgoing, OutgoingFile, Reader, Withheld};
pub use self::counts::{ArchivedCount, Counts, KindCounts, PlaceCounts, SourceCounts};
pub use self::difference::Difference;
pub use self::digest::{Digest, DigestLine, DigestPerson, DigestScope, DigestSource};
pub use self::filter::{SearchFilter, StateFilter};
pub use self::item::Item;
pub use self::item_page::{ItemFilter, ItemPage, ItemPosition};
pub use self::list::{Order, Start, ThreadCursor};
pub use self::mark::{AnswerOutcome, Mark, Targets, ViewMark};
pub(crate) use self::mute::repository;
pub use self::mute::{Mute, is_of_origin, origin};
pub use self::noise::{Noise, NoiseOrigin, NoiseSource};
pub use self::notify::{
    DEFAULT_EARLY_WAKE, DEFAULT_FROM_PRIORITY, EARLY_WAKE, FROM_PRIORITY, NotifyLevel, NotifySettings,
};
pub use self::pull::{Applied, Arrival, Page, Skipped};
pub use self::rule::{Rule, RuleAct, RuleCount, RuleField, RuleThen, RuleTrial, RuleValue, RuleWhen};
pub use self::service_item::{Part, ServiceItem};
pub use self::source::{NewSource, Source, SourceChange, Waits};
pub use self::subscription::Subscription;
pub use self::thread::{Place, Thread, ThreadPreview, ThreadQuestion};
pub use self::thread_page::{Hit, ThreadPage, ThreadQuery};
pub use self::waiting_subscription::{Subject, WaitingSubscription};

/// A source's row id; not reused after the source is removed.
pub type SourceId = i64;
/// A thread's row id. It stays the same as long as the thread has an item, is pinned, is muted, or has notify
/// settings of its own.
pub type ThreadId = i64;
/// An item's row id.
pub type ItemId = i64;
