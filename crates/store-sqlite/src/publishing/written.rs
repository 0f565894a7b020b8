//! Reads what a user wrote.

use rusqlite::{Connection, ToSql, params};
use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::written::{COLUMNS, WrittenBuilder};
use tidings_store::{Error, WrittenPage};

/// The creation times of the publications of a user's tokens, of those whose actor is the user, and of messages in the
/// user's name. They are after `?2`, and at most `?3`. The last condition of `ACTED` follows from the one before it; by it
/// SQLite knows that the index has all of them.
const PUBLISHED: &str = "SELECT created_at FROM notifications INDEXED BY notifications_by_publisher
    WHERE publisher = ?1 AND publisher > 0 AND created_at > ?2 ORDER BY created_at LIMIT ?3";
const ACTED: &str = "SELECT created_at FROM notifications INDEXED BY reminders_by_actor
    WHERE kind = 2 AND actor_id = ?1 AND created_at > ?2 AND NOT (target_type = 'topic' AND target_id = actor_id)
        AND NOT (action = 'publish' AND target_type = 'topic' AND target_id = actor_id)
    ORDER BY created_at LIMIT ?3";
const SENT: &str = "SELECT created_at FROM items
    WHERE user = ?1 AND created_at > ?2 AND own = 1 AND kind = 3 ORDER BY created_at LIMIT ?3";

/// What a user wrote after a time, at most `limit` publications.
pub(crate) fn page(
    conn: &Connection,
    user: UserKey,
    id: &str,
    after: Stamp,
    limit: usize,
) -> Result<WrittenPage, Error> {
    let mut found: Vec<i64> = Vec::new();
    let by: [(&str, &dyn ToSql); 3] = [(PUBLISHED, &user.0), (ACTED, &id), (SENT, &user.0)];
    for (sql, who) in by {
        let mut rows = conn.prepare_cached(sql)?;
        let times = rows.query_map(params![who, after.as_micros(), limit], |r| r.get(0))?;
        found.extend(times.collect::<Result<Vec<i64>, _>>()?);
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(limit);
    let upto = found.last().filter(|_| found.len() == limit).copied().map(Stamp::from_micros);
    let mut page = WrittenBuilder::new(after, limit);
    let mut read =
        conn.prepare_cached(&format!("SELECT {COLUMNS} FROM notifications n WHERE n.created_at = ?1"))?;
    for at in found {
        let mut rows = read.query([at])?;
        if let Some(row) = rows.next()?
            && !page.push(row)?
        {
            break;
        }
    }
    Ok(page.finish(upto))
}
