//! The local inbox: sources, threads, items, counters, the marks of views, search, the outbox and settings in one SQLite
//! file. It is handed the clock, and what was pulled: it reads neither the time of day nor any network, and has no texts for
//! people.
//!
//! | folder | what it owns |
//! |---|---|
//! | `replica` | [`Replica`], the handle: what can be asked and done |
//! | `types` | the public types |
//! | `tables` | one file a table: its SQL, its rows, its queries |
//! | `apply` | writing a pulled page |
//! | `marks` | marks of a reader, bulk marks, undo |
//! | `outbox` | local operations until a server has answered, and how they are laid over its state |
//! | `aggregates` | threads and counters, kept by deltas |
//! | `lists` | pages of threads and items, contacts |
//! | `search` | threads and items by their content |
//! | `upkeep` | waking, retention, removing sources, checking |

mod aggregates;
mod apply;
mod error;
mod lists;
mod marks;
mod outbox;
mod replica;
mod search;
mod tables;
mod types;
mod upkeep;

pub use error::{Error, Result};
pub use replica::{FILE, MIGRATIONS, Replica};
pub use tables::search_index::indexed;
pub use types::*;

pub use tidings_sqlite::{Replacement, free_space, is_present};
