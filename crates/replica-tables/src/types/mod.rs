//! The types of what is read from the tables and written to them: sources, threads, items, counts, filters, changes. The
//! replica hands them on to its callers.

mod changed;
mod counts;
mod filter;
mod item;
mod list;
mod mute;
mod notify;
mod source;
mod subscription;
mod thread;

pub use self::changed::Changed;
pub use self::counts::{ArchivedCount, Counts, KindCounts, PlaceCounts, SourceCounts};
pub use self::filter::{SearchFilter, StateFilter};
pub use self::item::Item;
pub use self::list::{Order, Start, ThreadCursor};
pub use self::mute::{Mute, is_of_origin, origin, repository};
pub use self::notify::{
    DEFAULT_EARLY_WAKE, DEFAULT_FROM_PRIORITY, EARLY_WAKE, FROM_PRIORITY, NotifyLevel, NotifySettings,
};
pub use self::source::{NewSource, Source, SourceChange, Waits};
pub use self::subscription::Subscription;
pub use self::thread::{Place, Thread, ThreadPreview, ThreadQuestion};

/// A source's row id; not reused after the source is removed.
pub type SourceId = i64;
/// A thread's row id. It stays the same as long as the thread has an item, is pinned, is muted, or has notify
/// settings of its own.
pub type ThreadId = i64;
/// An item's row id.
pub type ItemId = i64;
