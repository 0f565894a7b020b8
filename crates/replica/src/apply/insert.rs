//! Inserting an item that the replica does not have.

use tidings_model::{Kind, Notification};
use tidings_replica_tables::item_state::{ItemState, Marks};
use tidings_replica_tables::{items, questions};

use super::{Outcome, Pull, SearchRow, on_arrival};
use crate::Result;

impl Pull<'_> {
    /// The state of an item according to the server, without local marks.
    pub(super) fn server_item_state(&mut self, n: &Notification) -> Result<ItemState> {
        let view = self.view_of(n)?;
        let thread = self.aggregates.thread(self.source, &n.thread, n.kind)?;
        self.mute_with_origin(thread, &n.thread)?;
        let mut state = ItemState {
            id: 0,
            source: self.source,
            msgid: n.msgid.0.clone(),
            thread,
            generation: self.generation,
            stamp: n.stamp,
            kind: n.kind,
            created_at: n.created_at,
            revised_at: n.revised_at.filter(|_| n.kind != Kind::Message),
            listed_at: n.content_at(),
            own: self.is_own(n),
            priority: n.content.priority.get(),
            view: view.as_ref().map(|view| view.id),
            through: view.as_ref().and_then(|view| view.through),
            marks: Marks {
                seen: n.seen_at,
                // A read time that differs from the view's mark is a read mark of this item alone.
                read: n.read_at.filter(|read| view.is_none_or(|view| view.server_through != Some(*read))),
                archived: n.archived_at,
                snoozed: n.snoozed_until,
            },
            asleep: false,
            deleted: false,
            unread: false,
            question_due: questions::due(n),
            clock_offset: self.clock_offset,
        };
        state.derive(self.now);
        Ok(state)
    }

    /// Inserts an item; `None` if the replica has it already.
    pub(super) fn insert(&mut self, n: &Notification, nth: usize) -> Result<Option<Outcome>> {
        if self.has_tombstones && self.is_deleted(n)? {
            return Ok(Some(Outcome::Ignored));
        }
        let mut state = self.server_item_state(n)?;
        let effect = self.evaluate(n, &state);
        state.priority = effect.priority;
        let Some(id) = items::insert(self.tx, n, &state)? else { return Ok(None) };
        state.id = id;
        if !self.overlay.ranges.is_empty() {
            self.overlay.apply(self.tx, &mut state)?;
            state.derive(self.now);
            state.write(self.tx)?;
        }
        if effect.archive {
            self.archive_by_rule(&mut state)?;
        }
        let actor = if state.own { None } else { Some(&n.actor) };
        self.aggregates.add_item(state.thread, &state.flags(), actor)?;
        self.search_rows.push(SearchRow { item: id, nth, replaces: false, priority: state.priority });
        let arrived = on_arrival::arrived_at(n);
        self.apply_effect(&effect, &state, arrived)?;
        if state.unread && !effect.archive && !effect.read {
            self.unread_arrivals.push((state.thread, arrived));
        }
        let ItemState { thread, unread, priority, .. } = state;
        Ok(Some(Outcome::Stored { item: id, thread, new: true, unread, unread_again: false, priority }))
    }
}
