//! The table `follows`.

use rusqlite::{Connection, params};
use tidings_store::domain::account::UserKey;
use tidings_store::page::ListPage;
use tidings_store::{Error, Follow, ListQuery};

use crate::sql;
use crate::tables::users;
use crate::write_tx::WriteTx;

pub(crate) fn follow(ctx: &mut WriteTx<'_>, user: UserKey, actor: &str) -> Result<Follow, Error> {
    users::id_of(ctx.tx, user)?;
    if let Some(existing) = get(ctx.tx, user, actor)? {
        return Ok(existing);
    }
    let created_at = ctx.next_stamp();
    ctx.tx.execute(
        "INSERT INTO follows (user, actor, created_at) VALUES (?1, ?2, ?3)",
        params![user.0, actor, created_at.as_micros()],
    )?;
    Ok(Follow { user: actor.to_owned(), created_at })
}

pub(crate) fn unfollow(ctx: &mut WriteTx<'_>, user: UserKey, actor: &str) -> Result<(), Error> {
    ctx.tx.execute("DELETE FROM follows WHERE user = ?1 AND actor = ?2", params![user.0, actor])?;
    Ok(())
}

pub(crate) fn page(conn: &Connection, user: UserKey, page: &ListQuery) -> Result<ListPage, Error> {
    let sql = "SELECT actor, created_at FROM follows WHERE user = ?1 AND actor > ?2 ORDER BY actor";
    sql::page(conn, sql, params![user.0, page.after.as_deref().unwrap_or_default()], page.limit, |r| {
        Follow::from_row(r)
    })
}

pub(crate) fn get(conn: &Connection, user: UserKey, actor: &str) -> Result<Option<Follow>, Error> {
    let sql = "SELECT actor, created_at FROM follows WHERE user = ?1 AND actor = ?2";
    sql::first(conn, sql, params![user.0, actor], |r| Follow::from_row(r))
}

/// Ends the follows of a removed user by others; `?1` the removed user, `?2` the most rows.
pub(crate) const DELETE_OF_REMOVED: &str = "DELETE FROM follows WHERE (user, actor) IN (
    SELECT f.user, f.actor FROM former_users r CROSS JOIN follows f INDEXED BY follows_by_actor ON f.actor = r.id
    WHERE r.key = ?1 LIMIT ?2)";
