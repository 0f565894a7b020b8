//! Indexes the tags and origins of items that were there before the index had words for them: newest first, in portions
//! between which other writes run. Searches ask the rows of items until all is done.

use rusqlite::{Connection, params};
use tidings_replica_tables::{columns, facets, items, search_index};

use crate::Result;

/// Indexes the next items, at most so many; `false` when the work is done.
pub(crate) fn portion(tx: &Connection, most: usize) -> Result<bool> {
    let Some(through) = search_index::unfaceted(tx)? else { return Ok(false) };
    let next = "WHERE i.id <= ?1 AND i.deleted = 0 ORDER BY i.id DESC LIMIT ?2";
    let found = items::select(tx, next, params![through, columns::limit(most)])?;
    for item in &found {
        let n = &item.notification;
        if facets::is_faceted(n) {
            search_index::forget(tx, item.id)?;
            search_index::insert(tx, item.id, item.source, n, n.content.priority.get())?;
        }
    }
    let left = found.last().filter(|_| found.len() == most).map(|item| item.id - 1);
    search_index::set_unfaceted(tx, left)?;
    Ok(left.is_some())
}
