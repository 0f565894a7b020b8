//! Counts who has read an announcement.

use tidings_model::Stamp;
use tidings_model::wire::AnnouncementReaders;
use tidings_store::Error;

use crate::PostgresStore;
use crate::session::Columns;
use crate::tx::reading;

/// Of the users who were there at the post, without who posted it: their number, and how many of them have read it. Each is
/// looked up by key in its inbox. An item that waits for new content is unread again, unless its reader has deleted it.
/// `$1` the creation.
const COUNT: &str = "SELECT count(*), count(*) FILTER (WHERE r.is_read)
    FROM notifications n CROSS JOIN users u CROSS JOIN LATERAL (SELECT EXISTS (
        SELECT 1 FROM (SELECT * FROM items WHERE user_key = u.key AND created_at = $1 LIMIT 1) i
        LEFT JOIN LATERAL (SELECT mark FROM read_marks WHERE user_key = u.key AND kind = 1 AND view = 'all' LIMIT 1) v
            ON true
        WHERE (i.deleted OR i.revised_at >= n.content_revised_at)
            AND (i.read_at IS NOT NULL OR i.content_at <= v.mark)) AS is_read) r
    WHERE n.created_at = $1 AND u.created_at < n.created_at AND u.id < '~' AND u.key <> n.publisher
        AND u.id <> n.actor_id";

/// Implements [`InboxStore::announcement_readers`](tidings_store::InboxStore::announcement_readers).
pub(super) async fn count(store: &PostgresStore, created_at: Stamp) -> Result<AnnouncementReaders, Error> {
    let row = reading!(store, |s| s.query_one(COUNT, &[&created_at.as_micros()]).await)?;
    let count = |column| Ok::<_, Error>(u64::try_from(row.count(column)?).unwrap_or_default());
    Ok(AnnouncementReaders { user_count: count(0)?, read_count: count(1)? })
}
