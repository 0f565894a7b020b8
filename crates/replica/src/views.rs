//! Views and their marks: what they cover becomes read, what they leave unread, by the affected range only. Refuses to
//! touch items of manual class.

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::{Stamp, View};

use crate::ledger::Ledger;
use crate::row::{BRIEF, Brief};
use crate::{ItemId, Result, SourceId, row};

/// A view's row.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) id: i64,
    /// The mark in force.
    pub(crate) through: Option<Stamp>,
    /// What the server said last.
    pub(crate) server: Option<Stamp>,
    /// When it said so.
    pub(crate) stamp: Stamp,
    pub(crate) generation: i64,
    /// The source's tick when it did.
    pub(crate) heard: i64,
}

pub(crate) fn find(tx: &Connection, source: SourceId, view: &View) -> Result<Option<Known>> {
    Ok(tx
        .prepare_cached(
            "SELECT id, through, server, stamp, generation, heard FROM views WHERE source = ?1 AND view = ?2",
        )?
        .query_row(params![source, view.to_string()], known)
        .optional()?)
}

pub(crate) fn get(tx: &Connection, id: i64) -> Result<Known> {
    Ok(tx
        .prepare_cached("SELECT id, through, server, stamp, generation, heard FROM views WHERE id = ?1")?
        .query_row([id], known)?)
}

fn known(r: &rusqlite::Row<'_>) -> rusqlite::Result<Known> {
    Ok(Known {
        id: r.get(0)?,
        through: row::time(r, 1)?,
        server: row::time(r, 2)?,
        stamp: row::stamp(r, 3)?,
        generation: r.get(4)?,
        heard: r.get(5)?,
    })
}

/// A view's source and row; none where it is gone.
pub(crate) fn with_source(conn: &Connection, id: i64) -> Result<Option<(SourceId, Known)>> {
    Ok(conn
        .prepare_cached(
            "SELECT id, through, server, stamp, generation, heard, source FROM views WHERE id = ?1",
        )?
        .query_row([id], |r| Ok((r.get(6)?, known(r)?)))
        .optional()?)
}

/// How far a mark gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reach {
    /// Where it is then.
    pub(crate) at: Stamp,
    /// Rows that it has moved over.
    pub(crate) rows: usize,
}

/// How far a mark gets on its way to `to`, forward or back, if it moves over so many rows at most (one at least).
pub(crate) fn reach(conn: &Connection, known: &Known, to: Stamp, most: usize) -> Result<Reach> {
    let from = known.through.map_or(i64::MIN, Stamp::as_micros);
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
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    let (rows, last): (u64, Option<i64>) = conn
        .prepare_cached(sql)?
        .query_row([known.id, from.min(to), from.max(to), limit], |r| Ok((row::count(r, 0)?, r.get(1)?)))?;
    let rows = usize::try_from(rows).unwrap_or(usize::MAX);
    let at = match last {
        Some(last) if rows == most && forward => last.min(to),
        Some(last) if rows == most => last.saturating_sub(1).max(to),
        _ => to,
    };
    Ok(Reach { at: Stamp::from_micros(at), rows })
}

/// To where a view's mark moves when it is looked at: what was shown up to `at` may have been revised since it was
/// created; without a time, the newest that is here. None where it is there already.
pub(crate) fn shown(conn: &Connection, known: &Known, at: Option<Stamp>) -> Result<Option<Stamp>> {
    let at = match at {
        Some(at) => conn
            .prepare_cached(
                "SELECT content_at FROM items WHERE view = ?1 AND content_at > ?2 AND created_at <= ?2
                 ORDER BY content_at DESC LIMIT 1",
            )?
            .query_row([known.id, at.as_micros()], |r| row::time(r, 0))
            .optional()?
            .flatten()
            .or(Some(at)),
        None => conn
            .prepare_cached("SELECT max(content_at) FROM items WHERE view = ?1")?
            .query_row([known.id], |r| row::time(r, 0))?,
    };
    Ok(at.filter(|at| known.through.is_none_or(|through| through < *at)))
}

/// The view's row, made if it is not there, with `through` in force from the start.
pub(crate) fn find_or_create(
    tx: &Connection,
    source: SourceId,
    view: &View,
    generation: i64,
    through: Option<Stamp>,
) -> Result<Known> {
    if let Some(known) = find(tx, source, view)? {
        return Ok(known);
    }
    tx.prepare_cached(
        "INSERT INTO views (source, view, through, server, stamp, generation, heard)
         VALUES (?1, ?2, ?3, NULL, 0, ?4, 0)",
    )?
    .execute(params![source, view.to_string(), through.map(Stamp::as_micros), generation])?;
    let id = tx.last_insert_rowid();
    Ok(Known { id, through, server: None, stamp: Stamp::ZERO, generation, heard: 0 })
}

/// Writes what the server said.
pub(crate) fn heard(tx: &Connection, known: &Known) -> Result<()> {
    tx.prepare_cached("UPDATE views SET server = ?2, stamp = ?3, generation = ?4, heard = ?5 WHERE id = ?1")?
        .execute(params![
            known.id,
            known.server.map(Stamp::as_micros),
            known.stamp.as_micros(),
            known.generation,
            known.heard
        ])?;
    Ok(())
}

/// Puts a mark in force: items between the old one and the new one become read, or unread. Gives those that did.
pub(crate) fn put(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    known: &mut Known,
    through: Option<Stamp>,
    now: Stamp,
) -> Result<Vec<(ItemId, crate::ThreadId)>> {
    if through == known.through {
        return Ok(Vec::new());
    }
    let before = |mark: Option<Stamp>| mark.map_or(i64::MIN, Stamp::as_micros);
    let (old, new) = (before(known.through), before(through));
    tx.prepare_cached("UPDATE views SET through = ?2 WHERE id = ?1")?
        .execute(params![known.id, through.map(Stamp::as_micros)])?;
    known.through = through;
    let wanted = if new > old { "i.unread = 1" } else { "i.unread = 0 AND i.own = 0 AND i.deleted = 0" };
    let sql = format!(
        "SELECT {BRIEF} FROM items i WHERE i.view = ?1 AND i.content_at > ?2 AND i.content_at <= ?3 AND {wanted}"
    );
    let items: Vec<Brief> = tx
        .prepare_cached(&sql)?
        .query_map(params![known.id, old.min(new), old.max(new)], Brief::of)?
        .collect::<Result<_, _>>()?;
    let mut turned = Vec::new();
    for mut item in items {
        let was = item.facts();
        item.derive(now);
        if item.facts() != was {
            ledger.turn(item.thread, &was, &item.facts())?;
            item.write(tx)?;
            turned.push((item.id, item.thread));
        }
    }
    Ok(turned)
}

/// An item may come before the mark that it is read by. When the mark comes, that is explained, and the mark alone
/// decides from then on, of so many items at most. What no mark explains was read by itself: its publisher cleared it. While a backlog comes, a
/// mark that an item was read by may have moved on before it was pulled: of that only an item that was read with its
/// last change is read by itself.
pub(crate) fn explained(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    known: &Known,
    backlog: bool,
    now: Stamp,
    most: usize,
) -> Result<Explained> {
    let sql = if backlog {
        format!(
            "SELECT {BRIEF} FROM items i WHERE i.view = ?1 AND i.read_at IS NOT NULL
                AND (i.read_at = ?2 OR (i.read_at <> i.stamp AND i.stamp < ?3)) LIMIT ?4"
        )
    } else {
        format!(
            "SELECT {BRIEF} FROM items i WHERE i.view = ?1 AND i.read_at = ?2 AND ?3 IS NOT NULL LIMIT ?4"
        )
    };
    let (server, stamp) = (known.server.map(Stamp::as_micros), known.stamp.as_micros());
    let items: Vec<Brief> = tx
        .prepare_cached(&sql)?
        .query_map(params![known.id, server, stamp, i64::try_from(most).unwrap_or(i64::MAX)], Brief::of)?
        .collect::<Result<_, _>>()?;
    let rows = items.len();
    let mut turned = Vec::new();
    for mut item in items {
        let was = item.facts();
        item.marks.read = None;
        tx.prepare_cached("UPDATE held SET read_at = NULL WHERE item = ?1")?.execute([item.id])?;
        item.derive(now);
        if item.facts() != was {
            ledger.turn(item.thread, &was, &item.facts())?;
            turned.push(item.id);
        }
        item.write(tx)?;
    }
    Ok(Explained { rows, turned })
}

/// What a mark explained.
pub(crate) struct Explained {
    /// Items that it decides on alone from now on.
    pub(crate) rows: usize,
    /// Those that are unread now.
    pub(crate) turned: Vec<ItemId>,
}

/// How many items of a view are read by themselves, or by a mark that has not come, counted up to `most`.
pub(crate) fn read_alone(conn: &Connection, view: i64, most: usize) -> Result<usize> {
    let rows = conn
        .prepare_cached(
            "SELECT count(*) FROM (SELECT 1 FROM items WHERE view = ?1 AND read_at IS NOT NULL LIMIT ?2)",
        )?
        .query_row(params![view, i64::try_from(most).unwrap_or(i64::MAX)], |r| row::count(r, 0))?;
    Ok(usize::try_from(rows).unwrap_or(usize::MAX))
}

/// The server has read everything, this view up to a time as well if something in it was unread there. Which views it
/// moved the next complete pull says; until then it is assumed.
pub(crate) fn assume(tx: &Connection, id: i64, at: Stamp) -> Result<()> {
    tx.prepare_cached("UPDATE views SET assumed = max(ifnull(assumed, ?2), ?2) WHERE id = ?1")?
        .execute(params![id, at.as_micros()])?;
    Ok(())
}

/// The server has spoken: nothing is assumed of a view any more.
pub(crate) fn assume_nothing(tx: &Connection, id: i64) -> Result<()> {
    tx.prepare_cached("UPDATE views SET assumed = NULL WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Views of a source of which something is assumed.
pub(crate) fn assumed(tx: &Connection, source: SourceId) -> Result<Vec<i64>> {
    let mut rows = tx.prepare_cached("SELECT id FROM views WHERE source = ?1 AND assumed IS NOT NULL")?;
    Ok(rows.query_map([source], |r| r.get(0))?.collect::<Result<_, _>>()?)
}

/// The mark that follows from what the server said, what is assumed of it, and what waits in the outbox.
pub(crate) fn in_force(tx: &Connection, id: i64, server: Option<Stamp>) -> Result<Option<Stamp>> {
    in_force_without(tx, id, server, 0)
}

/// The same, as if one operation were not there.
pub(crate) fn in_force_without(
    tx: &Connection,
    id: i64,
    server: Option<Stamp>,
    op: i64,
) -> Result<Option<Stamp>> {
    let assumed = tx
        .prepare_cached("SELECT assumed FROM views WHERE id = ?1")?
        .query_row([id], |r| row::time(r, 0))
        .optional()?
        .flatten();
    let mut rows =
        tx.prepare_cached("SELECT forward, at FROM outbox_views WHERE view = ?1 AND op <> ?2 ORDER BY op")?;
    let mut mark = assumed.map_or(server, |at| step_to(server, true, at));
    for step in rows.query_map([id, op], |r| Ok((r.get::<_, bool>(0)?, row::stamp(r, 1)?)))? {
        let (forward, at) = step?;
        mark = step_to(mark, forward, at);
    }
    Ok(mark)
}

/// One step: forward to `at`, or back to it.
pub(crate) fn step_to(mark: Option<Stamp>, forward: bool, at: Stamp) -> Option<Stamp> {
    if forward { Some(mark.map_or(at, |m| m.max(at))) } else { mark.map(|m| m.min(at)) }
}
