//! The table `views`: the mark of each view, in force and on the server.

use rusqlite::{Connection, Row, params};
use tidings_model::{Stamp, View};

use super::columns::{count, limit, stamp, time};
use super::sql;
use crate::{Error, Result, SourceId};

/// A view's row.
#[derive(Debug, Clone)]
pub struct ViewRow {
    /// The row id.
    pub id: i64,
    /// Its source.
    pub source: SourceId,
    /// The mark in force.
    pub through: Option<Stamp>,
    /// The server's mark.
    pub server_through: Option<Stamp>,
    /// The stamp of the server's mark.
    pub stamp: Stamp,
    /// The source's generation when the server's mark was received.
    pub generation: i64,
    /// The source's tick when the server's mark was received.
    pub server_tick: i64,
    /// Where the server's mark is assumed to be after operations that it answered.
    pub assumed: Option<Stamp>,
}

impl ViewRow {
    /// The server's mark, as far as it is known.
    #[inline]
    pub fn expected(&self) -> Option<Stamp> {
        self.assumed.or(self.server_through)
    }
}

/// How far the other person has read a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerRead {
    /// Messages created up to this time are read.
    pub through: Stamp,
    /// When the other person read them.
    pub at: Stamp,
}

const COLUMNS: &str = "id, source, through, server_through, stamp, generation, server_tick, assumed_through";

fn row(r: &Row<'_>) -> rusqlite::Result<ViewRow> {
    Ok(ViewRow {
        id: r.get(0)?,
        source: r.get(1)?,
        through: time(r, 2)?,
        server_through: time(r, 3)?,
        stamp: stamp(r, 4)?,
        generation: r.get(5)?,
        server_tick: r.get(6)?,
        assumed: time(r, 7)?,
    })
}

/// The view of a source with this name.
pub fn find(tx: &Connection, source: SourceId, view: &View) -> Result<Option<ViewRow>> {
    let sql = format!("SELECT {COLUMNS} FROM views WHERE source = ?1 AND view = ?2");
    sql::first(tx, &sql, params![source, view.to_string()], row)
}

/// The view with this row id; `None` if it is gone.
pub fn get(conn: &Connection, id: i64) -> Result<Option<ViewRow>> {
    let sql = format!("SELECT {COLUMNS} FROM views WHERE id = ?1");
    sql::first(conn, &sql, [id], row)
}

/// The view with this row id, which an item or an operation refers to.
pub fn one(conn: &Connection, id: i64) -> Result<ViewRow> {
    get(conn, id)?.ok_or_else(|| Error::Row(format!("there is no view {id}")))
}

/// The name of a view.
pub fn name(conn: &Connection, id: i64) -> Result<View> {
    let text: String = sql::one(conn, "SELECT view FROM views WHERE id = ?1", [id], |r| r.get(0))?;
    text.parse().map_err(|_| Error::Row(format!("the name of view {id} cannot be read")))
}

/// The view of a source with this name; inserted without a mark if it does not exist.
pub fn find_or_create(tx: &Connection, source: SourceId, view: &View, generation: i64) -> Result<ViewRow> {
    if let Some(known) = find(tx, source, view)? {
        return Ok(known);
    }
    let sql = "INSERT INTO views (source, view, stamp, generation, server_tick) VALUES (?1, ?2, 0, ?3, 0)";
    sql::run(tx, sql, params![source, view.to_string(), generation])?;
    one(tx, tx.last_insert_rowid())
}

/// Writes the server's mark.
pub fn save_server(tx: &Connection, view: &ViewRow) -> Result<()> {
    let sql =
        "UPDATE views SET server_through = ?2, stamp = ?3, generation = ?4, server_tick = ?5 WHERE id = ?1";
    sql::run(
        tx,
        sql,
        params![
            view.id,
            view.server_through.map(Stamp::as_micros),
            view.stamp.as_micros(),
            view.generation,
            view.server_tick
        ],
    )
    .map(drop)
}

/// Writes the mark in force.
pub fn set_through(tx: &Connection, id: i64, through: Option<Stamp>) -> Result<()> {
    sql::run(tx, "UPDATE views SET through = ?2 WHERE id = ?1", params![id, through.map(Stamp::as_micros)])
        .map(drop)
}

/// Writes where the server's mark is assumed to be; `None` ends the assumption.
pub fn assume(tx: &Connection, view: &mut ViewRow, mark: Option<Stamp>) -> Result<()> {
    if view.assumed == mark {
        return Ok(());
    }
    view.assumed = mark;
    let sql = "UPDATE views SET assumed_through = ?2 WHERE id = ?1";
    sql::run(tx, sql, params![view.id, mark.map(Stamp::as_micros)]).map(drop)
}

/// The views of a source with an assumed mark.
pub fn all_assumed(tx: &Connection, source: SourceId) -> Result<Vec<i64>> {
    sql::all(tx, "SELECT id FROM views WHERE source = ?1 AND assumed_through IS NOT NULL", [source], |r| {
        r.get(0)
    })
}

/// The views of a source that no page of this generation named.
pub fn older_than(tx: &Connection, source: SourceId, generation: i64) -> Result<Vec<i64>> {
    sql::all(tx, "SELECT id FROM views WHERE source = ?1 AND generation < ?2", [source, generation], |r| {
        r.get(0)
    })
}

/// The part of a mark's move that fits into one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// The time that the mark reaches.
    pub at: Stamp,
    /// The number of rows that it passes.
    pub rows: usize,
}

/// How far a mark moves towards `to`, forward or back, if it passes at most `most` rows (at least one).
pub fn reach(conn: &Connection, view: &ViewRow, to: Stamp, most: usize) -> Result<Reach> {
    let from = view.through.map_or(i64::MIN, Stamp::as_micros);
    let to = to.as_micros();
    let forward = to > from;
    let sql = if forward {
        "SELECT count(*), max(content_at) FROM (SELECT content_at FROM items
            WHERE view = ?1 AND content_at > ?2 AND content_at <= ?3 ORDER BY content_at LIMIT ?4)"
    } else {
        "SELECT count(*), min(content_at) FROM (SELECT content_at FROM items
            WHERE view = ?1 AND content_at > ?2 AND content_at <= ?3 ORDER BY content_at DESC LIMIT ?4)"
    };
    let most = most.max(1);
    let (rows, last): (u64, Option<i64>) =
        sql::one(conn, sql, [view.id, from.min(to), from.max(to), limit(most)], |r| {
            Ok((count(r, 0)?, r.get(1)?))
        })?;
    let rows = usize::try_from(rows).unwrap_or(usize::MAX);
    let at = match last {
        Some(last) if rows == most && forward => last.min(to),
        Some(last) if rows == most => last.saturating_sub(1).max(to),
        _ => to,
    };
    Ok(Reach { at: Stamp::from_micros(at), rows })
}

/// The time to which a visit moves a view's mark: the last revision of the items created up to `at`, or without `at`
/// the newest item. `None` if the mark is there already.
pub fn visited(conn: &Connection, view: &ViewRow, at: Option<Stamp>) -> Result<Option<Stamp>> {
    let at = match at {
        Some(at) => sql::first(
            conn,
            "SELECT content_at FROM items WHERE view = ?1 AND content_at > ?2 AND created_at <= ?2
                 ORDER BY content_at DESC LIMIT 1",
            [view.id, at.as_micros()],
            |r| time(r, 0),
        )?
        .flatten()
        .or(Some(at)),
        None => {
            sql::one(conn, "SELECT max(content_at) FROM items WHERE view = ?1", [view.id], |r| time(r, 0))?
        }
    };
    Ok(at.filter(|at| view.through.is_none_or(|through| through < *at)))
}

/// The number of items of a view with a read mark of their own, counted up to `most`.
pub fn read_singly(conn: &Connection, view: i64, most: usize) -> Result<usize> {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM items WHERE view = ?1 AND read_at IS NOT NULL LIMIT ?2)";
    let rows = sql::one(conn, sql, [view, limit(most)], |r| count(r, 0))?;
    Ok(usize::try_from(rows).unwrap_or(usize::MAX))
}

/// Records how far the other person has read a conversation, and when; it never goes back. False if that was known.
pub fn set_peer_read(tx: &Connection, view: i64, read: PeerRead) -> Result<bool> {
    let sql = "UPDATE views SET peer_through = ?2, peer_read_at = ?3 WHERE id = ?1 AND ifnull(peer_through < ?2, 1)";
    Ok(sql::run(tx, sql, [view, read.through.as_micros(), read.at.as_micros()])? > 0)
}

/// How far the other person has read a conversation; `None` if the server did not say.
pub fn peer_read(conn: &Connection, source: SourceId, view: &View) -> Result<Option<PeerRead>> {
    let sql = "SELECT peer_through, peer_read_at FROM views
         WHERE source = ?1 AND view = ?2 AND peer_through IS NOT NULL";
    sql::first(conn, sql, params![source, view.to_string()], |r| {
        Ok(PeerRead { through: stamp(r, 0)?, at: stamp(r, 1)? })
    })
}
