//! The table `deliveries`: how far users have pulled the messages of their groups, and with how many members each has
//! arrived. One writer counts both at once.
//!
//! A pull is `GET /sync`, by whichever token of the user; lists, counts and the other doors are no pull. A group
//! message has arrived with a member who counts once a page of a pull has brought it, or the member has read it.
//! Each user has one position in the order of creation: every group message up to it was on a page that was handed
//! out. The position is stored before the page is answered. If that fails, the page is answered all the same, and a
//! later one takes its messages along.
//!
//! `group_messages.delivered_count` has the numbers, so a page of the sender's items counts nothing. A delivery tells
//! nobody. If the sender's item says another number than there is (`told_count`), each read of that inbox gives it a
//! new version before it answers. The keep-alive of the live channel does the same and sends a hint. The numbers of
//! messages older than 30 days are not given again.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, params};
use tidings_model::Stamp;
use tidings_store::domain::draft::receipts_expire;
use tidings_store::{DeliveryStore, Error, UserKey};

use crate::write_tx::WriteTx;
use crate::{SqliteStore, sql};

#[async_trait]
impl DeliveryStore for SqliteStore {
    async fn set_delivered(&self, user: UserKey, to: Stamp) -> Result<(), Error> {
        let most = self.short_write_rows();
        while !self.write(move |w| advance(w, user, to, most)).await? {}
        Ok(())
    }

    async fn tell_deliveries(&self, sender: UserKey) -> Result<bool, Error> {
        let (now, most) = (self.clock.now(), self.short_write_rows());
        if !self.read(move |c| any_unreported(c, sender, now)).await? {
            return Ok(false);
        }
        while self.write(move |w| tell(w, sender, most)).await? >= most {}
        Ok(true)
    }
}

/// The newest group message that a user has pulled, with all before it; zero for none.
pub(crate) fn position(conn: &Connection, user: UserKey) -> Result<Stamp, Error> {
    let sql = "SELECT delivered_to FROM deliveries WHERE user = ?1";
    let found = sql::first(conn, sql, [user.0], |r| Ok(Stamp::from_micros(r.get(0)?)))?;
    Ok(found.unwrap_or(Stamp::ZERO))
}

/// Group messages by others in the inbox of `?1`, whatever index there is, in the order of creation.
const MESSAGES: &str = "SELECT created_at FROM items WHERE user = ?1 AND +kind = 3 AND own = 0 AND +view >= 'group:' AND +view < 'group;'";

/// How far a page moves a user's position whose newest group message is `newest`; `None` if it does not. That is up to the
/// first message that is still to come, of a page that ends before the last item, at the stamp `ends`. What is looked at lies
/// behind the next position, so it is looked at once.
pub(crate) fn reached(
    conn: &Connection,
    user: UserKey,
    newest: Stamp,
    ends: Option<Stamp>,
) -> Result<Option<Stamp>, Error> {
    let position = position(conn, user)?;
    if newest <= position {
        return Ok(None);
    }
    let first = |condition: &str, after: Stamp, stamp: Stamp| {
        conn.prepare_cached(&format!("{MESSAGES} AND {condition} LIMIT 1"))?
            .query_row([user.0, after.as_micros(), stamp.as_micros()], |r| r.get(0).map(Stamp::from_micros))
            .optional()
    };
    let missing = match ends {
        Some(ends) => first("created_at > ?2 AND +stamp > ?3 ORDER BY created_at", position, ends)?,
        None => None,
    };
    let reached = match missing {
        Some(missing) => Some(missing.plus_micros(-1)),
        None => first("created_at >= ?2 AND +stamp > ?3 ORDER BY created_at DESC", newest, Stamp::ZERO)?,
    };
    Ok(reached.filter(|reached| *reached > position))
}

/// The messages that arrive with user `?1` by a move from `?2` to `?3`: they count for the user, who has not read them.
const ARRIVING: &str = "SELECT m.created_at FROM memberships s
    CROSS JOIN group_messages m INDEXED BY group_messages_by_group ON m.group_key = s.group_key
        AND m.created_at > max(s.joined_at, ?2) AND m.created_at <= ?3 AND (s.left_at = 0 OR m.created_at < s.left_at)
    WHERE s.user = ?1 AND (s.left_at = 0 OR s.left_at > ?2) AND m.sender <> ?1
        AND NOT EXISTS (SELECT 1 FROM acks a WHERE a.group_key = s.group_key AND a.user = ?1 AND a.through >= m.created_at)";

/// Moves a user's position forward, past at most `most` messages that arrive by it; true if it is there.
fn advance(ctx: &WriteTx<'_>, user: UserKey, to: Stamp, most: usize) -> Result<bool, Error> {
    let from = position(ctx.tx, user)?;
    if to <= from {
        return Ok(true);
    }
    let sql = format!("{ARRIVING} ORDER BY m.created_at LIMIT 1 OFFSET ?4");
    let last: Option<i64> = sql::first(
        ctx.tx,
        &sql,
        params![user.0, from.as_micros(), to.as_micros(), most.saturating_sub(1)],
        |r| Ok(r.get(0)?),
    )?;
    let reached = last.map_or(to, Stamp::from_micros);
    let sql = format!(
        "UPDATE group_messages SET delivered_count = delivered_count + 1 WHERE created_at IN ({ARRIVING})"
    );
    sql::run(ctx.tx, &sql, [user.0, from.as_micros(), reached.as_micros()])?;
    let sql = "INSERT INTO deliveries (user, delivered_to) VALUES (?1, ?2)
             ON CONFLICT (user) DO UPDATE SET delivered_to = excluded.delivered_to";
    sql::run(ctx.tx, sql, [user.0, reached.as_micros()])?;
    Ok(reached == to)
}

/// The messages that user `?1` sent from `?2` on whose own item says another number than has arrived; `?3` the most of them.
const UNREPORTED: &str = "SELECT created_at FROM group_messages INDEXED BY group_messages_untold
    WHERE sender = ?1 AND created_at >= ?2 AND told_count <> delivered_count ORDER BY created_at LIMIT ?3";

/// Whether a sender's item needs a new number of arrivals. Receipts of older messages have expired.
pub(crate) fn any_unreported(conn: &Connection, sender: UserKey, now: Stamp) -> Result<bool, Error> {
    let since = receipts_expire(now).as_micros();
    sql::exists(conn, UNREPORTED, [sender.0, since, 1])
}

/// Gives at most `most` of a sender's own items a new version that says how many have got them; the number of messages.
fn tell(ctx: &mut WriteTx<'_>, sender: UserKey, most: usize) -> Result<usize, Error> {
    let since = receipts_expire(ctx.now).as_micros();
    ctx.assign_stamps(|tx, first| {
        let sql = format!(
            "UPDATE items SET stamp = r.stamp, version = version + 1
             FROM (SELECT created_at AS message, ?4 - 1 + row_number() OVER (ORDER BY created_at) AS stamp FROM ({UNREPORTED})) AS r
             WHERE items.user = ?1 AND items.created_at = r.message AND items.deleted = 0"
        );
        sql::run(tx, &sql, params![sender.0, since, most, first.as_micros()])?;
        let sql = format!(
            "UPDATE group_messages SET told_count = delivered_count WHERE created_at IN ({UNREPORTED})"
        );
        sql::run(tx, &sql, params![sender.0, since, most])
    })
}

/// `?1` a time, `?2` the most rows.
pub(crate) const DELETE_BEFORE: &str = "DELETE FROM deliveries WHERE user IN (
    SELECT user FROM deliveries INDEXED BY deliveries_by_position WHERE delivered_to < ?1 LIMIT ?2)";
