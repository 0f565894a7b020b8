//! The table `counters`: sums over the items and threads of each source and kind. The macro below lists every counter
//! once, with its column and its field.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rusqlite::{Connection, Row, params_from_iter};
use tidings_model::Kind;

use super::columns;
use super::sql;
use crate::{Place, Result, SourceId};

/// Unread items of threads that are not muted, grouped so that the badge follows from any notify settings without
/// counting items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct UnreadCounters {
    /// Items that reach the least priority of their thread, for threads with one of their own.
    pub(crate) badge: i64,
    /// Items of priority 1, 2, 3, 4 and 5, for the other threads.
    pub(crate) by_priority: [i64; 5],
    /// Items of any priority that no list has shown.
    pub(crate) unseen: i64,
}

/// The counters of one source and kind, or deltas of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Items that are not deleted.
    pub(crate) items: i64,
    /// Unread items.
    pub(crate) unread: i64,
    pub(crate) inbox_threads: i64,
    /// Threads in the inbox with an unread item.
    pub(crate) unread_threads: i64,
    pub(crate) pinned_threads: i64,
    pub(crate) snoozed_threads: i64,
    /// Threads of which something is archived.
    pub(crate) done_threads: i64,
    /// Threads that are archived as a whole.
    pub(crate) archived_threads: i64,
    /// Unread items of threads without a notify level of their own.
    pub(crate) inherited: UnreadCounters,
    /// Unread items of threads with a notify level of their own.
    pub(crate) explicit: UnreadCounters,
}

macro_rules! counters {
    ($($column:literal: $($field:ident).+ $([$nth:literal])?;)+) => {
        impl Counters {
            /// The columns, in the order of the values.
            pub const COLUMNS: &[&str] = &[$($column),+];

            /// Reads the columns that begin at `at`.
            pub(crate) fn of(r: &Row<'_>, at: usize) -> rusqlite::Result<Self> {
                let (mut counters, mut columns) = (Self::default(), at..);
                $(counters.$($field).+ $([$nth])? = r.get(columns.next().unwrap_or_default())?;)+
                Ok(counters)
            }

            fn values(&self) -> impl Iterator<Item = i64> {
                [$(self.$($field).+ $([$nth])?),+].into_iter()
            }

            /// Adds other counters (`sign` 1) or subtracts them (`sign` -1).
            pub(crate) fn add(&mut self, other: &Self, sign: i64) {
                $(self.$($field).+ $([$nth])? += sign * other.$($field).+ $([$nth])?;)+
            }
        }
    };
}

counters! {
    "items": items;
    "unread": unread;
    "inbox_threads": inbox_threads;
    "unread_threads": unread_threads;
    "pinned_threads": pinned_threads;
    "snoozed_threads": snoozed_threads;
    "done_threads": done_threads;
    "archived_threads": archived_threads;
    "inherited_badge": inherited.badge;
    "inherited_unread_p1": inherited.by_priority[0];
    "inherited_unread_p2": inherited.by_priority[1];
    "inherited_unread_p3": inherited.by_priority[2];
    "inherited_unread_p4": inherited.by_priority[3];
    "inherited_unread_p5": inherited.by_priority[4];
    "inherited_unseen": inherited.unseen;
    "explicit_badge": explicit.badge;
    "explicit_unread_p1": explicit.by_priority[0];
    "explicit_unread_p2": explicit.by_priority[1];
    "explicit_unread_p3": explicit.by_priority[2];
    "explicit_unread_p4": explicit.by_priority[3];
    "explicit_unread_p5": explicit.by_priority[4];
    "explicit_unseen": explicit.unseen;
}

/// Adds deltas to the rows.
pub(crate) fn add(tx: &Connection, deltas: &BTreeMap<(SourceId, Kind), Counters>) -> Result<()> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let columns = Counters::COLUMNS;
        let values: Vec<String> = (3..columns.len() + 3).map(|n| format!("?{n}")).collect();
        let sums: Vec<String> =
            columns.iter().zip(&values).map(|(name, value)| format!("{name} = {name} + {value}")).collect();
        format!(
            "INSERT INTO counters (source, kind, {}) VALUES (?1, ?2, {}) ON CONFLICT DO UPDATE SET {}",
            columns.join(", "),
            values.join(", "),
            sums.join(", ")
        )
    });
    let mut statement = tx.prepare_cached(&SQL)?;
    for ((source, kind), delta) in deltas {
        if *delta != Counters::default() {
            statement
                .execute(params_from_iter([*source, kind.as_row()].into_iter().chain(delta.values())))?;
        }
    }
    Ok(())
}

/// The counters of every source and kind.
pub(crate) fn all(conn: &Connection) -> Result<Vec<(SourceId, Kind, Counters)>> {
    static SQL: LazyLock<String> =
        LazyLock::new(|| format!("SELECT source, kind, {} FROM counters", Counters::COLUMNS.join(", ")));
    sql::all(conn, &SQL, [], |r| Ok((r.get(0)?, columns::kind(r, 1)?, Counters::of(r, 2)?)))
}

/// The number of unread items of all sources.
pub fn unread(conn: &Connection) -> Result<u64> {
    sql::one(conn, "SELECT ifnull(sum(unread), 0) FROM counters", [], |r| columns::count(r, 0))
}

/// The number of threads in a place.
pub fn threads_in(conn: &Connection, place: Place) -> Result<u64> {
    let (column, condition, value) = match place {
        Place::Inbox => ("inbox_threads", "?1 IS NULL", None),
        Place::Unread => ("unread_threads", "?1 IS NULL", None),
        Place::Pinned => ("pinned_threads", "?1 IS NULL", None),
        Place::Snoozed => ("snoozed_threads", "?1 IS NULL", None),
        Place::Done => ("done_threads", "?1 IS NULL", None),
        Place::Kind(kind) => ("inbox_threads", "kind = ?1", Some(kind.as_row())),
        Place::Source(source) => ("inbox_threads", "source = ?1", Some(source)),
    };
    let sql = format!(
        "SELECT ifnull(sum({column}), 0) FROM counters
         WHERE {condition} AND source IN (SELECT id FROM sources WHERE removing = 0)"
    );
    sql::one(conn, &sql, [value], |r| columns::count(r, 0))
}
