//! Reads a page of a pull.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};
use serde_json::value::RawValue;
use tidings_model::wire::ViewMark;
use tidings_model::{Kind, Stamp, View};

use super::row;
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::error::Error;
use crate::store::page::{self, PageBuilder, PullPage};
use crate::store::sqlite::tables::{groups, meta, read_marks, users};

/// A page of a pull: items and read marks that are new or changed after a stamp, in stamp order. Marks that
/// make its items read and have their place on a later page come in a list of their own; so do the marks of others, and
/// groups that changed.
pub(crate) fn sync(conn: &Connection, user: UserKey, since: Stamp, limit: usize) -> Result<PullPage, Error> {
    let Changed { mut items, mut more, reading_marks } = changed(conn, user, since, limit)?;
    let mut upto = if more { items.last().map_or(since, |(stamp, _)| *stamp) } else { Stamp::MAX };
    let (marks, marks_full) = marks(conn, user, since, upto)?;
    if marks_full {
        // The page ends at its last read mark, because items and marks share one order.
        upto = marks.last().map_or(upto, |m| m.stamp);
        items.retain(|(stamp, _)| *stamp <= upto);
        more = true;
    }
    let (peer_marks, peers_full) = peer_marks(conn, user, since, upto)?;
    let mut marks = marks;
    if peers_full {
        upto = peer_marks.last().map_or(upto, |m| m.stamp);
        items.retain(|(stamp, _)| *stamp <= upto);
        marks.retain(|m| m.stamp <= upto);
        more = true;
    }
    // Who pulls for the first time asks for each group as it comes.
    let groups = if since == Stamp::ZERO {
        Vec::new()
    } else {
        groups::changed(conn, user, (since, upto), limits::CHANGED_GROUPS)?
    };
    let last_marks = [marks.last(), peer_marks.last()].into_iter().flatten().map(|m| m.stamp);
    let newest = last_marks
        .chain(items.last().map(|(stamp, _)| *stamp))
        .chain(groups.last().map(|(_, stamp)| *stamp))
        .max()
        .unwrap_or(since);
    let forgotten = meta::forgotten_before(conn)?;
    Ok(PullPage {
        items: items.into_iter().map(|(_, written)| written).collect(),
        marks,
        later_marks: reading_marks.into_values().filter(|mark| mark.stamp > upto).collect(),
        peer_marks,
        groups: groups.into_iter().map(|(id, _)| id).collect(),
        next: newest.max(since),
        more,
        epoch: meta::epoch(conn)?,
        forgotten_before: (forgotten > Stamp::ZERO).then_some(forgotten),
        remaining: None,
    })
}

/// The stamp of an item, and the item serialized as in the response.
type StampedItem = (Stamp, Box<RawValue>);

/// The items of a page.
struct Changed {
    /// In stamp order, each serialized once.
    items: Vec<StampedItem>,
    /// Whether there are more after them.
    more: bool,
    /// The marks of views that make them read, by view.
    reading_marks: BTreeMap<String, ViewMark>,
}

/// A page of items in stamp order.
fn changed(conn: &Connection, user: UserKey, since: Stamp, limit: usize) -> Result<Changed, Error> {
    let mut rows = conn.prepare_cached(&format!(
        "SELECT {} FROM {} WHERE i.user = ?1 AND i.stamp > ?2 ORDER BY i.stamp",
        row::COLUMNS,
        row::FROM
    ))?;
    let mut rows = rows.query(params![user.0, since.as_micros()])?;
    let (mut page, mut stamps) =
        (PageBuilder::with_max_bytes(limit, limits::PAGE_BYTES - limits::PAGE_MARKS_BYTES), Vec::new());
    let mut reading_marks = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let item = row::notification(row)?;
        if !page.push(&item)? {
            break;
        }
        stamps.push(item.stamp);
        if let Some(mark) = row::reading_mark(row, &item)? {
            let size = page::mark_size(&mark);
            if reading_marks.insert(mark.view.to_string(), mark).is_none() {
                page.charge(size);
            }
        }
    }
    let more = page.is_full();
    Ok(Changed { items: stamps.into_iter().zip(page.into_elements()).collect(), more, reading_marks })
}

/// The number at which counting stops.
const MAX_COUNTED_CHANGES: i64 = 100_000;

/// The number of items that are new or changed after a stamp, at most [`MAX_COUNTED_CHANGES`]; only the index is read.
pub(crate) fn changes_after(conn: &Connection, user: UserKey, since: Stamp) -> Result<u64, Error> {
    let count: i64 = conn
        .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM items WHERE user = ?1 AND stamp > ?2 LIMIT ?3)")?
        .query_row([user.0, since.as_micros(), MAX_COUNTED_CHANGES], |r| r.get(0))?;
    Ok(u64::try_from(count).unwrap_or_default())
}

/// The read marks that moved between two stamps, in stamp order, and whether some did not fit on the page.
fn marks(
    conn: &Connection,
    user: UserKey,
    since: Stamp,
    upto: Stamp,
) -> Result<(Vec<ViewMark>, bool), Error> {
    let mut rows = conn.prepare_cached(
        "SELECT kind, view, mark, stamp FROM read_marks WHERE user = ?1 AND stamp > ?2 AND stamp <= ?3 ORDER BY stamp",
    )?;
    let mut rows = rows.query(params![user.0, since.as_micros(), upto.as_micros()])?;
    let (mut found, mut size) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let mark = mark_row(row)?;
        if !fits(&found, &mut size, &mark, MARKS_BYTES) {
            return Ok((found, true));
        }
        found.push(mark);
    }
    Ok((found, false))
}

/// The bytes of a page for the user's own marks; a quarter is left for those of others, and one for the ids of groups.
const MARKS_BYTES: usize = limits::PAGE_MARKS_BYTES / 2;
const PEER_MARKS_BYTES: usize = limits::PAGE_MARKS_BYTES / 4;

/// Whether one more mark fits on the page, which always takes the first.
fn fits(found: &[ViewMark], size: &mut usize, mark: &ViewMark, most: usize) -> bool {
    *size += page::mark_size(mark);
    found.len() < limits::SYNC_LIMIT && (*size <= most || found.is_empty())
}

/// How far the others read the user's conversations with one person, as far as that moved between two stamps, in stamp
/// order, and whether some did not fit on the page. The marks are the others' own, on their view of this user.
fn peer_marks(
    conn: &Connection,
    user: UserKey,
    since: Stamp,
    upto: Stamp,
) -> Result<(Vec<ViewMark>, bool), Error> {
    let view = format!("user:{}", users::id_of(conn, user)?);
    let mut rows = conn.prepare_cached(
        "SELECT u.id, m.mark, m.stamp FROM read_marks m INDEXED BY read_marks_of_peers CROSS JOIN users u ON u.key = m.user
         WHERE m.kind = 3 AND m.view = ?1 AND m.stamp > ?2 AND m.stamp <= ?3 AND m.user <> ?4 AND u.id < '~'
             AND EXISTS (SELECT 1 FROM conversations c WHERE c.user = ?4 AND c.view = 'user:' || u.id)
         ORDER BY m.stamp",
    )?;
    let mut rows = rows.query(params![view, since.as_micros(), upto.as_micros(), user.0])?;
    let (mut found, mut size) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let mark = ViewMark {
            view: View::Conversation(format!("user:{}", row.get::<_, String>(0)?)),
            through: Stamp::from_micros(row.get(1)?),
            stamp: Stamp::from_micros(row.get(2)?),
        };
        if !fits(&found, &mut size, &mark, PEER_MARKS_BYTES) {
            return Ok((found, true));
        }
        found.push(mark);
    }
    Ok((found, false))
}

fn mark_row(row: &Row<'_>) -> rusqlite::Result<ViewMark> {
    let kind = Kind::from_row(row.get(0)?).unwrap_or(Kind::Reminder);
    Ok(ViewMark {
        view: read_marks::view(kind, row.get(1)?),
        through: Stamp::from_micros(row.get(2)?),
        stamp: Stamp::from_micros(row.get(3)?),
    })
}
