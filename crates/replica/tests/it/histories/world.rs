//! A server, a replica and their reader, on which a step is taken; after each step every count is recounted.

use std::sync::Arc;

use tidings_model::wire::{Change, OpResult, SyncPage};
use tidings_model::{Clock, Notification, Stamp};
use tidings_replica::*;
use tidings_testkit::clock::ManualClock;
use tidings_testkit::rules::change;

use super::steps::Step;
use crate::server::Server;

pub(super) struct World {
    dir: tempfile::TempDir,
    clock: ManualClock,
    server: Server,
    replica: Replica,
    source: SourceId,
    bounds: Bounds,
    pages: Vec<SyncPage>,
    undo: Option<Undo>,
    /// Whether there was a rule, so that priorities may differ from the server's.
    ruled: bool,
}

impl World {
    /// A new world, whose replica has these bounds.
    pub(super) fn new(bounds: Bounds) -> Self {
        let clock = ManualClock::default();
        let server = Server::new(clock.clone());
        let (dir, replica, source) = server.inbox();
        let replica = replica.with_bounds(bounds);
        Self { dir, clock, server, replica, source, bounds, pages: Vec::new(), undo: None, ruled: false }
    }

    fn pull(&mut self, limit: usize) -> bool {
        let cursor = self.replica.source(self.source).unwrap().cursor;
        let since: Option<Stamp> = cursor.map(|c| c.parse().unwrap());
        let page = self.server.sync(since, limit);
        let more = page.more;
        self.pages.push(page.clone());
        self.replica.apply(self.source, page.into()).unwrap();
        more
    }

    fn flush(&mut self, limit: usize, lost: bool) -> bool {
        let ops = self.replica.pending(self.source, limit).unwrap();
        let results: Vec<OpResult> = ops.iter().map(|op| self.server.op(op)).collect();
        if !lost {
            self.replica.acknowledge(self.source, &results).unwrap();
        }
        !ops.is_empty()
    }

    fn pick_server_item(&self, at: usize) -> Option<Notification> {
        let n = self.server.items.len();
        if n == 0 { None } else { self.server.items.values().nth(at % n).cloned() }
    }

    fn pick_local_item(&self, at: usize) -> Option<Item> {
        let items = self.replica.items(&ItemFilter::default(), 1_000).unwrap();
        if items.is_empty() { None } else { items.get(at % items.len()).cloned() }
    }

    /// A question of the server that nobody has deleted.
    fn pick_question(&self, at: usize) -> Option<Notification> {
        let asks = |n: &&Notification| !n.deleted && n.content.question.is_some();
        let asked: Vec<&Notification> = self.server.items.values().filter(asks).collect();
        asked.get(at % asked.len().max(1)).copied().cloned()
    }

    fn pick_local_question(&self, at: usize) -> Option<Item> {
        let mut items = self.replica.items(&ItemFilter::default(), 1_000).unwrap();
        items.retain(|item| item.notification.content.question.is_some());
        let nth = at % items.len().max(1);
        items.into_iter().nth(nth)
    }

    fn mark(&self, act: u8) -> Mark {
        let until = self.clock.now().plus_micros(150);
        match act % 12 {
            0 => Mark::Read,
            1 => Mark::Unread,
            2 => Mark::Seen,
            3 => Mark::Archive,
            4 => Mark::Unarchive,
            5 => Mark::Snooze { until },
            6 => Mark::Unsnooze,
            7 => Mark::Delete,
            8 => Mark::Pin,
            9 => Mark::Unpin,
            10 => Mark::Mute { until: Some(until).filter(|_| act >= 128) },
            _ => Mark::Unmute,
        }
    }

    pub(super) fn apply_step(&mut self, step: &Step) {
        match *step {
            // Who was removed writes no messages and gets none.
            Step::Post { sort, to } if sort >= 3 && self.server.has_gone(to) => {}
            Step::Post { sort, to } => {
                self.clock.advance_micros(1);
                self.server.post(sort, to, "some words 一些文字");
            }
            Step::Elsewhere { act, item } => {
                if let Some(n) = self.pick_server_item(item) {
                    let until = self.clock.now().plus_micros(150);
                    self.server.apply(&change(act, vec![n.msgid], until));
                }
            }
            Step::VisitElsewhere { item } => {
                if let Some(view) = self.pick_server_item(item).and_then(|n| n.view()) {
                    self.server.apply(&Change::Visit { view, at: None });
                }
            }
            Step::Pull { limit } => {
                self.pull(limit);
            }
            Step::Repeat { page } => {
                let current = self.server.epoch.to_string();
                let pages: Vec<&SyncPage> = self.pages.iter().filter(|p| p.epoch == current).collect();
                if !pages.is_empty() {
                    // The page's cursor is outdated, so only its items are applied again.
                    let page = Page { next: None, ..pages[page % pages.len()].clone().into() };
                    self.replica.apply(self.source, page).unwrap();
                }
            }
            Step::Mark { act, item } => {
                if let Some(item) = self.pick_local_item(item) {
                    let marked =
                        self.replica.mark(Targets::Items(vec![item.id]), self.mark(act % 8)).unwrap();
                    self.undo = marked.undo.or(self.undo.take());
                }
            }
            Step::MarkThread { act, thread } => {
                if let Some(item) = self.pick_local_item(thread) {
                    let targets = Targets::Threads(vec![item.thread]);
                    let marked = self.replica.mark(targets, self.mark(act)).unwrap();
                    self.undo = marked.undo.or(self.undo.take());
                }
            }
            Step::Visit { item } => {
                if let Some(view) = self.pick_local_item(item).and_then(|i| i.notification.view()) {
                    let marked = self.replica.visit(self.source, &view, None).unwrap();
                    self.undo = marked.undo.or(self.undo.take());
                }
            }
            Step::ReadAll { kind } => {
                let kind = tidings_model::Kind::ALL.get(usize::from(kind)).copied();
                let targets = Targets::All { source: None, kind, through: None };
                let marked = self.replica.mark(targets, Mark::Read).unwrap();
                self.undo = marked.undo.or(self.undo.take());
            }
            Step::Undo => {
                if let Some(undo) = self.undo.take() {
                    self.replica.undo(&undo).unwrap();
                }
            }
            Step::Flush { limit, lost } => {
                self.flush(limit, lost);
            }
            Step::AdvanceClock { micros } => self.clock.advance_micros(micros),
            Step::JumpClock { micros } => {
                self.clock.advance_micros(micros);
                self.server.end_questions();
                self.replica.wake(self.clock.now()).unwrap();
            }
            Step::Wake => {
                self.replica.wake(self.clock.now()).unwrap();
            }
            Step::Ask { article } => {
                self.clock.advance_micros(1);
                self.server.ask(article, "some words?");
            }
            Step::AnswerHere { question } => {
                if let Some(item) = self.pick_local_question(question) {
                    self.replica.answer(item.id, Some("approve"), None).unwrap();
                }
            }
            Step::AnswerByAnother { question } => {
                if let Some(n) = self.pick_question(question) {
                    self.server.answer("cy", &n.msgid, Some("deny".into()), None);
                }
            }
            Step::Recall { item } => {
                if let Some(n) = self.pick_server_item(item) {
                    self.server.recall(&n.msgid);
                }
            }
            Step::Go { to } => self.server.remove_peer(to),
            Step::Edit { item, priority } => {
                if let Some(n) = self.pick_server_item(item) {
                    self.server.edit(&n.msgid, "other words 一些", priority);
                }
            }
            Step::Clear { item } => {
                if let Some(n) = self.pick_server_item(item) {
                    self.server.clear(&n.msgid);
                }
            }
            Step::SwitchClass { like } => {
                self.server.switch_class(if like { "like" } else { "comment" });
                self.replica.set_catalog(self.source, &self.server.catalog).unwrap();
            }
            Step::SetSourceNotify { notify } => {
                self.replica.set_source_notify(self.source, notify).unwrap();
            }
            Step::SetThreadNotify { thread, notify } => {
                if let Some(item) = self.pick_local_item(thread) {
                    self.replica.set_thread_notify(item.thread, notify).unwrap();
                    assert_eq!(self.replica.thread_notify(item.thread).unwrap(), notify);
                }
            }
            Step::FromPriority { least } => {
                self.replica.set_setting(FROM_PRIORITY, &least.into()).unwrap();
            }
            Step::EarlyWake { on } => self.replica.set_setting(EARLY_WAKE, &on.into()).unwrap(),
            Step::Rule { ref rule } => {
                // A rule whose id does not exist is saved as a new one.
                let known = self.replica.rules().unwrap().iter().any(|r| r.id == rule.id);
                let rule = Rule { id: if known { rule.id } else { 0 }, ..rule.clone() };
                self.replica.save_rule(rule).unwrap();
                self.ruled = true;
            }
            Step::Reopen => {
                let replica = Replica::open(self.dir.path(), Arc::new(self.clock.clone())).unwrap();
                self.replica = replica.with_bounds(self.bounds);
            }
            Step::Resync => {
                self.server.epoch += 1;
                self.replica.resync(self.source).unwrap();
            }
        }
    }

    pub(super) fn assert_consistent(&self) {
        let found = self.replica.check().unwrap();
        assert!(found.is_empty(), "{found:#?}");
        let counts = self.replica.counts().unwrap();
        let items = self.replica.items(&ItemFilter::default(), 10_000).unwrap();
        assert_eq!(counts.total, items.iter().filter(|i| i.unread).count() as u64);
        assert_eq!(counts.badge, items.iter().filter(|i| i.unread && self.counts(i)).count() as u64);
        assert_eq!(
            counts.badge,
            counts.badge_by_kind.announcement + counts.badge_by_kind.reminder + counts.badge_by_kind.message
        );
    }

    /// Whether an unread item counts for the badge, from the settings.
    fn counts(&self, item: &Item) -> bool {
        let least = self.replica.setting(FROM_PRIORITY).unwrap().and_then(|v| v.as_u64()).unwrap_or(3);
        let source = self.replica.source(self.source).unwrap().notify;
        let notify = self.replica.thread_notify(item.thread).unwrap().or(source);
        let priority = item.notification.content.priority.get();
        notify.level != Some(NotifyLevel::Nothing)
            && notify.from_priority.map_or(u64::from(priority) >= least, |own| priority >= own)
    }

    /// Sends and pulls until nothing waits and nothing is new.
    pub(super) fn sync_until_idle(&mut self) {
        for _ in 0..100 {
            let sent = self.flush(1_000, false);
            while self.pull(3) {}
            // A pull may make the replica send something again.
            if !sent && self.replica.counts().unwrap().waiting == 0 {
                break;
            }
        }
        self.replica.wake(self.clock.now()).unwrap();
        assert_eq!(self.replica.counts().unwrap().waiting, 0);
    }

    /// Asserts that the replica agrees with the server, and so does a replica that pulls only now.
    pub(super) fn assert_agrees_with_server(&self) {
        self.assert_agrees(&self.replica, self.source, self.ruled);
        let (_dir, fresh, source) = self.server.inbox();
        let fresh = fresh.with_bounds(self.bounds);
        // The fresh replica pulls old items, which must not wake snoozed ones.
        fresh.set_setting(EARLY_WAKE, &false.into()).unwrap();
        loop {
            let cursor = fresh.source(source).unwrap().cursor;
            let page = self.server.sync(cursor.map(|c| c.parse().unwrap()), 4);
            let more = page.more;
            fresh.apply(source, page.into()).unwrap();
            if !more {
                break;
            }
        }
        self.assert_agrees(&fresh, source, false);
    }

    fn assert_agrees(&self, replica: &Replica, source: SourceId, ruled: bool) {
        for to in 0..3 {
            let closed = replica.closed_conversation(source, &format!("user:p{to}")).unwrap();
            assert_eq!(closed.is_some(), self.server.has_gone(to), "the conversation with p{to}");
        }
        let mut local: Vec<Item> = replica.items(&ItemFilter::default(), 10_000).unwrap();
        local.sort_by(|a, b| a.notification.msgid.cmp(&b.notification.msgid));
        let remote: Vec<&Notification> = self.server.items.values().filter(|n| !n.deleted).collect();
        let names = |items: &[Item]| items.iter().map(|i| i.notification.msgid.clone()).collect::<Vec<_>>();
        assert_eq!(names(&local), remote.iter().map(|n| n.msgid.clone()).collect::<Vec<_>>());
        for (item, n) in local.iter().zip(remote) {
            assert_eq!(item.unread, self.server.unread(n), "{:?}", item.notification);
            assert!(!item.pending);
            let mut shown = self.server.shown(n);
            if ruled {
                shown.content.priority = item.notification.content.priority;
            }
            assert_eq!(item.notification, shown);
        }
    }
}
