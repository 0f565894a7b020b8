//! Unread counts by the cache. The database says of which version an inbox is; counts of that version are given out,
//! any other are counted in the database and kept.

use async_trait::async_trait;
use tidings_model::Stamp;
use tidings_model::wire::UnreadCounts;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::limits;
use tidings_store::{CacheFigures, Difference, Error, UnreadStore};
use tokio_postgres::Row;

use super::counts;
use crate::counted::{Counted, InboxState};
use crate::publishing::questions;
use crate::redis::counts::CachedCounts;
use crate::redis::unread_cache::{CacheAnswer, CacheRead, UnreadCache};
use crate::session::{Columns, Session};
use crate::tx::{in_snapshot, reading};
use crate::{PostgresStore, fan_in};

/// The state of the inbox of `$1`, and whether a question has to be ended whose time is over at `$2`.
const STATE: &str = "SELECT i.last, l.last, m.forgotten_before, m.epoch,
        EXISTS (SELECT 1 FROM open_questions WHERE due <= $2)
    FROM inboxes i, log l, meta m WHERE i.user_key = $1";

/// The state, how far fan-in is, and what counts hold under: the ends of the snoozes around the time `$2`, and the oldest
/// content of unread items. `$1` the user.
const COUNTED: &str = "SELECT i.last, l.last, m.forgotten_before, m.epoch, i.pulled_to,
        (SELECT max(snoozed_until) FROM items WHERE user_key = $1 AND unread > 0 AND unread = 1 AND snoozed_until <= $2),
        (SELECT min(snoozed_until) FROM items WHERE user_key = $1 AND unread > 0 AND unread = 1 AND snoozed_until > $2),
        (SELECT min(o.content_at) FROM (VALUES (1::smallint), (2::smallint), (3::smallint)) k (kind) CROSS JOIN LATERAL (
            SELECT content_at FROM items WHERE user_key = $1 AND unread > 0 AND content_at > 0 AND unread = 1 AND kind = k.kind
            ORDER BY content_at LIMIT 1) o)
    FROM inboxes i, log l, meta m WHERE i.user_key = $1";

impl InboxState {
    fn of(row: Option<&Row>) -> Result<Self, Error> {
        let row = row.ok_or_else(|| Error::not_found("user"))?;
        Ok(Self {
            last: row.stamp(0)?,
            log: row.stamp(1)?,
            forgotten_before: row.stamp(2)?,
            epoch: row.at(3)?,
        })
    }
}

/// Whether counts are those of an inbox in this state, into which nothing has to be brought.
async fn is_current(
    store: &PostgresStore,
    cache: &UnreadCache,
    user: UserKey,
    state: &InboxState,
    counts: &CachedCounts,
) -> Result<bool, Error> {
    if !counts.hold(state, store.clock.now()) {
        return Ok(false);
    }
    if counts.considered >= state.log {
        return Ok(true);
    }
    if !fan_in::nothing_due(store, user, counts.considered).await? {
        return Ok(false);
    }
    cache.considered(user, &state.epoch, state.last, state.log).await;
    Ok(true)
}

/// Brings in what is due, counts, and keeps the counts. Who asks for the same inbox meanwhile waits for this. The
/// counts are taken if they are of the state that the own request has seen, or of a later one. `seen` is the version
/// that the cache has.
async fn count(
    store: &PostgresStore,
    cache: &UnreadCache,
    user: UserKey,
    state: &InboxState,
    seen: Option<Stamp>,
) -> Result<CachedCounts, Error> {
    let mut turn = cache.turn(user).await?;
    let now = store.clock.now();
    if let Some(counted) = turn.counted()
        && counted.version >= state.last
        && counted.considered >= state.log
        && counted.hold_at(state, now)
    {
        return Ok(counted.clone());
    }
    let _permit = cache.permit().await?;
    while fan_in::fan_in(store, user).await? {}
    let now = store.clock.now();
    let (counts, state) = in_snapshot!(store, |db| count_within(db, user, state.log, now).await)?;
    turn.share(&counts);
    // On a full disk, or without stamps, it is not known whether everything was brought in.
    if !store.room.is_full() && !store.withholds_stamps() {
        // No inbox has been there: the database went back to an earlier state, or somebody else wrote it.
        if let Some(ahead) = seen.filter(|seen| *seen > counts.version) {
            cache.forget(user, &state.epoch, ahead).await;
        }
        cache.fill(user, &state.epoch, &counts).await;
    }
    Ok(counts)
}

/// Counts an inbox into which everything up to a stamp of the log was brought; gives its state as well. `db` has one
/// snapshot.
async fn count_within(
    db: &Session,
    user: UserKey,
    considered: Stamp,
    now: Stamp,
) -> Result<(CachedCounts, InboxState), Error> {
    let found = db.query_in_order(COUNTED, &[&user.0, &now.as_micros()]).await?;
    let state = InboxState::of(found.first())?;
    let row = found.first().ok_or_else(|| Error::not_found("user"))?;
    let counts = CachedCounts {
        version: state.last,
        considered: considered.max(row.stamp(4)?),
        awake: (row.time(5)?, row.time(6)?),
        oldest: row.time(7)?,
        counted: Counted::of(db, user, limits::COUNT_CAP, now).await?,
    };
    Ok((counts, state))
}

#[async_trait]
impl UnreadStore for PostgresStore {
    async fn unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error> {
        let now = self.clock.now();
        reading!(self, |db| counts::unread(db, user, cap, now).await)
    }

    async fn fresh_unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error> {
        // What was not brought in must not get into the cache.
        let Some(cache) = self.unread_cache.as_ref().filter(|_| !self.withholds_stamps()) else {
            while fan_in::fan_in(self, user).await? {}
            return self.unread(user, cap).await;
        };
        let state = loop {
            let now = self.clock.now().as_micros();
            let found = reading!(self, |db| db.query(STATE, &[&user.0, &now]).await)?;
            let state = InboxState::of(found.first())?;
            let ends_question = found.first().map(|row| row.at(4)).transpose()?.unwrap_or(false);
            if !ends_question || !Box::pin(questions::end_for_reader(self)).await? {
                break state;
            }
        };
        let (answer, seen) = match cache.read(user, &state.epoch).await {
            CacheRead::Counts(counts) if is_current(self, cache, user, &state, &counts).await? => {
                cache.record(user, CacheAnswer::FromCache);
                return Ok(counts.answer(cap));
            }
            CacheRead::Counts(counts) => (CacheAnswer::Stale, Some(counts.version)),
            CacheRead::Nothing => (CacheAnswer::NotThere, None),
            CacheRead::NoAnswer => (CacheAnswer::Unanswered, None),
        };
        cache.record(user, answer);
        Ok(count(self, cache, user, &state, seen).await?.answer(cap))
    }

    async fn reconcile_cache(&self, batch: usize) -> Result<Vec<Difference>, Error> {
        let Some(cache) = &self.unread_cache else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for user in cache.next_active(batch) {
            let now = self.clock.now();
            let counted = in_snapshot!(self, |db| count_within(db, user, Stamp::ZERO, now).await);
            let (counts, state) = match counted {
                Ok(counted) => counted,
                // The user was removed.
                Err(Error::Refused(_)) => continue,
                Err(e) => return Err(e),
            };
            let CacheRead::Counts(cached) = cache.peek(user, &state.epoch).await else { continue };
            // Nobody gets the others.
            if !cached.hold(&state, now) {
                continue;
            }
            let differing = cached.differences(&counts.counted, user.0);
            cache.compared(differing.len());
            if !differing.is_empty() {
                cache.forget(user, &state.epoch, counts.version).await;
                found.extend(differing);
            }
        }
        Ok(found)
    }

    fn cache_figures(&self) -> Option<CacheFigures> {
        self.unread_cache.as_ref().map(|cache| cache.figures())
    }
}
