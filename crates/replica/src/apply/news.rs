//! What becomes of news beside being written: rules act on it, and sleepers of its thread wake early. Refuses what is
//! read or the user's own, and does nothing twice for the same words.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension};
use tidings_model::{MsgId, Notification, Stamp};

use super::Pull;
use crate::outbox::Named;
use crate::overlay::{self, Act};
use crate::row::{BRIEF, Brief};
use crate::rules::Verdict;
use crate::wake::EARLY_WAKE;
use crate::{Result, ThreadId};

/// When something became news in this inbox: its stamp is that moment only until it is changed.
pub(super) fn since(n: &Notification) -> Stamp {
    if n.version <= 1 { n.stamp } else { n.created_at }
}

/// What is still to be dealt with: not the user's own, not read, not archived.
pub(super) fn is_open(item: &Brief) -> bool {
    !(item.own || item.deleted || item.is_read() || item.marks.archived.is_some())
}

/// The server's priority, where a rule made it another.
pub(super) fn sent(n: &Notification, in_force: u8) -> Option<u8> {
    Some(n.content.priority.get()).filter(|sent| *sent != in_force)
}

/// Whether snoozed items wake when something new arrives in their thread; on unless it was switched off.
fn wakes_early(tx: &Connection) -> Result<bool> {
    let off: Option<bool> = tx
        .prepare_cached("SELECT value = 'false' FROM settings WHERE key = ?1")?
        .query_row([EARLY_WAKE], |r| r.get(0))
        .optional()?;
    Ok(off != Some(true))
}

impl Pull<'_> {
    /// What the rules want of an item. What was dealt with already is history.
    pub(super) fn judge(&self, n: &Notification, item: &Brief) -> Verdict {
        if is_open(item) { self.rules.judge(n, self.source) } else { Verdict::none(n.content.priority.get()) }
    }

    /// Does what the rules want of an item's thread, and remembers what they want of the item.
    pub(super) fn carry_out(&mut self, verdict: Verdict, item: &Brief) -> Result<()> {
        if verdict.mute || verdict.pin {
            let (pinned, muted) = self.ledger.flags(item.thread)?;
            self.ledger.set_flags(item.thread, pinned || verdict.pin, muted || verdict.mute)?;
        }
        if verdict.archive {
            self.archive.push(item.id);
        }
        if verdict.no_toast {
            self.no_toast.insert(item.id);
        }
        Ok(())
    }

    /// Archives what the rules want archived, and tells the server, so that other devices agree.
    pub(super) fn tidy(&mut self) -> Result<()> {
        let sql = format!("SELECT {BRIEF} FROM items i WHERE i.id = ?1 AND i.deleted = 0");
        let mut archived = Vec::new();
        for id in std::mem::take(&mut self.archive) {
            let found = self.tx.prepare_cached(&sql)?.query_row([id], Brief::of).optional()?;
            let Some(was) = found.filter(|was| was.marks.archived.is_none()) else { continue };
            let mut is = was.clone();
            is.marks.archived = Some(self.now);
            archived.push(Named::of(&is, &MsgId(is.msgid.clone())));
            self.restate(&was, is)?;
        }
        self.push(Act::Archive, &archived)
    }

    /// Wakes what sleeps in threads where something new arrived after it was put to sleep, and tells the server, so
    /// that other devices agree.
    pub(super) fn stir(&mut self) -> Result<()> {
        let mut latest: BTreeMap<ThreadId, Stamp> = BTreeMap::new();
        for (thread, at) in std::mem::take(&mut self.news) {
            let known = latest.entry(thread).or_insert(at);
            *known = at.max(*known);
        }
        latest.retain(|thread, _| self.ledger.sleeps(*thread));
        if latest.is_empty() || !wakes_early(self.tx)? {
            return Ok(());
        }
        let sql = format!(
            "SELECT {BRIEF} FROM items i INDEXED BY items_asleep_thread
             WHERE i.thread = ?1 AND i.asleep = 1 AND i.archived_at IS NULL
                AND i.deleted = 0 AND i.stamp <= ?2"
        );
        let mut woken = Vec::new();
        for (thread, at) in latest {
            let sleepers: Vec<Brief> = self
                .tx
                .prepare_cached(&sql)?
                .query_map([thread, at.as_micros()], Brief::of)?
                .collect::<Result<_, _>>()?;
            for was in sleepers {
                let mut is = was.clone();
                is.marks.snoozed = None;
                woken.push(Named::of(&is, &MsgId(is.msgid.clone())));
                self.restate(&was, is)?;
            }
        }
        self.push(Act::Unsnooze, &woken)
    }

    /// Writes a state that is decided here; what the server says of the item is held.
    fn restate(&mut self, was: &Brief, mut is: Brief) -> Result<()> {
        if overlay::held(self.tx, was.id)?.is_none() {
            overlay::hold(self.tx, was.id, &was.marks, 0)?;
        }
        is.derive(self.now);
        self.ledger.turn(is.thread, &was.facts(), &is.facts())?;
        self.turned.insert(is.id, is.unread);
        is.write(self.tx)
    }
}
