//! Marks on all that a list holds, however much that is: in portions, between which others write. Refuses to hold more
//! than a bit for each change in memory.

use std::sync::Arc;

use rusqlite::Connection;
use tidings_model::{Kind, Stamp};

use crate::held::Held;
use crate::ids::Ids;
use crate::long::{self, Step};
use crate::mark::act;
use crate::overlay::Act;
use crate::row::Marks;
use crate::stretch::Stretches;
use crate::{
    Changed, Mark, Marked, Order, Place, Replica, Result, SearchFilter, SourceId, StateFilter, threads,
};

/// What changed in one and the same way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wide {
    /// The act was done to these items.
    Items { act: Act, items: Ids },
    /// These threads were pinned, silenced, or the opposite.
    Flags { mark: Mark, threads: Ids },
}

/// All that a list holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkTarget {
    /// Where.
    pub place: Place,
    /// What is sought from `Inbox` is sought only there.
    pub place_only: bool,
    /// What is sought; nothing means the whole place.
    pub filter: SearchFilter,
}

impl Replica {
    /// Marks every thread of a list. What arrives meanwhile may or may not be marked; what changed otherwise meanwhile
    /// is not touched. Gives how many threads it concerned beside what the mark did.
    ///
    /// # Errors
    /// What was marked before something failed stays marked.
    pub fn mark_bulk(&self, all: &BulkTarget, mark: Mark) -> Result<(Marked, u64)> {
        let (steps, threads) = self.read(|conn| plan(conn, all, mark, self.portion))?;
        let act = act(mark);
        let done = self.carry_out(&steps, act, Some(mark).filter(|_| act.is_none()))?;
        let flagged = done.undo.iter().flat_map(|undo| &undo.wide).map(Wide::flagged).sum();
        Ok((done, if act.is_none() { flagged } else { threads }))
    }
}

impl Wide {
    /// How many threads were pinned, silenced, or the opposite.
    fn flagged(&self) -> u64 {
        match self {
            Self::Items { .. } => 0,
            Self::Flags { threads, .. } => threads.newest_first().count().try_into().unwrap_or(u64::MAX),
        }
    }
}

pub(crate) const fn opposite(mark: Mark) -> Mark {
    match mark {
        Mark::Pin => Mark::Unpin,
        Mark::Unpin => Mark::Pin,
        Mark::Mute => Mark::Unmute,
        Mark::Unmute => Mark::Mute,
        other => other,
    }
}

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

/// Whether an act changed nothing but what it is there for, so that its opposite takes it back.
pub(crate) fn is_plain(act: Act, was: &Marks, is: &Marks) -> bool {
    let back = match act {
        Act::Read if was.read.is_none() => Marks { read: None, ..*is },
        Act::Unread if is.read.is_none() => Marks { read: was.read, ..*is },
        Act::Archive if was.archived.is_none() => Marks { archived: None, ..*is },
        Act::Unarchive if is.archived.is_none() => Marks { archived: was.archived, ..*is },
        Act::Snooze(_) if was.snoozed.is_none() => Marks { snoozed: None, ..*is },
        _ => return false,
    };
    back == *was
}

/// What an act left behind, taken back; none where something else happened to it since. Times are not compared: the
/// server has its own as soon as it has answered.
pub(crate) fn plain_back(act: Act, is: &Marks, now: Stamp) -> Option<Marks> {
    Some(match act {
        Act::Read if is.read.is_some() => Marks { read: None, ..*is },
        Act::Unread if is.read.is_none() => Marks { read: Some(now), ..*is },
        Act::Archive if is.archived.is_some() => Marks { archived: None, ..*is },
        Act::Unarchive if is.archived.is_none() => Marks { archived: Some(now), ..*is },
        Act::Snooze(until) if is.snoozed == Some(until) => Marks { snoozed: None, ..*is },
        _ => return None,
    })
}

fn plan(conn: &Connection, all: &BulkTarget, mark: Mark, portion: usize) -> Result<(Vec<Step>, u64)> {
    let held = Held::of(all.place, all.place_only, &all.filter);
    if mark == Mark::Read
        && all.filter.is_empty()
        && let Some((source, kind)) = by_kind_and_source(all.place)
    {
        let unread = SearchFilter { states: vec![StateFilter::Unread], ..SearchFilter::default() };
        let unread = Held::of(all.place, true, &unread);
        let threads = Stretches::of(conn, &unread, Order::Newest)?.threads();
        return Ok((long::read_here(conn, source, kind, portion)?, threads));
    }
    long::everything(conn, &threads::all(conn, &held, &all.filter)?, mark, portion)
}

/// Of which source and kind all is that a place holds; none where a place is not told apart by them.
const fn by_kind_and_source(place: Place) -> Option<(Option<SourceId>, Option<Kind>)> {
    match place {
        Place::Inbox | Place::Unread => Some((None, None)),
        Place::Kind(kind) => Some((None, Some(kind))),
        Place::Source(source) => Some((Some(source), None)),
        Place::Pinned | Place::Snoozed | Place::Done => None,
    }
}
