//! Grouping of lists, saved searches, suggestions, and the target of a bulk mark.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Place;

/// The grouping of a list, which also sets its order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// Newest first, with a heading for each day.
    #[default]
    Day,
    /// By source in the sources' order, newest first within each.
    Source,
    /// Newest first, without headings.
    Thread,
}

/// A query that the reader saved under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SavedSearch {
    /// The id; 0 for a new one.
    pub id: i64,
    /// The name that the reader gave it.
    pub name: String,
    /// Query text exactly as the reader typed it: `from:bob is:unread "exact words"`.
    pub query: String,
    /// The number of threads in which it finds unread items that the badge counts; counted up to 100.
    #[serde(default)]
    pub unread: u64,
    /// The number of further threads in which what it finds unread is quiet.
    #[serde(default)]
    pub quiet: u64,
}

/// A term that a query may go on with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Suggestion {
    /// The complete term, for example `from:bob` or `before:2026-11-01`; its value is quoted if it has a space.
    pub token: String,
    /// An explanation if the term needs one ("Bob Kessler"); may be empty.
    pub label: String,
    /// Whether it completes the term being typed; else it is a further term.
    pub completes: bool,
}

/// A query that finds something, in place of one that finds nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Correction {
    /// The query, as it is typed.
    pub query: String,
    /// The number of threads that it finds, counted up to 10,000.
    pub threads: u64,
}

/// A whole list, also the rows that the page has not loaded, as the target of a bulk mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BulkTarget {
    /// The place.
    pub place: Place,
    /// The search query, as in `ThreadQuery`; none means the whole place.
    pub search: Option<String>,
    /// The same as `ThreadQuery.within`.
    #[serde(default)]
    pub within: bool,
}
