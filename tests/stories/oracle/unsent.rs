//! Marks made on a device that the server has not received: the device shows them, whatever it pulls.

use std::collections::{BTreeMap, BTreeSet};

use tidings_model::{Kind, Mark, Stamp};
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

    /// Asserts that an unsent mark takes precedence over the pulled state, and a later mark over an earlier one.
    pub(crate) fn assert_unsent_marks_show(&self, rules: &Rules, woken: &BTreeSet<Position>) {
        let expected = self.expected_marks(rules).into_iter();
        for ((nth, _), (mark, at)) in
            expected.filter(|((nth, state_part), _)| *state_part != "snoozed" || !woken.contains(nth))
        {
            match self.item(&rules.history[nth].msgid) {
                // An item that was read or put away before a revision leaves the revision as it is.
                Some(item)
                    if matches!(mark, Mark::Read | Mark::Archive)
                        && rules.kind(nth) != Kind::Message
                        && item.notification.revised_at > Some(at) => {}
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

    /// Items snoozed here or at the server, which a new item in their threads may wake on this device.
    pub(crate) fn snoozed_items(&self, rules: &Rules) -> BTreeSet<Position> {
        let mut asleep = BTreeSet::new();
        if !self.wakes_early {
            return asleep;
        }
        let now = self.now();
        let at_the_server =
            rules.users[self.user].inbox.iter().filter(|(_, entry)| entry.snoozed > Some(now));
        asleep.extend(at_the_server.map(|(nth, _)| *nth));
        let waits = |((nth, state_part), _)| (state_part == "snoozed").then_some(nth);
        asleep.extend(self.expected_marks(rules).into_iter().filter_map(waits));
        asleep
    }

    /// Adds an operation to `waiting` for each item that the device woke. Such an item has an operation waiting, is no
    /// longer snoozed, and no mark of the reader names it. Returns the items for which a mark of the reader makes this
    /// ambiguous.
    pub(crate) fn note_woken(&mut self, rules: &Rules, mut slept: BTreeSet<Position>) -> BTreeSet<Position> {
        slept.extend(self.snoozed_items(rules));
        if self.replica().counts().unwrap().waiting == 0 {
            self.uncertain.clear();
        }
        let marks = self.unsent_ops.iter().filter_map(|reader_op| match reader_op {
            ReaderOp::Mark { items, .. } => Some(items),
            _ => None,
        });
        let named: BTreeSet<Position> = marks.flatten().chain(&self.uncertain).copied().collect();
        let now = self.now();
        slept.retain(|nth| {
            let item = self.item(&rules.history[*nth].msgid);
            item.is_some_and(|item| item.pending && item.notification.snoozed_until <= Some(now))
        });
        let woken: Vec<Position> = slept.difference(&named).copied().collect();
        slept.retain(|nth| named.contains(nth));
        if !woken.is_empty() {
            self.unsent_ops.push(ReaderOp::mark_at(Mark::Unsnooze, woken, self.acted_at()));
        }
        slept
    }

    /// Resolves the ambiguous items once everything is delivered: those no longer snoozed on the device were woken.
    pub(crate) fn apply_woken(&self, rules: &mut Rules, uncertain: &BTreeSet<Position>) {
        let now = Some(self.now());
        for nth in uncertain {
            let awake = |msgid: &str| self.item(msgid).is_some_and(|i| i.notification.snoozed_until <= now);
            if awake(&rules.history[*nth].msgid) && rules.users[self.user].inbox[nth].snoozed > now {
                rules.apply(self.user, &ReaderOp::mark_at(Mark::Unsnooze, vec![*nth], self.acted_at()));
            }
        }
    }
}
