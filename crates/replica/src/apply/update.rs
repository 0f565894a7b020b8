//! Updating an item that the replica has.

use tidings_model::Notification;

use super::{Outcome, Pull, on_arrival};
use crate::tables::item_state::ItemState;
use crate::tables::items;
use crate::{Mark, Result};

impl Pull<'_> {
    /// Applies a version of a stored item, unless it is not newer than the stored one.
    pub(super) fn update(&mut self, n: &Notification, nth: usize, was: ItemState) -> Result<Outcome> {
        let other_history = was.generation < self.generation;
        if !other_history && n.stamp <= was.stamp {
            return Ok(Outcome::Ignored);
        }
        if other_history && n.stamp == was.stamp && self.is_same(n, &was) {
            // The server has a new history, in which this item is the same.
            items::set_generation(self.tx, was.id, self.generation)?;
            return Ok(Outcome::Ignored);
        }
        let mut is = self.server_item_state(n)?;
        // Finding the item's view may have moved the view's mark, and so changed the stored state.
        let was = if is.view.is_some() { self.known(&n.msgid)?.unwrap_or(was) } else { was };
        is.id = was.id;
        if other_history && n.stamp <= was.stamp && !self.server_wins {
            self.keep_marks(&was, &is)?;
        }
        self.overlay.apply(self.tx, &mut is)?;
        is.derive(self.now);
        let stored = items::stored(self.tx, was.id)?;
        let content = items::content(n)?;
        let same_actor = stored.actor == n.actor;
        let same_content = same_actor && stored.is_same(n, &content)?;
        let new_text = stored.has_other_text(n, &content)?;
        let verdict = self.judge(n, &is);
        // The priority that a rule set stays; the other effects of rules happen once for the same text.
        let server_priority = stored.server_priority.unwrap_or(was.priority);
        let kept = !new_text && server_priority == n.content.priority.get();
        is.priority = if kept { was.priority } else { verdict.priority };
        items::overwrite(self.tx, n, &is, &content)?;
        let changed = !same_content || was.priority != is.priority;
        self.count(n, nth, (&was, &is), &stored.actor, changed)?;
        if changed {
            self.search_rows.push((is.id, nth, true));
        }
        if new_text {
            self.carry_out(verdict, &is)?;
        } else if verdict.no_toast {
            self.no_toast.insert(is.id);
        }
        if new_text && on_arrival::is_open(&is) && !verdict.archive {
            self.news.push((is.thread, n.stamp));
        }
        let unread_again = is.unread && !was.unread;
        let ItemState { id: item, thread, unread, priority, .. } = is;
        Ok(Outcome::Taken { item, thread, new: false, unread, unread_again, priority })
    }

    /// Replaces the old version by the new one in threads and counters; their actors may differ.
    fn count(
        &mut self,
        n: &Notification,
        nth: usize,
        (was, is): (&ItemState, &ItemState),
        was_actor: &tidings_model::Actor,
        changed: bool,
    ) -> Result<()> {
        let moved = was.thread != is.thread
            || was.created_at != is.created_at
            || was.kind != is.kind
            || was.own != is.own
            || *was_actor != n.actor;
        let left = if was.own { None } else { Some(&*was_actor.id) };
        let came = if is.own { None } else { Some(&n.actor) };
        match (was.deleted, is.deleted) {
            (true, true) => Ok(()),
            (true, false) => self.aggregates.add_item(is.thread, &is.flags(), came, Some(nth)),
            (false, true) => self.aggregates.remove_item(was.thread, &was.flags(), left),
            (false, false) if moved => {
                self.aggregates.remove_item(was.thread, &was.flags(), left)?;
                self.aggregates.add_item(is.thread, &is.flags(), came, None)
            }
            (false, false) => {
                self.aggregates.change_item(is.thread, &was.flags(), &is.flags())?;
                if changed { self.aggregates.content_changed(is.thread, is.id) } else { Ok(()) }
            }
        }
    }

    /// Whether a version with the same stamp has the same marks as a stored item without waiting operations.
    fn is_same(&self, n: &Notification, was: &ItemState) -> bool {
        let read = match was.view {
            Some(_) => was.is_read(),
            None => was.marks.read.is_some(),
        };
        !self.overlay.any
            && !was.deleted
            && read == n.read_at.is_some()
            && (was.marks.seen, was.marks.archived, was.marks.snoozed)
                == (n.seen_at, n.archived_at, n.snoozed_until)
    }

    /// Queues the marks again that were acknowledged in a history that the server has lost.
    fn keep_marks(&mut self, was: &ItemState, is: &ItemState) -> Result<()> {
        let mut marks = Vec::new();
        let (here, there) = (&was.marks, &is.marks);
        if is.view.is_none() && here.read.is_some() != there.read.is_some() {
            marks.push(if here.read.is_some() { Mark::Read } else { Mark::Unread });
        }
        if here.archived.is_some() != there.archived.is_some() {
            marks.push(if here.archived.is_some() { Mark::Archive } else { Mark::Unarchive });
        }
        if here.seen.is_some() && there.seen.is_none() {
            marks.push(Mark::Seen);
        }
        match here.snoozed {
            Some(until) if until > self.now && here.snoozed != there.snoozed => {
                marks.insert(0, Mark::Snooze { until });
            }
            None if there.snoozed.is_some_and(|until| until > self.now) => marks.push(Mark::Unsnooze),
            _ => {}
        }
        if was.deleted {
            marks.push(Mark::Delete);
        }
        marks.into_iter().try_for_each(|mark| self.queue(mark, &[was.named()]))
    }
}
