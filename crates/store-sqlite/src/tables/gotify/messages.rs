//! The table `gotify_messages`: the notifications that Gotify's clients list, by their numbers.

use rusqlite::{Connection, ToSql, params};
use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::gotify::MessagePageBuilder;
use tidings_store::{Error, MessagePage, MessagePageSize, MessagePosition, Messages};

use crate::sql;
use crate::write_tx::WriteTx;

/// Adds a notification to the lists; gives its number.
pub(crate) fn insert(
    ctx: &WriteTx<'_>,
    user: UserKey,
    application: i64,
    created_at: Stamp,
) -> Result<i64, Error> {
    let sql = "INSERT INTO gotify_messages (user, application, created_at) VALUES (?1, ?2, ?3)";
    sql::run(ctx.tx, sql, params![user.0, application, created_at.as_micros()])?;
    Ok(ctx.tx.last_insert_rowid())
}

/// The index and the condition of the messages that a list is about, with the value of `?2`.
fn selection(which: Messages) -> (&'static str, &'static str, i64) {
    match which {
        Messages::All => ("INDEXED BY gotify_messages_by_user", "m.user = ?1 AND ?2 = 0", 0),
        Messages::OfApplication(id) => {
            ("INDEXED BY gotify_messages_by_application", "m.application = ?2 AND m.user = ?1", id)
        }
        Messages::One(id) => ("", "m.id = ?2 AND m.user = ?1", id),
    }
}

/// The condition and the order of a page, with the value of `?3`.
fn order(position: MessagePosition) -> (&'static str, i64) {
    match position {
        MessagePosition::Before(id) => ("m.id < ?3 ORDER BY m.id DESC", id),
        MessagePosition::After(id) => ("m.id > ?3 ORDER BY m.id", id),
    }
}

/// A page of a user's messages with their content.
pub(crate) fn page(
    conn: &Connection,
    user: UserKey,
    which: Messages,
    position: MessagePosition,
    size: MessagePageSize,
) -> Result<MessagePage, Error> {
    let ((index, selected, id), (order, from)) = (selection(which), order(position));
    let mut rows = conn.prepare_cached(&format!(
        "SELECT m.id, m.application, m.created_at, n.content FROM gotify_messages m {index}
         CROSS JOIN notifications n ON n.created_at = m.created_at WHERE {selected} AND {order}"
    ))?;
    let mut rows = rows.query([user.0, id, from])?;
    let mut page = MessagePageBuilder::new(size);
    while let Some(row) = rows.next()?
        && page.push(row)?
    {}
    Ok(page.finish())
}

/// The numbers and creation times of the oldest `rows` of these messages up to a number.
pub(crate) fn oldest(
    conn: &Connection,
    user: UserKey,
    which: Messages,
    through: i64,
    rows: usize,
) -> Result<Vec<(i64, Stamp)>, Error> {
    let (index, selected, id) = selection(which);
    let values: [&dyn ToSql; 4] = [&user.0, &id, &through, &rows];
    let sql = format!(
        "SELECT m.id, m.created_at FROM gotify_messages m {index} WHERE {selected} AND m.id <= ?3 ORDER BY m.id LIMIT ?4"
    );
    sql::all(conn, &sql, values.as_slice(), |r| Ok((r.get(0)?, Stamp::from_micros(r.get(1)?))))
}

/// Takes a message out of the lists.
pub(crate) fn delete(ctx: &WriteTx<'_>, id: i64) -> Result<(), Error> {
    sql::run(ctx.tx, "DELETE FROM gotify_messages WHERE id = ?1", [id]).map(drop)
}

/// Takes the message of an item that was deleted out of its user's lists.
pub(crate) fn item_deleted(ctx: &WriteTx<'_>, user: UserKey, created_at: Stamp) -> Result<(), Error> {
    let sql = "DELETE FROM gotify_messages WHERE created_at = ?2 AND user = ?1";
    sql::run(ctx.tx, sql, params![user.0, created_at.as_micros()]).map(drop)
}

/// Takes the message of a notification that was taken back out of the lists.
pub(crate) fn notification_recalled(ctx: &WriteTx<'_>, created_at: Stamp) -> Result<(), Error> {
    let sql = "DELETE FROM gotify_messages WHERE created_at = ?1";
    sql::run(ctx.tx, sql, [created_at.as_micros()]).map(drop)
}

/// Deletes at most `rows` messages of an application; gives their number.
pub(crate) fn delete_of_application(
    ctx: &WriteTx<'_>,
    application: i64,
    rows: usize,
) -> Result<usize, Error> {
    let sql = "DELETE FROM gotify_messages WHERE id IN (
                 SELECT id FROM gotify_messages WHERE application = ?1 ORDER BY id LIMIT ?2)";
    sql::run(ctx.tx, sql, params![application, rows])
}
