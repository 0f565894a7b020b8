//! Removing a source with all that came from it, in portions between which others write. The source is hidden at once; what a
//! crash left of it goes when the replica is opened again.

use rusqlite::{Connection, params};

use crate::tables::columns::limit;
use crate::tables::sources::Unfinished;
use crate::tables::sql;
use crate::tables::{drafts, items, outbox, people, sources};
use crate::{ItemId, Replica, Result, SourceId};

/// Items of one transaction: each takes several rows with it.
const ITEMS: usize = 100;
/// Rows of one transaction of whatever else belongs to a source.
const ROWS: usize = 500;

/// What belongs to a source beside its items, in an order in which nothing refers to what is gone.
const ROWS_OF: [&str; 12] = [
    "DELETE FROM outgoing WHERE seq IN (SELECT seq FROM outgoing WHERE source = ?1 LIMIT ?2)",
    outbox::DISCARD[0],
    outbox::DISCARD[1],
    outbox::DISCARD[2],
    drafts::DISCARD,
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

/// Takes a portion of a source away; `false` when there was nothing left and the source itself is gone, or when it is not
/// being removed. Nobody sees its threads and counters meanwhile, so they are not kept up to date.
fn portion(tx: &Connection, id: SourceId) -> Result<bool> {
    if !sources::is_unfinished(tx, id, Unfinished::Removal)? {
        return Ok(false);
    }
    let next: Vec<ItemId> =
        sql::all(tx, "SELECT id FROM items WHERE source = ?1 LIMIT ?2", params![id, limit(ITEMS)], |r| {
            r.get(0)
        })?;
    next.iter().try_for_each(|item| items::delete(tx, *item))?;
    if !next.is_empty() {
        return Ok(true);
    }
    for sql in ROWS_OF {
        if sql::run(tx, sql, params![id, limit(ROWS)])? > 0 {
            return Ok(true);
        }
    }
    sources::delete(tx, id)?;
    Ok(false)
}

impl Replica {
    /// Takes away what is left of the sources that are being removed, and then the people who act nowhere any more.
    pub(crate) fn finish_removals(&self) -> Result<()> {
        for id in self.read(|conn| sources::unfinished(conn, Unfinished::Removal))? {
            while self.write(move |tx, _| portion(tx, id))?.0 {}
        }
        let mut after = Some(String::new());
        while let Some(last) = after {
            (after, _) = self.write(move |tx, _| people::forget_inactive(tx, &last))?;
        }
        Ok(())
    }
}
