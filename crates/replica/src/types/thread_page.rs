//! Pages of threads: the query, and the result.

use std::collections::HashMap;

use tidings_model::Stamp;

use crate::{Order, Place, SearchFilter, Start, Thread, ThreadCursor, ThreadId, ThreadPreview};

/// A query for a page of threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadQuery {
    /// The place. With a filter, `Inbox` stands for every place, unless the filter has a state of a place or
    /// `place_only` is set.
    pub place: Place,
    /// Restricts a filter on `Inbox` to the inbox.
    pub place_only: bool,
    /// The threads of the place to list; the default filter selects all.
    pub filter: SearchFilter,
    /// The order of the rows.
    pub order: Order,
    /// The position of the page.
    pub start: Start,
    /// The most rows, 1 to 500.
    pub limit: usize,
}

impl ThreadQuery {
    /// The first rows of a place, newest first.
    pub fn top(place: Place, limit: usize) -> Self {
        let (filter, order, start) = (SearchFilter::default(), Order::default(), Start::default());
        Self { place, place_only: false, filter, order, start, limit }
    }
}

/// One page of threads, in the requested order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThreadPage {
    /// The threads.
    pub rows: Vec<Thread>,
    /// What a search found in them, by thread.
    pub hits: HashMap<ThreadId, Hit>,
    /// The cursor of the next page, for [`Start::After`]; `None` at the end.
    pub next: Option<ThreadCursor>,
    /// The cursor of the previous page, for [`Start::Before`]; `None` at the top.
    pub prev: Option<ThreadCursor>,
    /// The number of threads in the list.
    pub total: u64,
    /// Whether there may be more than `total`, because a search ended at its limit.
    pub at_least: bool,
}

/// The unread threads that a search finds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnreadThreads {
    /// Those in which it finds an unread item that the badge counts.
    pub counted: u64,
    /// The others.
    pub quiet: u64,
}

/// The item that a search found in a thread: of several the one that came last.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its preview.
    pub preview: ThreadPreview,
    /// The time of its content, by which what was found is sorted.
    pub created_at: Stamp,
    /// Its priority.
    pub priority: u8,
    /// The beginning of its body, at most [`Hit::MAX_BODY_BYTES`] bytes.
    pub body: String,
}

impl Hit {
    /// The most bytes of a body in which a row looks for what was searched.
    pub const MAX_BODY_BYTES: usize = 32 * 1024;
}
