//! Retention on the server: deletes every item here that the server has removed, by the time of its content, in portions
//! between which other writes run. Drafts, outgoing messages and view marks stay.

use rusqlite::{Connection, params};
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::{columns, sources};

use crate::apply::remove;
use crate::conversations::receipts;
use crate::{Replica, Result, SourceId};

impl Replica {
    /// Deletes the items that the source's server removed and that are still here.
    pub(crate) fn apply_server_retention(&self, source: SourceId) -> Result<()> {
        let most = self.bounds.forgotten_items;
        while self.read(|conn| sources::left_to_delete(conn, source))?.is_some() {
            self.write(move |tx, aggregates| portion(tx, aggregates, source, most))?;
        }
        Ok(())
    }
}

/// Examines the next items by time, of all sources, and deletes those of this source.
fn portion(tx: &Connection, aggregates: &mut Aggregates<'_>, source: SourceId, most: usize) -> Result<()> {
    let Some((from, before)) = sources::left_to_delete(tx, source)? else { return Ok(()) };
    let next = "WHERE i.listed_at >= ?1 AND i.listed_at < ?2 ORDER BY i.listed_at, i.id LIMIT ?3";
    let values = params![from.as_micros(), before.as_micros(), columns::limit(most)];
    let mut items = ItemState::select(tx, next, values)?;
    let deleted_up_to = match items.last().filter(|_| items.len() == most) {
        // More items of the same time may follow the last one.
        Some(last) if last.listed_at > from => last.listed_at,
        // They fill the portion. A server has few of one time, other sources may have any number.
        Some(_) => {
            let of_time = "WHERE i.listed_at = ?1 AND +i.source = ?2";
            items = ItemState::select(tx, of_time, params![from.as_micros(), source])?;
            from.plus_micros(1)
        }
        None => before,
    };
    // What was revised before lists went by that is listed by its creation, and is kept as long as its content.
    for item in items.iter().filter(|item| item.source == source && item.content_at() < before) {
        receipts::forget(tx, source, &item.msgid)?;
        remove(tx, aggregates, item)?;
    }
    sources::set_deleted_up_to(tx, source, deleted_up_to)
}
