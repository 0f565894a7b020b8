//! The table `conversations`: the newest item of each conversation that is not deleted. It is updated with every change
//! of the items, so that the cost of a page depends only on its length.

use rusqlite::{OptionalExtension, params};
use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::account::UserKey;

use crate::sql;
use crate::write_tx::WriteTx;

/// Updates the newest item of a conversation after a message was added.
pub(crate) fn message_arrived(
    ctx: &WriteTx<'_>,
    user: UserKey,
    id: &str,
    created_at: Stamp,
) -> Result<(), Error> {
    let sql = "INSERT INTO conversations (user, view, newest_at) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET newest_at = excluded.newest_at WHERE excluded.newest_at > newest_at";
    sql::run(ctx.tx, sql, params![user.0, id, created_at.as_micros()]).map(drop)
}

/// Updates the newest item of a conversation after a message was deleted: the one before it becomes the newest.
pub(crate) fn message_deleted(
    ctx: &WriteTx<'_>,
    user: UserKey,
    id: &str,
    created_at: Stamp,
) -> Result<(), Error> {
    let sql = "SELECT 1 FROM conversations WHERE user = ?1 AND view = ?2 AND newest_at = ?3";
    let is_newest = sql::exists(ctx.tx, sql, params![user.0, id, created_at.as_micros()])?;
    if !is_newest {
        return Ok(());
    }
    let sql = "SELECT created_at FROM items INDEXED BY items_of_conversation WHERE user = ?1 AND kind = 3 AND deleted = 0
                 AND view = ?2 AND created_at < ?3 ORDER BY created_at DESC LIMIT 1";
    let before: Option<i64> =
        sql::first(ctx.tx, sql, params![user.0, id, created_at.as_micros()], |r| Ok(r.get(0)?))?;
    match before {
        Some(at) => sql::run(
            ctx.tx,
            "UPDATE conversations SET newest_at = ?3 WHERE user = ?1 AND view = ?2",
            params![user.0, id, at],
        )?,
        None => {
            sql::run(ctx.tx, "DELETE FROM conversations WHERE user = ?1 AND view = ?2", params![user.0, id])?
        }
    };
    Ok(())
}

/// Repairs the rows of the next `batch` conversations that have items, after the view `after`; gives the last of them,
/// `None` at the end.
pub(crate) fn repair_listed(
    ctx: &WriteTx<'_>,
    user: UserKey,
    after: &str,
    batch: usize,
) -> Result<Option<String>, Error> {
    let mut next = ctx.tx.prepare_cached(
        "SELECT view FROM items INDEXED BY items_of_conversation WHERE user = ?1 AND kind = 3 AND deleted = 0
             AND view > ?2 ORDER BY view LIMIT 1",
    )?;
    let mut upsert = ctx.tx.prepare_cached(
        "INSERT INTO conversations (user, view, newest_at)
         SELECT user, view, created_at FROM (SELECT user, view, created_at FROM items INDEXED BY items_of_conversation
             WHERE user = ?1 AND kind = 3 AND deleted = 0 AND view = ?2 ORDER BY created_at DESC LIMIT 1) WHERE true
         ON CONFLICT DO UPDATE SET newest_at = excluded.newest_at WHERE excluded.newest_at <> newest_at",
    )?;
    let mut last = after.to_owned();
    for _ in 0..batch {
        let view: Option<String> = next.query_row(params![user.0, last], |r| r.get(0)).optional()?;
        let Some(view) = view else { return Ok(None) };
        upsert.execute(params![user.0, view])?;
        last = view;
    }
    Ok(Some(last))
}

/// Deletes those of the next `batch` rows, after the view `after`, whose conversations have no items; gives the last
/// view examined, `None` at the end.
pub(crate) fn repair_unlisted(
    ctx: &WriteTx<'_>,
    user: UserKey,
    after: &str,
    batch: usize,
) -> Result<Option<String>, Error> {
    let sql = "SELECT view FROM conversations WHERE user = ?1 AND view > ?2 ORDER BY view LIMIT 1 OFFSET ?3";
    let last: Option<String> =
        sql::first(ctx.tx, sql, params![user.0, after, batch.saturating_sub(1)], |r| Ok(r.get(0)?))?;
    let sql = "DELETE FROM conversations WHERE user = ?1 AND view > ?2 AND view <= ?3 AND NOT EXISTS (
                 SELECT 1 FROM items i INDEXED BY items_of_conversation WHERE i.user = ?1 AND i.kind = 3
                     AND i.deleted = 0 AND i.view = conversations.view)";
    // `~` sorts after every view of a conversation.
    sql::run(ctx.tx, sql, params![user.0, after, last.as_deref().unwrap_or("~")])?;
    Ok(last)
}
