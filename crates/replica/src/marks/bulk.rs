//! Bulk marks: marks on every thread of a list of any length, in portions between which other writes run. Each change
//! takes one bit of memory for the undo.

use rusqlite::Connection;
use tidings_model::{Kind, Stamp};

use crate::lists;
use crate::lists::key_ranges::KeyRanges;
use crate::lists::thread_filter::ThreadFilter;
use crate::marks::jobs::{self, Step};
use crate::search::id_set::IdSet;
use crate::tables::item_state::Marks;
use crate::{Error, Mark, Marked, Order, Place, Replica, Result, SearchFilter, SourceId, StateFilter};

/// The changes of one mark that all have the same form, stored as a set of ids.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BulkChange {
    /// Items on which the mark was put.
    Items { mark: Mark, items: IdSet },
    /// Threads that the mark pinned, unpinned, muted or unmuted.
    Flags { mark: Mark, threads: IdSet },
}

/// All threads of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkTarget {
    /// The place of the list.
    pub place: Place,
    /// Restricts a search in `Inbox` to the inbox; otherwise it finds threads in every place.
    pub place_only: bool,
    /// The threads of the place to mark; the default filter selects all.
    pub filter: SearchFilter,
}

impl Replica {
    /// Marks every thread of a list. Items that arrive during the call may or may not be marked; items that change
    /// otherwise during the call are left alone. Returns the effect of the mark and the number of threads that it
    /// changed.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a mark of subscriptions, else the database's error. Portions that were written before the
    /// failure stay marked.
    pub fn mark_bulk(&self, all: &BulkTarget, mark: Mark) -> Result<(Marked, u64)> {
        if mark.is_of_subscription() {
            return Err(Error::Invalid("subscriptions are of named threads".to_owned()));
        }
        let (steps, threads) = self.read(|conn| plan(conn, all, mark, self.portion))?;
        let done = self.and_settle_kept(self.run_job(&steps, Some(mark))?)?;
        let flagged = done.undo.iter().flat_map(|undo| &undo.bulk).map(BulkChange::flagged).sum();
        Ok((done, if mark.is_of_items() { threads } else { flagged }))
    }
}

impl BulkChange {
    /// The number of threads whose flags changed.
    fn flagged(&self) -> u64 {
        match self {
            Self::Items { .. } => 0,
            Self::Flags { threads, .. } => threads.newest_first().count().try_into().unwrap_or(u64::MAX),
        }
    }
}

/// The mark that undoes a mark on threads.
pub(crate) const fn opposite(mark: Mark) -> Mark {
    match mark {
        Mark::Pin => Mark::Unpin,
        Mark::Unpin => Mark::Pin,
        Mark::Mute => Mark::Unmute,
        Mark::Unmute => Mark::Mute,
        other => other,
    }
}

/// Whether a mark changed nothing but its own time, so that the inverse change undoes it.
pub(crate) fn is_uniform(mark: Mark, before: &Marks, after: &Marks) -> bool {
    let back = match mark {
        Mark::Read if before.read.is_none() => Marks { read: None, ..*after },
        Mark::Unread if after.read.is_none() => Marks { read: before.read, ..*after },
        Mark::Archive if before.archived.is_none() => Marks { archived: None, ..*after },
        Mark::Unarchive if after.archived.is_none() => Marks { archived: before.archived, ..*after },
        Mark::Snooze { .. } if before.snoozed.is_none() => Marks { snoozed: None, ..*after },
        _ => return false,
    };
    back == *before
}

/// The marks before a mark that changed only its own time; `None` if another change to the item followed. Times are
/// not compared: the server sets its own when it answers.
pub(crate) fn before_uniform(mark: Mark, after: &Marks, now: Stamp) -> Option<Marks> {
    Some(match mark {
        Mark::Read if after.read.is_some() => Marks { read: None, ..*after },
        Mark::Unread if after.read.is_none() => Marks { read: Some(now), ..*after },
        Mark::Archive if after.archived.is_some() => Marks { archived: None, ..*after },
        Mark::Unarchive if after.archived.is_none() => Marks { archived: Some(now), ..*after },
        Mark::Snooze { until } if after.snoozed == Some(until) => Marks { snoozed: None, ..*after },
        _ => return None,
    })
}

fn plan(conn: &Connection, all: &BulkTarget, mark: Mark, portion: usize) -> Result<(Vec<Step>, u64)> {
    let filter = ThreadFilter::of(all.place, all.place_only, &all.filter);
    if mark == Mark::Read
        && all.filter.is_empty()
        && let Some((source, kind)) = by_kind_and_source(all.place)
    {
        let unread = SearchFilter { states: vec![StateFilter::Unread], ..SearchFilter::default() };
        let unread = ThreadFilter::of(all.place, true, &unread);
        let threads = KeyRanges::of(conn, &unread, Order::Newest)?.threads();
        return Ok((jobs::read_all_steps(conn, source, kind, portion)?, threads));
    }
    jobs::thread_steps(conn, &lists::all(conn, &filter, &all.filter)?, mark, portion)
}

/// The source and kind of a place that has no other condition; `None` for other places.
const fn by_kind_and_source(place: Place) -> Option<(Option<SourceId>, Option<Kind>)> {
    match place {
        Place::Inbox | Place::Unread => Some((None, None)),
        Place::Kind(kind) => Some((None, Some(kind))),
        Place::Source(source) => Some((Some(source), None)),
        Place::Pinned | Place::Snoozed | Place::Done => None,
    }
}
