//! Lists of threads: what is asked for, and a page of it.

use std::fmt;
use std::str::FromStr;

use tidings_model::Stamp;

use super::{Place, SourceId, Thread, ThreadId};
use crate::{Error, SearchFilter};

/// A row's position in a list; as text `<source>.<micros>.<id>`.
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
    /// Its source.
    pub source: SourceId,
    /// Its `last_at`.
    pub at: Stamp,
    /// Its id.
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

/// How a list is sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Newest first.
    #[default]
    Newest,
    /// The sources in their order, newest first in each.
    Source,
}

/// Where a page of a list lies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Start {
    /// At the top.
    #[default]
    Top,
    /// Below this row.
    After(ThreadCursor),
    /// Just above this row.
    Before(ThreadCursor),
    /// At the very end.
    Bottom,
}

/// Which threads to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadQuery {
    /// Where. A filter on `Inbox` finds threads in every place, unless it names one itself.
    pub place: Place,
    /// A filter on `Inbox` finds threads there only.
    pub place_only: bool,
    /// Which threads; the default lists all of the place.
    pub filter: SearchFilter,
    /// How the rows are sorted.
    pub order: Order,
    /// Where the page starts, or ends.
    pub start: Start,
    /// At most so many rows, 1 to 500.
    pub limit: usize,
}

impl ThreadQuery {
    /// The first rows of a place, newest first.
    pub fn top(place: Place, limit: usize) -> Self {
        let (filter, order, start) = (SearchFilter::default(), Order::default(), Start::default());
        Self { place, place_only: false, filter, order, start, limit }
    }
}

/// One page of threads, in the order that was asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThreadPage {
    /// The rows.
    pub rows: Vec<Thread>,
    /// What follows starts after this; none at the end.
    pub next: Option<ThreadCursor>,
    /// What stands above ends before this; none at the top.
    pub prev: Option<ThreadCursor>,
    /// Threads in all; of a search those found, counted up to [`ThreadPage::FOUND`].
    pub total: u64,
}

impl ThreadPage {
    /// Found threads are counted up to here.
    pub const FOUND: u64 = 10_000;
}
