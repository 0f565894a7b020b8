//! The tables on which items, threads, counters and the outbox rest. Each has a file with its SQL, its rows and its
//! queries: every statement that writes a table is in its file. The tables of the outbox share one file, and so do
//! those of mark jobs. A table of one concern alone is in that folder, such as `conversations` and `rules`. Queries
//! over several tables are where they are needed.

pub(crate) mod columns;
pub(crate) mod counters;
pub(crate) mod done;
pub(crate) mod facets;
pub(crate) mod flags;
pub(crate) mod item_state;
pub(crate) mod items;
pub(crate) mod key_ranges;
pub(crate) mod mark_jobs;
pub(crate) mod mutes;
pub(crate) mod outbox;
pub(crate) mod outgoing;
pub(crate) mod people;
pub(crate) mod positions;
pub(crate) mod previews;
pub(crate) mod questions;
pub(crate) mod search_index;
pub(crate) mod search_text;
pub(crate) mod server_state;
pub(crate) mod settings;
pub(crate) mod sources;
pub(crate) mod sql;
pub(crate) mod subscriptions;
pub(crate) mod thread_actors;
pub(crate) mod thread_counts;
pub(crate) mod thread_filter;
pub(crate) mod threads;
pub(crate) mod tombstones;
pub(crate) mod views;
