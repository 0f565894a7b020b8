//! The replica's own words: sources, threads, items, places and what a change to them brought about. Refuses SQL.

mod counts;
mod item;
mod list;
mod mark;
mod pull;
mod source;
mod talk;
mod thread;

pub use self::counts::{Counts, Difference, KindCounts, PlaceCounts, SourceCounts};
pub use self::item::{Item, ItemFilter, ItemPage};
pub use self::list::{Order, Start, ThreadCursor, ThreadPage, ThreadQuery};
pub use self::mark::{Mark, Marked, Targets, Undo, ViewMark};
pub use self::pull::{Applied, Arrival, Changed, Page, Skipped};
pub use self::source::{NewSource, Source, SourceChange};
pub use self::talk::{Group, Outgoing, Reader};
pub use self::thread::{Place, Thread, ThreadPreview};

/// A source's row id; never used again after the source was removed.
pub type SourceId = i64;
/// A thread's row id. Stays the same for as long as the thread has an item, is pinned, muted or
/// has preferences of its own.
pub type ThreadId = i64;
/// An item's row id.
pub type ItemId = i64;
