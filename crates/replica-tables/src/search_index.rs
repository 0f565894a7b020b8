//! The full-text table `search`: one row for each item. Its content is not stored, so rows are inserted and deleted
//! explicitly.

use std::borrow::Cow;

use rusqlite::{Connection, params};
use tidings_model::Notification;

use super::{facets, search_text, sql};
use crate::{ItemId, Result, SourceId};

/// The indexed text of a notification: its title, body, actor and target, segmented. The target column also has the
/// facets (kind, source, priority, file, link, action, tags, origin).
pub fn indexed(source: SourceId, n: &Notification) -> [Cow<'_, str>; 4] {
    with_priority(source, n, n.content.priority.get())
}

fn with_priority(source: SourceId, n: &Notification, priority: u8) -> [Cow<'_, str>; 4] {
    let target = match (&n.target, &n.conversation) {
        (Some(target), _) => target.title.as_deref().unwrap_or(&target.id),
        (None, Some(conversation)) => conversation.split_once(':').map_or("", |(_, id)| id),
        (None, None) => "",
    };
    let target = search_text::segment(target).into_owned() + &facets::facets(source, n, priority);
    let actor = match (n.actor.id.as_str(), n.actor.name.as_str()) {
        (id, "") => search_text::segment(id),
        (id, name) if id == name => search_text::segment(name),
        (id, name) => format!("{} {}", search_text::segment(name), search_text::segment(id)).into(),
    };
    [search_text::segment(&n.content.title), search_text::segment(&n.content.body), actor, target.into()]
}

/// Inserts an item's row; the priority is the item's.
pub fn insert(tx: &Connection, id: ItemId, source: SourceId, n: &Notification, priority: u8) -> Result<()> {
    let [title, body, actor, target] = with_priority(source, n, priority);
    let sql = "INSERT INTO search (rowid, title, body, actor, target) VALUES (?1, ?2, ?3, ?4, ?5)";
    sql::run(tx, sql, params![id, title, body, actor, target]).map(drop)
}

/// The item up to which items lack the facets of their tags and origins; `None` if none do.
pub fn unfaceted(conn: &Connection) -> Result<Option<ItemId>> {
    sql::first(conn, "SELECT through FROM unfaceted LIMIT 1", [], |r| r.get(0))
}

/// Stores up to which item they do.
pub fn set_unfaceted(tx: &Connection, through: Option<ItemId>) -> Result<()> {
    match through {
        Some(through) => sql::run(tx, "UPDATE unfaceted SET through = ?1", [through]).map(drop),
        None => sql::run(tx, "DELETE FROM unfaceted", []).map(drop),
    }
}

/// Deletes an item's row.
pub fn forget(tx: &Connection, id: ItemId) -> Result<()> {
    sql::run(tx, "DELETE FROM search WHERE rowid = ?1", [id]).map(drop)
}

/// The pages of the index that one portion of merging writes, a few milliseconds' worth.
const MERGED_PAGES: i64 = 64;

/// Merges a portion of segments of the index of which there are too many; gives whether there was something to merge.
pub fn merge(tx: &Connection) -> Result<bool> {
    let before = tx.total_changes();
    sql::run(tx, "INSERT INTO search (search, rank) VALUES ('merge', ?1)", [MERGED_PAGES])?;
    // SQLite's sign that nothing was merged: no change but the statement's own.
    Ok(tx.total_changes() - before >= 2)
}
