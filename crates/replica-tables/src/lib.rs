//! What the replica stores: the tables on which items, threads, counters and the outbox rest, and the types of their
//! rows. Only `tidings-replica` uses it; it is a crate of its own so that nothing in it can reach up.
//!
//! Each table has a file with its SQL, its rows and its queries: every statement that writes a table is in its file. The
//! tables of the outbox share one file, and so do those of mark jobs. A table of one concern alone is in the replica, in
//! the folder of that concern, such as `conversations` and `rules`. Queries over several tables are where they are needed.
//!
//! [`aggregates`] keeps threads and counters by deltas: code that writes an item reports it there, in the same transaction.
//! A function takes the transaction of its caller, and never begins one.
//!
//! | files | what they own |
//! |---|---|
//! | `aggregates`, `counters` | the numbers of the inbox |
//! | `items`, `item_state`, `questions`, `previews`, `tombstones`, `server_state` | items, and what their servers say of them |
//! | `threads`, `thread_counts`, `thread_actors`, `flags`, `mutes`, `subscriptions`, `done` | threads |
//! | `key_ranges`, `thread_filter` | lists of threads |
//! | `facets`, `search_index`, `search_text` | the full-text index |
//! | `outbox`, `outgoing`, `mark_jobs`, `views` | what waits to be sent or marked, and the marks of views |
//! | `sources`, `people`, `settings` | sources, who acted in them, settings |
//! | `columns`, `positions`, `sql` | values of columns, the order of rows, statements |
//! | `error`, `schema`, `types` | the errors, the migrations, the types of rows |

pub mod aggregates;
pub mod columns;
pub mod counters;
pub mod done;
mod error;
pub mod facets;
pub mod flags;
pub mod item_state;
pub mod items;
pub mod key_ranges;
pub mod mark_jobs;
pub mod mutes;
pub mod outbox;
mod outgoing;
pub mod people;
pub mod positions;
pub mod previews;
pub mod questions;
mod schema;
pub mod search_index;
pub mod search_text;
pub mod server_state;
pub mod settings;
pub mod sources;
pub mod sql;
pub mod subscriptions;
mod thread_actors;
pub mod thread_counts;
pub mod thread_filter;
pub mod threads;
pub mod tombstones;
mod types;
pub mod views;

pub use error::{Error, Result};
pub use schema::MIGRATIONS;
pub use types::*;
