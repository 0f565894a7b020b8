//! Notifications in the order of time: those of a user, and those that are too old.

use rusqlite::{Connection, params};
use tidings_model::{MsgId, Stamp};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;

use crate::sql;

/// A publication of a user.
pub(crate) struct OfUser {
    pub(crate) created_at: Stamp,
    pub(crate) msgid: MsgId,
    pub(crate) target_type: String,
}

/// The next publications of a user after a time, at most `limit`, in their order.
pub(crate) fn published_after(
    conn: &Connection,
    user: UserKey,
    after: Stamp,
    limit: usize,
) -> Result<Vec<OfUser>, Error> {
    let sql = "SELECT created_at, msgid, target_type FROM notifications INDEXED BY notifications_by_publisher
         WHERE publisher = ?1 AND publisher > 0 AND created_at > ?2 ORDER BY created_at LIMIT ?3";
    sql::all(conn, sql, params![user.0, after.as_micros(), limit], |r| {
        let created_at = Stamp::from_micros(r.get(0)?);
        Ok(OfUser { created_at, msgid: MsgId(r.get(1)?), target_type: r.get(2)? })
    })
}

/// Those created between two times, the second excluded, whose content is from before `horizon`, oldest first. A message
/// has the content of its creation, whenever it was edited.
pub(crate) fn expired_within(
    conn: &Connection,
    (from, to): (Stamp, Stamp),
    horizon: Stamp,
) -> Result<Vec<(Stamp, MsgId)>, Error> {
    let sql = "SELECT created_at, msgid FROM notifications WHERE created_at >= ?1 AND created_at < ?2
             AND (kind = 3 OR content_revised_at < ?3) ORDER BY created_at";
    sql::all(conn, sql, [from.as_micros(), to.as_micros(), horizon.as_micros()], named)
}

/// At most `limit` of those that were revised, last before `horizon`; messages go by their creation alone.
pub(crate) fn expired_revised(
    conn: &Connection,
    horizon: Stamp,
    limit: usize,
) -> Result<Vec<(Stamp, MsgId)>, Error> {
    let sql = "SELECT created_at, msgid FROM notifications INDEXED BY content_revisions
         WHERE content_revised_at > 0 AND content_revised_at < ?1 AND kind < 3 ORDER BY content_revised_at LIMIT ?2";
    sql::all(conn, sql, params![horizon.as_micros(), limit], named)
}

fn named(row: &rusqlite::Row<'_>) -> Result<(Stamp, MsgId), Error> {
    Ok((Stamp::from_micros(row.get(0)?), MsgId(row.get(1)?)))
}
