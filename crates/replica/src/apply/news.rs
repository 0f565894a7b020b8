//! What becomes of news beside being written: sleepers of their thread wake early. Refuses what is read, the user's own
//! or as old as the sleep itself.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension};
use tidings_model::{MsgId, Notification, Stamp};

use super::Pull;
use crate::outbox::Named;
use crate::overlay::{self, Act};
use crate::row::{BRIEF, Brief};
use crate::wake::EARLY_WAKE;
use crate::{Result, ThreadId};

/// When something became news in this inbox: its stamp is that moment only until it is changed.
pub(super) fn since(n: &Notification) -> Stamp {
    if n.version <= 1 { n.stamp } else { n.created_at }
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
            "SELECT {BRIEF} FROM items i WHERE +i.thread = ?1 AND i.asleep = 1 AND i.archived_at IS NULL
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
