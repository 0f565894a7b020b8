//! The local inbox: sources, threads, items, counters, view marks, search, the outbox and settings in one SQLite
//! file. Its callers pass in the clock and the pulled pages: it reads neither the time of day nor a network, and has
//! no user-visible strings.
//!
//! | folder | what it owns |
//! |---|---|
//! | `handle` | [`Replica`], the handle: its file and its transactions |
//! | `replica` | queries and changes of the handle that are of no other folder |
//! | `types` | the public types |
//! | `bounds` | how many rows one transaction of long work takes |
//! | `tables` | what items, threads and counters rest on, one file for each table |
//! | `apply` | writing a pulled page |
//! | `marks` | marks of a reader, bulk marks, undo |
//! | `outbox` | local operations until the server has answered, and their overlay on the server's state |
//! | `aggregates` | threads and counters, kept by deltas |
//! | `lists` | pages of threads and items, contacts, people |
//! | `conversations` | messages to send, drafts, groups, receipts |
//! | `rules` | what is done with items as they arrive |
//! | `digest` | what happened since a time, per source and thread |
//! | `search` | threads and items by their content |
//! | `upkeep` | waking, retention, removing sources, checking |

mod aggregates;
mod apply;
mod bounds;
mod conversations;
mod digest;
mod error;
mod handle;
mod lists;
mod marks;
mod outbox;
mod replica;
mod rules;
mod salvage;
mod search;
mod tables;
mod types;
mod upkeep;

pub use bounds::Bounds;
pub use error::{Error, Result};
pub use handle::{FILE, MIGRATIONS, Replica};
pub use marks::bulk::BulkTarget;
pub use marks::changes::{Marked, Undo};
pub use replica::{DeferredToast, SavedSearch};
pub use salvage::{Salvage, Salvaged};
pub use tables::search_index::indexed;
pub use tables::views::PeerRead;
pub use types::*;
pub use upkeep::woken::Woken;

pub use tidings_sqlite::{
    Replacement, create_folder, disk_size, free_files, free_space, is_present, quick_check,
};
