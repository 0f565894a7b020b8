//! The rules of reading: marks, views, receipts and the numbers that follow from them. Refuses to count anything before
//! it is asked: every number is a recount.

use std::collections::{BTreeMap, BTreeSet};

use tidings_model::{Kind, Stamp};

use super::rules::{Entry, Nth, Receipt, Rules, What};

/// What a reader does to an inbox, wherever it is done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Deed {
    /// An operation that names items.
    Mark { op: &'static str, items: Vec<Nth>, until: Option<Stamp> },
    /// Looks at a view, up to but without this publication.
    Visit { view: String, upto: Nth },
    /// Reads everything before this publication.
    ReadAll { kind: Option<Kind>, upto: Nth },
}

/// Unread items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) announcement: u64,
    pub(crate) reminder: u64,
    pub(crate) message: u64,
    pub(crate) conversations: BTreeMap<String, u64>,
}

impl Counts {
    pub(crate) fn total(&self) -> u64 {
        self.announcement + self.reminder + self.message
    }
}

impl Rules {
    pub(crate) fn apply(&mut self, id: &str, deed: &Deed) {
        match deed {
            Deed::Mark { op, items, until } => {
                for nth in items {
                    self.mark(id, *nth, op, *until);
                }
            }
            Deed::Visit { view, upto } => self.forward(id, view, *upto),
            Deed::ReadAll { kind, upto } => self.read_all(id, *kind, *upto),
        }
    }

    fn mark(&mut self, id: &str, nth: Nth, op: &str, until: Option<Stamp>) {
        let (auto, view, read) = (self.auto(nth), self.view(id, nth), self.is_read(id, nth));
        let Some(entry) = self.user(id).inbox.get_mut(&nth).filter(|entry| !entry.deleted) else { return };
        match op {
            "read" if auto => self.forward(id, &view, nth + 1),
            // Back to just before it.
            "unread" if auto && read => drop(self.user(id).marks.insert(view, nth)),
            "unread" if auto => {}
            "read" => entry.read = true,
            "unread" => entry.read = false,
            "seen" => entry.seen = true,
            "archive" => entry.archived = true,
            "unarchive" => entry.archived = false,
            "snooze" => entry.snoozed = until,
            "unsnooze" => entry.snoozed = None,
            "delete" => entry.deleted = true,
            other => panic!("{other} is no operation"),
        }
    }

    /// Moves a view's mark forward. In a group that is the member's acknowledgement.
    fn forward(&mut self, id: &str, view: &str, upto: Nth) {
        let mark = self.user(id).marks.entry(view.to_owned()).or_default();
        if *mark >= upto {
            return;
        }
        *mark = upto;
        let Some(group) = view.strip_prefix("conversation/group:") else { return };
        for nth in 0..upto {
            let What::Group { gid, from, members } = &self.history[nth].what else { continue };
            let counts = gid == group && from != id && members.contains(id);
            if counts && self.read_by.insert((nth, id.to_owned())) {
                self.receipts.push(Receipt { message: nth, reader: id.to_owned(), waits: true });
            }
        }
    }

    fn read_all(&mut self, id: &str, kind: Option<Kind>, upto: Nth) {
        for wanted in Kind::ALL.into_iter().filter(|k| kind.is_none_or(|kind| kind == *k)) {
            let unread: Vec<Nth> = self.unread_before(id, wanted, upto);
            for nth in unread {
                if self.auto(nth) {
                    self.forward(id, &self.view(id, nth), upto);
                } else if let Some(entry) = self.user(id).inbox.get_mut(&nth) {
                    entry.read = true;
                }
            }
        }
    }

    /// Whatever has not been read, also where it is archived or asleep.
    fn unread_before(&self, id: &str, kind: Kind, upto: Nth) -> Vec<Nth> {
        let user = &self.users[id];
        let unread = |nth: &Nth, entry: &Entry| {
            self.kind(*nth) == kind && !entry.deleted && !self.own(id, *nth) && !self.is_read(id, *nth)
        };
        user.inbox.range(..upto).filter(|(nth, entry)| unread(nth, entry)).map(|(nth, _)| *nth).collect()
    }

    pub(crate) fn is_read(&self, id: &str, nth: Nth) -> bool {
        let user = &self.users[id];
        if self.auto(nth) {
            return user.marks.get(&self.view(id, nth)).is_some_and(|mark| *mark > nth);
        }
        user.inbox.get(&nth).is_some_and(|entry| entry.read)
    }

    pub(crate) fn is_unread(&self, id: &str, nth: Nth, now: Stamp) -> bool {
        let Some(entry) = self.users[id].inbox.get(&nth) else { return false };
        let asleep = entry.snoozed.is_some_and(|until| until > now);
        !(entry.deleted || entry.archived || asleep || self.own(id, nth) || self.is_read(id, nth))
    }

    pub(crate) fn unread(&self, id: &str, now: Stamp) -> Counts {
        let mut counts = Counts::default();
        for nth in self.users[id].inbox.keys().filter(|nth| self.is_unread(id, **nth, now)) {
            match self.kind(*nth) {
                Kind::Announcement => counts.announcement += 1,
                Kind::Reminder => counts.reminder += 1,
                Kind::Message => {
                    counts.message += 1;
                    *counts.conversations.entry(self.conversation(id, *nth).unwrap()).or_default() += 1;
                }
            }
        }
        counts
    }

    /// Who has read a message, by id.
    pub(crate) fn readers(&self, message: Nth) -> Vec<&str> {
        let of = (message, String::new())..(message + 1, String::new());
        self.read_by.range(of).map(|(_, reader)| reader.as_str()).collect()
    }

    /// What is on its way to a sender: the message and who read it.
    pub(crate) fn waiting_for(&self, sender: &str) -> Vec<(Nth, String)> {
        let waits = |r: &&Receipt| r.waits && self.own(sender, r.message);
        self.receipts.iter().filter(waits).map(|r| (r.message, r.reader.clone())).collect()
    }

    /// Their sender has these.
    pub(crate) fn delivered(&mut self, these: &BTreeSet<(Nth, String)>) {
        for receipt in &mut self.receipts {
            receipt.waits &= !these.contains(&(receipt.message, receipt.reader.clone()));
        }
    }
}
