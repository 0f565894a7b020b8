//! The table `gotify_messages`: the notifications that Gotify's clients list, by their numbers.

use futures_util::StreamExt;
use tidings_store::domain::account::UserKey;
use tidings_store::gotify::MessagePageBuilder;
use tidings_store::{Error, MessagePage, MessagePageSize, MessagePosition, Messages};

use crate::session::{Columns, Session, rows};
use crate::tx::WriteTx;

/// The condition of the messages that a list is about, with the value of `$2`.
fn selection(which: Messages) -> (&'static str, i64) {
    match which {
        Messages::All => ("m.user_key = $1 AND $2 = 0", 0),
        Messages::OfApplication(id) => ("m.application = $2 AND m.user_key = $1", id),
        Messages::One(id) => ("m.id = $2 AND m.user_key = $1", id),
    }
}

/// A page of a user's messages with their content.
pub(super) async fn page(
    session: &Session,
    user: UserKey,
    which: Messages,
    position: MessagePosition,
    size: MessagePageSize,
) -> Result<MessagePage, Error> {
    let (selected, id) = selection(which);
    let (from, order) = match position {
        MessagePosition::Before(from) => (from, "m.id < $3 ORDER BY m.id DESC"),
        MessagePosition::After(from) => (from, "m.id > $3 ORDER BY m.id"),
    };
    let sql = format!(
        "SELECT m.id, m.application, m.created_at, n.content FROM gotify_messages m
         CROSS JOIN LATERAL (SELECT content FROM notifications WHERE created_at = m.created_at LIMIT 1) n
         WHERE {selected} AND {order} LIMIT $4"
    );
    let limit = rows(size.messages.saturating_add(1));
    let mut found = std::pin::pin!(session.stream(&sql, &[&user.0, &id, &from, &limit]).await?);
    let mut page = MessagePageBuilder::new(size);
    while let Some(row) = found.next().await {
        if !page.push(&row?)? {
            break;
        }
    }
    Ok(page.finish())
}

/// The number of a user's newest message; 0 if there is none.
pub(super) async fn newest(session: &Session, user: UserKey) -> Result<i64, Error> {
    let sql = "SELECT id FROM gotify_messages WHERE user_key = $1 ORDER BY id DESC LIMIT 1";
    session.query_opt(sql, &[&user.0]).await?.map_or(Ok(0), |row| row.at(0))
}

/// The numbers and creation times of the oldest of these messages up to a number.
pub(super) async fn oldest(
    session: &Session,
    user: UserKey,
    which: Messages,
    through: i64,
    limit: usize,
) -> Result<Vec<(i64, i64)>, Error> {
    let (selected, id) = selection(which);
    let sql = format!(
        "SELECT m.id, m.created_at FROM gotify_messages m WHERE {selected} AND m.id <= $3 ORDER BY m.id LIMIT $4"
    );
    let found = session.query(&sql, &[&user.0, &id, &through, &rows(limit)]).await?;
    found.iter().map(|row| Ok((row.at(0)?, row.at(1)?))).collect()
}

/// Takes messages out of the lists of their user.
pub(super) async fn delete(tx: &WriteTx<'_>, user: UserKey, ids: &[i64]) -> Result<(), Error> {
    tx.execute("DELETE FROM gotify_messages WHERE id = ANY($2) AND user_key = $1", &[&user.0, &ids]).await?;
    Ok(())
}

/// Deletes at most `limit` messages of an application; gives their number.
pub(super) async fn delete_of_application(
    tx: &WriteTx<'_>,
    application: i64,
    limit: usize,
) -> Result<u64, Error> {
    let sql = "DELETE FROM gotify_messages WHERE id IN (
        SELECT id FROM gotify_messages WHERE application = $1 ORDER BY id LIMIT $2)";
    tx.execute(sql, &[&application, &rows(limit)]).await
}
