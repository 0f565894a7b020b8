//! The table `group_messages`: for each group message the number of members whose reading counts, and of those who have
//! read it.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::{AffectedSenders, Error};

use crate::sql;
use crate::write_tx::WriteTx;

/// The group messages that a member reads at once: those created after one time, up to another.
pub(crate) struct ReadRange {
    pub(crate) group: i64,
    pub(crate) reader: UserKey,
    pub(crate) after: i64,
    pub(crate) through: i64,
}

/// The condition on messages `m` that count for the reader: posted by another user during the reader's membership. `?1`
/// is the group and `?2` the reader; the range is after `?3` and through `?4`.
const NEWLY_READ: &str = "m.group_key = ?1 AND m.created_at > ?3 AND m.created_at <= ?4 AND m.sender <> ?2
    AND EXISTS (SELECT 1 FROM memberships s WHERE s.group_key = ?1 AND s.user = ?2
        AND s.joined_at < m.created_at AND (s.left_at = 0 OR s.left_at > m.created_at))";

/// 1 if a message of a range arrives with its reader only when it is read, else 0.
const ARRIVES: &str = "(m.created_at > coalesce((SELECT delivered_to FROM deliveries WHERE user = ?2), 0))";

/// The `FROM` clause of messages `m` of a range whose senders get receipts: those by users who are not removed.
pub(crate) fn to_notify() -> String {
    format!(
        "FROM group_messages m INDEXED BY group_messages_by_group CROSS JOIN users u ON u.key = m.sender AND u.id < '~'
         WHERE {NEWLY_READ}"
    )
}

/// Inserts a message; `sender` is `None` if it is not a user. `members` are those whose reading counts.
pub(crate) fn insert(
    ctx: &WriteTx<'_>,
    created_at: Stamp,
    group: i64,
    sender: UserKey,
    members: i64,
) -> Result<(), Error> {
    let sql = "INSERT INTO group_messages (created_at, group_key, sender, members, read_count) VALUES (?1, ?2, ?3, ?4, 0)";
    sql::run(ctx.tx, sql, params![created_at.as_micros(), group, sender.0, members]).map(drop)
}

/// The id of the group that a message is in; `None` for any other notification.
pub(crate) fn group_of(conn: &Connection, created_at: Stamp) -> Result<Option<String>, Error> {
    let sql =
        "SELECT g.id FROM group_messages m JOIN groups g ON g.key = m.group_key WHERE m.created_at = ?1";
    sql::first(conn, sql, [created_at.as_micros()], |r| Ok(r.get(0)?))
}

/// Increments the read count of a range's messages, which have arrived with who reads them. It gives the number of
/// messages that count for the reader, and adds their senders to `senders`.
pub(crate) fn count_read(
    ctx: &WriteTx<'_>,
    range: &ReadRange,
    senders: &mut AffectedSenders,
) -> Result<usize, Error> {
    let values = [range.group, range.reader.0, range.after, range.through];
    let mut rows = ctx.tx.prepare_cached(&format!(
        "UPDATE group_messages AS m INDEXED BY group_messages_by_group SET read_count = read_count + 1,
             delivered_count = delivered_count + {ARRIVES}, told_count = delivered_count + {ARRIVES} WHERE {NEWLY_READ}
         RETURNING sender"
    ))?;
    let mut read = 0;
    for sender in rows.query_map(values, |r| r.get(0).map(UserKey))? {
        senders.insert(sender?);
        read += 1;
    }
    Ok(read)
}

/// The `n`-th message of a group after a time, up to another; `None` if there are fewer.
pub(crate) fn nth_after(
    conn: &Connection,
    group: i64,
    after: i64,
    upto: Stamp,
    n: usize,
) -> Result<Option<Stamp>, Error> {
    let sql =
        "SELECT created_at FROM group_messages WHERE group_key = ?1 AND created_at > ?2 AND created_at <= ?3
             ORDER BY created_at LIMIT 1 OFFSET ?4";
    sql::first(conn, sql, params![group, after, upto.as_micros(), n.saturating_sub(1)], |r| {
        Ok(Stamp::from_micros(r.get(0)?))
    })
}
