//! Removes a source with its items and other rows, in portions between which other writes run. The source is hidden
//! at once; after a crash the rest is removed when the replica is opened again.

use rusqlite::{Connection, params};
use tidings_replica_tables::columns::limit;
use tidings_replica_tables::sources::Unfinished;
use tidings_replica_tables::sql;
use tidings_replica_tables::{items, mutes, outbox, people, sources, subscriptions};

use crate::conversations::{drafts, group_changes};
use crate::{Bounds, ItemId, Replica, Result, SourceId};

/// Deletes the rows of a source other than its items, in an order that leaves no dangling reference.
const DELETE_DEPENDENT_ROWS: [&str; 17] = [
    "DELETE FROM outgoing WHERE seq IN (SELECT seq FROM outgoing WHERE source = ?1 LIMIT ?2)",
    outbox::DISCARD[0],
    outbox::DISCARD[1],
    outbox::DISCARD[2],
    drafts::DISCARD,
    mutes::DISCARD,
    "DELETE FROM thread_actors WHERE (thread, actor) IN (SELECT a.thread, a.actor FROM threads t
        CROSS JOIN thread_actors a ON a.thread = t.id WHERE t.source = ?1 LIMIT ?2)",
    people::DISCARD,
    subscriptions::DISCARD,
    "DELETE FROM threads WHERE id IN (SELECT id FROM threads WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM views WHERE id IN (SELECT id FROM views WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM receipts WHERE (source, msgid, reader) IN
        (SELECT source, msgid, reader FROM receipts WHERE source = ?1 LIMIT ?2)",
    group_changes::DISCARD,
    "DELETE FROM groups WHERE (source, gid) IN (SELECT source, gid FROM groups WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM closed_conversations WHERE (source, key) IN (
         SELECT source, key FROM closed_conversations WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM tombstones WHERE (source, msgid) IN
        (SELECT source, msgid FROM tombstones WHERE source = ?1 LIMIT ?2)",
    "DELETE FROM skipped WHERE (source, position) IN
        (SELECT source, position FROM skipped WHERE source = ?1 LIMIT ?2)",
];

/// Deletes a portion of a source; `false` when the source itself is gone or is not being removed. Its threads and
/// counters are hidden, so they are not updated meanwhile.
fn portion(tx: &Connection, id: SourceId, bounds: &Bounds) -> Result<bool> {
    if !sources::is_unfinished(tx, id, Unfinished::Removal)? {
        return Ok(false);
    }
    let next: Vec<ItemId> = sql::all(
        tx,
        "SELECT id FROM items WHERE source = ?1 LIMIT ?2",
        params![id, limit(bounds.removed_items)],
        |r| r.get(0),
    )?;
    next.iter().try_for_each(|item| items::delete(tx, *item))?;
    if !next.is_empty() {
        return Ok(true);
    }
    for sql in DELETE_DEPENDENT_ROWS {
        if sql::run(tx, sql, params![id, limit(bounds.removed_rows)])? > 0 {
            return Ok(true);
        }
    }
    sources::delete(tx, id)?;
    Ok(false)
}

impl Replica {
    /// Deletes the remaining rows of sources that are being removed.
    pub(crate) fn finish_removals(&self) -> Result<()> {
        let bounds = self.bounds;
        for id in self.read(|conn| sources::unfinished(conn, Unfinished::Removal))? {
            while self.write(move |tx, _| portion(tx, id, &bounds))?.0 {}
        }
        Ok(())
    }
}
