//! The model's rules of reading: marks, views and receipts, and the unread counts, which are recounted at every call.

use std::collections::{BTreeMap, BTreeSet};

use tidings_model::wire::Change;
use tidings_model::{Kind, Mark, MsgId, Stamp};

use super::{Entry, Position, PublicationKind, Receipt, Rules};

/// An operation of a reader on the inbox.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ReaderOp {
    /// A mark on the named items, put at a time.
    Mark { mark: Mark, items: Vec<Position>, at: Stamp },
    /// Marks a view as read up to and including a time.
    Visit { view: String, through: Stamp },
    /// Answers a question at a time.
    Answer { item: Option<Position>, at: Stamp },
    /// Marks everything, or all of one kind, as read up to and including a time.
    ReadAll { kind: Option<Kind>, through: Stamp },
}

impl ReaderOp {
    /// A mark that does not say when it was put.
    pub const fn mark(mark: Mark, items: Vec<Position>) -> Self {
        Self::mark_at(mark, items, Stamp::MAX)
    }

    /// A mark that was put at a time.
    pub const fn mark_at(mark: Mark, items: Vec<Position>, at: Stamp) -> Self {
        Self::Mark { mark, items, at }
    }
}

/// An operation on named items, selected by a number that a random history draws.
pub fn change(how: u8, msgids: Vec<MsgId>, until: Stamp) -> Change {
    let marks = Mark::of_items(until);
    Change::Mark { mark: marks[usize::from(how) % marks.len()], msgids, at: None }
}

/// The numbers of unread items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Counts {
    pub announcement: u64,
    pub reminder: u64,
    pub message: u64,
    pub conversations: BTreeMap<String, u64>,
}

impl Counts {
    /// The number of unread items of all kinds.
    pub fn total(&self) -> u64 {
        self.announcement + self.reminder + self.message
    }
}

impl Entry {
    /// When the reader last put a mark of a pair, or when the state that it takes back began. A mark of a time that is still
    /// to come was put by a wrong clock, and counts for nothing.
    fn later_mark(&self, pair: usize, now: Stamp) -> Stamp {
        let state = match pair {
            0 if self.read => self.since[0],
            1 if self.archived => self.since[1],
            _ => Stamp::ZERO,
        };
        if self.marked[pair] <= now { self.marked[pair].max(state) } else { state }
    }

    /// The time at which a mark counts as put; `earliest` is that of the last opposite, or of the creation. One that does not
    /// say its time gives way to nothing.
    fn put_at(&self, at: Stamp, (wall, now): (Stamp, Stamp), earliest: Stamp) -> Stamp {
        match at {
            Stamp::MAX if now > Stamp::ZERO => wall.max(earliest).max(self.revised.unwrap_or(earliest)),
            _ => at.min(now),
        }
    }
}

impl Rules {
    /// Converts a wire operation; `last` is the newest stamp that the server has handed out.
    pub fn op(&self, change: &Change, last: Stamp) -> ReaderOp {
        match change {
            Change::Mark { mark, msgids, at } => {
                let items = msgids.iter().filter_map(|id| self.find(id.as_str())).collect();
                ReaderOp::Mark { mark: *mark, items, at: at.unwrap_or(Stamp::MAX) }
            }
            Change::Answer { msgids: [id], at, .. } => {
                ReaderOp::Answer { item: self.find(id.as_str()), at: at.unwrap_or(Stamp::MAX) }
            }
            Change::Visit { view, at } => {
                ReaderOp::Visit { view: view.to_string(), through: at.unwrap_or(last) }
            }
            Change::ReadAll { kind, through } => {
                ReaderOp::ReadAll { kind: *kind, through: (*through).min(last) }
            }
        }
    }

    /// Applies an operation to a user's inbox.
    pub fn apply(&mut self, id: &str, reader_op: &ReaderOp) {
        match reader_op {
            ReaderOp::Mark { mark, items, at } => {
                for nth in items {
                    self.mark(id, *nth, *mark, *at);
                }
            }
            ReaderOp::Visit { view, through } => {
                self.forward(id, view, *through);
            }
            ReaderOp::Answer { item, at } => self.answer(id, *item, *at),
            ReaderOp::ReadAll { kind, through } => self.read_all(id, *kind, *through),
        }
    }

    fn mark(&mut self, id: &str, nth: Position, mark: Mark, at: Stamp) {
        let (wall, now) = (self.now, self.clock);
        let (view, read, created) =
            (self.view(id, nth), self.is_marked_read(id, nth), self.history[nth].stamp);
        let by_view = self.users[id].marks_read.get(&view).filter(|at| **at <= now).copied();
        let by_view = by_view.filter(|_| mark == Mark::Unread && self.is_covered(id, nth));
        let is_timed = self.clock > Stamp::ZERO;
        let is_message = self.kind(nth) == Kind::Message;
        let Some(entry) = self.user(id).inbox.get_mut(&nth).filter(|entry| !entry.deleted) else { return };
        let auto = entry.auto;
        let pair = match mark {
            Mark::Read | Mark::Unread => Some(0),
            Mark::Archive | Mark::Unarchive => Some(1),
            Mark::Snooze { .. } | Mark::Unsnooze => Some(2),
            _ => None,
        };
        let revised = entry.revised.filter(|_| is_timed);
        let later = pair.map_or(Stamp::ZERO, |pair| entry.later_mark(pair, now));
        let later = later.max(by_view.unwrap_or(Stamp::ZERO));
        let at = entry.put_at(at, (wall, now), later.max(created));
        let is_older = revised.is_some_and(|revised| at < revised);
        if let Some(pair) = pair {
            if at < later || (mark == Mark::Archive && is_older) {
                return;
            }
            entry.marked[pair] = at;
        }
        let is_older = is_older && !is_message;
        let content = entry.revised.filter(|_| !is_message && !is_older).unwrap_or(created);
        match mark {
            Mark::Read if auto => {
                if self.forward(id, &view, content) {
                    self.user(id).marks_read.insert(view, at);
                }
            }
            Mark::Read if is_older => {}
            // Moves the view's mark back to just before the item.
            Mark::Unread if auto && read => {
                entry.read = false;
                if let Some(mark) = self.user(id).marks.get_mut(&view) {
                    *mark = created.plus_micros(-1).min(*mark);
                }
            }
            Mark::Unread if auto => {}
            Mark::Read if entry.read => {}
            Mark::Read => (entry.read, entry.since[0]) = (true, at),
            Mark::Unread => entry.read = false,
            Mark::Seen => entry.seen = true,
            Mark::Archive if entry.archived => {}
            Mark::Archive => (entry.archived, entry.since[1]) = (true, at),
            Mark::Unarchive => entry.archived = false,
            Mark::Snooze { until } => entry.snoozed = Some(until),
            Mark::Unsnooze => entry.snoozed = None,
            Mark::Delete => entry.deleted = true,
            other => panic!("{} is no operation", other.name()),
        }
    }

    /// Answers a question that the inbox has: the item is read for who answers, at that time.
    fn answer(&mut self, id: &str, item: Option<Position>, at: Stamp) {
        let has = |nth: &Position| self.users[id].inbox.get(nth).is_some_and(|entry| !entry.deleted);
        let Some(nth) = item.filter(has) else { return };
        if !self.close(nth) {
            return;
        }
        let (wall, now, created) = (self.now, self.clock, self.history[nth].stamp);
        let Some(entry) = self.user(id).inbox.get_mut(&nth) else { return };
        entry.closed = true;
        let later = entry.later_mark(0, now);
        let at = entry.put_at(at, (wall, now), later.max(created));
        if at >= later {
            entry.marked[0] = at;
            if !entry.read {
                (entry.read, entry.since[0]) = (true, at);
            }
        }
    }

    /// Moves a view's mark forward; false if it is there. For a group conversation this makes receipts for the messages that
    /// the mark covers.
    fn forward(&mut self, id: &str, view: &str, through: Stamp) -> bool {
        let mark = self.user(id).marks.entry(view.to_owned()).or_default();
        if *mark >= through {
            return false;
        }
        *mark = through;
        let Some(group) = view.strip_prefix("conversation/group:") else { return true };
        for (nth, published) in self.history.iter().enumerate().take_while(|(_, p)| p.stamp <= through) {
            let PublicationKind::Group { gid, from, members } = &published.kind else { continue };
            let counts = gid == group && from != id && members.contains(id);
            if counts && self.read_by.insert((nth, id.to_owned())) {
                self.receipts.push(Receipt { message: nth, reader: id.to_owned(), unacknowledged: true });
            }
        }
        true
    }

    fn read_all(&mut self, id: &str, kind: Option<Kind>, through: Stamp) {
        let clock = self.clock;
        for wanted in Kind::ALL.into_iter().filter(|k| kind.is_none_or(|kind| kind == *k)) {
            let unread: Vec<Position> = self.unread_up_to(id, wanted, through);
            for nth in unread {
                let entry = self.user(id).inbox.get_mut(&nth).unwrap();
                if entry.auto {
                    self.forward(id, &self.view(id, nth), through);
                } else {
                    (entry.read, entry.since[0]) = (true, clock);
                }
            }
        }
    }

    /// The items that are not read, including archived and snoozed ones.
    fn unread_up_to(&self, id: &str, kind: Kind, through: Stamp) -> Vec<Position> {
        let unread = |nth: &Position, entry: &Entry| {
            self.history[*nth].stamp <= through
                && self.kind(*nth) == kind
                && !entry.deleted
                && !entry.closed
                && !self.own(id, *nth)
                && !self.is_read(id, *nth)
        };
        let inbox = self.users[id].inbox.iter();
        inbox.filter(|(nth, entry)| unread(nth, entry)).map(|(nth, _)| *nth).collect()
    }

    /// The time that the view's mark has to reach to cover an item, and by which lists go. It is the item's revision,
    /// or its publication; of a message always the latter.
    pub fn content_at(&self, id: &str, nth: Position) -> Stamp {
        let revised = self.users[id].inbox.get(&nth).and_then(|entry| entry.revised);
        let revised = revised.filter(|_| self.kind(nth) != Kind::Message);
        revised.unwrap_or(self.history[nth].stamp)
    }

    /// Whether an item is read: by a mark, or because the user announced it.
    pub fn is_read(&self, id: &str, nth: Position) -> bool {
        let is_poster = self.kind(nth) == Kind::Announcement && self.own(id, nth);
        self.is_marked_read(id, nth) || (is_poster && self.users[id].inbox.contains_key(&nth))
    }

    /// Whether an item is read by its own mark or by its view's.
    fn is_marked_read(&self, id: &str, nth: Position) -> bool {
        let entry = self.users[id].inbox.get(&nth);
        entry.is_some_and(|entry| entry.read) || self.is_covered(id, nth)
    }

    /// Whether the mark of its view makes an item read.
    fn is_covered(&self, id: &str, nth: Position) -> bool {
        let user = &self.users[id];
        let mark = user.marks.get(&self.view(id, nth));
        user.inbox.get(&nth).is_some_and(|entry| entry.auto)
            && mark.is_some_and(|mark| *mark >= self.content_at(id, nth))
    }

    /// Whether an item counts as unread.
    pub fn is_unread(&self, id: &str, nth: Position, now: Stamp) -> bool {
        let Some(entry) = self.users[id].inbox.get(&nth) else { return false };
        let asleep = entry.snoozed.is_some_and(|until| until > now);
        !(entry.deleted
            || entry.archived
            || entry.closed
            || asleep
            || self.own(id, nth)
            || self.is_read(id, nth))
    }

    /// The numbers of unread items, recounted.
    pub fn unread(&self, id: &str, now: Stamp) -> Counts {
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

    /// The ids of the members who have read a message.
    pub fn readers(&self, message: Position) -> Vec<&str> {
        let of = (message, String::new())..(message + 1, String::new());
        self.read_by.range(of).map(|(_, reader)| reader.as_str()).collect()
    }

    /// Records that a device of the user has pulled all that is in the inbox.
    pub fn arrive(&mut self, id: &str) {
        for nth in self.users[id].inbox.keys() {
            if let PublicationKind::Group { from, .. } = &self.history[*nth].kind
                && from != id
            {
                self.pulled_by.insert((*nth, id.to_owned()));
            }
        }
    }

    /// The ids of the members with whom a message has arrived: who have pulled it, or read it.
    pub fn arrived(&self, message: Position) -> BTreeSet<&str> {
        let of = || (message, String::new())..(message + 1, String::new());
        self.read_by.range(of()).chain(self.pulled_by.range(of())).map(|(_, id)| id.as_str()).collect()
    }

    /// The receipts that a sender has not acknowledged, as message and reader.
    pub fn unacknowledged_receipts(&self, sender: &str) -> Vec<(Position, String)> {
        let unacknowledged = |r: &&Receipt| r.unacknowledged && self.own(sender, r.message);
        self.receipts.iter().filter(unacknowledged).map(|r| (r.message, r.reader.clone())).collect()
    }

    /// Records that the sender acknowledged these receipts.
    pub fn acknowledge(&mut self, these: &BTreeSet<(Position, String)>) {
        for receipt in &mut self.receipts {
            receipt.unacknowledged &= !these.contains(&(receipt.message, receipt.reader.clone()));
        }
    }
}
