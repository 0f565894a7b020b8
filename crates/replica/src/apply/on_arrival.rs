//! The effects of new content: rules act on it, and snoozed items of its thread wake early. Both happen once for the
//! same content, and only if the item is unread and not the user's own.

use std::collections::BTreeMap;

use rusqlite::Connection;
use tidings_model::{Notification, Stamp};
use tidings_replica_tables::flags::OriginMute;
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::{mutes, server_state, settings};

use super::Pull;
use crate::outbox;
use crate::rules::matching::RuleEffect;
use crate::{Mark, Mute, Result, SourceId, ThreadId, is_of_origin};

/// The time at which an item arrived in this inbox on the server. A first version has it as its stamp; for later
/// versions the time of creation is used.
pub(super) fn arrived_at(n: &Notification) -> Stamp {
    if n.version <= 1 { n.stamp } else { n.created_at }
}

/// Whether an item is still open: not the user's own, not read, not archived, not deleted.
pub(super) fn is_open(item: &ItemState) -> bool {
    !(item.own || item.deleted || item.is_read() || item.marks.archived.is_some())
}

/// The origins of a source that are muted at a time by its server's clock.
pub(super) fn muted_origins(tx: &Connection, source: SourceId, server_time: Stamp) -> Result<Vec<Mute>> {
    let mut muted = mutes::origins(tx, source)?;
    muted.retain(|mute| mute.until.is_none_or(|until| until > server_time));
    Ok(muted)
}

impl Pull<'_> {
    /// Mutes the thread of an item with its origin, unless the reader decided otherwise of the thread.
    pub(super) fn mute_with_origin(&mut self, thread: ThreadId, key: &str) -> Result<()> {
        let Some(mute) = self.muted_origins.iter().find(|mute| is_of_origin(key, &mute.origin)) else {
            return Ok(());
        };
        let flags = self.aggregates.flags(thread)?;
        if flags.muted || flags.origin != OriginMute::None {
            return Ok(());
        }
        self.aggregates.set_flags(thread, flags.muted_with_origin(mute.until))
    }

    /// The joint verdict of the rules on an item; no effect if the item is not open.
    pub(super) fn evaluate(&self, n: &Notification, item: &ItemState) -> RuleEffect {
        if is_open(item) {
            let effect = self.rules.evaluate(n, self.source);
            // A question is never put away by a rule before it is answered.
            let asks = item.question_due.is_some_and(|due| due > item.server_time(self.now));
            RuleEffect { archive: effect.archive && !asks, read: effect.read && !asks, ..effect }
        } else {
            RuleEffect::none(n.content.priority.get())
        }
    }

    /// Applies a verdict to the item's thread, and records its effects on the item for later.
    pub(super) fn apply_effect(
        &mut self,
        effect: &RuleEffect,
        item: &ItemState,
        arrived: Stamp,
    ) -> Result<()> {
        if effect.mute || effect.pin {
            let mut flags = self.aggregates.flags(item.thread)?;
            flags.pinned |= effect.pin;
            let flags = if effect.mute { flags.with_muted(true, None) } else { flags };
            self.aggregates.set_flags(item.thread, flags)?;
        }
        if effect.no_toast {
            self.no_toast.insert(item.id);
        }
        if effect.read {
            self.read.push((item.id, arrived));
        }
        self.rule_acts.record(&effect.of, item.id);
        Ok(())
    }

    /// Archives an item that a rule archives, before its thread counts it: it must not come up for a moment.
    pub(super) fn archive_by_rule(&mut self, item: &mut ItemState) -> Result<()> {
        server_state::put_if_absent(self.tx, item.id, &item.marks)?;
        item.marks.archived = Some(self.now);
        item.derive(self.now);
        item.write(self.tx)?;
        self.archived.insert(item.id);
        // A later version in the same page comes without the mark, and replaces what the server is known to have.
        self.overlay.any = true;
        Ok(())
    }

    /// Queues the operation for what rules archived, so that other devices agree.
    pub(super) fn queue_archived(&mut self) -> Result<()> {
        let mut archived = Vec::new();
        for id in std::mem::take(&mut self.archived) {
            let found = ItemState::get(self.tx, id)?;
            let Some(before) = found.filter(|before| !before.deleted) else { continue };
            archived.push(before.named());
            if before.marks.archived.is_none() {
                let mut after = before.clone();
                after.marks.archived = Some(self.now);
                self.change_locally(&before, after)?;
            }
        }
        self.queue(Mark::Archive, &archived)
    }

    /// Wakes the snoozed items of threads in which an item arrived after the snooze, and queues the operation for the
    /// server, so that other devices agree.
    pub(super) fn wake_early(&mut self) -> Result<()> {
        let mut latest: BTreeMap<ThreadId, Stamp> = BTreeMap::new();
        for (thread, at) in std::mem::take(&mut self.unread_arrivals) {
            let known = latest.entry(thread).or_insert(at);
            *known = at.max(*known);
        }
        latest.retain(|thread, _| self.aggregates.has_snoozed(*thread));
        if latest.is_empty() || !settings::wakes_early(self.tx)? {
            return Ok(());
        }
        let asleep = "INDEXED BY items_asleep_thread
             WHERE i.thread = ?1 AND i.asleep = 1 AND i.archived_at IS NULL AND i.deleted = 0 AND i.stamp <= ?2";
        let mut woken = Vec::new();
        for (thread, at) in latest {
            for before in ItemState::select(self.tx, asleep, [thread, at.as_micros()])? {
                let mut after = before.clone();
                after.marks.snoozed = None;
                woken.push(after.named());
                self.change_locally(&before, after)?;
            }
        }
        self.queue(Mark::Unsnooze, &woken)
    }

    /// Falls back to the server's marks of items whose operations it answered and that no page has named since. Those
    /// beyond a portion are left to the next complete pull.
    pub(super) fn end_assumptions(&mut self) -> Result<()> {
        for id in server_state::assumed(self.tx, self.source, outbox::MAX_NAMED_ITEMS)? {
            let Some(before) = ItemState::get(self.tx, id)? else { continue };
            let mut after = before.clone();
            self.overlay.end_assumption(self.tx, &mut after, before.generation < self.generation)?;
            after.derive(self.now);
            outbox::count_change(self.tx, &mut self.aggregates, &before, &after)?;
            self.unread_overrides.insert(id, after.unread);
            after.write(self.tx)?;
        }
        Ok(())
    }

    /// Writes a state that was decided locally; the server's state stays in `server_state`.
    pub(super) fn change_locally(&mut self, before: &ItemState, mut after: ItemState) -> Result<()> {
        server_state::put_if_absent(self.tx, before.id, &before.marks)?;
        after.derive(self.now);
        self.aggregates.change_item(after.thread, &before.flags(), &after.flags())?;
        self.unread_overrides.insert(after.id, after.unread);
        after.write(self.tx)
    }
}
