//! Retention on the server: every item created before a time goes here as well, in portions between which others write.
//! Drafts, messages on their way and the marks of views stay.

use rusqlite::{Connection, params};

use crate::aggregates::Aggregates;
use crate::apply::remove;
use crate::tables::item_state::ItemState;
use crate::tables::{columns, receipts, sources};
use crate::{Replica, Result, SourceId};

/// Items that one transaction looks at.
const PORTION: usize = 200;

impl Replica {
    /// Takes away what the source's server removed, as far as that is still here.
    pub(crate) fn apply_server_retention(&self, source: SourceId) -> Result<()> {
        while self.read(|conn| sources::unswept(conn, source))?.is_some() {
            self.write(move |tx, aggregates| portion(tx, aggregates, source))?;
        }
        Ok(())
    }
}

/// Looks at the next items by time, of whatever source, and takes this one's away.
fn portion(tx: &Connection, aggregates: &mut Aggregates<'_>, source: SourceId) -> Result<()> {
    let Some((from, before)) = sources::unswept(tx, source)? else { return Ok(()) };
    let next = "WHERE i.created_at >= ?1 AND i.created_at < ?2 ORDER BY i.created_at, i.id LIMIT ?3";
    let values = params![from.as_micros(), before.as_micros(), columns::limit(PORTION)];
    let items = ItemState::select(tx, next, values)?;
    let swept_to = match items.last().filter(|_| items.len() == PORTION) {
        // Others of the same moment may follow; where all are of one moment, they were all looked at but for sources
        // that share it by chance.
        Some(last) if last.created_at > from => last.created_at,
        Some(last) => last.created_at.plus_micros(1),
        None => before,
    };
    for item in items.iter().filter(|item| item.source == source) {
        receipts::forget(tx, source, &item.msgid)?;
        remove(tx, aggregates, item)?;
    }
    sources::set_swept(tx, source, swept_to)
}
