//! Reads of the inbox: pulls and pages, each in one snapshot. Refuses to count.

use rusqlite::{Connection, Row, ToSql, params};
use serde_json::value::RawValue;
use tidings_model::wire::ViewMark;
use tidings_model::{Kind, Stamp};

use super::{marking, row};
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::error::Error;
use crate::store::InboxQuery;
use crate::store::page::{ItemsPage, PageBuilder, PullPage};

/// What is new or changed after a stamp, in stamp order.
pub(super) fn sync(conn: &Connection, user: UserKey, since: Stamp, limit: usize) -> Result<PullPage, Error> {
    let (mut items, mut more) = changed(conn, user, since, limit)?;
    let mut upto = if more { items.last().map_or(since, |(stamp, _)| *stamp) } else { Stamp::MAX };
    let (marks, marks_end) = marks(conn, user, since, upto)?;
    if marks_end {
        // The page ends where its marks do: both are in one order.
        upto = marks.last().map_or(upto, |m| m.stamp);
        items.retain(|(stamp, _)| *stamp <= upto);
        more = true;
    }
    let newest = items.last().map(|(stamp, _)| *stamp).max(marks.last().map(|m| m.stamp)).unwrap_or(since);
    let (epoch, forgotten): (String, i64) = conn
        .prepare_cached("SELECT epoch, forgotten_before FROM head WHERE one = 1")?
        .query_row([], |r| Ok((r.get(0)?, r.get(1)?)))?;
    Ok(PullPage {
        items: items.into_iter().map(|(_, written)| written).collect(),
        marks,
        next: newest.max(since),
        more,
        epoch,
        forgotten_before: (forgotten > 0).then(|| Stamp::from_micros(forgotten)),
        remaining: None,
    })
}

/// An item as it goes over the wire, and its stamp.
type Placed = (Stamp, Box<RawValue>);

/// A page of items in stamp order, each written once, and whether there are more after it.
fn changed(
    conn: &Connection,
    user: UserKey,
    since: Stamp,
    limit: usize,
) -> Result<(Vec<Placed>, bool), Error> {
    let mut rows = conn.prepare_cached(&format!(
        "SELECT {} FROM {} WHERE i.user = ?1 AND i.stamp > ?2 ORDER BY i.stamp",
        row::COLUMNS,
        row::FROM
    ))?;
    let mut rows = rows.query(params![user.0, since.as_micros()])?;
    let (mut page, mut stamps) = (PageBuilder::within(limit, limits::PAGE - limits::PAGE_MARKS), Vec::new());
    while let Some(row) = rows.next()? {
        let item = row::notification(row)?;
        if !page.push(&item)? {
            break;
        }
        stamps.push(item.stamp);
    }
    let more = page.is_full();
    Ok((stamps.into_iter().zip(page.into_elements()).collect(), more))
}

/// How many items came or changed after a stamp, counted no further than this.
const COUNTED: i64 = 100_000;

/// How many items came or changed after a stamp, at most [`COUNTED`]: the index alone is counted.
pub(super) fn changes_after(conn: &Connection, user: UserKey, since: Stamp) -> Result<u64, Error> {
    let count: i64 = conn
        .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM items WHERE user = ?1 AND stamp > ?2 LIMIT ?3)")?
        .query_row([user.0, since.as_micros(), COUNTED], |r| r.get(0))?;
    Ok(u64::try_from(count).unwrap_or_default())
}

/// The marks that moved between two stamps, in stamp order, and whether the page ends before the last of them.
fn marks(
    conn: &Connection,
    user: UserKey,
    since: Stamp,
    upto: Stamp,
) -> Result<(Vec<ViewMark>, bool), Error> {
    let mut rows = conn.prepare_cached(
        "SELECT kind, view, mark, stamp FROM views WHERE user = ?1 AND stamp > ?2 AND stamp <= ?3 ORDER BY stamp",
    )?;
    let mut rows = rows.query(params![user.0, since.as_micros(), upto.as_micros()])?;
    let (mut found, mut size) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let mark = mark_row(row)?;
        // A text as JSON is at most six times as long as it is; the two times and the names are the rest.
        size += mark.view.to_string().len() * 6 + 128;
        if found.len() == limits::SYNC || (size > limits::PAGE_MARKS && !found.is_empty()) {
            return Ok((found, true));
        }
        found.push(mark);
    }
    Ok((found, false))
}

fn mark_row(row: &Row<'_>) -> rusqlite::Result<ViewMark> {
    let kind = Kind::from_row(row.get(0)?).unwrap_or(Kind::Reminder);
    Ok(ViewMark {
        view: marking::view(kind, row.get(1)?),
        through: Stamp::from_micros(row.get(2)?),
        stamp: Stamp::from_micros(row.get(3)?),
    })
}

/// A page of the inbox, newest first.
pub(super) fn inbox(
    conn: &Connection,
    user: UserKey,
    query: &InboxQuery,
    now: Stamp,
) -> Result<ItemsPage, Error> {
    let mut found = keys(conn, user, query, now)?;
    let more = found.len() > query.limit;
    found.truncate(query.limit);
    let mut one = conn.prepare_cached(&format!(
        "SELECT {} FROM {} WHERE i.user = ?1 AND i.created_at = ?2",
        row::COLUMNS,
        row::FROM
    ))?;
    let mut page = PageBuilder::new(query.limit);
    let mut last = None;
    for at in found {
        if !page.push(&one.query_row([user.0, at], row::notification)?)? {
            break;
        }
        last = Some(Stamp::from_micros(at));
    }
    let next = if more || page.is_full() { last } else { None };
    Ok(ItemsPage { items: page.into_elements(), next })
}

/// Where the items of a page are: at most one more than fit.
fn keys(conn: &Connection, user: UserKey, query: &InboxQuery, now: Stamp) -> Result<Vec<i64>, Error> {
    let before = query.before.map_or(i64::MAX, Stamp::as_micros);
    let limit = query.limit + 1;
    if let Some(id) = &query.conversation {
        let narrow = "i.view = :view AND i.kind = 3 AND i.deleted = 0 AND i.created_at < :before";
        let sql = format!(
            "SELECT i.created_at FROM items i INDEXED BY items_of_conversation WHERE i.user = :user AND {narrow}
             ORDER BY i.created_at DESC LIMIT :limit"
        );
        return run(
            conn,
            &sql,
            &[(":user", &user.0), (":view", id), (":before", &before), (":limit", &limit)],
        );
    }
    if query.archived && query.unread == Some(true) {
        // What is archived does not count as unread.
        return Ok(Vec::new());
    }
    let state = state(query);
    let now = now.as_micros();
    let base: [(&str, &dyn ToSql); 3] = [(":user", &user.0), (":before", &before), (":limit", &limit)];
    let mut values = base.to_vec();
    if query.unread == Some(true) {
        values.push((":now", &now));
    }
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|k| query.kind.is_none_or(|w| w == *k)).collect();
    match query.thread.as_deref().map(thread) {
        Some(None) => Ok(Vec::new()),
        Some(Some(Thread::Reminders { view, action })) => {
            if !kinds.contains(&Kind::Reminder) {
                return Ok(Vec::new());
            }
            let sql = format!(
                "SELECT i.created_at FROM items i INDEXED BY items_of_thread WHERE i.user = :user AND i.kind = 2
                     AND i.view = :view AND i.action = :action AND i.created_at < :before AND {state}
                 ORDER BY i.created_at DESC LIMIT :limit"
            );
            values.push((":view", &view));
            values.push((":action", &action));
            run(conn, &sql, &values)
        }
        Some(Some(Thread::Conversation(id))) => {
            if !kinds.contains(&Kind::Message) {
                return Ok(Vec::new());
            }
            let sql = format!(
                "SELECT i.created_at FROM items i INDEXED BY items_of_conversation WHERE i.user = :user AND i.kind = 3
                     AND i.view = :view AND i.created_at < :before AND {state}
                 ORDER BY i.created_at DESC LIMIT :limit"
            );
            values.push((":view", &id));
            run(conn, &sql, &values)
        }
        Some(Some(Thread::Announcements)) => {
            let kinds: Vec<Kind> = kinds.into_iter().filter(|k| *k == Kind::Announcement).collect();
            merge(conn, &kinds, query, &values, limit)
        }
        None => merge(conn, &kinds, query, &values, limit),
    }
}

/// The condition on an item's state.
fn state(query: &InboxQuery) -> String {
    let archived = if query.archived { "NOT NULL" } else { "NULL" };
    let unread = if query.unread == Some(true) {
        "AND i.unread > 0 AND i.unread = 1 AND (i.snoozed_until IS NULL OR i.snoozed_until <= :now)"
    } else {
        ""
    };
    format!("i.deleted = 0 AND i.archived_at IS {archived} {unread}")
}

/// The index that holds the items of one kind that are in this state, and no others but those that sleep.
fn index(query: &InboxQuery) -> &'static str {
    match (query.archived, query.unread) {
        (true, _) => "items_archived",
        (false, Some(true)) => "items_unread",
        (false, _) => "items_listed",
    }
}

/// Each kind has its own order in the indexes; the newest of all of them are among the newest of each.
fn merge(
    conn: &Connection,
    kinds: &[Kind],
    query: &InboxQuery,
    values: &[(&str, &dyn ToSql)],
    limit: usize,
) -> Result<Vec<i64>, Error> {
    let (index, state) = (index(query), state(query));
    let mut found: Vec<i64> = Vec::new();
    for kind in kinds {
        let sql = format!(
            "SELECT i.created_at FROM items i INDEXED BY {index} WHERE i.user = :user AND i.kind = {}
                 AND i.created_at < :before
                 AND {state} ORDER BY i.created_at DESC LIMIT :limit",
            kind.as_row()
        );
        found.extend(run(conn, &sql, values)?);
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.truncate(limit);
    Ok(found)
}

fn run(conn: &Connection, sql: &str, values: &[(&str, &dyn ToSql)]) -> Result<Vec<i64>, Error> {
    let mut rows = conn.prepare_cached(sql)?;
    let found = rows.query_map(values, |r| r.get(0))?.collect::<Result<_, _>>()?;
    Ok(found)
}

enum Thread {
    Announcements,
    Reminders { view: String, action: String },
    Conversation(String),
}

/// What a thread's name says; none where nothing can have that name.
fn thread(name: &str) -> Option<Thread> {
    if name == tidings_model::notification::ANNOUNCEMENTS_THREAD {
        return Some(Thread::Announcements);
    }
    if let Some((target, action)) = name.rsplit_once('#') {
        target.split_once(':')?;
        return Some(Thread::Reminders { view: target.into(), action: action.into() });
    }
    tidings_model::view::is_conversation(name).then(|| Thread::Conversation(name.to_owned()))
}
