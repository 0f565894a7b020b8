//! Deletes expired data, the data of removed users, and what retention removes. It is found by age in an index, and
//! deleted in portions. Whole months of publications are dropped with their partition.

use std::time::Duration;

use async_trait::async_trait;
use tidings_model::Stamp;
use tidings_store::domain::draft::{
    former_positions_expire, operations_expire, payloads_expire, pending_groups_expire, receipts_expire,
    stored_responses_expire,
};
use tidings_store::statements::{
    ACKS_BEFORE, EXPIRED_POSITIONS, EXPIRED_RESPONSES, MARKS_BEFORE, PAYLOADS_BEFORE,
};
use tidings_store::{Error, Receipts, RetentionStore};
use tokio_postgres::Row;

use super::{lease, removal};
use crate::partitions::Dropped;
use crate::publishing::EXPIRE_OF;
use crate::session::{Columns, rows, shared};
use crate::tx::{WriteTx, in_transaction, reading};
use crate::{PostgresStore, groups, partitions, users};

/// Deletes at most `batch` rows. True while there may be more; false also while another process does it.
async fn prune(
    store: &PostgresStore,
    before: Option<Stamp>,
    receipts: Receipts,
    batch: usize,
) -> Result<bool, Error> {
    if !lease::take(store, "prune").await? {
        return Ok(false);
    }
    partitions::create_ahead(store).await?;
    if in_transaction!(store, |tx| expired_and_removed(tx, receipts, batch, store.bounds.removed_rows).await)?
    {
        return Ok(true);
    }
    let Some(before) = before else { return Ok(false) };
    // The stored horizon moves first, so that fan-in skips what is before it and every pull reports it.
    let horizon = move_horizon(store, before).await?;
    let dropped = partitions::dropped(store, before, horizon).await?;
    let slice = rows(store.bounds.retention_slice * SLICES);
    if in_transaction!(store, |tx| retain(tx, (horizon, before), receipts, &dropped, slice, batch).await)? {
        return Ok(true);
    }
    partitions::drop_before(store, before, horizon).await?;
    Ok(false)
}

/// Deletes expired responses, operations, receipts, list positions and payloads, and rows of removed users, of revoked
/// tokens' descendants and of groups that were never completed. True while there may be more.
async fn expired_and_removed(
    tx: &mut WriteTx<'_>,
    receipts: Receipts,
    batch: usize,
    removed_rows: usize,
) -> Result<bool, Error> {
    let deletions = [
        (EXPIRED_RESPONSES, stored_responses_expire(tx.now)),
        (
            "DELETE FROM applied_ops WHERE (user_key, id) IN (
            SELECT user_key, id FROM applied_ops WHERE applied_at < $1 LIMIT $2)",
            operations_expire(tx.now),
        ),
        (RECEIPTS, receipts.before(receipts_expire(tx.now))),
        (EXPIRED_POSITIONS, former_positions_expire(tx.now)),
        (PAYLOADS_BEFORE, payloads_expire(tx.now)),
    ];
    let mut left = batch.saturating_sub(run(tx, &deletions, batch).await?);
    left -= removed(tx, left, removed_rows).await?;
    if left > 0 {
        let before = pending_groups_expire(tx.now);
        left -= groups::pending::delete_abandoned(tx, before, left).await?.min(left);
    }
    if left > 0 {
        left -= groups::end_memberships(tx, left).await?.min(left);
    }
    Ok(left == 0)
}

/// Tokens whose maker is gone, which a revocation that was interrupted left; `$1` the most rows.
const ORPHANS: &str = "DELETE FROM tokens WHERE id IN (
    SELECT t.id FROM tokens t
    WHERE t.made_by <> '' AND NOT EXISTS (SELECT 1 FROM tokens p WHERE p.id = t.made_by) LIMIT $1)";

/// Deletes at most `batch` rows of removed users and of tokens whose maker is gone, and gives their number. It gives
/// `batch` if a portion of a user was deleted. That has its transaction to itself, because of the order in which locks
/// are taken.
async fn removed(tx: &mut WriteTx<'_>, batch: usize, most: usize) -> Result<usize, Error> {
    let mut left = batch;
    if left > 0
        && let Some(user) = users::next_removed(tx).await?
    {
        removal::portion(tx, user, left, most).await?;
        return Ok(batch);
    }
    if left > 0 {
        left =
            left.saturating_sub(usize::try_from(tx.execute(ORPHANS, &[&rows(left)]).await?).unwrap_or(left));
    }
    Ok(batch - left)
}

const RECEIPTS: &str = "DELETE FROM receipts WHERE (sender, stamp) IN (
    SELECT sender, stamp FROM receipts WHERE message < $1 ORDER BY message LIMIT $2)";

/// `$1` notifications, oldest first, `$2` the most rows. An item takes the row of its conversation along if it is the
/// newest: the older ones were removed before it.
const ITEMS: &str = "WITH gone AS (DELETE FROM items WHERE (user_key, created_at) IN (
        SELECT user_key, created_at FROM items WHERE created_at = ANY($1) ORDER BY created_at LIMIT $2)
        RETURNING user_key, view, created_at),
    unlisted AS (DELETE FROM conversations c USING gone g
        WHERE c.user_key = g.user_key AND c.view = g.view AND c.newest_at = g.created_at)
    SELECT 1 FROM gone";

/// Moves the time before which retention removes everything, forward only; gives it.
async fn move_horizon(store: &PostgresStore, before: Stamp) -> Result<Stamp, Error> {
    let sql = "UPDATE meta SET forgotten_before = w.newest + 1
        FROM (SELECT greatest((SELECT max(created_at) FROM notifications WHERE created_at < $1),
            (SELECT max(content_revised_at) FROM notifications
                WHERE content_revised_at > 0 AND content_revised_at < $1)) AS newest) w
        WHERE forgotten_before <= w.newest";
    in_transaction!(store, |tx| tx.execute(sql, &[&before.as_micros()]).await)?;
    reading!(store, |s| s.query_one("SELECT forgotten_before FROM meta", &[]).await?.stamp(0))
}

/// As many slices of [`Bounds::retention_slice`](tidings_store::Bounds::retention_slice) are looked at together.
const SLICES: usize = 5;

/// The time up to which the next slice goes: `$1` where it begins, `$2` the horizon, `$3` the most notifications.
const SLICE_END: &str = "SELECT least($2, (SELECT created_at FROM notifications WHERE created_at >= $1
    ORDER BY created_at LIMIT 1 OFFSET $3))";

/// What of a slice from `$1` to `$2` has its content from before the horizon `$3`. A message has the content of its creation.
const EXPIRED: &str = "SELECT created_at, msgid FROM notifications
    WHERE created_at >= $1 AND created_at < $2 AND (kind = 3 OR content_revised_at < $3) ORDER BY created_at";

/// What was revised, last before the horizon `$1`; `$2` the most rows.
const EXPIRED_REVISED: &str = "SELECT created_at, msgid FROM notifications
    WHERE content_revised_at > 0 AND content_revised_at < $1 AND kind < 3 ORDER BY content_revised_at LIMIT $2";

/// Deletes the rows that have no content from after the horizon, except those that go with their partition. True while
/// there may be more.
async fn retain(
    tx: &mut WriteTx<'_>,
    (horizon, before): (Stamp, Stamp),
    receipts: Receipts,
    dropped: &Dropped,
    slice: i64,
    batch: usize,
) -> Result<bool, Error> {
    let at = horizon.as_micros();
    let revised = tx.query(EXPIRED_REVISED, &[&at, &rows(batch)]).await?;
    let mut left = batch.saturating_sub(delete(tx, &revised, dropped, batch).await?);
    while left > 0 {
        let swept: i64 = tx.query_one("SELECT swept_to FROM meta", &[]).await?.at(0)?;
        if swept >= at {
            break;
        }
        let end: i64 = tx.query_one(SLICE_END, &[&swept, &at, &slice]).await?.at(0)?;
        let expired = tx.query(EXPIRED, &[&swept, &end, &at]).await?;
        let deleted = delete(tx, &expired, dropped, left).await?;
        left = left.saturating_sub(deleted);
        if left > 0 {
            tx.execute("UPDATE meta SET swept_to = $1", &[&end]).await?;
            // A slice of which everything was revised later costs its reading.
            left -= usize::from(deleted == 0);
        }
    }
    // Read marks, acknowledgements and deliveries have times between those of notifications; with nothing older left, they cover
    // nothing.
    let passed = horizon.max(before);
    let deletions = [
        (MARKS_BEFORE, passed),
        (RECEIPTS, receipts.before(horizon)),
        (ACKS_BEFORE, passed),
        (
            "DELETE FROM deliveries WHERE user_key IN (
            SELECT user_key FROM deliveries WHERE delivered_to < $1 ORDER BY delivered_to LIMIT $2)",
            passed,
        ),
        (
            "DELETE FROM memberships WHERE (group_key, user_key, joined_at) IN (
            SELECT group_key, user_key, joined_at FROM memberships WHERE left_at > 0 AND left_at < $1
            ORDER BY left_at LIMIT $2)",
            horizon,
        ),
        (PAYLOADS_BEFORE, passed),
    ];
    left = left.saturating_sub(run(tx, &deletions, left).await?);
    Ok(left == 0)
}

/// Deletes notifications with what belongs to them until `batch` rows are deleted; gives their number. Those that go with
/// their partition are left to it. Notifications are deleted last, so that rows belonging to them are found.
async fn delete(tx: &WriteTx<'_>, expired: &[Row], dropped: &Dropped, batch: usize) -> Result<usize, Error> {
    if expired.is_empty() {
        return Ok(0);
    }
    let (mut all, mut msgids) = (Vec::new(), Vec::new());
    for row in expired {
        all.push(row.at::<i64>(0)?);
        msgids.push(row.at::<&str>(1)?);
    }
    let one_by_one: Vec<i64> = all.iter().copied().filter(|at| !dropped.takes(*at)).collect();
    tx.execute(EXPIRE_OF, &[&msgids]).await?;
    let deletions = [
        (ITEMS, &all),
        (
            "DELETE FROM gotify_messages WHERE id IN (
            SELECT id FROM gotify_messages WHERE created_at = ANY($1) LIMIT $2)",
            &all,
        ),
        (
            "DELETE FROM sequences WHERE (topic, name, publisher) IN (
            SELECT topic, name, publisher FROM sequences WHERE created_at = ANY($1) LIMIT $2)",
            &all,
        ),
        (
            "DELETE FROM revision_ids WHERE stamp IN (
            SELECT stamp FROM revision_ids WHERE created_at = ANY($1) LIMIT $2)",
            &all,
        ),
        (
            "DELETE FROM group_messages WHERE created_at IN (
            SELECT created_at FROM group_messages WHERE created_at = ANY($1) ORDER BY created_at LIMIT $2)",
            &all,
        ),
        (
            "DELETE FROM notifications WHERE created_at IN (
            SELECT created_at FROM notifications WHERE created_at = ANY($1) ORDER BY created_at LIMIT $2)",
            &one_by_one,
        ),
    ];
    let mut left = batch;
    for (sql, times) in deletions {
        let deleted = tx.execute(sql, &[times, &rows(left)]).await?;
        left = left.saturating_sub(usize::try_from(deleted).unwrap_or(left));
        if left == 0 {
            break;
        }
    }
    Ok(batch - left)
}

/// Runs deletions in their order until `batch` rows are deleted; gives their number. `$1` is a time, `$2` the most rows.
async fn run(tx: &WriteTx<'_>, deletions: &[(&str, Stamp)], batch: usize) -> Result<usize, Error> {
    let mut left = batch;
    for (sql, before) in deletions {
        if left == 0 {
            break;
        }
        let deleted = tx.execute(&shared(sql), &[&before.as_micros(), &rows(left)]).await?;
        left = left.saturating_sub(usize::try_from(deleted).unwrap_or(left));
    }
    Ok(batch - left)
}

#[async_trait]
impl RetentionStore for PostgresStore {
    async fn prune(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
        prune(self, before, Receipts::Deleted, batch).await
    }

    async fn prune_but_receipts(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
        prune(self, before, Receipts::Kept, batch).await
    }

    async fn prune_removed(&self, batch: usize) -> Result<bool, Error> {
        if !lease::take(self, "prune").await? {
            return Ok(false);
        }
        Ok(in_transaction!(self, |tx| removed(tx, batch, self.bounds.removed_rows).await)? == batch)
    }

    async fn age_hold(&self) -> Result<Duration, Error> {
        let secs: i64 = reading!(self, |s| s.query_one("SELECT age_hold_secs FROM meta", &[]).await?.at(0))?;
        Ok(Duration::from_secs(u64::try_from(secs).unwrap_or_default()))
    }

    async fn set_age_hold(&self, left: Duration) -> Result<(), Error> {
        let secs = i64::try_from(left.as_secs()).unwrap_or(i64::MAX);
        in_transaction!(self, |tx| tx.execute("UPDATE meta SET age_hold_secs = $1", &[&secs]).await)?;
        Ok(())
    }
}
