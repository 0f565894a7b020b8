//! Counts the unread items of an inbox in one snapshot, each count up to a cap.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, ToSql, params};
use tidings_model::wire::{Count, UnreadCounts};
use tidings_model::{Kind, Stamp};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::limits;

use crate::sql;

/// The SQL condition that an item is not snoozed at `:now`.
const NOT_SNOOZED: &str = "(snoozed_until IS NULL OR snoozed_until <= :now)";

/// The count of a query that stops one row after the cap.
fn capped(n: i64, cap: u64) -> Count {
    let n = u64::try_from(n).unwrap_or(0);
    Count { count: n.min(cap), capped: n > cap }
}

fn count_kind(conn: &Connection, user: UserKey, kind: Kind, cap: u64, now: Stamp) -> Result<i64, Error> {
    let sql = format!(
        "SELECT count(*) FROM (SELECT 1 FROM items INDEXED BY items_unread WHERE user = :user AND unread > 0
                 AND unread = 1 AND kind = :kind AND {NOT_SNOOZED} LIMIT :limit)"
    );
    sql::one(
        conn,
        &sql,
        &[
            (":user", &user.0),
            (":kind", &kind.as_row()),
            (":now", &now.as_micros()),
            (":limit", &count_limit(cap)),
        ],
        |r| Ok(r.get(0)?),
    )
}

fn count_limit(cap: u64) -> i64 {
    i64::try_from(cap).unwrap_or(i64::MAX - 1) + 1
}

/// The unread count of a view, up to `cap`.
pub(crate) fn unread_in(
    conn: &Connection,
    user: UserKey,
    kind: Kind,
    view: &str,
    cap: u64,
    now: Stamp,
) -> Result<Count, Error> {
    let sql = match kind {
        Kind::Announcement => return Ok(capped(count_kind(conn, user, kind, cap, now)?, cap)),
        Kind::Message => format!(
            "SELECT count(*) FROM (SELECT 1 FROM items INDEXED BY items_unread_of_view WHERE user = :user AND unread > 0
                 AND unread = 1 AND kind = 3 AND view = :view AND {NOT_SNOOZED} LIMIT :limit)"
        ),
        Kind::Reminder => format!(
            "SELECT count(*) FROM (SELECT 1 FROM items INDEXED BY items_unread_of_view WHERE user = :user AND unread > 0
                 AND unread = 1 AND kind = 2 AND view = :view AND {NOT_SNOOZED} LIMIT :limit)"
        ),
    };
    let n = sql::one(
        conn,
        &sql,
        &[
            (":user", &user.0 as &dyn ToSql),
            (":view", &view),
            (":now", &now.as_micros()),
            (":limit", &count_limit(cap)),
        ],
        |r| Ok(r.get(0)?),
    )?;
    Ok(capped(n, cap))
}

/// All unread counts of an inbox, each up to `cap`.
pub(crate) fn unread(conn: &Connection, user: UserKey, cap: u64, now: Stamp) -> Result<UnreadCounts, Error> {
    let [announcement, reminder, message] = {
        let mut counts = [0; 3];
        for (n, kind) in counts.iter_mut().zip(Kind::ALL) {
            *n = count_kind(conn, user, kind, cap, now)?;
        }
        counts
    };
    let conversations = unread_conversations(conn, user, cap, now)?;
    Ok(UnreadCounts {
        total: capped(announcement + reminder + message, cap),
        announcement: capped(announcement, cap),
        reminder: capped(reminder, cap),
        message: capped(message, cap),
        conversations,
    })
}

/// The unread counts of conversations with unread items: at most [`limits::CONVERSATIONS_LIMIT`], in the order of their
/// ids.
fn unread_conversations(
    conn: &Connection,
    user: UserKey,
    cap: u64,
    now: Stamp,
) -> Result<BTreeMap<String, Count>, Error> {
    let mut next_view = conn.prepare_cached(
        "SELECT view FROM items INDEXED BY items_unread_of_view WHERE user = ?1 AND unread > 0 AND unread = 1
             AND kind = 3 AND view > ?2 ORDER BY view LIMIT 1",
    )?;
    let mut found = BTreeMap::new();
    let mut last = String::new();
    while found.len() < limits::CONVERSATIONS_LIMIT
        && let Some(view) =
            next_view.query_row(params![user.0, last], |r| r.get::<_, String>(0)).optional()?
    {
        let count = unread_in(conn, user, Kind::Message, &view, cap, now)?;
        if count.count > 0 {
            found.insert(view.clone(), count);
        }
        last = view;
    }
    Ok(found)
}
