//! Keeping the items of a source that is no longer pulled: discards its outbox in portions, between which other
//! writes run. After a crash the rest is discarded when the replica is opened again. Later marks on the items are settled
//! at once.

use std::sync::Arc;

use rusqlite::{Connection, params};
use tidings_model::wire;
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::columns::limit;
use tidings_replica_tables::sources::Unfinished;
use tidings_replica_tables::sql;
use tidings_replica_tables::{outbox, server_state, sources, subscriptions};

use crate::conversations::{drafts, messages};
use crate::{Changed, ItemId, Replica, Result, SourceId};

/// Deletes the stored server state of the source's items, among the next rows of that table. Returns the last row
/// examined; `None` at the end.
fn forget_server_state(tx: &Connection, id: SourceId, after: ItemId, most: usize) -> Result<Option<ItemId>> {
    if !sources::is_unfinished(tx, id, Unfinished::Discarding)? {
        return Ok(None);
    }
    let next = server_state::items_after(tx, after, most)?;
    for (item, _) in next.iter().filter(|(_, source)| *source == id) {
        server_state::forget(tx, *item)?;
    }
    Ok(next.last().filter(|_| next.len() == most).map(|(item, _)| *item))
}

/// Discards a portion of the outbox; `false` if it is empty.
fn portion(tx: &Connection, aggregates: &mut Aggregates<'_>, id: SourceId, most: usize) -> Result<bool> {
    if !sources::is_unfinished(tx, id, Unfinished::Discarding)? {
        return Ok(false);
    }
    for sql in outbox::DISCARD.into_iter().chain([drafts::DISCARD, subscriptions::DISCARD]) {
        if sql::run(tx, sql, params![id, limit(most)])? > 0 {
            return Ok(true);
        }
    }
    if messages::discard(tx, aggregates, id, limit(most))? {
        return Ok(true);
    }
    sources::end_keeping(tx, id)?;
    aggregates.refetch = true;
    Ok(false)
}

impl Replica {
    /// Discards the outboxes of all sources that are kept without being pulled.
    pub(crate) fn finish_keeping(&self) -> Result<()> {
        let most = self.bounds.discarded_rows;
        for id in self.read(|conn| sources::unfinished(conn, Unfinished::Discarding))? {
            let mut after = Some(0);
            while let Some(last) = after {
                (after, _) = self.write(move |tx, _| forget_server_state(tx, id, last, most))?;
            }
            while self.write(move |tx, aggregates| portion(tx, aggregates, id, most))?.0 {}
        }
        self.settle_kept().map(drop)
    }

    /// Applies the operations on kept sources, which have no server to send them to, as if one had answered. `None` if
    /// there are none.
    pub(crate) fn settle_kept(&self) -> Result<Option<Arc<Changed>>> {
        let mut all: Option<Arc<Changed>> = None;
        for id in self.read(sources::kept_with_operations)? {
            loop {
                let ops = self.pending(id, self.bounds.discarded_rows)?;
                if ops.is_empty() {
                    break;
                }
                let applied = |op: wire::Op| wire::OpResult { id: op.id, ok: true, code: None };
                let results: Vec<_> = ops.into_iter().map(applied).collect();
                let changed = self.acknowledge(id, &results)?;
                all = Some(all.map_or_else(|| Arc::clone(&changed), |all| all.merged(&changed)));
            }
        }
        Ok(all)
    }
}
