//! Lists of threads: their order, and the position of a page in them.

use std::fmt;
use std::str::FromStr;

use tidings_model::Stamp;

use super::{SourceId, ThreadId};
use crate::Error;

/// The position of a row in a list; as text `<source>.<micros>.<id>`.
///
/// ```
/// use tidings_replica_tables::ThreadCursor;
///
/// let cursor: ThreadCursor = "1.1700000000000000.42".parse()?;
/// assert_eq!((cursor.source, cursor.id), (1, 42));
/// # Ok::<(), tidings_replica_tables::Error>(())
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
