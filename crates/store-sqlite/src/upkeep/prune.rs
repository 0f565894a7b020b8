//! Deletes expired data, the data of removed users, and what retention removes: found by age in an index, deleted in
//! portions.
//!
//! Retention goes through publications in the order of their creation, a slice at a time, and remembers how far it
//! came (`swept_to`). What was revised since stays behind with its items, and is found by its revision once that is
//! old.

use std::time::Duration;

use async_trait::async_trait;
use rusqlite::params;
use tidings_model::{MsgId, Stamp};
use tidings_store::domain::draft::{
    former_positions_expire, operations_expire, payloads_expire, pending_groups_expire, receipts_expire,
    stored_responses_expire,
};
use tidings_store::statements::{
    ACKS_BEFORE, EXPIRED_POSITIONS, EXPIRED_RESPONSES, MARKS_BEFORE, PAYLOADS_BEFORE,
};
use tidings_store::{Error, Receipts, RetentionStore};

use super::removal;
use crate::groups::pending;
use crate::portions::Budget;
use crate::tables::{
    applied_ops, deliveries, files, groups, items, memberships, meta, notifications, receipts, revision_ids,
    tokens, users,
};
use crate::write_tx::WriteTx;
use crate::{SqliteStore, sql};

#[async_trait]
impl RetentionStore for SqliteStore {
    async fn prune(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
        let (budget, slice) = (self.budget(), self.bounds.retention_slice);
        self.write_long(move |w| portion(w, before, Receipts::Deleted, slice, batch, &mut budget())).await
    }

    async fn prune_but_receipts(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error> {
        let (budget, slice) = (self.budget(), self.bounds.retention_slice);
        self.write_long(move |w| portion(w, before, Receipts::Kept, slice, batch, &mut budget())).await
    }

    async fn prune_removed(&self, batch: usize) -> Result<bool, Error> {
        let budget = self.budget();
        self.write_long(move |w| {
            in_batches(w, batch, &mut budget(), |ctx, rows| Ok(removed(ctx, rows)? == rows))
        })
        .await
    }

    async fn age_hold(&self) -> Result<Duration, Error> {
        self.read(meta::age_hold).await
    }

    async fn set_age_hold(&self, left: Duration) -> Result<(), Error> {
        self.write(move |w| meta::set_age_hold(w, left)).await
    }
}

/// Deletes at most `batch` rows, in small statements, and fewer if they take long. Retention looks at `slice`
/// publications together. It gives true while there may be more.
pub(crate) fn portion(
    ctx: &mut WriteTx<'_>,
    before: Option<Stamp>,
    receipts: Receipts,
    slice: usize,
    batch: usize,
    budget: &mut Budget,
) -> Result<bool, Error> {
    in_batches(ctx, batch, budget, |ctx, rows| prune_batch(ctx, before, receipts, slice, rows))
}

/// Deletes in batches up to a number of rows, as long as the budget lasts; true while there may be more.
fn in_batches(
    ctx: &mut WriteTx<'_>,
    batch: usize,
    budget: &mut Budget,
    delete: impl Fn(&mut WriteTx<'_>, usize) -> Result<bool, Error>,
) -> Result<bool, Error> {
    let mut left = batch;
    loop {
        let rows = budget.batch_rows().min(left);
        let more = delete(ctx, rows)?;
        left -= rows;
        budget.charge_writes(rows);
        if !more || left == 0 || budget.is_spent() {
            return Ok(more);
        }
    }
}

/// Deletes at most `batch` rows; true while there may be more.
fn prune_batch(
    ctx: &mut WriteTx<'_>,
    before: Option<Stamp>,
    receipts: Receipts,
    slice: usize,
    batch: usize,
) -> Result<bool, Error> {
    let mut left = batch;
    left -= expired(ctx, receipts, left)?;
    left -= removed(ctx, left)?;
    if left > 0 {
        left -= pending::delete_abandoned(ctx, pending_groups_expire(ctx.now), left)?.min(left);
    }
    if left > 0 {
        left -= end_memberships(ctx, left)?.min(left);
    }
    if let (Some(before), 1..) = (before, left) {
        left -= retain(ctx, before, receipts, slice, left)?;
    }
    Ok(left == 0)
}

/// Deletes at most `batch` rows of removed users and of tokens whose maker is gone; gives their number.
fn removed(ctx: &mut WriteTx<'_>, batch: usize) -> Result<usize, Error> {
    let mut left = batch;
    while left > 0
        && let Some(user) = users::next_removed(ctx.tx)?
    {
        left -= removal::portion(ctx, user, left)?.max(1).min(left);
    }
    if left > 0 {
        left -= sql::run(ctx.tx, tokens::DELETE_ORPHANS, [left])?.min(left);
    }
    Ok(batch - left)
}

/// Ends at most `batch` memberships of a group that was ended; gives their number.
fn end_memberships(ctx: &WriteTx<'_>, batch: usize) -> Result<usize, Error> {
    let Some((group, at)) = groups::next_ending(ctx.tx)? else { return Ok(0) };
    let ended = memberships::end_batch(ctx, group, at, batch)?;
    groups::count_members(ctx, group, -i64::try_from(ended).unwrap_or(i64::MAX))?;
    Ok(ended)
}

/// Deletes expired responses, operations, receipts, list positions and payloads.
fn expired(ctx: &WriteTx<'_>, of_receipts: Receipts, batch: usize) -> Result<usize, Error> {
    let deletions = [
        (EXPIRED_RESPONSES, stored_responses_expire(ctx.now)),
        (applied_ops::DELETE_EXPIRED, operations_expire(ctx.now)),
        (receipts::DELETE_OF_MESSAGES_BEFORE, of_receipts.before(receipts_expire(ctx.now))),
        (EXPIRED_POSITIONS, former_positions_expire(ctx.now)),
        (PAYLOADS_BEFORE, payloads_expire(ctx.now)),
    ];
    run(ctx, &deletions, batch)
}

/// Deletes what has had no content from after a time. The stored horizon moves first, so that fan-in skips what is before it
/// and every pull reports it.
fn retain(
    ctx: &WriteTx<'_>,
    before: Stamp,
    of_receipts: Receipts,
    slice: usize,
    batch: usize,
) -> Result<usize, Error> {
    if let Some(newest) = notifications::newest_before(ctx.tx, before)? {
        meta::forget_before(ctx, newest.plus_micros(1))?;
    }
    let horizon = meta::forgotten_before(ctx.tx)?;
    let revised = notifications::expired_revised(ctx.tx, horizon, batch)?;
    let mut left = batch - delete(ctx, &revised, batch)?;
    while left > 0 {
        let swept = meta::swept_to(ctx.tx)?;
        if swept >= horizon {
            break;
        }
        let end = notifications::nth_from(ctx.tx, swept, slice)?.map_or(horizon, |at| at.min(horizon));
        let expired = notifications::expired_within(ctx.tx, (swept, end), horizon)?;
        let deleted = delete(ctx, &expired, left)?;
        left -= deleted;
        if left > 0 {
            meta::set_swept_to(ctx, end)?;
            // A slice of which everything was revised later costs its reading.
            left -= usize::from(deleted == 0);
        }
    }
    // Read marks, acknowledgements and deliveries have times between those of notifications; with nothing older left,
    // they cover nothing.
    let passed = horizon.max(before);
    let deletions = [
        (MARKS_BEFORE, passed),
        (receipts::DELETE_OF_MESSAGES_BEFORE, of_receipts.before(horizon)),
        (ACKS_BEFORE, passed),
        (deliveries::DELETE_BEFORE, passed),
        (memberships::DELETE_LEFT_BEFORE, horizon),
        (PAYLOADS_BEFORE, passed),
    ];
    left -= run(ctx, &deletions, left)?;
    Ok(batch - left)
}

/// Deletes notifications with what belongs to them until `batch` rows are deleted; gives their number. A notification goes
/// after its items and the ids of its revisions, which are found by it.
fn delete(ctx: &WriteTx<'_>, expired: &[(Stamp, MsgId)], batch: usize) -> Result<usize, Error> {
    let mut left = batch;
    for (created_at, msgid) in expired {
        left -= items::delete_of(ctx, *created_at, left)?.min(left);
        if left > 0 {
            left -= revision_ids::delete_of(ctx, *created_at, left)?.min(left);
        }
        if left == 0 {
            break;
        }
        files::expire_of(ctx, msgid)?;
        notifications::delete(ctx, *created_at)?;
        left -= 1;
    }
    Ok(batch - left)
}

/// Runs deletions in their order until `batch` rows are deleted; gives their number.
fn run(ctx: &WriteTx<'_>, deletions: &[(&str, Stamp)], batch: usize) -> Result<usize, Error> {
    let mut left = batch;
    for (sql, before) in deletions {
        if left == 0 {
            break;
        }
        left -= sql::run(ctx.tx, &sql::shared(sql), params![before.as_micros(), left])?.min(left);
    }
    Ok(batch - left)
}
