//! Writes notifications into the table.

use rusqlite::{Connection, params};
use tidings_model::{Kind, Notification, Stamp};

use super::super::item_state::ItemState;
use super::super::{previews, sql};
use super::{content, to_json};
use crate::{ItemId, Result};

/// The value of the column `server_priority`: the server's priority, if a rule changed it.
fn server_priority(n: &Notification, state: &ItemState) -> Option<u8> {
    Some(n.content.priority.get()).filter(|priority| *priority != state.priority)
}

/// The value of the column `edited_at`: the last revision of a message.
fn edited_at(n: &Notification) -> Option<i64> {
    n.revised_at.filter(|_| n.kind == Kind::Message).map(Stamp::as_micros)
}

/// Inserts an item and returns its id; `None` if the source has an item with this msgid.
pub fn insert(tx: &Connection, n: &Notification, state: &ItemState) -> Result<Option<ItemId>> {
    let [seen, read, archived, snoozed] = state.marks.micros();
    let content = content(n)?;
    let sql = "INSERT OR IGNORE INTO items (source, msgid, thread, generation, stamp, version, kind, created_at, actor,
                actor_name, action, own, priority, view, seen_at, read_at, archived_at, snoozed_until, asleep,
                deleted, unread, content, target, conversation, receipt, server_priority, revised_at,
                edited_at, listed_at, question_due)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, 0, ?20,
                ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29)";
    let new = sql::run(
        tx,
        sql,
        params![
            state.source,
            n.msgid.as_str(),
            state.thread,
            state.generation,
            n.stamp.as_micros(),
            n.version,
            n.kind.as_row(),
            n.created_at.as_micros(),
            n.actor.id,
            n.actor.name,
            n.action,
            state.own,
            state.priority,
            state.view,
            seen,
            read,
            archived,
            snoozed,
            state.asleep,
            state.unread,
            content,
            to_json(n.target.as_ref())?,
            n.conversation,
            to_json(n.receipt.as_ref())?,
            server_priority(n, state),
            state.revised_at.map(Stamp::as_micros),
            edited_at(n),
            state.listed_at.as_micros(),
            state.question_due.map(Stamp::as_micros),
        ],
    )?;
    if new == 0 {
        return Ok(None);
    }
    let id = tx.last_insert_rowid();
    previews::insert(tx, id, n, &content)?;
    Ok(Some(id))
}

/// Overwrites an item with another version and its state.
pub fn overwrite(tx: &Connection, n: &Notification, state: &ItemState, content: &str) -> Result<()> {
    let sql =
        "UPDATE items SET thread = ?2, generation = ?3, stamp = ?4, version = ?5, kind = ?6, created_at = ?7,
            actor = ?8, actor_name = ?9, action = ?10, own = ?11, priority = ?12, view = ?13, content = ?14,
            target = ?15, conversation = ?16, receipt = ?17, server_priority = ?18, revised_at = ?19,
            edited_at = ?20, listed_at = ?21 WHERE id = ?1";
    sql::run(
        tx,
        sql,
        params![
            state.id,
            state.thread,
            state.generation,
            n.stamp.as_micros(),
            n.version,
            n.kind.as_row(),
            n.created_at.as_micros(),
            n.actor.id,
            n.actor.name,
            n.action,
            state.own,
            state.priority,
            state.view,
            content,
            to_json(n.target.as_ref())?,
            n.conversation,
            to_json(n.receipt.as_ref())?,
            server_priority(n, state),
            state.revised_at.map(Stamp::as_micros),
            edited_at(n),
            state.listed_at.as_micros()
        ],
    )?;
    previews::replace(tx, state.id, n, content)?;
    state.write(tx)
}
