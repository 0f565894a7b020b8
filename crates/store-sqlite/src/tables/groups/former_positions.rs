//! The table `former_positions`: list positions of members who left a short while ago.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::account::UserKey;

use crate::sql;
use crate::write_tx::WriteTx;

/// Stores the list position of a member who leaves.
pub(crate) fn save(ctx: &WriteTx<'_>, group: i64, user: UserKey, stamp: Stamp) -> Result<(), Error> {
    let sql = "INSERT OR REPLACE INTO former_positions (group_key, user, list_position, left_at)
             SELECT group_key, user, list_position, ?3 FROM memberships
             WHERE group_key = ?1 AND user = ?2 AND left_at = 0";
    sql::run(ctx.tx, sql, params![group, user.0, stamp.as_micros()]).map(drop)
}

/// A user's position in the list of members, even after leaving; `None` if no row of the user's membership is left.
pub(crate) fn position(conn: &Connection, group: i64, user: UserKey) -> Result<Option<i64>, Error> {
    let sql = "SELECT coalesce(
                 (SELECT list_position FROM memberships WHERE group_key = ?1 AND user = ?2 AND left_at = 0),
                 (SELECT list_position FROM former_positions WHERE group_key = ?1 AND user = ?2),
                 (SELECT max(list_position) FROM memberships WHERE group_key = ?1 AND user = ?2))";
    sql::one(conn, sql, [group, user.0], |r| Ok(r.get(0)?))
}
