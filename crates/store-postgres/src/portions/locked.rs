//! Inboxes that a transaction has locked, and the stamps that it hands out in them.

use std::collections::{BTreeMap, BTreeSet};

use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::item::MarkClock;

use crate::session::{Columns, Session};

/// Locks inboxes in the order of their keys. `$1` the users.
pub(crate) const LOCK: &str =
    "SELECT user_key, last FROM inboxes WHERE user_key = ANY($1) ORDER BY user_key FOR UPDATE";

/// The newest stamp of any creation. It is a statement after [`LOCK`], so that everything in the inboxes is older.
const NEWEST: &str = "SELECT last FROM log";

/// `$1` the users, `$2` their newest stamps.
const SAVE: &str =
    "UPDATE inboxes i SET last = n.last FROM unnest($1::bigint[], $2::bigint[]) n (user_key, last)
    WHERE i.user_key = n.user_key";

/// The stamps of one locked inbox.
struct Stamps {
    newest: Stamp,
    /// What the database has.
    stored: Stamp,
}

/// Inboxes that are locked until the transaction ends.
pub(crate) struct LockedInboxes {
    inboxes: BTreeMap<UserKey, Stamps>,
    /// The clock at the start of the transaction.
    pub(crate) now: Stamp,
    /// The newest stamp of any creation, by which read marks are bounded: later creations are not covered.
    pub(crate) newest_created: Stamp,
}

impl LockedInboxes {
    /// Locks the inboxes of these users; those who were removed have none.
    pub(crate) async fn lock(tx: &Session, users: &BTreeSet<UserKey>, now: Stamp) -> Result<Self, Error> {
        let keys: Vec<i64> = users.iter().map(|user| user.0).collect();
        let found = tx.pipeline(&[(LOCK, &[&keys]), (NEWEST, &[])]).await?;
        let mut locked = Self { inboxes: BTreeMap::new(), now, newest_created: Stamp::ZERO };
        for row in found.first().into_iter().flatten() {
            let newest = row.stamp(1)?;
            locked.inboxes.insert(UserKey(row.at(0)?), Stamps { newest, stored: newest });
        }
        for row in found.get(1).into_iter().flatten() {
            locked.newest_created = row.stamp(0)?;
        }
        Ok(locked)
    }

    /// Whether this user's inbox is locked.
    pub(crate) fn contains(&self, user: UserKey) -> bool {
        self.inboxes.contains_key(&user)
    }

    /// The stamp that [`LockedInboxes::next_stamp`] would hand out.
    pub(crate) fn coming_stamp(&self, user: UserKey) -> Stamp {
        // The time is not before that of the newest creation: if clocks differ, it would otherwise precede it.
        let now = self.now.max(self.newest_created);
        self.inboxes.get(&user).map_or(now, |stamps| stamps.newest.next(now))
    }

    /// The times by which marks are put in an inbox.
    pub(crate) fn mark_clock(&self, user: UserKey) -> MarkClock {
        let newest = self.inboxes.get(&user).map_or(Stamp::ZERO, |stamps| stamps.newest);
        MarkClock { now: self.now, newest: newest.max(self.newest_created) }
    }

    /// The next stamp of an inbox.
    pub(crate) fn next_stamp(&mut self, user: UserKey) -> Stamp {
        self.assign(user, 1)
    }

    /// Consecutive stamps for as many rows; gives the first.
    pub(crate) fn assign(&mut self, user: UserKey, rows: usize) -> Stamp {
        let first = self.coming_stamp(user);
        if let Some(stamps) = self.inboxes.get_mut(&user)
            && let Some(further) = i64::try_from(rows).unwrap_or(i64::MAX).checked_sub(1).filter(|n| *n >= 0)
        {
            stamps.newest = first.plus_micros(further);
        }
        first
    }

    /// Whether a stamp of any inbox was handed out.
    pub(crate) fn has_changed(&self) -> bool {
        self.inboxes.values().any(|stamps| stamps.newest != stamps.stored)
    }

    /// The newest stamp of all of them.
    pub(crate) fn newest(&self) -> Stamp {
        self.inboxes.values().map(|stamps| stamps.newest).max().unwrap_or(Stamp::ZERO)
    }

    /// Stores the newest stamps. It is the last statement of the transaction.
    pub(crate) async fn save(&self, tx: &Session) -> Result<(), Error> {
        let changed = self.inboxes.iter().filter(|(_, stamps)| stamps.newest != stamps.stored);
        let (users, newest): (Vec<i64>, Vec<i64>) =
            changed.map(|(user, stamps)| (user.0, stamps.newest.as_micros())).unzip();
        if !users.is_empty() {
            tx.execute(SAVE, &[&users, &newest]).await?;
        }
        Ok(())
    }
}
