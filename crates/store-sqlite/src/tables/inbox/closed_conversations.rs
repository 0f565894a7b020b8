//! The table `closed_conversations`: those with one person who was removed.

use rusqlite::{Connection, params};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;

use crate::sql;
use crate::write_tx::WriteTx;

/// Closes a conversation of an inbox, once.
pub(crate) fn close(ctx: &mut WriteTx<'_>, user: UserKey, view: &str, name: &str) -> Result<(), Error> {
    if self::name(ctx.tx, user, view)?.is_none() {
        let stamp = ctx.next_stamp();
        let sql = "INSERT INTO closed_conversations (user, view, name, stamp) VALUES (?1, ?2, ?3, ?4)";
        sql::run(ctx.tx, sql, params![user.0, view, name, stamp.as_micros()])?;
    }
    Ok(())
}

/// The name of the other user of a closed conversation; `None` for one that is open.
pub(crate) fn name(conn: &Connection, user: UserKey, view: &str) -> Result<Option<String>, Error> {
    let sql = "SELECT name FROM closed_conversations WHERE user = ?1 AND view = ?2";
    sql::first(conn, sql, params![user.0, view], |r| Ok(r.get(0)?))
}
