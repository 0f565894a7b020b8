//! The table `read_marks`: the time up to which each view of an inbox is read.

use rusqlite::{Connection, params};
use tidings_model::{Kind, Stamp};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
pub(crate) use tidings_store::item_row::view_key;

use crate::sql;
use crate::write_tx::WriteTx;

/// A view's read mark, and the stamp of its last move.
pub(crate) fn get(
    conn: &Connection,
    user: UserKey,
    kind: Kind,
    view: &str,
) -> Result<Option<(Stamp, Stamp)>, Error> {
    let sql = "SELECT mark, stamp FROM read_marks WHERE user = ?1 AND kind = ?2 AND view = ?3";
    sql::first(conn, sql, params![user.0, kind.as_row(), view], |r| {
        Ok((Stamp::from_micros(r.get(0)?), Stamp::from_micros(r.get(1)?)))
    })
}

/// Moves a view's read mark; `read_at` is when the reader did so, if an item was marked as read. Gives the stamp.
pub(crate) fn set(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    (to, read_at): (Stamp, Option<Stamp>),
) -> Result<Stamp, Error> {
    let stamp = ctx.next_stamp();
    let read_at = read_at.map(Stamp::as_micros);
    let sql = "INSERT INTO read_marks (user, kind, view, mark, stamp, read_marked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO UPDATE SET mark = excluded.mark, stamp = excluded.stamp,
                 read_marked_at = coalesce(excluded.read_marked_at, read_marks.read_marked_at)";
    sql::run(ctx.tx, sql, params![user.0, kind.as_row(), view, to.as_micros(), stamp.as_micros(), read_at])?;
    Ok(stamp)
}
