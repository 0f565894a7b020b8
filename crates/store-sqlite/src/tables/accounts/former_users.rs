//! The table `former_users`: the ids of users who were removed, and how far their removal is.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::account::{User, UserKey, WrittenContent};

use crate::sql;
use crate::write_tx::WriteTx;

/// Whether the id was that of a user who was removed.
pub(crate) fn is_taken(conn: &Connection, id: &str) -> Result<bool, Error> {
    sql::exists(conn, "SELECT 1 FROM former_users WHERE id = ?1", [id])
}

/// Whether anybody was ever removed.
pub(crate) fn any(conn: &Connection) -> Result<bool, Error> {
    sql::one(conn, "SELECT EXISTS (SELECT 1 FROM former_users WHERE id > '')", [], |r| Ok(r.get(0)?))
}

pub(crate) fn insert(ctx: &mut WriteTx<'_>, user: &User, written: WrittenContent) -> Result<(), Error> {
    let removed_at = ctx.next_stamp();
    ctx.tx.execute(
        "INSERT INTO former_users (id, key, removed_at, recalls) VALUES (?1, ?2, ?3, ?4)",
        params![user.id, user.key.0, removed_at.as_micros(), written == WrittenContent::Delete],
    )?;
    Ok(())
}

/// The record of a removed user whose rows are being deleted.
pub(crate) struct FormerUser {
    pub(crate) key: UserKey,
    pub(crate) id: String,
    /// The name, as long as it is there.
    pub(crate) name: String,
    pub(crate) recalled_to: Stamp,
    pub(crate) published_to: Stamp,
}

fn find(conn: &Connection, condition: &str, key: i64) -> Result<Option<FormerUser>, Error> {
    let sql = format!(
        "SELECT f.key, f.id, u.name, f.recalled_to, f.published_to FROM former_users f
             CROSS JOIN users u ON u.key = f.key WHERE {condition} LIMIT 1"
    );
    sql::first(conn, &sql, [key], |r| {
        Ok(FormerUser {
            key: UserKey(r.get(0)?),
            id: r.get(1)?,
            name: r.get(2)?,
            recalled_to: Stamp::from_micros(r.get(3)?),
            published_to: Stamp::from_micros(r.get(4)?),
        })
    })
}

/// A removed user; `None` for one of an earlier version, whose id is not known.
pub(crate) fn get(conn: &Connection, user: UserKey) -> Result<Option<FormerUser>, Error> {
    find(conn, "f.key = ?1", user.0)
}

/// A removed user of whom something is still to be recalled.
pub(crate) fn next_recalled(conn: &Connection) -> Result<Option<FormerUser>, Error> {
    find(conn, "f.recalls = 1 AND f.recalls = ?1", 1)
}

/// Records how far what a user published was looked through.
pub(crate) fn set_published(ctx: &WriteTx<'_>, user: UserKey, through: Stamp) -> Result<(), Error> {
    let sql = "UPDATE former_users SET published_to = ?2 WHERE key = ?1";
    sql::run(ctx.tx, sql, [user.0, through.as_micros()]).map(drop)
}
