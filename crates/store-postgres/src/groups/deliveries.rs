//! How far users have pulled the messages of their groups, and with how many members each has arrived.
//!
//! A message of a large group is pulled by many at once, who would wait for each other at its row. So a pull moves the
//! position of its user alone. The latest pulls are added to the counts in portions, and until then by each read of the
//! counts.
//!
//! A task of each node adds up what was pulled within a quarter of a second (`counted_to`). A read of a number adds the
//! rest, one row a user at most, so it is right at every node at once.

use std::collections::BTreeSet;

use async_trait::async_trait;
use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::receipts_expire;
use tidings_store::{DeliveryStore, Error};

use crate::PostgresStore;
use crate::portions::locked::LockedInboxes;
use crate::session::{Columns, Session, Values, rows};
use crate::tx::{WriteTx, in_transaction, reading};

/// The members with whom a message `m` has arrived by pulls that are not in its count yet. One user has one row, so they are
/// no more than the users who pulled since the last portion was counted.
macro_rules! uncounted {
    () => {
        "(SELECT count(*) FROM deliveries d WHERE d.counted_to < d.delivered_to AND d.counted_to < m.created_at
            AND d.delivered_to >= m.created_at AND d.user_key <> m.sender
            AND EXISTS (SELECT 1 FROM memberships s WHERE s.group_key = m.group_key AND s.user_key = d.user_key
                AND s.joined_at < m.created_at AND (s.left_at = 0 OR s.left_at > m.created_at))
            AND NOT EXISTS (SELECT 1 FROM acks a WHERE a.group_key = m.group_key AND a.user_key = d.user_key
                AND a.through >= m.created_at))"
    };
}

pub(crate) use uncounted;

/// The newest group message that user `$1` has pulled, with all before it; no row for none.
pub(crate) const POSITION: &str = "SELECT delivered_to FROM deliveries WHERE user_key = $1";

/// Group messages by others in the inbox of `$1`, whatever index there is, in the order of creation.
macro_rules! messages {
    ($condition:literal) => {
        concat!(
            "SELECT created_at FROM items WHERE user_key = $1 AND kind + 0 = 3 AND NOT own AND starts_with(view, 'group:') AND ",
            $condition,
            " LIMIT 1"
        )
    };
}

/// The first one after `$2` that comes after the stamp `$3`.
const MISSING: &str = messages!("created_at > $2 AND stamp + 0 > $3 ORDER BY created_at");

/// The last one from `$2` on.
const NEWEST: &str = messages!("created_at >= $2 ORDER BY created_at DESC");

/// How far a page moves a user's position whose newest group message is `newest`; `None` if it does not. That is up to the
/// first message that is still to come, of a page that ends before the last item, at the stamp `ends`. What is looked at lies
/// behind the next position, so it is looked at once.
pub(crate) async fn reached(
    db: &Session,
    user: UserKey,
    position: Stamp,
    newest: Stamp,
    ends: Option<Stamp>,
) -> Result<Option<Stamp>, Error> {
    if newest <= position {
        return Ok(None);
    }
    let (after, newest) = (position.as_micros(), newest.as_micros());
    let missing = match ends {
        Some(ends) => db.query_opt(MISSING, &[&user.0, &after, &ends.as_micros()]).await?,
        None => None,
    };
    let reached = match missing {
        Some(missing) => Some(missing.stamp(0)?.plus_micros(-1)),
        None => db.query_opt(NEWEST, &[&user.0, &newest]).await?.map(|row| row.stamp(0)).transpose()?,
    };
    Ok(reached.filter(|reached| *reached > position))
}

/// Moves the position of user `$1` forward, to `$2`.
const MOVE: &str = "INSERT INTO deliveries (user_key, delivered_to) VALUES ($1, $2)
    ON CONFLICT (user_key) DO UPDATE SET delivered_to = excluded.delivered_to
        WHERE deliveries.delivered_to < excluded.delivered_to";

/// Messages of one sender whose uncounted deliveries are looked up at a time, the newest of them.
const NEWEST_SENT: usize = 100;

/// The messages that `$1` sent from `$2` on whose own item says another number than has arrived, with that number; `$3`
/// the most of them. Those with uncounted deliveries are among the newest `$4`, or their number is given when these are
/// counted.
const UNREPORTED: &str = concat!(
    "SELECT c.created_at, c.delivered FROM (
        SELECT m.created_at, m.told_count, m.delivered_count + ",
    uncounted!(),
    " AS delivered FROM (
            (SELECT created_at FROM group_messages WHERE sender = $1 AND created_at >= $2
                AND told_count <> delivered_count ORDER BY created_at LIMIT $3)
            UNION (SELECT created_at FROM group_messages WHERE sender = $1 AND sender > 0 AND created_at >= $2
                AND created_at > (SELECT min(counted_to) FROM deliveries WHERE counted_to < delivered_to)
                ORDER BY created_at DESC LIMIT $4)) k
            CROSS JOIN LATERAL (SELECT * FROM group_messages WHERE created_at = k.created_at LIMIT 1) m) c
    WHERE c.told_count <> c.delivered ORDER BY c.created_at LIMIT $3"
);

/// At most `most` messages, with the numbers that the sender is to get.
async fn unreported(
    db: &Session,
    sender: UserKey,
    now: Stamp,
    most: usize,
) -> Result<Vec<(i64, i64)>, Error> {
    let (since, newest) = (receipts_expire(now).as_micros(), rows(most.min(NEWEST_SENT)));
    let found = db.query(UNREPORTED, &[&sender.0, &since, &rows(most), &newest]).await?;
    found.iter().map(|row| Ok((row.at(0)?, row.at(1)?))).collect()
}

/// The most messages in one write of a sender's numbers.
fn most_reported(store: &PostgresStore) -> usize {
    store.bounds.portion_rows.clamp(1, store.bounds.short_write_rows)
}

/// Whether a sender's item needs a new number of arrivals. Receipts of older messages have expired.
pub(crate) async fn any_unreported(
    store: &PostgresStore,
    db: &Session,
    sender: UserKey,
) -> Result<bool, Error> {
    Ok(!unreported(db, sender, store.clock.now(), most_reported(store)).await?.is_empty())
}

/// `$1` the sender, `$2` the messages, `$3` their stamps.
const RESTAMP: &str = "UPDATE items i SET stamp = r.stamp, version = i.version + 1
    FROM unnest($2::bigint[], $3::bigint[]) r (message, stamp)
    WHERE i.user_key = $1 AND i.created_at = r.message AND NOT i.deleted";

/// Locks messages in their order, because others count at the same time. `$1` the messages.
const HOLD: &str =
    "SELECT 1 FROM group_messages WHERE created_at = ANY($1) ORDER BY created_at FOR NO KEY UPDATE";

/// `$1` the messages, `$2` the numbers.
const SET_REPORTED: &str = "UPDATE group_messages m SET told_count = r.number
    FROM unnest($1::bigint[], $2::bigint[]) r (message, number) WHERE m.created_at = r.message";

async fn report_portion(tx: &mut WriteTx<'_>, sender: UserKey, most: usize) -> Result<usize, Error> {
    let mut locked = LockedInboxes::lock(tx, &BTreeSet::from([sender]), tx.now).await?;
    if !locked.contains(sender) {
        return Ok(0);
    }
    let unreported = unreported(tx, sender, tx.now, most).await?;
    let (messages, numbers): (Vec<i64>, Vec<i64>) = unreported.into_iter().unzip();
    let stamps: Vec<i64> = messages.iter().map(|_| locked.next_stamp(sender).as_micros()).collect();
    if !messages.is_empty() {
        let (restamp, reported): (Values<'_>, Values<'_>) =
            (&[&sender.0, &messages, &stamps], &[&messages, &numbers]);
        tx.pipeline(&[(RESTAMP, restamp), (HOLD, &[&messages]), (SET_REPORTED, reported)]).await?;
        locked.save(tx).await?;
        tx.note_stamps(locked.newest(), 1)?;
    }
    Ok(messages.len())
}

/// Users whose pulls are counted together, and messages of each of them.
const COUNTED_USERS: usize = 200;
const COUNTED_MESSAGES: usize = 50;

/// Locks the inboxes of users whose pulls are to be counted, because what they read meanwhile would count twice. Those
/// that are changed at the moment are for later. `$1` the most users.
const LOCK: &str = "SELECT user_key FROM inboxes WHERE user_key IN (SELECT user_key FROM deliveries
        WHERE counted_to < delivered_to ORDER BY counted_to, user_key LIMIT $1)
    ORDER BY user_key FOR UPDATE SKIP LOCKED";

/// Counts what users `$1`, who are locked, have pulled, and `$2` of those who were removed; each moves past at most
/// `$3` messages. It is a statement after [`LOCK`], so that it sees all that they have read.
const COUNT: &str = "WITH moved AS MATERIALIZED (
        SELECT d.user_key, d.counted_to, d.delivered_to FROM deliveries d WHERE d.counted_to < d.delivered_to
            AND (d.user_key = ANY($1) OR NOT EXISTS (SELECT 1 FROM inboxes i WHERE i.user_key = d.user_key))
        ORDER BY d.user_key LIMIT cardinality($1::bigint[]) + $2 FOR UPDATE SKIP LOCKED),
    arriving AS MATERIALIZED (
        SELECT p.user_key, m.created_at, row_number() OVER (PARTITION BY p.user_key ORDER BY m.created_at) AS nth
        FROM moved p JOIN memberships s ON s.user_key = p.user_key AND (s.left_at = 0 OR s.left_at > p.counted_to)
        CROSS JOIN LATERAL (SELECT g.created_at FROM group_messages g WHERE g.group_key = s.group_key
            AND g.created_at > greatest(s.joined_at, p.counted_to) AND g.created_at <= p.delivered_to
            AND (s.left_at = 0 OR g.created_at < s.left_at) AND g.sender <> p.user_key
            AND NOT EXISTS (SELECT 1 FROM acks a WHERE a.group_key = s.group_key AND a.user_key = p.user_key
                AND a.through >= g.created_at) ORDER BY g.created_at LIMIT $3) m),
    reached AS MATERIALIZED (SELECT p.user_key, coalesce((SELECT a.created_at FROM arriving a
            WHERE a.user_key = p.user_key AND a.nth = $3), p.delivered_to) AS at FROM moved p),
    counted AS MATERIALIZED (SELECT a.created_at, count(*) AS number FROM arriving a
        JOIN reached r ON r.user_key = a.user_key AND a.created_at <= r.at GROUP BY a.created_at),
    held AS MATERIALIZED (SELECT m.created_at FROM group_messages m
        WHERE m.created_at IN (SELECT created_at FROM counted) ORDER BY m.created_at FOR NO KEY UPDATE),
    added AS (UPDATE group_messages m SET delivered_count = m.delivered_count + c.number
        FROM counted c JOIN held h ON h.created_at = c.created_at WHERE m.created_at = c.created_at)
    UPDATE deliveries d SET counted_to = r.at FROM reached r WHERE d.user_key = r.user_key";

#[async_trait]
impl DeliveryStore for PostgresStore {
    async fn set_delivered(&self, user: UserKey, to: Stamp) -> Result<(), Error> {
        let moved = in_transaction!(self, |tx| tx.execute(MOVE, &[&user.0, &to.as_micros()]).await)?;
        if moved > 0 {
            self.deliveries.notify_one();
        }
        Ok(())
    }

    async fn tell_deliveries(&self, sender: UserKey) -> Result<bool, Error> {
        if !reading!(self, |db| any_unreported(self, db, sender).await)? {
            return Ok(false);
        }
        let most = most_reported(self);
        while in_transaction!(self, |tx| report_portion(tx, sender, most).await)? >= most {}
        Ok(true)
    }

    async fn count_deliveries(&self) -> Result<bool, Error> {
        let any = "SELECT 1 FROM deliveries WHERE counted_to < delivered_to LIMIT 1";
        if !reading!(self, |db| db.exists(any, &[]).await)? {
            return Ok(false);
        }
        let bound = self.bounds.portion_rows.max(1);
        let (most_users, most) = (rows(COUNTED_USERS.min(bound)), rows(COUNTED_MESSAGES.min(bound)));
        let counted = in_transaction!(self, |tx| {
            let locked = tx.query(LOCK, &[&most_users]).await?;
            let users = locked.iter().map(|row| row.at(0)).collect::<Result<Vec<i64>, Error>>()?;
            tx.execute(COUNT, &[&users, &most_users, &most]).await
        })?;
        Ok(counted > 0)
    }

    async fn deliveries_to_count(&self) {
        self.deliveries.notified().await;
    }
}
