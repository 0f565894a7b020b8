//! The items that a view's read mark covers, or no longer covers: rows of the table `items`, by view and time.

use rusqlite::{Connection, params};
use tidings_model::{Kind, Stamp};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::item::UnreadState;

use crate::sql;
use crate::write_tx::WriteTx;

/// The smallest read mark that covers `n` unread items of a view in this state; `None` if there are fewer up to
/// `to`.
pub(crate) fn nth_unread(
    conn: &Connection,
    user: UserKey,
    kind: Kind,
    view: &str,
    unread_state: UnreadState,
    to: Stamp,
    n: usize,
) -> Result<Option<Stamp>, Error> {
    let sql = "SELECT content_at FROM items INDEXED BY items_unread_of_view WHERE user = ?1 AND unread > 0
                 AND unread = ?5 AND kind = ?2 AND view = ?3 AND auto = 1 AND content_at <= ?4
             ORDER BY content_at LIMIT 1 OFFSET ?6";
    sql::first(
        conn,
        sql,
        params![user.0, kind.as_row(), view, to.as_micros(), unread_state.as_row(), n.saturating_sub(1)],
        |r| Ok(Stamp::from_micros(r.get(0)?)),
    )
}

/// Marks a view's unread items in this state as covered by a read mark; gives their number.
pub(crate) fn cover(
    ctx: &WriteTx<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    unread_state: UnreadState,
    to: Stamp,
) -> Result<usize, Error> {
    let sql = "UPDATE items INDEXED BY items_unread_of_view SET unread = 0 WHERE user = ?1 AND unread > 0
                 AND unread = ?5 AND kind = ?2 AND view = ?3 AND auto = 1 AND content_at <= ?4";
    sql::run(ctx.tx, sql, params![user.0, kind.as_row(), view, to.as_micros(), unread_state.as_row()])
}

/// The index, condition and time column of items that a view's read mark can cover. Messages are never revised, so
/// their time is that of creation, and they have an index of their own.
const fn covered(kind: Kind) -> (&'static str, &'static str, &'static str) {
    match kind {
        Kind::Message => ("items_of_conversation", "kind = 3 AND deleted = 0", "created_at"),
        Kind::Announcement | Kind::Reminder => ("items_of_view", "kind < 3 AND auto = 1", "content_at"),
    }
}

/// The `n`-th item, counted from the newest and from 0, of a view whose content is from between two times.
pub(crate) fn nth_covered(
    conn: &Connection,
    user: UserKey,
    kind: Kind,
    view: &str,
    (after, upto): (Stamp, Stamp),
    n: usize,
) -> Result<Option<Stamp>, Error> {
    let (index, condition, at) = covered(kind);
    let sql = format!(
        "SELECT content_at FROM items INDEXED BY {index} WHERE user = ?1 AND kind = ?2 AND view = ?3 AND {condition}
                 AND {at} > ?4 AND {at} <= ?5 ORDER BY {at} DESC LIMIT 1 OFFSET ?6"
    );
    sql::first(
        conn,
        &sql,
        params![user.0, kind.as_row(), view, after.as_micros(), upto.as_micros(), n],
        |r| Ok(Stamp::from_micros(r.get(0)?)),
    )
}

/// Makes items unread that a read mark covered between two times, unless they are read individually, own, deleted or closed;
/// gives their number.
pub(crate) fn uncover(
    ctx: &WriteTx<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    (after, upto): (Stamp, Stamp),
) -> Result<usize, Error> {
    let (index, condition, at) = covered(kind);
    let sql = format!(
        "UPDATE items INDEXED BY {index} SET unread = CASE WHEN archived_at IS NULL THEN 1 ELSE 2 END
             WHERE user = ?1 AND kind = ?2 AND view = ?3 AND {condition} AND {at} > ?4 AND {at} <= ?5 AND auto = 1
                 AND own = 0 AND deleted = 0 AND closed = 0 AND read_at IS NULL"
    );
    sql::run(ctx.tx, &sql, params![user.0, kind.as_row(), view, after.as_micros(), upto.as_micros()])
}

/// Gives a new version to items that a read mark covered between two times and that are read individually. Each gets a
/// stamp of its own, in the order of their content. It gives their number. The mark had hidden their own `read_at`, so
/// that a reader cannot derive it. The item created at `except` keeps its version.
pub(crate) fn restamp_read_individually(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    kind: Kind,
    view: &str,
    (after, upto): (Stamp, Stamp),
    except: Stamp,
) -> Result<usize, Error> {
    let (index, condition, at) = covered(kind);
    ctx.assign_stamps(|tx, first| {
        let sql = format!(
            "UPDATE items SET stamp = ?6 + m.nth, version = version + 1
                 FROM (SELECT created_at AS at, row_number() OVER (ORDER BY {at}) - 1 AS nth
                     FROM items INDEXED BY {index} WHERE user = ?1 AND kind = ?2 AND view = ?3 AND {condition}
                         AND {at} > ?4 AND {at} <= ?5 AND created_at <> ?7 AND auto = 1 AND deleted = 0
                         AND read_at IS NOT NULL) AS m
                 WHERE items.user = ?1 AND items.created_at = m.at"
        );
        sql::run(
            tx,
            &sql,
            params![
                user.0,
                kind.as_row(),
                view,
                after.as_micros(),
                upto.as_micros(),
                first.as_micros(),
                except.as_micros()
            ],
        )
    })
}
