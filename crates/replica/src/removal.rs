//! Removing a source with all that came from it, in portions between which others write. The source is hidden at once;
//! what is left of it after a crash goes when the replica is opened again.

use rusqlite::{Connection, params};

use crate::{ItemId, Replica, Result, SourceId, outbox, search, sources};

/// Items of one transaction: each takes several rows with it.
const ITEMS: i64 = 100;
/// Rows of one transaction of whatever else belongs to a source.
const ROWS: i64 = 500;

/// What belongs to a source beside its items, in an order in which nothing refers to what is gone.
const ROWS_OF: [&str; 12] = [
    "DELETE FROM outgoing WHERE seq IN (SELECT seq FROM outgoing WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM outbox_items WHERE (op, item) IN (SELECT x.op, x.item FROM outbox o CROSS JOIN outbox_items x
        ON x.op = o.seq WHERE o.source = ?1 LIMIT ?2)",
    "DELETE FROM outbox_views WHERE (op, view) IN (SELECT x.op, x.view FROM outbox o CROSS JOIN outbox_views x
        ON x.op = o.seq WHERE o.source = ?1 LIMIT ?2)",
    "DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM drafts WHERE (source, key) IN (SELECT source, key FROM drafts WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM thread_actors WHERE (thread, actor) IN (SELECT a.thread, a.actor FROM threads t
        CROSS JOIN thread_actors a ON a.thread = t.id WHERE t.source = ?1 LIMIT ?2)",
    "DELETE FROM threads WHERE id IN (SELECT id FROM threads WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM views WHERE id IN (SELECT id FROM views WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM receipts WHERE (source, msgid, reader) IN
        (SELECT source, msgid, reader FROM receipts WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM groups WHERE (source, gid) IN (SELECT source, gid FROM groups WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM tombstones WHERE (source, msgid) IN
        (SELECT source, msgid FROM tombstones WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM skipped WHERE (source, position) IN
        (SELECT source, position FROM skipped WHERE source = ?1 LIMIT ?2)",
];

/// Hides a source: its name is free, and nothing is sent to it any more.
pub(crate) fn begin(tx: &Connection, id: SourceId) -> Result<()> {
    sources::one(tx, id)?;
    tx.prepare_cached(
        "UPDATE sources SET going = 1, name = ?2, url = '', user = NULL, own = 0, paused = 1, cursor = NULL,
            counts = NULL, catalog = NULL WHERE id = ?1",
    )?
    .execute(params![id, outbox::new_id()])?;
    Ok(())
}

/// Sources that are being removed.
fn going(conn: &Connection) -> Result<Vec<SourceId>> {
    let mut rows = conn.prepare_cached("SELECT id FROM sources WHERE going = 1")?;
    Ok(rows.query_map([], |r| r.get(0))?.collect::<Result<_, _>>()?)
}

fn is_going(conn: &Connection, id: SourceId) -> Result<bool> {
    let mut query =
        conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM sources WHERE id = ?1 AND going = 1)")?;
    Ok(query.query_row([id], |r| r.get(0))?)
}

/// Takes a portion of a source away; `false` when there was nothing left and the source itself is gone, or when it is not
/// being removed: a backup that was restored between two portions may have brought it back. Nobody sees its threads and
/// counters while it is removed, so they aren't kept right on the way.
fn portion(tx: &Connection, id: SourceId) -> Result<bool> {
    if !is_going(tx, id)? {
        return Ok(false);
    }
    let items: Vec<ItemId> = tx
        .prepare_cached("SELECT id FROM items WHERE source = ?1 LIMIT ?2")?
        .query_map(params![id, ITEMS], |r| r.get(0))?
        .collect::<Result<_, _>>()?;
    for item in &items {
        for sql in ["DELETE FROM held WHERE item = ?1", "DELETE FROM outbox_items WHERE item = ?1"] {
            tx.prepare_cached(sql)?.execute([item])?;
        }
        search::forget(tx, *item)?;
        tx.prepare_cached("DELETE FROM items WHERE id = ?1")?.execute([item])?;
    }
    if !items.is_empty() {
        return Ok(true);
    }
    for sql in ROWS_OF {
        if tx.prepare_cached(sql)?.execute(params![id, ROWS])? > 0 {
            return Ok(true);
        }
    }
    for sql in ["DELETE FROM counters WHERE source = ?1", "DELETE FROM sources WHERE id = ?1 AND going = 1"] {
        tx.prepare_cached(sql)?.execute([id])?;
    }
    Ok(false)
}

impl Replica {
    /// Whether a source is still being removed.
    pub(crate) fn is_anything_going(&self) -> Result<bool> {
        Ok(!self.read(going)?.is_empty())
    }

    /// Takes away what is left of the sources that are being removed, and then the people who act nowhere any more.
    pub(crate) fn finish_removals(&self) -> Result<()> {
        for id in self.read(going)? {
            while self.write(move |tx, _| portion(tx, id))?.0 {}
        }
        let mut after = Some(String::new());
        while let Some(last) = after {
            (after, _) = self.write(move |tx, _| sources::forget_people(tx, &last))?;
        }
        Ok(())
    }
}
