//! Bulk marks: marks on every thread of a list of any length, in portions between which other writes run. Each change
//! takes one bit of memory for the undo.

use rusqlite::Connection;
use tidings_model::Kind;
use tidings_replica_tables::key_ranges::KeyRanges;
use tidings_replica_tables::thread_filter::ThreadFilter;

use crate::lists;
use crate::marks::changes::{BulkChange, Marked};
use crate::marks::jobs::{self, Step};
use crate::{Error, Mark, Order, Place, Replica, Result, SearchFilter, SourceId, StateFilter};

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
        let (steps, threads) = self.read(|conn| plan(conn, all, mark, self.bounds.marked_rows))?;
        let done = self.and_settle_kept(self.run_job(&steps, Some(mark))?)?;
        let flagged = done.undo.iter().flat_map(|undo| &undo.bulk).map(BulkChange::flagged).sum();
        Ok((done, if mark.is_of_items() { threads } else { flagged }))
    }
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
    jobs::thread_steps(conn, &lists::all(conn, &filter, &all.filter)?, mark, filter.done, portion)
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
