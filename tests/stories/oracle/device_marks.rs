//! A reader's marks on a device, and the operations that they mean for the server, derived from the items that the
//! device shows rather than from its outbox.

use std::collections::BTreeMap;

use tidings_model::{Kind, MsgId, Stamp, View};
use tidings_replica::{Item, ItemFilter, Mark, Targets};
use tidings_testkit::rules::{Position, ReaderOp, Rules};

use super::device::Device;

/// Whether an item has the state that the mark sets.
pub(crate) fn shows(item: &Item, mark: Mark) -> bool {
    let n = &item.notification;
    match mark {
        Mark::Read => n.read_at.is_some(),
        Mark::Unread => n.read_at.is_none(),
        Mark::Seen => n.seen_at.is_some(),
        Mark::Archive => n.archived_at.is_some(),
        Mark::Unarchive => n.archived_at.is_none(),
        Mark::Snooze { until } => n.snoozed_until == Some(until),
        Mark::Unsnooze => n.snoozed_until.is_none(),
        _ => false,
    }
}

impl Device {
    /// Marks one item.
    pub(crate) fn mark(&mut self, rules: &Rules, item: &Item, mark: Mark) {
        let msgid = item.notification.msgid.clone();
        let reader_ops = self.reader_ops(rules, vec![item.clone()], mark);
        let again = self.unread_after(rules, vec![item.clone()], mark);
        self.replica().mark(Targets::MsgIds(vec![msgid.clone()]), mark).unwrap();
        match self.item(msgid.as_str()) {
            Some(item) => assert!(shows(&item, mark), "{mark:?} shows at once: {item:?}"),
            None => assert_eq!(mark, Mark::Delete, "{msgid} is still here"),
        }
        self.unsent_ops.extend(reader_ops.into_iter().chain(again));
    }

    /// Marks the thread of an item.
    pub(crate) fn mark_thread(&mut self, rules: &Rules, item: &Item, mark: Mark) {
        let now = self.now();
        let asleep = |i: &Item| i.notification.snoozed_until.is_some_and(|until| until > now);
        let mut items = self.thread(&item.notification.thread);
        items.retain(|i| match mark {
            Mark::Read => i.unread || (asleep(i) && !i.own),
            Mark::Unread => !i.own && i.notification.archived_at.is_none(),
            Mark::Seen => i.unread,
            Mark::Archive | Mark::Snooze { .. } => i.notification.archived_at.is_none(),
            Mark::Unsnooze => asleep(i),
            _ => true,
        });
        if mark == Mark::Unread {
            items.truncate(1);
        }
        let reader_ops = self.reader_ops(rules, items.clone(), mark);
        let is_read = items.iter().all(|i| !i.unread);
        let newest = items.iter().find(|i| !i.own).filter(|_| is_read).cloned();
        let again = self.unread_after(rules, newest.into_iter().collect(), mark);
        self.replica().mark(Targets::Threads(vec![item.thread]), mark).unwrap();
        for item in items {
            match self.item(item.notification.msgid.as_str()) {
                Some(item) => assert!(shows(&item, mark), "{mark:?} shows at once: {item:?}"),
                None => assert_eq!(mark, Mark::Delete),
            }
        }
        self.unsent_ops.extend(reader_ops.into_iter().chain(again));
    }

    /// What a snooze makes unread, so that it comes back unread.
    fn unread_after(&self, rules: &Rules, mut items: Vec<Item>, mark: Mark) -> Vec<ReaderOp> {
        items.retain(|i| mark.until().is_some() && !i.own && i.notification.archived_at.is_none());
        self.reader_ops(rules, items, Mark::Unread)
    }

    /// Marks everything as read, of one kind or of all, up to an item or up to the newest on the device.
    pub(crate) fn read_all(&mut self, kind: Option<Kind>, upto: Option<&Item>) {
        let now = self.now();
        let newest = self.shown(&ItemFilter::default(), 1).pop();
        let Some(last) = upto.or(newest.as_ref()) else { return };
        let through = match upto {
            Some(item) => item.notification.created_at,
            None => last.notification.content_at(),
        };
        let wakes = |i: &Item| i.notification.snoozed_until.is_some_and(|until| until > now) && !i.own;
        let any = self
            .shown(&ItemFilter { kind, ..ItemFilter::default() }, usize::MAX >> 1)
            .iter()
            .any(|i| i.notification.created_at <= through && (i.unread || wakes(i)));
        let given = upto.map(|item| item.notification.created_at);
        let targets = Targets::All { source: Some(self.source), kind, through: given };
        self.replica().mark(targets, Mark::Read).unwrap();
        for item in self.shown(&ItemFilter { kind, unread: true, ..ItemFilter::default() }, 10_000) {
            let n = &item.notification;
            let is_later = n.created_at > through || (n.auto && n.content_at() > through);
            assert!(is_later, "all before is read: {item:?}");
        }
        if any || given.is_some() {
            self.unsent_ops.push(ReaderOp::ReadAll { kind, through });
            self.read_all_waits = true;
        }
    }

    /// Visits the view of an item, up to the item or as a whole.
    pub(crate) fn visit(&mut self, rules: &Rules, item: &Item, all: bool) {
        let view = item.notification.view().unwrap();
        let before = self.through(&view);
        let at = (!all).then_some(item.notification.created_at);
        self.replica().visit(self.source, &view, at).unwrap();
        let Some(after) = self.through(&view) else {
            assert!(all && !rules.auto(number(rules, &item.notification.msgid)), "{view} was looked at");
            return;
        };
        assert!(all || after >= item.notification.created_at, "{view} was looked at up to {after}");
        if before.is_some_and(|before| before >= after) {
            return;
        }
        self.unsent_ops.push(ReaderOp::Visit { view: view.to_string(), through: after });
    }

    /// The operations that a mark on these items means for the server.
    fn reader_ops(&self, rules: &Rules, items: Vec<Item>, mark: Mark) -> Vec<ReaderOp> {
        let mut named: Vec<Position> = Vec::new();
        let mut views: BTreeMap<View, (Stamp, Position)> = BTreeMap::new();
        for item in items.into_iter().filter(|item| !shows(item, mark)) {
            let nth = number(rules, &item.notification.msgid);
            if rules.auto(nth) && matches!(mark, Mark::Read | Mark::Unread) {
                // Reading goes up to the newest content, the opposite back to before the oldest item.
                let n = &item.notification;
                let at = if mark == Mark::Read { n.content_at() } else { n.created_at };
                let view = n.view().unwrap();
                // What is read without its view's mark, as an answer reads its question, is named by itself.
                if mark == Mark::Unread && self.through(&view).is_none_or(|through| through < n.content_at())
                {
                    named.push(nth);
                }
                let furthest = views.entry(view).or_insert((at, nth));
                let further = if mark == Mark::Read { at > furthest.0 } else { at < furthest.0 };
                *furthest = if further { (at, nth) } else { *furthest };
            } else {
                named.push(nth);
            }
        }
        let mut reader_ops = Vec::new();
        if !named.is_empty() {
            reader_ops.push(ReaderOp::mark_at(mark, named, self.acted_at()));
        }
        for (view, (at, nth)) in views {
            let read = self.through(&view).filter(|through| *through >= at);
            match (mark, read) {
                (Mark::Read, None) => {
                    // What becomes read with the newest item is named too, since that one may be deleted by then.
                    let thread = rules.thread(self.user, nth);
                    let covered = self.thread(&thread).into_iter().map(|i| i.notification);
                    let items = covered
                        .filter(|n| n.auto && n.read_at.is_none() && n.content_at() <= at)
                        .map(|n| number(rules, &n.msgid))
                        .collect();
                    reader_ops.push(ReaderOp::mark_at(Mark::Read, items, self.acted_at()));
                }
                (Mark::Unread, Some(through)) => {
                    // Later items become unread with it. All are named, since the oldest may be deleted by then.
                    let thread = rules.thread(self.user, nth);
                    let covered = self.thread(&thread).into_iter().map(|i| i.notification);
                    let mut items: Vec<Position> = covered
                        .filter(|n| n.created_at >= at && n.content_at() <= through)
                        .map(|n| number(rules, &n.msgid))
                        .collect();
                    items.sort_unstable();
                    reader_ops.push(ReaderOp::mark_at(Mark::Unread, items, self.acted_at()));
                }
                _ => {}
            }
        }
        reader_ops
    }
}

fn number(rules: &Rules, msgid: &MsgId) -> Position {
    rules.find(msgid.as_str()).unwrap_or_else(|| panic!("{msgid} was never published"))
}
