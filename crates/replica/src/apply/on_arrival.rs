//! The effects of new content: rules act on it, and snoozed items of its thread wake early. Both happen once for the
//! same content, and only if the item is unread and not the user's own.

use std::collections::BTreeMap;

use tidings_model::{Notification, Stamp};

use super::Pull;
use super::rules::Verdict;
use crate::tables::item_state::ItemState;
use crate::tables::{server_state, settings};
use crate::{Mark, Result, ThreadId};

/// The time at which an item arrived in this inbox on the server. A first version has it as its stamp; for later
/// versions the time of creation is used.
pub(super) fn arrived_at(n: &Notification) -> Stamp {
    if n.version <= 1 { n.stamp } else { n.created_at }
}

/// Whether an item is still open: not the user's own, not read, not archived, not deleted.
pub(super) fn is_open(item: &ItemState) -> bool {
    !(item.own || item.deleted || item.is_read() || item.marks.archived.is_some())
}

impl Pull<'_> {
    /// The joint verdict of the rules on an item; no effect if the item is not open.
    pub(super) fn judge(&self, n: &Notification, item: &ItemState) -> Verdict {
        if is_open(item) { self.rules.judge(n, self.source) } else { Verdict::none(n.content.priority.get()) }
    }

    /// Applies a verdict to the item's thread, and records its effects on the item for later.
    pub(super) fn carry_out(&mut self, verdict: Verdict, item: &ItemState) -> Result<()> {
        if verdict.mute || verdict.pin {
            let (pinned, muted) = self.aggregates.flags(item.thread)?;
            self.aggregates.set_flags(item.thread, pinned || verdict.pin, muted || verdict.mute)?;
        }
        if verdict.archive {
            self.archive.push(item.id);
        }
        if verdict.no_toast {
            self.no_toast.insert(item.id);
        }
        Ok(())
    }

    /// Archives the items that rules archive, and queues the operation for the server, so that other devices agree.
    pub(super) fn archive_by_rules(&mut self) -> Result<()> {
        let mut archived = Vec::new();
        for id in std::mem::take(&mut self.archive) {
            let found = ItemState::get(self.tx, id)?;
            let Some(was) = found.filter(|was| !was.deleted && was.marks.archived.is_none()) else {
                continue;
            };
            let mut is = was.clone();
            is.marks.archived = Some(self.now);
            archived.push(is.named());
            self.change_locally(&was, is)?;
        }
        self.queue(Mark::Archive, &archived)
    }

    /// Wakes the snoozed items of threads in which an item arrived after the snooze, and queues the operation for the
    /// server, so that other devices agree.
    pub(super) fn wake_early(&mut self) -> Result<()> {
        let mut latest: BTreeMap<ThreadId, Stamp> = BTreeMap::new();
        for (thread, at) in std::mem::take(&mut self.news) {
            let known = latest.entry(thread).or_insert(at);
            *known = at.max(*known);
        }
        latest.retain(|thread, _| self.aggregates.sleeps(*thread));
        if latest.is_empty() || !settings::wakes_early(self.tx)? {
            return Ok(());
        }
        let asleep = "INDEXED BY items_asleep_thread
             WHERE i.thread = ?1 AND i.asleep = 1 AND i.archived_at IS NULL AND i.deleted = 0 AND i.stamp <= ?2";
        let mut woken = Vec::new();
        for (thread, at) in latest {
            for was in ItemState::select(self.tx, asleep, [thread, at.as_micros()])? {
                let mut is = was.clone();
                is.marks.snoozed = None;
                woken.push(is.named());
                self.change_locally(&was, is)?;
            }
        }
        self.queue(Mark::Unsnooze, &woken)
    }

    /// Writes a state that was decided locally; the server's state stays in `server_state`.
    fn change_locally(&mut self, was: &ItemState, mut is: ItemState) -> Result<()> {
        server_state::put_first(self.tx, was.id, &was.marks)?;
        is.derive(self.now);
        self.aggregates.change_item(is.thread, &was.flags(), &is.flags())?;
        self.turned.insert(is.id, is.unread);
        is.write(self.tx)
    }
}
