//! Counts who has read an announcement.

use rusqlite::Connection;
use tidings_model::Stamp;
use tidings_model::wire::AnnouncementReaders;
use tidings_store::Error;

use crate::sql;

/// Of the users who were there at the post, without who posted it: their number, and how many of them have read it. Each is
/// looked up by key in its inbox. An item that waits for new content is unread again, unless its reader has deleted it.
pub(crate) fn count(conn: &Connection, created_at: Stamp) -> Result<AnnouncementReaders, Error> {
    let sql = "SELECT count(*), coalesce(sum(EXISTS (
                 SELECT 1 FROM items i LEFT JOIN read_marks v ON v.user = i.user AND v.kind = 1 AND v.view = 'all'
                 WHERE i.user = u.key AND i.created_at = n.created_at
                     AND (i.deleted = 1 OR i.revised_at >= n.content_revised_at)
                     AND (i.read_at IS NOT NULL OR i.content_at <= v.mark))), 0)
             FROM notifications n CROSS JOIN users u
             WHERE n.created_at = ?1 AND u.created_at < n.created_at AND u.id < '~' AND u.key <> n.publisher
                 AND u.id <> n.actor_id";
    let (user_count, read_count): (i64, i64) =
        sql::one(conn, sql, [created_at.as_micros()], |r| Ok((r.get(0)?, r.get(1)?)))?;
    let count = |n: i64| u64::try_from(n).unwrap_or_default();
    Ok(AnnouncementReaders { read_count: count(read_count), user_count: count(user_count) })
}
