//! Marks made on a device that the server has not received: the device shows them, whatever it pulls. The server
//! receives them with those by which the device woke items.

use std::collections::{BTreeMap, BTreeSet};

use tidings_model::{Kind, Mark, Stamp, wire};
use tidings_testkit::rules::{Position, ReaderOp, Rules};

use super::{device::Device, device_marks::shows};

/// The mark that an item must show and when it was put, by item and the part of its state that the operation sets.
type ExpectedMarks = BTreeMap<(Position, &'static str), (Mark, Stamp)>;

/// The part of an item's state that a mark changes.
fn state_part(mark: Mark) -> &'static str {
    match mark {
        Mark::Read | Mark::Unread => "read",
        Mark::Seen => "seen",
        Mark::Archive | Mark::Unarchive => "archived",
        Mark::Snooze { .. } | Mark::Unsnooze => "snoozed",
        _ => "deleted",
    }
}

impl Device {
    /// The last unsent mark of each item; visits of views are checked through the counts.
    fn expected_marks(&self, rules: &Rules) -> ExpectedMarks {
        let mut expected = ExpectedMarks::new();
        for reader_op in &self.unsent_ops {
            match reader_op {
                ReaderOp::Mark { mark, items, at } => {
                    let state_part = state_part(*mark);
                    for nth in items.iter().filter(|nth| state_part != "read" || !rules.auto(**nth)) {
                        expected.insert((*nth, state_part), (*mark, *at));
                    }
                }
                ReaderOp::ReadAll { kind, through } => {
                    for ((nth, state_part), mark) in &mut expected {
                        if *state_part == "read"
                            && rules.history[*nth].stamp <= *through
                            && kind.is_none_or(|kind| rules.kind(*nth) == kind)
                        {
                            *mark = (Mark::Read, Stamp::MAX);
                        }
                    }
                }
                ReaderOp::Visit { .. } | ReaderOp::Answer { .. } => {}
            }
        }
        expected
    }

    /// Asserts, after any pull, complete or not, that an unsent mark takes precedence over the pulled state, and a later mark
    /// over an earlier one.
    pub(crate) fn assert_unsent_marks_show(&self, rules: &Rules) {
        for ((nth, _), (mark, at)) in self.expected_marks(rules) {
            match self.item(&rules.history[nth].msgid) {
                // An item that was read or put away before a revision leaves the revision as it is.
                Some(item)
                    if matches!(mark, Mark::Read | Mark::Archive)
                        && rules.kind(nth) != Kind::Message
                        && item.notification.revised_at > Some(at) => {}
                // A new item in its thread has woken it.
                Some(item)
                    if self.wakes_early
                        && matches!(mark, Mark::Snooze { .. })
                        && item.notification.snoozed_until.is_none() => {}
                Some(item) => {
                    assert!(shows(&item, mark), "{mark:?} of {nth} shows on the {}: {item:?}", self.name);
                }
                // Deleted on this device or at the server, which is final.
                None => assert!(
                    mark == Mark::Delete || rules.users[self.user].inbox[&nth].deleted || self.deleted(nth)
                ),
            }
        }
    }

    fn deleted(&self, nth: Position) -> bool {
        let deletes = |reader_op: &ReaderOp| matches!(reader_op, ReaderOp::Mark { mark: Mark::Delete, items, .. } if items.contains(&nth));
        self.unsent_ops.iter().any(deletes)
    }

    /// What the server has received with these operations, in the order of the outbox: all that waited of the reader, and
    /// what the device did to wake items. The latter is known from the request alone, for the items don't tell. A device
    /// may wake one and send that in the same pull, or not know yet that another device has snoozed it.
    ///
    /// A request that was held back has no operation made after `upto` of the device's operations; `None` for one that
    /// arrives at once.
    pub(crate) fn received(
        &mut self,
        rules: &Rules,
        ops: Vec<wire::Op>,
        upto: Option<usize>,
    ) -> Vec<ReaderOp> {
        let sent = upto.map_or(usize::MAX, |upto| upto.saturating_sub(self.received_ops));
        let later = self.unsent_ops.split_off(sent.min(self.unsent_ops.len()));
        let mut waiting = std::mem::replace(&mut self.unsent_ops, later);
        self.received_ops += waiting.len();
        let mut received = Vec::new();
        for op in ops {
            let is_new = self.sent.insert(op.id);
            let sent = rules.op(&op.change, Stamp::MAX);
            let Some((mark, items)) = snooze_of(&sent).filter(|_| is_new) else { continue };
            let next = waiting.iter().enumerate().find_map(|(nth, one)| Some((nth, snooze_of(one)?)));
            match next {
                Some((nth, made)) if made.0 == mark && made.1.is_superset(&items) => {
                    received.extend(waiting.drain(..=nth));
                }
                _ if self.wakes_early && mark == Mark::Unsnooze => received.push(sent),
                // The rest of a mark on very many items. If it is anything else, the rules and the server will differ.
                _ => {}
            }
        }
        received.extend(waiting);
        received
    }
}

/// The mark and the items of an operation that snoozes items or wakes them.
fn snooze_of(reader_op: &ReaderOp) -> Option<(Mark, BTreeSet<Position>)> {
    match reader_op {
        ReaderOp::Mark { mark: mark @ (Mark::Snooze { .. } | Mark::Unsnooze), items, .. } => {
            Some((*mark, items.iter().copied().collect()))
        }
        _ => None,
    }
}
