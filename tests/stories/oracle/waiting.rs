//! What was done on a device and not heard of yet: it shows there, whatever a pull says. Refuses to take what a server
//! knows for more than that.

use std::collections::{BTreeMap, BTreeSet};

use tidings_model::Stamp;
use tidings_replica::Mark;

use super::{
    deeds::shows,
    device::Device,
    reading::Deed,
    rules::{Nth, Rules},
};

/// What an item must show, by the part of its state that an operation is about.
type Wanted = BTreeMap<(Nth, &'static str), Mark>;

fn mark(op: &str, until: Option<Stamp>) -> (&'static str, Mark) {
    match op {
        "read" => ("read", Mark::Read),
        "unread" => ("read", Mark::Unread),
        "seen" => ("seen", Mark::Seen),
        "archive" => ("archived", Mark::Archive),
        "unarchive" => ("archived", Mark::Unarchive),
        "snooze" => ("snoozed", Mark::Snooze { until: until.unwrap() }),
        "unsnooze" => ("snoozed", Mark::Unsnooze),
        _ => ("deleted", Mark::Delete),
    }
}

impl Device {
    /// What was done here last to each item; what looking at a view reads is left to the numbers.
    fn wanted(&self, rules: &Rules) -> Wanted {
        let mut wanted = Wanted::new();
        for deed in &self.waiting {
            match deed {
                Deed::Mark { op, items, until } => {
                    let (part, mark) = mark(op, *until);
                    for nth in items.iter().filter(|nth| part != "read" || !rules.auto(**nth)) {
                        wanted.insert((*nth, part), mark);
                    }
                }
                Deed::ReadAll { kind, upto } => {
                    for ((nth, part), mark) in &mut wanted {
                        if *part == "read" && nth < upto && kind.is_none_or(|kind| rules.kind(*nth) == kind) {
                            *mark = Mark::Read;
                        }
                    }
                }
                Deed::Visit { .. } => {}
            }
        }
        wanted
    }

    /// The device's own word wins for as long as it waits; the later one of two is its own, too.
    pub(crate) fn shows_what_waits(&self, rules: &Rules, woken: &BTreeSet<Nth>) {
        let wanted = self.wanted(rules).into_iter();
        for ((nth, _), mark) in wanted.filter(|((nth, part), _)| *part != "snoozed" || !woken.contains(nth)) {
            match self.item(&rules.history[nth].msgid) {
                Some(item) => {
                    assert!(shows(&item, mark), "{mark:?} of {nth} shows on the {}: {item:?}", self.name);
                }
                // Deleted here, or there: from that there is no way back.
                None => assert!(
                    mark == Mark::Delete || rules.users[self.user].inbox[&nth].deleted || self.deleted(nth)
                ),
            }
        }
    }

    fn deleted(&self, nth: Nth) -> bool {
        let deletes =
            |deed: &Deed| matches!(deed, Deed::Mark { op: "delete", items, .. } if items.contains(&nth));
        self.waiting.iter().any(deletes)
    }

    /// What sleeps here or at the server: something new in its thread may wake it here.
    pub(crate) fn sleepers(&self, rules: &Rules) -> BTreeSet<Nth> {
        let mut asleep = BTreeSet::new();
        if !self.wakes_early {
            return asleep;
        }
        let now = self.now();
        let at_the_server =
            rules.users[self.user].inbox.iter().filter(|(_, entry)| entry.snoozed > Some(now));
        asleep.extend(at_the_server.map(|(nth, _)| *nth));
        let waits = |((nth, part), _)| (part == "snoozed").then_some(nth);
        asleep.extend(self.wanted(rules).into_iter().filter_map(waits));
        asleep
    }

    /// Where something waits for one that does not sleep any more, and nobody did anything to it, the device woke it and
    /// will say so. Answers those for which that cannot be told apart.
    pub(crate) fn notes_who_woke(&mut self, rules: &Rules, mut slept: BTreeSet<Nth>) -> BTreeSet<Nth> {
        slept.extend(self.sleepers(rules));
        if self.replica().counts().unwrap().waiting == 0 {
            self.unsure.clear();
        }
        let marks = self.waiting.iter().filter_map(|deed| match deed {
            Deed::Mark { items, .. } => Some(items),
            _ => None,
        });
        let named: BTreeSet<Nth> = marks.flatten().chain(&self.unsure).copied().collect();
        let now = self.now();
        slept.retain(|nth| {
            let item = self.item(&rules.history[*nth].msgid);
            item.is_some_and(|item| item.pending && item.notification.snoozed_until <= Some(now))
        });
        let woken: Vec<Nth> = slept.difference(&named).copied().collect();
        slept.retain(|nth| named.contains(nth));
        if !woken.is_empty() {
            self.waiting.push(Deed::Mark { op: "unsnooze", items: woken, until: None });
        }
        slept
    }

    /// Everything is heard: what is awake here now was woken.
    pub(crate) fn woke(&self, rules: &mut Rules, unsure: &BTreeSet<Nth>) {
        let now = Some(self.now());
        for nth in unsure {
            let awake = |msgid: &str| self.item(msgid).is_some_and(|i| i.notification.snoozed_until <= now);
            if awake(&rules.history[*nth].msgid) && rules.users[self.user].inbox[nth].snoozed > now {
                rules.user(self.user).inbox.get_mut(nth).unwrap().snoozed = None;
            }
        }
    }
}
