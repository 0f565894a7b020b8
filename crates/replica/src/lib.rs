//! The local inbox: sources, threads, items, counters, view marks, search, the outbox and settings in one SQLite
//! file. Its callers pass in the clock and the pulled pages: it reads neither the time of day nor a network, and has
//! no user-visible strings.
//!
//! | folder | what it owns |
//! |---|---|
//! | `replica` | [`Replica`], the handle: every query and change |
//! | `types` | the public types |
//! | `tables` | one file for each table: its SQL, its rows, its queries |
//! | `apply` | writing a pulled page |
//! | `marks` | marks of a reader, bulk marks, undo |
//! | `outbox` | local operations until the server has answered, and their overlay on the server's state |
//! | `aggregates` | threads and counters, kept by deltas |
//! | `lists` | pages of threads and items, contacts |
//! | `digest` | what happened since a time, per source and thread |
//! | `search` | threads and items by their content |
//! | `upkeep` | waking, retention, removing sources, checking |

mod aggregates;
mod apply;
mod digest;
mod error;
mod lists;
mod marks;
mod outbox;
mod replica;
mod salvage;
mod search;
mod tables;
mod types;
mod upkeep;

pub use error::{Error, Result};
pub use replica::{FILE, MIGRATIONS, Replica};
pub use salvage::{Salvage, Salvaged};
pub use tables::search_index::indexed;
pub use types::*;

pub use tidings_sqlite::{Replacement, disk_size, free_space, is_present};
