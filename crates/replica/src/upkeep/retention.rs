//! Retention on this device: deletes items that were archived long ago and have no newer content. It keeps pinned ones,
//! questions that may be open at the server, and those with waiting operations. The server is not informed and keeps the items.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::columns::limit;
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::{items, sources, tombstones};

use crate::Result;
use crate::apply::remove;
use crate::conversations::receipts;

/// Deletes at most `most` items that were archived before a time and have their content from before it, the earliest archived first.
pub(crate) fn apply(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    before: Stamp,
    most: usize,
) -> Result<usize> {
    let old = "WHERE i.archived_at < ?1 AND i.content_at < ?1 AND i.deleted = 0
            AND ifnull(i.question_due, 0) = 0
            AND NOT EXISTS (SELECT 1 FROM threads t WHERE t.id = i.thread AND t.pinned = 1)
            AND NOT EXISTS (SELECT 1 FROM outbox_items o WHERE o.item = i.id)
            AND NOT EXISTS (SELECT 1 FROM server_state s WHERE s.item = i.id)
         ORDER BY i.archived_at LIMIT ?2";
    let old = ItemState::select(tx, old, params![before.as_micros(), limit(most)])?;
    for item in &old {
        receipts::forget(tx, item.source, &item.msgid)?;
        if !sources::stores_view_marks(tx, item.source)? {
            // A service without stamps may list it again with every pull.
            let (_, at) = items::service_version(tx, item.id)?;
            tombstones::put(tx, item.source, &item.msgid, item.generation, at)?;
        }
        remove(tx, aggregates, item)?;
    }
    Ok(old.len())
}
