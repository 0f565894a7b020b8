//! Reads a page of a pull.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};
use serde_json::value::RawValue;
use tidings_model::wire::ViewMark;
use tidings_model::{Kind, Stamp};

use super::row;
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::error::Error;
use crate::store::page::{PageBuilder, PullPage};
use crate::store::sqlite::tables::{meta, read_marks};

/// A page of a pull: items and read marks that are new or changed after a stamp, in stamp order. Marks that
/// make its items read and have their place on a later page come in a list of their own.
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
    let newest = items.last().map(|(stamp, _)| *stamp).max(marks.last().map(|m| m.stamp)).unwrap_or(since);
    let forgotten = meta::forgotten_before(conn)?;
    Ok(PullPage {
        items: items.into_iter().map(|(_, written)| written).collect(),
        marks,
        later_marks: reading_marks.into_values().filter(|mark| mark.stamp > upto).collect(),
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
            let size = mark_size(&mark);
            if reading_marks.insert(mark.view.to_string(), mark).is_none() {
                page.charge(size);
            }
        }
    }
    let more = page.is_full();
    Ok(Changed { items: stamps.into_iter().zip(page.into_elements()).collect(), more, reading_marks })
}

/// An upper bound of a mark's size as JSON: each byte of the view takes at most six, and the two stamps and member names
/// take the rest.
fn mark_size(mark: &ViewMark) -> usize {
    mark.view.to_string().len() * 6 + 128
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
        size += mark_size(&mark);
        if found.len() == limits::SYNC_LIMIT || (size > limits::PAGE_MARKS_BYTES && !found.is_empty()) {
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
