//! Bulk marks: on every thread of a list, however many these are, in portions between which others write. In memory a change
//! takes a bit.

use std::sync::Arc;

use rusqlite::Connection;
use tidings_model::{Kind, Stamp};

use crate::lists;
use crate::lists::key_ranges::KeyRanges;
use crate::lists::thread_filter::ThreadFilter;
use crate::marks::jobs::{self, Step};
use crate::search::id_set::IdSet;
use crate::tables::item_state::Marks;
use crate::{Changed, Mark, Marked, Order, Place, Replica, Result, SearchFilter, SourceId, StateFilter};

/// Changes that one mark made in one and the same way, a bit each.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BulkChange {
    /// These items were marked.
    Items { mark: Mark, items: IdSet },
    /// These threads were pinned or muted, or the opposite.
    Flags { mark: Mark, threads: IdSet },
}

/// All threads of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkTarget {
    /// The place whose threads are marked.
    pub place: Place,
    /// A filter on `Inbox` finds threads there only; else in every place.
    pub place_only: bool,
    /// Which threads of it; the default filter means all.
    pub filter: SearchFilter,
}

impl Replica {
    /// Marks every thread of a list. What arrives meanwhile may or may not be marked; what changed otherwise meanwhile is
    /// not touched. Gives what the mark did, and how many threads it concerned.
    ///
    /// # Errors
    /// What was marked before something failed stays marked.
    pub fn mark_bulk(&self, all: &BulkTarget, mark: Mark) -> Result<(Marked, u64)> {
        let (steps, threads) = self.read(|conn| plan(conn, all, mark, self.portion))?;
        let done = self.carry_out(&steps, Some(mark))?;
        let flagged = done.undo.iter().flat_map(|undo| &undo.bulk).map(BulkChange::flagged).sum();
        Ok((done, if mark.is_of_items() { threads } else { flagged }))
    }
}

impl BulkChange {
    /// How many threads were pinned or muted, or the opposite.
    fn flagged(&self) -> u64 {
        match self {
            Self::Items { .. } => 0,
            Self::Flags { threads, .. } => threads.newest_first().count().try_into().unwrap_or(u64::MAX),
        }
    }
}

/// The mark that takes a mark on threads back.
pub(crate) const fn opposite(mark: Mark) -> Mark {
    match mark {
        Mark::Pin => Mark::Unpin,
        Mark::Unpin => Mark::Pin,
        Mark::Mute => Mark::Unmute,
        Mark::Unmute => Mark::Mute,
        other => other,
    }
}

/// Two changes as one, with the counts of the later.
pub(crate) fn merged(one: &Changed, other: &Changed) -> Arc<Changed> {
    let mut all = one.clone();
    all.threads.extend(&other.threads);
    all.gone.extend(&other.gone);
    all.refetch |= other.refetch || all.threads.len() + all.gone.len() > Changed::MAX_LISTED;
    if all.refetch {
        (all.threads, all.gone) = (Vec::new(), Vec::new());
    }
    all.counts = other.counts.clone();
    Arc::new(all)
}

/// Whether a mark changed nothing but its own time, so that the opposite mark takes it back.
pub(crate) fn is_uniform(mark: Mark, was: &Marks, is: &Marks) -> bool {
    let back = match mark {
        Mark::Read if was.read.is_none() => Marks { read: None, ..*is },
        Mark::Unread if is.read.is_none() => Marks { read: was.read, ..*is },
        Mark::Archive if was.archived.is_none() => Marks { archived: None, ..*is },
        Mark::Unarchive if is.archived.is_none() => Marks { archived: was.archived, ..*is },
        Mark::Snooze { .. } if was.snoozed.is_none() => Marks { snoozed: None, ..*is },
        _ => return false,
    };
    back == *was
}

/// The marks before a mark that changed its own time only; none where something else happened to the item since. Times are
/// not compared: the server has its own as soon as it has answered.
pub(crate) fn before_uniform(mark: Mark, is: &Marks, now: Stamp) -> Option<Marks> {
    Some(match mark {
        Mark::Read if is.read.is_some() => Marks { read: None, ..*is },
        Mark::Unread if is.read.is_none() => Marks { read: Some(now), ..*is },
        Mark::Archive if is.archived.is_some() => Marks { archived: None, ..*is },
        Mark::Unarchive if is.archived.is_none() => Marks { archived: Some(now), ..*is },
        Mark::Snooze { until } if is.snoozed == Some(until) => Marks { snoozed: None, ..*is },
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
        return Ok((jobs::read_here(conn, source, kind, portion)?, threads));
    }
    jobs::on_threads(conn, &lists::all(conn, &filter, &all.filter)?, mark, portion)
}

/// The source and kind that a place is restricted to, where these alone say what is in it.
const fn by_kind_and_source(place: Place) -> Option<(Option<SourceId>, Option<Kind>)> {
    match place {
        Place::Inbox | Place::Unread => Some((None, None)),
        Place::Kind(kind) => Some((None, Some(kind))),
        Place::Source(source) => Some((Some(source), None)),
        Place::Pinned | Place::Snoozed | Place::Done => None,
    }
}
