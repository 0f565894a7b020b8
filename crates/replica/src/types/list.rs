//! Lists of threads: the query, and a page of the result.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use tidings_model::Stamp;

use super::{Place, SourceId, Thread, ThreadId, ThreadPreview};
use crate::{Error, SearchFilter};

/// The position of a row in a list; as text `<source>.<micros>.<id>`.
///
/// ```
/// use tidings_replica::ThreadCursor;
///
/// let cursor: ThreadCursor = "1.1700000000000000.42".parse()?;
/// assert_eq!((cursor.source, cursor.id), (1, 42));
/// # Ok::<(), tidings_replica::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadCursor {
    /// The row's source.
    pub source: SourceId,
    /// The row's `last_at`; in Done the time of the newest archived item.
    pub at: Stamp,
    /// The row's thread id.
    pub id: ThreadId,
}

impl fmt::Display for ThreadCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.source, self.at.as_micros(), self.id)
    }
}

impl FromStr for ThreadCursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::Invalid("the cursor of a list is not one of ours".into());
        let mut parts = text.splitn(3, '.').map(|part| part.parse::<i64>().map_err(|_| wrong()));
        let mut part = || parts.next().unwrap_or_else(|| Err(wrong()));
        Ok(Self { source: part()?, at: Stamp::from_micros(part()?), id: part()? })
    }
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Newest first.
    #[default]
    Newest,
    /// The sources in their order, newest first in each.
    Source,
}

/// The position of a page in a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Start {
    /// The page is the first one.
    #[default]
    Top,
    /// The page begins after this row.
    After(ThreadCursor),
    /// The page ends before this row.
    Before(ThreadCursor),
    /// The page is the last one.
    Bottom,
}

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
