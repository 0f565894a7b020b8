//! Reads a page of an inbox's conversations.

use std::sync::LazyLock;

use tidings_model::{Notification, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::json_size::json_size;
use tidings_store::domain::limits;
use tidings_store::{Conversation, ConversationQuery, Error, item_row};
use tokio_postgres::Row;

use super::counts::{capped, count_limit};
use super::row::{self, COLUMN_COUNT};
use crate::session::{Columns, Session, rows};

/// `$1` the user, `$2` the time before which the newest item was created, `$3` the most conversations. The columns
/// after those of an item: the name of the group, that of the other user, and the conversation's read mark. Then come
/// the name of a user who was removed, and whether the conversation is closed.
static PAGE: LazyLock<String> = LazyLock::new(|| {
    let rows = format!(
        "SELECT {}, g2.name AS group_name, u.name AS user_name, m.mark AS read_through, d.name AS former_name,
             coalesce(g2.ended, r.id IS NOT NULL) AS closed
         FROM (SELECT view, newest_at FROM conversations WHERE user_key = $1 AND newest_at < $2
             ORDER BY newest_at DESC LIMIT $3) c
         CROSS JOIN LATERAL (SELECT * FROM items WHERE user_key = $1 AND created_at = c.newest_at LIMIT 1) i {}
         LEFT JOIN LATERAL (SELECT name, ended_at > 0 AS ended FROM groups WHERE c.view LIKE 'group:%' AND id = substr(c.view, 7)
             LIMIT 1) g2 ON true
         LEFT JOIN LATERAL (SELECT name FROM users WHERE c.view LIKE 'user:%' AND id = substr(c.view, 6) AND id < '~'
             LIMIT 1) u ON true
         LEFT JOIN LATERAL (SELECT name FROM closed_conversations WHERE user_key = $1 AND view = c.view LIMIT 1) d ON true
         LEFT JOIN LATERAL (SELECT id FROM former_users WHERE c.view LIKE 'user:%' AND id = substr(c.view, 6)
             LIMIT 1) r ON true
         LEFT JOIN LATERAL (SELECT mark FROM read_marks WHERE user_key = $1 AND kind = 3 AND view = c.view
             LIMIT 1) m ON true",
        row::COLUMNS,
        row::JOINS
    );
    row::page_of(&rows, "created_at DESC")
});

/// The unread counts of conversations. `$1` the user, `$2` their ids, `$3` the time, `$4` the count limit.
const UNREAD: &str = "SELECT c.view, (SELECT count(*) FROM (SELECT 1 FROM items i WHERE i.user_key = $1
        AND i.unread > 0 AND i.unread = 1 AND i.kind = 3 AND i.view = c.view
        AND (i.snoozed_until IS NULL OR i.snoozed_until <= $3) LIMIT $4) x)
    FROM unnest($2::text[]) WITH ORDINALITY c (view, nth) ORDER BY c.nth";

/// A page of an inbox's conversations, latest first. `db` has one snapshot.
pub(super) async fn page(
    db: &Session,
    user: UserKey,
    query: &ConversationQuery,
    now: Stamp,
) -> Result<Vec<Conversation>, Error> {
    let before = query.before.map_or(i64::MAX, Stamp::as_micros);
    let limit = rows(query.limit);
    let latest = db.query_in_order(&PAGE, &[&user.0, &before, &limit]).await?;
    let ids = latest.iter().map(|row| row.at(4)).collect::<Result<Vec<String>, _>>()?;
    let counts = db.query(UNREAD, &[&user.0, &ids, &now.as_micros(), &count_limit(query.cap)]).await?;
    let (mut found, mut bytes) = (Vec::new(), 2);
    for (row, count) in latest.iter().zip(&counts) {
        let last = item_row::notification(row)?;
        let id: String = count.at(0)?;
        let conversation = Conversation {
            title: title(row, &id, &last)?,
            unread: capped(count.at(1)?, query.cap),
            read_through: row.time(COLUMN_COUNT + 2)?,
            closed: row.at(COLUMN_COUNT + 4)?,
            id,
            last,
        };
        bytes += json_size(&conversation)? + 1;
        if bytes > limits::PAGE_BYTES && !found.is_empty() {
            break;
        }
        found.push(conversation);
    }
    Ok(found)
}

/// The group's name, the other user's name, or the name that the sender gave in the last message.
fn title(row: &Row, id: &str, last: &Notification) -> Result<String, Error> {
    if let Some(group) = id.strip_prefix("group:") {
        let name: Option<String> = row.at(COLUMN_COUNT)?;
        return Ok(name.unwrap_or_else(|| group.to_owned()));
    }
    let peer = id.strip_prefix("user:").unwrap_or(id);
    let name: Option<String> = row.at(COLUMN_COUNT + 1)?;
    let former: Option<String> = row.at(COLUMN_COUNT + 3)?;
    Ok(match name.or(former) {
        Some(name) => name,
        None if last.actor.id == peer => last.actor.name.clone(),
        None => peer.to_owned(),
    })
}
