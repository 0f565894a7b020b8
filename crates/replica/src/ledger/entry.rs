//! One thread in a transaction: its row as it was and is, and what is still to be looked up. Refuses to be written twice.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};
use tidings_model::{Kind, Stamp};

use super::tally::{Facts, Tally};
use crate::{NotifySettings, Result, SourceId, ThreadId, ThreadPreview, begun, row};

/// What the row says of the newest item.
pub(super) enum Newest {
    /// What stands there.
    Same,
    /// This item of the page that is being applied.
    Nth(usize),
    /// This.
    Is(Box<ThreadPreview>),
    /// To be looked up.
    Unknown,
}

pub(super) struct Entry {
    pub(super) source: SourceId,
    pub(super) before: Option<Tally>,
    pub(super) now: Tally,
    pub(super) last_at: Stamp,
    /// `last_at` before this transaction.
    pub(super) was_last_at: Stamp,
    pub(super) last_item: i64,
    pub(super) last_priority: u8,
    pub(super) newest: Newest,
    pub(super) wake_at: Option<Stamp>,
    pub(super) wake_unknown: bool,
    pub(super) actors: String,
    pub(super) actor_count: i64,
    /// Who came in this transaction: name, latest item, items.
    pub(super) came: BTreeMap<String, (String, Stamp, i64)>,
    /// Of whom items left in this transaction: the latest of them, and how many.
    pub(super) went: BTreeMap<String, (Stamp, i64)>,
    pub(super) touched: bool,
}

/// Reads a thread's row for [`Entry::of`].
pub(super) const ROW: &str = "SELECT source, kind, last_at, last_item, last_priority, total, archived, asleep, unread,
        unseen, unread1, unread2, unread3, unread4, unread5, wake_at, pinned, muted, actor_count, actors, tell,
        from_priority, sound, place
     FROM threads WHERE id = ?1";

impl Entry {
    /// A thread that was not here.
    pub(super) fn empty(source: SourceId, kind: Kind) -> Self {
        let now = Tally {
            kind,
            total: 0,
            archived: 0,
            asleep: 0,
            unread: 0,
            unseen: 0,
            by_priority: [0; 5],
            pinned: false,
            muted: false,
            notify: NotifySettings::default(),
            begun: false,
        };
        Self {
            source,
            before: None,
            now,
            last_at: Stamp::ZERO,
            was_last_at: Stamp::from_micros(i64::MIN),
            last_item: 0,
            last_priority: 3,
            newest: Newest::Same,
            wake_at: None,
            wake_unknown: false,
            actors: "[]".into(),
            actor_count: 0,
            came: BTreeMap::new(),
            went: BTreeMap::new(),
            touched: true,
        }
    }

    /// A thread as its row has it, by [`ROW`].
    pub(super) fn of(r: &Row<'_>) -> rusqlite::Result<Self> {
        let total = r.get(5)?;
        let tally = Tally {
            kind: row::kind(r, 1)?,
            total,
            archived: r.get(6)?,
            asleep: r.get(7)?,
            unread: r.get(8)?,
            unseen: r.get(9)?,
            by_priority: [r.get(10)?, r.get(11)?, r.get(12)?, r.get(13)?, r.get(14)?],
            pinned: r.get(16)?,
            muted: r.get(17)?,
            notify: NotifySettings::of(r, 20)?,
            begun: total == 0 && r.get::<_, i64>(23)? == 0,
        };
        Ok(Self {
            source: r.get(0)?,
            before: Some(tally),
            now: tally,
            last_at: row::stamp(r, 2)?,
            was_last_at: row::stamp(r, 2)?,
            last_item: r.get(3)?,
            last_priority: r.get(4)?,
            newest: Newest::Same,
            wake_at: row::time(r, 15)?,
            wake_unknown: false,
            actors: r.get(19)?,
            actor_count: r.get(18)?,
            came: BTreeMap::new(),
            went: BTreeMap::new(),
            touched: false,
        })
    }

    pub(super) fn wake(&mut self, item: &Facts) {
        if let (Some(at), false) = (item.asleep, item.archived) {
            self.wake_at = Some(self.wake_at.map_or(at, |w| w.min(at)));
        }
        // An archived item that sleeps does not hold the thread.
        self.wake_unknown |= item.asleep.is_some() && item.archived;
    }

    /// Brings the row up to date; `false` when the thread is gone.
    pub(super) fn write(&mut self, tx: &Connection, id: ThreadId) -> Result<bool> {
        if self.now.total == 0 {
            if !self.without_items(tx, id)? {
                return Ok(false);
            }
        } else {
            self.settle(tx, id)?;
        }
        let n = &self.now;
        let [u1, u2, u3, u4, u5] = n.by_priority;
        let last = match &self.newest {
            Newest::Is(last) => Some(serde_json::to_string(last)?),
            _ => None,
        };
        tx.prepare_cached(
            "UPDATE threads SET kind = ?2, place = ?3, last_at = ?4, last_item = ?5, last_priority = ?6, total = ?7,
                archived = ?8, asleep = ?9, unread = ?10, unseen = ?11, unread1 = ?12, unread2 = ?13, unread3 = ?14,
                unread4 = ?15, unread5 = ?16, wake_at = ?17, pinned = ?18, muted = ?19, actor_count = ?20,
                actors = ?21, last = ifnull(?22, last)
             WHERE id = ?1",
        )?
        .execute(params![
            id,
            n.kind.as_row(),
            n.place(),
            self.last_at.as_micros(),
            self.last_item,
            self.last_priority,
            n.total,
            n.archived,
            n.asleep,
            n.unread,
            n.unseen,
            u1,
            u2,
            u3,
            u4,
            u5,
            self.wake_at.map(Stamp::as_micros),
            n.pinned,
            n.muted,
            self.actor_count,
            self.actors,
            last
        ])?;
        Ok(n.place() < 3)
    }

    /// Brings a thread without items up to date; `false` when its row is gone.
    fn without_items(&mut self, tx: &Connection, id: ThreadId) -> Result<bool> {
        tx.prepare_cached("DELETE FROM thread_actors WHERE thread = ?1")?.execute([id])?;
        (self.last_at, self.last_item, self.last_priority) = (Stamp::ZERO, 0, 3);
        self.newest = Newest::Is(Box::default());
        (self.actors, self.actor_count) = ("[]".into(), 0);
        self.wake_at = None;
        let written = begun::newest(tx, id)?;
        self.now.begun = written.is_some();
        if let Some((at, last)) = written {
            (self.last_at, self.newest) = (at, Newest::Is(Box::new(last)));
            return Ok(true);
        }
        if self.now.is_kept() {
            return Ok(true);
        }
        // A row that was deleted here and waits for its tombstone still names the thread.
        let held: bool = tx
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM items WHERE thread = ?1)")?
            .query_row([id], |r| r.get(0))?;
        if !held {
            tx.prepare_cached("DELETE FROM threads WHERE id = ?1")?.execute([id])?;
        }
        Ok(held)
    }

    /// Looks up what deltas could not tell.
    fn settle(&mut self, tx: &Connection, id: ThreadId) -> Result<()> {
        if matches!(self.newest, Newest::Unknown) {
            let (item, at, priority, kind, last) = row::newest(tx, id)?;
            (self.last_item, self.last_at, self.last_priority, self.now.kind) = (item, at, priority, kind);
            self.newest = Newest::Is(Box::new(last));
        }
        if self.now.asleep == 0 {
            self.wake_at = None;
        } else if self.wake_unknown {
            self.wake_at = tx
                .prepare_cached(
                    "SELECT min(snoozed_until) FROM items
                     WHERE asleep = 1 AND thread = ?1 AND archived_at IS NULL AND deleted = 0",
                )?
                .query_row([id], |r| row::time(r, 0))?;
        }
        self.settle_actors(tx, id)
    }
}
