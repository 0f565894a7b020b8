//! Long writes of an inbox as a sequence of portions. Each is a transaction of its own, so that none holds the inbox
//! for long, and other writes go between two.

mod budget;
pub(crate) mod locked;

use std::collections::BTreeSet;

use tidings_store::domain::account::UserKey;
use tidings_store::{AffectedSenders, Bounds, Error};

use self::budget::Budget;
use self::locked::LockedInboxes;
use crate::PostgresStore;
use crate::tx::{WriteTx, in_transaction};

/// How far a portion came.
#[derive(Debug)]
pub(crate) enum Progress {
    /// Everything is done.
    Done,
    /// The budget is spent.
    More,
    /// To go on, the inboxes of these users have to be locked as well. Locks are taken in one order, so this needs a
    /// transaction that begins with them; what is done so far is valid.
    Locks(BTreeSet<UserKey>),
}

/// A portion in progress: a transaction that has locked the inbox of `user`.
pub(crate) struct Portion<'t, 's> {
    pub(crate) tx: &'t mut WriteTx<'s>,
    pub(crate) user: UserKey,
    pub(crate) locked: LockedInboxes,
    pub(crate) budget: Budget,
    pub(crate) bounds: Bounds,
    /// Senders of messages that it has read.
    pub(crate) affected: AffectedSenders,
}

impl Portion<'_, '_> {
    /// Those of these users whose inboxes have to be locked before their stamps are handed out.
    pub(crate) fn unlocked(&self, users: impl IntoIterator<Item = UserKey>) -> BTreeSet<UserKey> {
        users.into_iter().filter(|user| !self.locked.contains(*user)).collect()
    }
}

/// A write that may take several portions. Each leaves a valid state, because the next one may never run; repeating an
/// interrupted write has the same result as an uninterrupted one. Only what a reader wrote after the last unread message may
/// stay without a read mark if reading everything was interrupted: it is never unread. A clone is cheap: each attempt of a
/// portion has one.
pub(crate) trait LongWrite: Clone + Send + Sync {
    /// Continues until the budget is spent.
    fn portion(
        &mut self,
        portion: &mut Portion<'_, '_>,
    ) -> impl Future<Output = Result<Progress, Error>> + Send;
}

/// What a long write did.
pub(crate) struct Finished<W> {
    /// The write, after its last portion.
    pub(crate) work: W,
    /// Whether any stamp was handed out.
    pub(crate) changed: bool,
    /// Senders of messages that it has read, and other users whose pull has something new.
    pub(crate) affected: AffectedSenders,
}

/// Runs a long write portion by portion. `locks` are the users whose inboxes it will need at first, besides `user`.
pub(crate) async fn in_portions<W: LongWrite>(
    store: &PostgresStore,
    user: UserKey,
    work: W,
    mut locks: BTreeSet<UserKey>,
) -> Result<Finished<W>, Error> {
    locks.insert(user);
    let mut finished = Finished { work, changed: false, affected: AffectedSenders::default() };
    loop {
        let (work, progress, changed, affected) = in_transaction!(store, |tx| {
            let locked = LockedInboxes::lock(tx, &locks, tx.now).await?;
            if !locked.contains(user) {
                return Err(Error::not_found("user"));
            }
            let (bounds, affected) = (store.bounds, AffectedSenders::default());
            let budget = Budget::new(bounds.portion_rows);
            let mut portion = Portion { tx, user, locked, budget, bounds, affected };
            let mut work = finished.work.clone();
            let progress = work.portion(&mut portion).await?;
            portion.locked.save(portion.tx).await?;
            portion.tx.note_stamps(portion.locked.newest(), 1)?;
            Ok((work, progress, portion.locked.has_changed(), portion.affected))
        })?;
        finished.work = work;
        finished.changed |= changed;
        finished.affected.extend(affected);
        match progress {
            Progress::Done => return Ok(finished),
            // Most portions need the inboxes of the one before them.
            Progress::More if locks.len() <= store.bounds.kept_locks => {}
            Progress::More => locks = BTreeSet::from([user]),
            Progress::Locks(more) => locks.extend(more),
        }
    }
}
