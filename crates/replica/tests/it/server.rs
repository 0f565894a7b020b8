//! A server in memory, as the protocol describes it, for the replica to pull from. Refuses shortcuts: what the replica
//! learns, it learns from pages.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tempfile::TempDir;
use tidings_model::wire::{Change, Op, OpResult, SyncPage, ViewMark};
use tidings_model::{
    Actor, Catalog, Class, Clock, Kind, MsgId, Notification, Stamp, State, Target, View, is_unread,
};
use tidings_replica::{NewSource, Replica, SourceId};

/// A clock that is moved by hand.
#[derive(Clone)]
pub(crate) struct Hand(Arc<AtomicI64>);

impl Hand {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(1_800_000_000_000_000)))
    }
    pub(crate) fn forward(&self, micros: i64) {
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Clock for Hand {
    fn now(&self) -> Stamp {
        Stamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

pub(crate) const USER: &str = "me";

/// The inbox of the user `me`.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) clock: Hand,
    pub(crate) epoch: u32,
    pub(crate) items: BTreeMap<MsgId, Notification>,
    pub(crate) marks: BTreeMap<View, (Option<Stamp>, Stamp)>,
    pub(crate) catalog: Catalog,
    /// What was created before is gone.
    pub(crate) forgotten_before: Option<Stamp>,
    last: Stamp,
    count: u32,
    answered: HashMap<String, OpResult>,
}

impl Server {
    pub(crate) fn new(clock: Hand) -> Self {
        let mut catalog = Catalog::shipped();
        catalog.actions.get_mut("like").unwrap().class = Class::Auto;
        Self {
            clock,
            epoch: 1,
            items: BTreeMap::new(),
            marks: BTreeMap::new(),
            catalog,
            forgotten_before: None,
            last: Stamp::ZERO,
            count: 0,
            answered: HashMap::new(),
        }
    }

    /// An empty inbox of the user, which pulls from here.
    pub(crate) fn inbox(&self) -> (TempDir, Replica, SourceId) {
        let dir = tempfile::tempdir().unwrap();
        let replica = Replica::open(dir.path(), Arc::new(self.clock.clone())).unwrap();
        let home = NewSource {
            name: "home".into(),
            protocol: "tidings".into(),
            url: "http://127.0.0.1:7878".into(),
            user: Some(USER.into()),
            own: true,
        };
        let source = replica.add_source(home).unwrap();
        replica.set_catalog(source, &self.catalog).unwrap();
        (dir, replica, source)
    }

    /// Takes what waits in an inbox, at most so many operations; false where nothing did.
    pub(crate) fn take(&mut self, replica: &Replica, source: SourceId, limit: usize) -> bool {
        let ops = replica.pending(source, limit).unwrap();
        let results: Vec<OpResult> = ops.iter().map(|op| self.op(op)).collect();
        if !ops.is_empty() {
            replica.acknowledge(source, &results).unwrap();
        }
        !ops.is_empty()
    }

    fn stamp(&mut self) -> Stamp {
        self.last = self.last.next(self.clock.now());
        self.last
    }

    /// Something new of a sort: 0 announcement, 1 manual reminder, 2 auto reminder, 3 message to me, 4 message by me.
    pub(crate) fn post(&mut self, sort: u8, to: u8, words: &str) -> MsgId {
        let stamp = self.stamp();
        self.count += 1;
        let msgid = MsgId(format!("e{}m{}", self.epoch, self.count));
        let mut n: Notification = serde_json::from_value(serde_json::json!({
            "msgid": msgid, "stamp": stamp, "version": 1, "kind": "announcement", "created_at": stamp,
            "thread": "announcements", "actor": {"id": "ops", "name": "Operations"}, "body": words,
            "priority": i64::from(to % 5) + 1,
        }))
        .unwrap();
        match sort % 5 {
            0 => n.content.title = "News".into(),
            1 | 2 => {
                let action = if sort % 5 == 1 { "comment" } else { "like" };
                n.kind = Kind::Reminder;
                n.thread = format!("article:{to}#{action}");
                n.actor =
                    Actor { id: format!("u{}", self.count % 4), name: format!("User {}", self.count % 4) };
                n.action = Some(action.into());
                n.target = Some(Target {
                    kind: "article".into(),
                    id: to.to_string(),
                    title: Some(format!("Article {to}")),
                    ..Target::default()
                });
            }
            sort => {
                let peer = format!("p{to}");
                n.kind = Kind::Message;
                n.thread = format!("user:{peer}");
                n.conversation = Some(n.thread.clone());
                let actor = if sort == 3 { peer } else { USER.to_owned() };
                n.actor = Actor { id: actor.clone(), name: actor };
            }
        }
        n.auto = self.is_auto(&n);
        self.items.insert(msgid.clone(), n);
        msgid
    }

    /// By the catalog of now.
    fn is_auto(&self, n: &Notification) -> bool {
        self.catalog.class(n.kind, n.action.as_deref()) == Class::Auto
    }

    /// What comes from now on with this action is of the other class.
    pub(crate) fn turn_class(&mut self, action: &str) {
        let rule = self.catalog.actions.get_mut(action).unwrap();
        rule.class = if rule.class == Class::Auto { Class::Manual } else { Class::Auto };
    }

    /// As an answer gives it: `read_at` of auto class is its view's mark.
    pub(crate) fn shown(&self, n: &Notification) -> Notification {
        let mut n = n.clone();
        if n.deleted {
            (n.content.title, n.content.body, n.target) = (String::new(), String::new(), None);
        } else if n.auto {
            let mark = self.marks.get(&n.view().unwrap()).and_then(|(through, _)| *through);
            n.read_at = mark.filter(|mark| *mark >= content_at(&n)).or(n.read_at);
        }
        n
    }

    pub(crate) fn unread(&self, n: &Notification) -> bool {
        let n = self.shown(n);
        let own = n.kind == Kind::Message && n.actor.id == USER;
        let state = State { own, ..n.state(USER) };
        is_unread(&state, self.clock.now())
    }

    pub(crate) fn sync(&self, since: Option<Stamp>, limit: usize) -> SyncPage {
        let since = since.unwrap_or(Stamp::ZERO);
        let mut items: Vec<Notification> =
            self.items.values().filter(|n| n.stamp > since).map(|n| self.shown(n)).collect();
        items.sort_by_key(|n| n.stamp);
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().unwrap().stamp } else { self.last.max(since) };
        let mut marks: Vec<ViewMark> = self
            .marks
            .iter()
            .filter(|(_, (_, stamp))| *stamp > since && *stamp <= next)
            .map(|(view, (through, stamp))| ViewMark {
                view: view.clone(),
                through: through.unwrap_or(Stamp::ZERO),
                stamp: *stamp,
            })
            .collect();
        marks.sort_by_key(|m| m.stamp);
        SyncPage {
            items,
            marks,
            next,
            more,
            epoch: self.epoch.to_string(),
            forgotten_before: self.forgotten_before,
        }
    }

    fn change(&mut self, id: &MsgId, change: impl FnOnce(&mut Notification, Stamp)) {
        let Some(mut n) = self.items.get(id).cloned() else { return };
        if n.deleted {
            return;
        }
        let before = n.clone();
        let stamp = self.last.next(self.clock.now());
        change(&mut n, stamp);
        if n != before {
            self.last = stamp;
            n.stamp = stamp;
            n.version += 1;
            self.items.insert(id.clone(), n);
        }
    }

    /// A known sequence id comes again: other words, perhaps another priority, and unread.
    pub(crate) fn edit(&mut self, id: &MsgId, words: &str, priority: i64) {
        let auto = self.items.get(id).is_some_and(|n| self.is_auto(n));
        self.change(id, |n, now| {
            n.content.body = words.into();
            n.content.priority = tidings_model::Priority::new(priority).unwrap();
            (n.read_at, n.revised_at, n.auto) = (None, Some(now), auto);
        });
    }

    /// Retention removes what was created before the newest so many; half of it may still be sent.
    pub(crate) fn forget_but(&mut self, newest: usize, sends_half: bool) {
        let mut times: Vec<Stamp> = self.items.values().map(|n| n.created_at).collect();
        times.sort_unstable();
        let before = times[times.len() - newest];
        let half = if sends_half { times[(times.len() - newest) / 2] } else { before };
        self.items.retain(|_, n| n.created_at >= half);
        self.forgotten_before = self.forgotten_before.max(Some(before));
    }

    /// Its publisher marks it read.
    pub(crate) fn clear(&mut self, id: &MsgId) {
        self.change(id, |n, now| n.read_at = n.read_at.or(Some(now)));
    }

    fn mark(&mut self, view: View, forward: bool, at: Stamp) {
        let (through, _) = self.marks.get(&view).copied().unwrap_or_default();
        let to = match (forward, through) {
            (true, Some(t)) if t >= at => return,
            (true, _) => Some(at),
            (false, Some(t)) if t > at => Some(at),
            (false, _) => return,
        };
        let stamp = self.stamp();
        self.marks.insert(view, (to, stamp));
    }

    pub(crate) fn op(&mut self, op: &Op) -> OpResult {
        if let Some(known) = self.answered.get(&op.id) {
            return known.clone();
        }
        self.apply(&op.change);
        let result = OpResult { id: op.id.clone(), ok: true, code: None };
        self.answered.insert(op.id.clone(), result.clone());
        result
    }

    pub(crate) fn apply(&mut self, change: &Change) {
        match change {
            Change::Read { msgids } | Change::Unread { msgids } => {
                let read = matches!(change, Change::Read { .. });
                for id in msgids {
                    let Some(n) = self.items.get(id).filter(|n| !n.deleted).cloned() else { continue };
                    let was_read = self.shown(&n).read_at.is_some();
                    if n.auto && read {
                        self.mark(n.view().unwrap(), true, content_at(&n));
                    } else if n.auto {
                        if was_read {
                            self.mark(n.view().unwrap(), false, n.created_at.plus_micros(-1));
                            self.change(id, |n, _| n.read_at = None);
                        }
                    } else if read {
                        self.change(id, |n, now| n.read_at = n.read_at.or(Some(now)));
                    } else {
                        self.change(id, |n, _| n.read_at = None);
                    }
                }
            }
            Change::Seen { msgids } => {
                for id in msgids {
                    self.change(id, |n, now| n.seen_at = n.seen_at.or(Some(now)));
                }
            }
            Change::Archive { msgids } => msgids
                .iter()
                .for_each(|id| self.change(id, |n, now| n.archived_at = n.archived_at.or(Some(now)))),
            Change::Unarchive { msgids } => {
                for id in msgids {
                    self.change(id, |n, _| n.archived_at = None);
                }
            }
            Change::Snooze { msgids, until } => {
                for id in msgids {
                    self.change(id, |n, _| n.snoozed_until = Some(*until));
                }
            }
            Change::Unsnooze { msgids } => {
                for id in msgids {
                    self.change(id, |n, _| n.snoozed_until = None);
                }
            }
            Change::Delete { msgids } => {
                for id in msgids {
                    self.change(id, |n, _| n.deleted = true);
                }
            }
            Change::Visit { view, at } => self.mark(view.clone(), true, at.unwrap_or(self.last)),
            Change::ReadAll { kind, through } => {
                let through = (*through).min(self.last);
                let all: Vec<Notification> = self
                    .items
                    .values()
                    .filter(|n| n.created_at <= through && kind.is_none_or(|k| k == n.kind))
                    .filter(|n| !n.deleted && self.shown(n).read_at.is_none())
                    .filter(|n| n.kind != Kind::Message || n.actor.id != USER)
                    .cloned()
                    .collect();
                for n in all {
                    if n.auto {
                        self.mark(n.view().unwrap(), true, through);
                    } else {
                        self.change(&n.msgid, |n, now| n.read_at = n.read_at.or(Some(now)));
                    }
                }
            }
        }
    }
}

/// The least mark of its view that covers an item.
fn content_at(n: &Notification) -> Stamp {
    n.revised_at.map_or(n.created_at, |revised| revised.max(n.created_at))
}
