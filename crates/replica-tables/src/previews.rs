//! What the row of a thread shows of its newest item: read from the item itself, so that a change of a thread writes no text.
//! Of items whose content is long it is kept in the table `previews`, so that a list does not read them whole.

use rusqlite::{Connection, Row, params};
use serde_json::Map;
use tidings_model::{Actor, Content, Notification};

use super::columns::{json, optional_json};
use super::search_text;
use super::sql;
use crate::{ItemId, Result, ThreadPreview};

/// Content of more bytes, as JSON, is long.
const LONG_CONTENT_BYTES: usize = 4 * 1_024;
/// Data of more bytes, as JSON, is left out.
const MAX_DATA_BYTES: usize = 4 * 1_024;

/// What the columns need, joined to an item `n`.
pub(crate) const JOIN: &str = "LEFT JOIN previews p ON p.item = n.id";
/// The columns that [`read`] reads. What comes behind a long content in its row is not touched.
pub(crate) const COLUMNS: &str = "n.msgid, n.own, p.preview, n.actor, n.actor_name, n.action,
    iif(p.item IS NULL, n.content, NULL), iif(p.item IS NULL, n.target, NULL), iif(p.item IS NULL, n.conversation, NULL)";

/// The preview of an item.
pub fn of(n: &Notification, own: bool) -> ThreadPreview {
    ThreadPreview {
        msgid: n.msgid.0.clone(),
        actor: n.actor.clone(),
        own,
        action: n.action.clone(),
        target: n.target.clone(),
        conversation: n.conversation.clone(),
        ..of_content(&n.content)
    }
}

fn of_content(content: &Content) -> ThreadPreview {
    let small = |data: &Map<_, _>| {
        data.is_empty() || serde_json::to_string(data).is_ok_and(|text| text.len() <= MAX_DATA_BYTES)
    };
    ThreadPreview {
        title: search_text::snippet(&content.title, ThreadPreview::SNIPPET_CHARS),
        body: search_text::snippet(&content.body, ThreadPreview::SNIPPET_CHARS),
        format: content.format,
        url: content.url.clone(),
        icon: content.icon.clone(),
        tags: content.tags.iter().take(ThreadPreview::TAGS).cloned().collect(),
        data: if small(&content.data) { content.data.clone() } else { Map::new() },
        ..ThreadPreview::default()
    }
}

/// Reads the columns [`COLUMNS`], which begin at `at`; `None` if there is no item.
pub(crate) fn read(r: &Row<'_>, at: usize) -> rusqlite::Result<Option<ThreadPreview>> {
    let Some(msgid) = r.get(at)? else { return Ok(None) };
    let own = r.get(at + 1)?;
    if let Some(stored) = optional_json::<ThreadPreview>(r, at + 2)? {
        return Ok(Some(ThreadPreview { own, ..stored }));
    }
    Ok(Some(ThreadPreview {
        msgid,
        own,
        actor: Actor { id: r.get(at + 3)?, name: r.get(at + 4)? },
        action: r.get(at + 5)?,
        target: optional_json(r, at + 7)?,
        conversation: r.get(at + 8)?,
        ..of_content(&json(r, at + 6)?)
    }))
}

/// Keeps the preview of an item whose content, as stored, is long.
pub(crate) fn insert(tx: &Connection, item: ItemId, n: &Notification, content: &str) -> Result<()> {
    if content.len() <= LONG_CONTENT_BYTES {
        return Ok(());
    }
    let preview = serde_json::to_string(&of(n, false))?;
    sql::run(tx, "INSERT INTO previews (item, preview) VALUES (?1, ?2)", params![item, preview]).map(drop)
}

/// Replaces the preview of an item by that of its new content.
pub(crate) fn replace(tx: &Connection, item: ItemId, n: &Notification, content: &str) -> Result<()> {
    sql::run(tx, "DELETE FROM previews WHERE item = ?1", [item])?;
    insert(tx, item, n, content)
}
