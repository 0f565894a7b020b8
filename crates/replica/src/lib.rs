//! The local inbox: sources, threads, items, counters, views' marks, search, the outbox and settings in one SQLite
//! file. Refuses networks, words for people and the time of day: all three are handed in.

mod acquainted;
mod apply;
mod attic;
mod begun;
mod check;
mod conversations;
mod error;
mod find;
mod forgotten;
mod gather;
mod held;
mod ids;
mod items;
mod ledger;
mod mark;
mod numbers;
mod outbox;
mod overlay;
mod read_all;
mod removal;
mod replica;
mod row;
mod rules;
mod search;
mod searches;
mod seek;
mod seen;
mod skipped;
mod sources;
mod stretch;
mod talk;
mod telling;
mod text;
mod threads;
mod undo;
mod untold;
mod views;
mod wake;
mod wide;
mod words;

pub use error::{Error, Result};
pub use find::{Find, Is};
pub use replica::{FILE, MIGRATIONS, Replica};
pub use rules::{Rule, RuleThen, RuleTrial, RuleWhen};
pub use search::indexed;
pub use searches::Search;
pub use telling::{FROM_PRIORITY, Tell, Telling};
pub use untold::Untold;
pub use wake::EARLY_WAKE;
pub use wide::Everything;
pub use words::*;

pub use tidings_sqlite::{Replacement, is_present, room};
