//! The local inbox: sources, threads, items, counters, view marks, search, the outbox and settings in one SQLite
//! file. Its callers pass in the clock and the pulled pages: it reads neither the time of day nor a network, and has
//! no user-visible strings.
//!
//! The tables, and threads and counters that are kept by deltas, are in the crate below, `tidings-replica-tables`. A caller
//! needs only this one, which hands on the types of the rows that it takes and returns.
//!
//! | folder | what it owns |
//! |---|---|
//! | `handle` | [`Replica`], the handle: its file and its transactions |
//! | `replica` | queries and changes of the handle that are of no other folder |
//! | `types` | the public types, besides those of rows |
//! | `bounds` | how many rows one transaction of long work takes |
//! | `apply` | writing a pulled page |
//! | `marks` | marks of a reader, bulk marks, undo |
//! | `outbox` | local operations until the server has answered, and their overlay on the server's state |
//! | `lists` | pages of threads and items, contacts, people |
//! | `conversations` | messages to send, drafts, groups, receipts |
//! | `rules` | what is done with items as they arrive |
//! | `digest` | what happened since a time, per source and thread |
//! | `search` | threads and items by their content |
//! | `upkeep` | waking, retention, removing sources, checking |
//! | `salvage` | what can be read of a damaged file, in a new one |

mod apply;
mod bounds;
mod conversations;
mod digest;
mod handle;
mod lists;
mod marks;
mod outbox;
mod replica;
mod rules;
mod salvage;
mod search;
mod types;
mod upkeep;

pub use bounds::Bounds;
pub use handle::{FILE, Replica};
pub use marks::bulk::BulkTarget;
pub use marks::changes::{Marked, Undo};
pub use replica::{DeferredToast, SavedSearch};
pub use salvage::{Salvage, Salvaged};
pub use types::*;
pub use upkeep::woken::Woken;

pub use tidings_replica_tables::previews::of as preview_of;
pub use tidings_replica_tables::search_index::indexed;
pub use tidings_replica_tables::views::PeerRead;
pub use tidings_replica_tables::{
    ArchivedCount, Changed, Counts, DEFAULT_EARLY_WAKE, DEFAULT_FROM_PRIORITY, EARLY_WAKE, Error,
    FROM_PRIORITY, Item, ItemId, KindCounts, MIGRATIONS, Mute, NewSource, NotifyLevel, NotifySettings, Order,
    Place, PlaceCounts, Result, SearchFilter, Source, SourceChange, SourceCounts, SourceId, Start,
    StateFilter, Subscription, Thread, ThreadCursor, ThreadId, ThreadPreview, ThreadQuestion, Waits,
    is_of_origin, origin,
};

pub use tidings_sqlite::{
    Bounds as FileBounds, Replacement, create_folder, create_private_folder, disk_size, free_files,
    free_space, is_present, quick_check,
};
