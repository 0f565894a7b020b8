//! The table `users`.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::account::{HIDDEN_PREFIX, User, UserKey, WrittenContent};

use crate::sql;
use crate::tables::{former_users, meta};
use crate::write_tx::WriteTx;

pub(crate) const SELECT_USER: &str = "SELECT key, id, name, created_at FROM users";

/// The user with this id.
pub(crate) fn by_id(conn: &Connection, id: &str) -> Result<Option<User>, Error> {
    sql::first(conn, &format!("{SELECT_USER} WHERE id = ?1 AND id < '~'"), [id], |r| User::from_row(r))
}

/// The id of a user; `not_found` if the user was removed.
pub(crate) fn id_of(conn: &Connection, key: UserKey) -> Result<String, Error> {
    sql::first(conn, "SELECT id FROM users WHERE key = ?1 AND id < '~'", [key.0], |r| Ok(r.get(0)?))?
        .ok_or_else(|| Error::not_found("user"))
}

/// Removes a user for all queries at once; `upkeep::removal` deletes their rows in portions.
pub(crate) fn remove(ctx: &mut WriteTx<'_>, id: &str, written: WrittenContent) -> Result<UserKey, Error> {
    let user = by_id(ctx.tx, id)?.ok_or_else(|| Error::not_found("user"))?;
    former_users::insert(ctx, &user, written)?;
    ctx.tx.execute("UPDATE users SET id = ?2 || key WHERE key = ?1", params![user.key.0, HIDDEN_PREFIX])?;
    meta::count_users(ctx, -1)?;
    meta::bump_auth_version(ctx)?;
    Ok(user.key)
}

/// Sets the position up to which fan-in is done.
pub(crate) fn set_fanned_in_to(ctx: &WriteTx<'_>, user: UserKey, to: Stamp) -> Result<(), Error> {
    let sql = "UPDATE users SET fanned_in_to = ?2 WHERE key = ?1";
    sql::run(ctx.tx, sql, params![user.0, to.as_micros()]).map(drop)
}

pub(crate) fn subscription_count(conn: &Connection, user: UserKey) -> Result<usize, Error> {
    sql::one(conn, "SELECT subscription_count FROM users WHERE key = ?1", [user.0], |r| Ok(r.get(0)?))
}

pub(crate) fn count_subscriptions(ctx: &WriteTx<'_>, user: UserKey, more: i64) -> Result<(), Error> {
    let sql = "UPDATE users SET subscription_count = subscription_count + ?2 WHERE key = ?1";
    sql::run(ctx.tx, sql, [user.0, more]).map(drop)
}

/// A removed user whose rows are not all deleted, and of whom nothing is to be recalled before.
pub(crate) fn next_removed(conn: &Connection) -> Result<Option<UserKey>, Error> {
    let sql = "SELECT key FROM users u WHERE u.id >= '~' AND NOT EXISTS (
                 SELECT 1 FROM former_users f WHERE f.key = u.key AND f.recalls = 1) LIMIT 1";
    sql::first(conn, sql, [], |r| Ok(UserKey(r.get(0)?)))
}

/// Deletes the row of a removed user, after all their other rows.
pub(crate) fn delete_removed(ctx: &WriteTx<'_>, user: UserKey) -> Result<(), Error> {
    ctx.tx.execute("DELETE FROM users WHERE key = ?1 AND id >= '~'", [user.0])?;
    Ok(())
}
