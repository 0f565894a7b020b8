//! The search index: what goes in. Refuses triggers: rows are written with their own statements, and removed by id.

use std::borrow::Cow;

use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::Notification;

use crate::row::{self, ITEM, ITEM_FROM};
use crate::{Item, ItemId, Result, SourceId, text};

/// Items whose rows are written anew in one transaction.
const PORTION: usize = 200;

/// What the index holds of a notification: its title, body, actor and target, cut for it, and what is marked on it.
pub fn indexed(source: SourceId, n: &Notification) -> [Cow<'_, str>; 4] {
    with_priority(source, n, n.content.priority.get())
}

fn with_priority(source: SourceId, n: &Notification, priority: u8) -> [Cow<'_, str>; 4] {
    let target = match (&n.target, &n.conversation) {
        (Some(target), _) => target.title.as_deref().unwrap_or(&target.id),
        (None, Some(conversation)) => conversation.split_once(':').map_or("", |(_, id)| id),
        (None, None) => "",
    };
    let target = text::cut(target).into_owned() + &text::facets(source, n, priority);
    let actor = match (n.actor.id.as_str(), n.actor.name.as_str()) {
        (id, "") => text::cut(id),
        (id, name) if id == name => text::cut(name),
        (id, name) => format!("{} {}", text::cut(name), text::cut(id)).into(),
    };
    [text::cut(&n.content.title), text::cut(&n.content.body), actor, target.into()]
}

/// Writes an item's row.
pub(crate) fn learn(tx: &Connection, id: ItemId, source: SourceId, n: &Notification) -> Result<()> {
    // A rule may have made it another one than the notification says.
    let priority: Option<u8> = tx
        .prepare_cached("SELECT priority FROM items WHERE id = ?1")?
        .query_row([id], |r| r.get(0))
        .optional()?;
    let [title, body, actor, target] = with_priority(source, n, priority.unwrap_or(n.content.priority.get()));
    tx.prepare_cached("INSERT INTO search (rowid, title, body, actor, target) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![id, title, body, actor, target])?;
    Ok(())
}

/// Removes an item's row.
pub(crate) fn forget(tx: &Connection, id: ItemId) -> Result<()> {
    tx.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([id])?;
    Ok(())
}

/// Where rows of an older version begin; none where all are of this one.
pub(crate) fn outdated(conn: &Connection) -> Result<Option<ItemId>> {
    Ok(conn.query_row("SELECT next FROM reindex", [], |r| r.get(0)).optional()?)
}

/// Writes a portion of rows anew that an older version wrote.
pub(crate) fn renew(tx: &Connection) -> Result<()> {
    let Some(from) = outdated(tx)? else { return Ok(()) };
    let sql = format!("SELECT {ITEM} FROM {ITEM_FROM} WHERE i.id >= ?1 ORDER BY i.id LIMIT {PORTION}");
    let items: Vec<Item> =
        tx.prepare_cached(&sql)?.query_map([from], row::item)?.collect::<Result<_, _>>()?;
    for item in &items {
        forget(tx, item.id)?;
        learn(tx, item.id, item.source, &item.notification)?;
    }
    match items.last().filter(|_| items.len() == PORTION) {
        Some(last) => tx.execute("UPDATE reindex SET next = ?1", [last.id + 1])?,
        None => tx.execute("DELETE FROM reindex", [])?,
    };
    Ok(())
}
