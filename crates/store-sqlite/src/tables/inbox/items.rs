//! The table `items`: notifications in inboxes, with their state.

use rusqlite::{Connection, Transaction, params};
use tidings_model::{Kind, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::item::{Item, MarkTimes, UnreadState};
use tidings_store::fields::Fields;
use tidings_store::{Error, item_row};

use crate::sql;
use crate::tables::group_messages::{self, ReadRange};
use crate::write_tx::WriteTx;

/// The kind and view that an item belongs to.
pub(crate) struct ViewKey {
    pub(crate) kind: Kind,
    pub(crate) view: String,
}

/// One item of an inbox, by its creation time.
pub(crate) fn get(
    conn: &Connection,
    user: UserKey,
    created_at: Stamp,
) -> Result<Option<(ViewKey, Item)>, Error> {
    let mut statement = conn.prepare_cached(
            "SELECT i.created_at, i.stamp, i.version, i.kind, i.view, i.auto, i.own, i.seen_at, i.read_at,
                 i.archived_at, i.snoozed_until, i.deleted, v.mark, i.revised_at, i.edited_at, i.closed,
                 i.read_marked_at, i.archive_marked_at, i.snooze_marked_at, v.read_marked_at
             FROM items i LEFT JOIN read_marks v ON i.auto = 1 AND v.user = i.user AND v.kind = i.kind AND v.view = i.view
             WHERE i.user = ?1 AND i.created_at = ?2",
        )?;
    let mut rows = statement.query([user.0, created_at.as_micros()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let marked = MarkTimes { read: row.time(16)?, archive: row.time(17)?, snooze: row.time(18)? };
    let item = Item { marked, mark_read_at: row.time(19)?, ..item_row::item(row)? };
    Ok(Some((ViewKey { kind: row.kind(3)?, view: row.string(4)? }, item)))
}

/// The users who have a direct message: its sender and its recipient.
pub(crate) fn users_with(conn: &Connection, created_at: Stamp) -> Result<Vec<UserKey>, Error> {
    let sql = "SELECT user FROM items INDEXED BY items_by_age WHERE created_at = ?1 LIMIT 2";
    sql::all(conn, sql, [created_at.as_micros()], |r| Ok(UserKey(r.get(0)?)))
}

/// Adds a message to an inbox at its own new stamp, so that no existing read mark covers it.
pub(crate) fn insert_message(
    ctx: &WriteTx<'_>,
    user: UserKey,
    stamp: Stamp,
    view: &str,
    own: bool,
) -> Result<(), Error> {
    let sql = "INSERT INTO items (user, created_at, stamp, version, kind, view, auto, own, unread)
             VALUES (?1, ?2, ?2, 1, ?3, ?4, 1, ?5, ?6)";
    sql::run(
        ctx.tx,
        sql,
        params![user.0, stamp.as_micros(), Kind::Message.as_row(), view, own, i64::from(!own)],
    )
    .map(drop)
}

/// Adds an item to an inbox, unless the inbox has it.
pub(crate) fn insert(
    ctx: &WriteTx<'_>,
    user: UserKey,
    view_key: &ViewKey,
    action: &str,
    item: &Item,
    stamp: Stamp,
) -> Result<(), Error> {
    let sql = "INSERT OR IGNORE INTO items (user, created_at, stamp, version, kind, view, auto, own, unread, read_at,
                 revised_at, edited_at, action, closed)
             VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    sql::run(
        ctx.tx,
        sql,
        params![
            user.0,
            item.created_at.as_micros(),
            stamp.as_micros(),
            view_key.kind.as_row(),
            view_key.view,
            item.auto,
            item.own,
            item.unread_state().as_row(),
            item.read_at.map(Stamp::as_micros),
            item.revised_at.map_or(0, Stamp::as_micros),
            item.edited_at.map_or(0, Stamp::as_micros),
            if view_key.kind == Kind::Reminder { action } else { "" },
            item.closed,
        ],
    )
    .map(drop)
}

/// Writes an item's new state as its next version.
pub(crate) fn update(ctx: &WriteTx<'_>, user: UserKey, after: &Item, stamp: Stamp) -> Result<(), Error> {
    let sql = "UPDATE items SET stamp = ?3, version = version + 1, auto = ?4, unread = ?5, seen_at = ?6, read_at = ?7,
                 archived_at = ?8, snoozed_until = ?9, deleted = ?10, revised_at = ?11, edited_at = ?12, closed = ?13,
                 read_marked_at = ?14, archive_marked_at = ?15, snooze_marked_at = ?16
             WHERE user = ?1 AND created_at = ?2";
    sql::run(
        ctx.tx,
        sql,
        params![
            user.0,
            after.created_at.as_micros(),
            stamp.as_micros(),
            after.auto,
            after.unread_state().as_row(),
            after.seen_at.map(Stamp::as_micros),
            after.read_at.map(Stamp::as_micros),
            after.archived_at.map(Stamp::as_micros),
            after.snoozed_until.map(Stamp::as_micros),
            after.deleted,
            after.revised_at.map_or(0, Stamp::as_micros),
            after.edited_at.map_or(0, Stamp::as_micros),
            after.closed,
            after.marked.read.map(Stamp::as_micros),
            after.marked.archive.map(Stamp::as_micros),
            after.marked.snooze.map(Stamp::as_micros),
        ],
    )
    .map(drop)
}

/// Keeps the times of an item's marks alone, which is no new version.
pub(crate) fn set_marked(ctx: &WriteTx<'_>, user: UserKey, item: &Item) -> Result<(), Error> {
    let times = [item.marked.read, item.marked.archive, item.marked.snooze];
    let [read, archive, snooze] = times.map(|at| at.map(Stamp::as_micros));
    let sql = "UPDATE items SET read_marked_at = ?3, archive_marked_at = ?4, snooze_marked_at = ?5
             WHERE user = ?1 AND created_at = ?2";
    sql::run(ctx.tx, sql, params![user.0, item.created_at.as_micros(), read, archive, snooze]).map(drop)
}

/// Marks those of the next `rows` unread items that are of manual class as read, each at its own stamp in the order of
/// creation; gives their number.
pub(crate) fn read_next(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    (kind, unread_state): (Kind, UnreadState),
    after: i64,
    through: Stamp,
    rows: usize,
) -> Result<usize, Error> {
    let mut next = ctx.tx.prepare_cached(
        "SELECT created_at FROM items INDEXED BY items_unread WHERE user = ?1 AND unread > 0 AND unread = ?2
             AND kind = ?3 AND created_at > ?4 AND created_at <= ?5 ORDER BY created_at LIMIT ?6",
    )?;
    let key = params![user.0, unread_state.as_row(), kind.as_row(), after, through.as_micros(), rows];
    let next: Vec<i64> = next.query_map(key, |r| r.get(0))?.collect::<Result<_, _>>()?;
    ctx.assign_stamps(|tx, first| {
        // Row by row: one statement for all of them would keep its new rows in a table of its own first. The class is in
        // no index of these, so the row itself is looked at once.
        let mut read = tx.prepare_cached(
            "UPDATE items SET stamp = ?3, read_at = ?3, version = version + 1, unread = 0
             WHERE user = ?1 AND created_at = ?2 AND auto = 0",
        )?;
        let (mut rows, mut stamp) = (0, first);
        for created_at in next {
            if read.execute([user.0, created_at, stamp.as_micros()])? > 0 {
                rows += 1;
                stamp = stamp.plus_micros(1);
            }
        }
        Ok(rows)
    })
}

/// The columns of an unread item that reading everything needs.
pub(crate) struct UnreadItem {
    pub(crate) created_at: Stamp,
    pub(crate) view: String,
    pub(crate) auto: bool,
}

pub(crate) fn next_unread(
    conn: &Connection,
    user: UserKey,
    kind: Kind,
    unread_state: UnreadState,
    after: i64,
    through: Stamp,
) -> Result<Option<UnreadItem>, Error> {
    let sql = "SELECT created_at, view, auto FROM items INDEXED BY items_unread WHERE user = ?1 AND unread > 0
                 AND unread = ?2 AND kind = ?3 AND created_at > ?4 AND created_at <= ?5 ORDER BY created_at LIMIT 1";
    sql::first(
        conn,
        sql,
        params![user.0, unread_state.as_row(), kind.as_row(), after, through.as_micros()],
        |r| Ok(UnreadItem { created_at: Stamp::from_micros(r.get(0)?), view: r.get(1)?, auto: r.get(2)? }),
    )
}

/// Gives the senders' own items of messages that a member has read a new version and the stamps of the receipts.
/// Parameters are those of [`group_messages::to_notify`], and `?5` the first stamp.
pub(crate) fn restamp_read_messages(
    tx: &Transaction<'_>,
    range: &ReadRange,
    first: Stamp,
) -> Result<usize, Error> {
    let ReadRange { group, reader, after, through } = *range;
    let messages = group_messages::to_notify();
    let sql = format!(
        "UPDATE items SET stamp = r.stamp, version = version + 1
             FROM (SELECT m.sender AS sender, m.created_at AS message,
                     ?5 - 1 + row_number() OVER (ORDER BY m.created_at) AS stamp {messages}) AS r
             WHERE items.user = r.sender AND items.created_at = r.message AND items.deleted = 0"
    );
    sql::run(tx, &sql, params![group, reader.0, after, through, first.as_micros()])
}

/// The SQL expression of the correct value of column `unread`, for an item `i` with the read mark `v`.
pub(crate) const UNREAD: &str =
    "CASE WHEN i.own = 1 OR i.deleted = 1 OR i.closed = 1 OR i.read_at IS NOT NULL THEN 0
    WHEN i.auto = 1 AND max(i.created_at, i.revised_at) <= coalesce(v.mark, -1) THEN 0
    WHEN i.archived_at IS NOT NULL THEN 2 ELSE 1 END";

/// Repairs the column `unread` of the next items of a user after a time; gives the creation time of the last of them,
/// `None` at the end.
pub(crate) fn repair_unread(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    after: Stamp,
    batch: usize,
) -> Result<Option<Stamp>, Error> {
    let sql = "SELECT created_at FROM items WHERE user = ?1 AND created_at > ?2 ORDER BY created_at LIMIT 1 OFFSET ?3";
    let last: Option<i64> =
        sql::first(ctx.tx, sql, params![user.0, after.as_micros(), batch.saturating_sub(1)], |r| {
            Ok(r.get(0)?)
        })?;
    let sql = format!(
        "UPDATE items AS o SET unread = (SELECT {UNREAD} FROM items i LEFT JOIN read_marks v
                 ON v.user = i.user AND v.kind = i.kind AND v.view = i.view
                 WHERE i.user = o.user AND i.created_at = o.created_at)
             WHERE o.user = ?1 AND o.created_at > ?2 AND o.created_at <= ?3"
    );
    sql::run(ctx.tx, &sql, [user.0, after.as_micros(), last.unwrap_or(i64::MAX)])?;
    Ok(last.map(Stamp::from_micros))
}

/// Deletes at most `rows` items of one notification, in whichever inboxes; gives their number.
pub(crate) fn delete_of(ctx: &WriteTx<'_>, created_at: Stamp, rows: usize) -> Result<usize, Error> {
    let sql = "DELETE FROM items WHERE (user, created_at) IN (
                 SELECT user, created_at FROM items INDEXED BY items_by_age WHERE created_at = ?1 LIMIT ?2)";
    sql::run(ctx.tx, sql, params![created_at.as_micros(), rows])
}

/// Deletes the items of a user that were created up to a time.
pub(crate) fn delete_through(ctx: &WriteTx<'_>, user: UserKey, through: Stamp) -> Result<(), Error> {
    let sql = "DELETE FROM items WHERE user = ?1 AND created_at <= ?2";
    sql::run(ctx.tx, sql, [user.0, through.as_micros()]).map(drop)
}
