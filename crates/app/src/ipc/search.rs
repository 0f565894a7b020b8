//! Grouping of lists, saved searches, suggestions, and the target of a bulk mark.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Place;

/// What stands between the rows of a list, and so what they are sorted by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// Newest first, under the names of days.
    #[default]
    Day,
    /// The sources in their order, newest first in each.
    Source,
    /// Newest first, with nothing between.
    Thread,
}

/// A query that the reader saved under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SavedSearch {
    /// Names it; 0 in a new one.
    #[ts(type = "number")]
    pub id: i64,
    /// What its reader calls it.
    pub name: String,
    /// As it was typed: `from:bob is:unread "exact words"`.
    pub query: String,
    /// Unread threads that it finds, at most 100.
    #[ts(type = "number")]
    #[serde(default)]
    pub unread: u64,
}

/// Something that could stand in a query next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Suggestion {
    /// The whole word of the query, for example `from:bob` or `before:2026-11-01`; quoted where it holds a space.
    pub token: String,
    /// What it means where the token does not say it ("Bob Kessler"); may be empty.
    pub label: String,
    /// It completes the word that is being typed; else it could be added.
    pub completes: bool,
}

/// All that a list holds, also what is not on the page: for marks on everything that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BulkTarget {
    /// Where.
    pub place: Place,
    /// The query, as in `ThreadQuery`; none means the whole place.
    pub search: Option<String>,
    /// As in `ThreadQuery`.
    #[serde(default)]
    pub within: bool,
}
