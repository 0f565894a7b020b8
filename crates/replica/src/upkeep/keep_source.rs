//! Keeping what came from a source that is not pulled any more: what waits to be sent to it is discarded, in portions between
//! which others write. What a crash left is done when the replica is opened again.

use rusqlite::{Connection, params};

use crate::aggregates::Aggregates;
use crate::tables::columns::limit;
use crate::tables::sources::Unfinished;
use crate::tables::sql;
use crate::tables::{drafts, outbox, outgoing, server_state, sources};
use crate::{ItemId, Replica, Result, SourceId};

/// Rows of one transaction.
const ROWS: usize = 500;

/// Forgets the server's state of the source's items among the next of those on which an operation waits. Gives the last that
/// was looked at; none at the end.
fn forget_server_state(tx: &Connection, id: SourceId, after: ItemId) -> Result<Option<ItemId>> {
    if !sources::is_unfinished(tx, id, Unfinished::Discarding)? {
        return Ok(None);
    }
    let next = server_state::items_after(tx, after, ROWS)?;
    for (item, _) in next.iter().filter(|(_, source)| *source == id) {
        server_state::forget(tx, *item)?;
    }
    Ok(next.last().filter(|_| next.len() == ROWS).map(|(item, _)| *item))
}

/// Discards a portion of what waits to be sent; `false` when there was nothing left.
fn portion(tx: &Connection, aggregates: &mut Aggregates<'_>, id: SourceId) -> Result<bool> {
    if !sources::is_unfinished(tx, id, Unfinished::Discarding)? {
        return Ok(false);
    }
    for sql in outbox::DISCARD.into_iter().chain([drafts::DISCARD]) {
        if sql::run(tx, sql, params![id, limit(ROWS)])? > 0 {
            return Ok(true);
        }
    }
    if outgoing::discard(tx, aggregates, id, limit(ROWS))? {
        return Ok(true);
    }
    sources::end_keeping(tx, id)?;
    aggregates.refetch = true;
    Ok(false)
}

impl Replica {
    /// Discards what waits to be sent to sources that are kept without being pulled.
    pub(crate) fn finish_keeping(&self) -> Result<()> {
        for id in self.read(|conn| sources::unfinished(conn, Unfinished::Discarding))? {
            let mut after = Some(0);
            while let Some(last) = after {
                (after, _) = self.write(move |tx, _| forget_server_state(tx, id, last))?;
            }
            while self.write(move |tx, aggregates| portion(tx, aggregates, id))?.0 {}
        }
        Ok(())
    }
}
