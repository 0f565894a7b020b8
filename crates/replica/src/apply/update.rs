//! Updating an item that the replica has.

use tidings_model::Notification;
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::items::{self, Stored};

use super::{Outcome, Pull, SearchRow, on_arrival};
use crate::outbox::answers;
use crate::{Mark, Result};

/// A stored item and the version that replaces it.
pub(super) struct Versions {
    pub(super) before: ItemState,
    /// The new state according to the server, without local marks.
    pub(super) after: ItemState,
    pub(super) stored: Stored,
    /// The new content as stored.
    pub(super) content: String,
    /// Whether the new version is news: rules act on it, and it wakes its thread.
    pub(super) is_news: bool,
}

impl Pull<'_> {
    /// Applies a version of a stored item, unless it is not newer than the stored one.
    pub(super) fn update(&mut self, n: &Notification, nth: usize, before: ItemState) -> Result<Outcome> {
        let other_history = before.generation < self.generation;
        if !other_history && n.stamp <= before.stamp {
            return Ok(Outcome::Ignored);
        }
        if other_history
            && n.stamp == before.stamp
            && self.is_same(n, &before)
            && items::set_generation(self.tx, before.id, self.generation, &items::content(n)?)?
        {
            // The server has a new history, in which this item is the same. Another content has the stamp of a change
            // that the server has lost.
            return Ok(Outcome::Ignored);
        }
        let mut after = self.server_item_state(n)?;
        // Finding the item's view may have moved the view's mark, and so changed the stored state.
        let before =
            if after.view.is_some() { self.stored_item(&n.msgid)?.unwrap_or(before) } else { before };
        if other_history && n.stamp <= before.stamp && !self.server_wins {
            self.requeue_marks(&before, &after)?;
        }
        let stored = items::stored(self.tx, before.id)?;
        let content = items::content(n)?;
        let is_news = stored.has_other_text(n, &content)?;
        after.id = before.id;
        self.replace(n, nth, Versions { before, after, stored, content, is_news })
    }

    /// Writes a version over the stored one, with the marks that wait on top of it.
    pub(super) fn replace(&mut self, n: &Notification, nth: usize, versions: Versions) -> Result<Outcome> {
        let Versions { before, mut after, stored, content, is_news } = versions;
        // What the page's marks made of the old version no longer holds.
        self.unread_overrides.remove(&after.id);
        self.overlay.apply(self.tx, &mut after)?;
        let content = if self.overlay.any {
            answers::over_version(self.tx, self.source, &mut after, content)?
        } else {
            content
        };
        after.derive(self.now);
        let same_actor = stored.actor == n.actor;
        let same_content = same_actor && stored.is_same(n, &content)?;
        let effect = self.evaluate(n, &after);
        // The priority that a rule set stays; the other effects of rules happen once for the same news.
        let published_priority = stored.published_priority(before.priority);
        let priority_stays = !is_news && published_priority == n.content.priority.get();
        after.priority = if priority_stays { before.priority } else { effect.priority };
        items::overwrite(self.tx, n, &after, &content)?;
        if is_news && effect.archive {
            self.archive_by_rule(&mut after)?;
        }
        let changed = !same_content || before.priority != after.priority;
        self.count(n, (&before, &after), &stored.actor, changed)?;
        if changed {
            let (item, priority) = (after.id, after.priority);
            self.search_rows.push(SearchRow { item, nth, replaces: true, priority });
        }
        if is_news {
            self.apply_effect(&effect, &after, n.stamp)?;
        } else if effect.no_toast {
            self.no_toast.insert(after.id);
        }
        if is_news && on_arrival::is_open(&after) && !effect.archive && !effect.read {
            self.unread_arrivals.push((after.thread, n.stamp));
        }
        let unread_again = after.unread && !before.unread;
        let ItemState { id: item, thread, unread, priority, .. } = after;
        Ok(Outcome::Stored { item, thread, new: false, unread, unread_again, priority })
    }

    /// Replaces the old version by the new one in threads and counters; their actors may differ.
    fn count(
        &mut self,
        n: &Notification,
        (before, after): (&ItemState, &ItemState),
        old_actor: &tidings_model::Actor,
        changed: bool,
    ) -> Result<()> {
        let moved = before.thread != after.thread
            || before.listed_at != after.listed_at
            || before.kind != after.kind
            || before.own != after.own
            || *old_actor != n.actor;
        let removed_actor = if before.own { None } else { Some(&*old_actor.id) };
        let added_actor = if after.own { None } else { Some(&n.actor) };
        match (before.deleted, after.deleted) {
            (true, true) => Ok(()),
            (true, false) => self.aggregates.add_item(after.thread, &after.flags(), added_actor),
            (false, true) => self.aggregates.remove_item(before.thread, &before.flags(), removed_actor),
            (false, false) if moved => {
                self.aggregates.remove_item(before.thread, &before.flags(), removed_actor)?;
                self.aggregates.add_item(after.thread, &after.flags(), added_actor)
            }
            (false, false) => {
                self.aggregates.change_item(after.thread, &before.flags(), &after.flags())?;
                if changed { self.aggregates.content_changed(after.thread, after.id) } else { Ok(()) }
            }
        }
    }

    /// Whether a version with the same stamp has the same marks as a stored item without waiting operations.
    fn is_same(&self, n: &Notification, before: &ItemState) -> bool {
        let read = match before.view {
            Some(_) => before.is_read(),
            None => before.marks.read.is_some(),
        };
        !self.overlay.any
            && !before.deleted
            && read == n.read_at.is_some()
            && (before.marks.seen, before.marks.archived, before.marks.snoozed)
                == (n.seen_at, n.archived_at, n.snoozed_until)
    }

    /// Queues the marks again that were acknowledged in a history that the server has lost.
    fn requeue_marks(&mut self, before: &ItemState, after: &ItemState) -> Result<()> {
        let mut marks = Vec::new();
        let (local, server) = (&before.marks, &after.marks);
        if after.view.is_none() && local.read.is_some() != server.read.is_some() {
            marks.push(if local.read.is_some() { Mark::Read } else { Mark::Unread });
        }
        if local.archived.is_some() != server.archived.is_some() {
            marks.push(if local.archived.is_some() { Mark::Archive } else { Mark::Unarchive });
        }
        if local.seen.is_some() && server.seen.is_none() {
            marks.push(Mark::Seen);
        }
        // A stamp ahead of the server's clock was mended there, and a snooze moved with it.
        let was_mended = before.stamp > before.server_time(self.now) && server.snoozed.is_some();
        match local.snoozed {
            Some(until) if until > self.now && local.snoozed != server.snoozed && !was_mended => {
                marks.insert(0, Mark::Snooze { until });
            }
            None if server.snoozed.is_some_and(|until| until > self.now) => marks.push(Mark::Unsnooze),
            _ => {}
        }
        if before.deleted {
            marks.push(Mark::Delete);
        }
        marks.into_iter().try_for_each(|mark| self.queue(mark, &[before.named()]))
    }
}
