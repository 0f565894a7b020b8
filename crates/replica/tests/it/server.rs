//! An in-memory server from which the replica pulls: the rules of the test kit, written as pages and answers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use tempfile::TempDir;
use tidings_model::wire::{Change, ClosedConversation, Op, OpResult, SyncPage, ViewMark};
use tidings_model::{
    Actor, Answer, Catalog, Choice, Class, Clock, Code, Kind, MsgId, Notification, Question, QuestionState,
    Stamp, Target, View,
};
use tidings_replica::{NewSource, Replica, SourceId};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::rules::{PublicationKind, Rules, Withdrawal};

pub(crate) const USER: &str = "me";

/// A server with the inbox of the user `me`.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) clock: ManualClock,
    pub(crate) epoch: u32,
    pub(crate) items: BTreeMap<MsgId, Notification>,
    /// The time up to which each view was read, with the stamp of that change.
    pub(crate) marks: BTreeMap<View, (Stamp, Stamp)>,
    rules: Rules,
    pub(crate) catalog: Catalog,
    /// Items created before this time are removed by retention.
    pub(crate) forgotten_before: Option<Stamp>,
    /// The conversations with users who were removed.
    closed: Vec<ClosedConversation>,
    last: Stamp,
    count: u32,
    answered: HashMap<String, OpResult>,
    /// When items asked again.
    asked_again: HashMap<MsgId, Stamp>,
}

impl Server {
    pub(crate) fn new(clock: ManualClock) -> Self {
        let mut catalog = Catalog::shipped();
        catalog.actions.get_mut("like").unwrap().class = Class::Auto;
        let mut rules = Rules::with_catalog(&["like"], &[]);
        rules.add_user(USER);
        Self {
            clock,
            epoch: 1,
            items: BTreeMap::new(),
            marks: BTreeMap::new(),
            rules,
            catalog,
            forgotten_before: None,
            closed: Vec::new(),
            last: Stamp::ZERO,
            count: 0,
            answered: HashMap::new(),
            asked_again: HashMap::new(),
        }
    }

    /// An empty replica whose source is this server.
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

    /// Receives up to `limit` waiting operations of a replica and answers them; false if none waited.
    pub(crate) fn receive_operations(&mut self, replica: &Replica, source: SourceId, limit: usize) -> bool {
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

    /// Publishes an item of a sort: 0 announcement, 1 manual reminder, 2 auto reminder, 3 message to me, 4 message by
    /// me.
    pub(crate) fn post(&mut self, sort: u8, to: u8, text: &str) -> MsgId {
        let stamp = self.stamp();
        self.count += 1;
        let msgid = MsgId(format!("e{}m{}", self.epoch, self.count));
        let mut n: Notification = serde_json::from_value(serde_json::json!({
            "msgid": msgid, "stamp": stamp, "version": 1, "kind": "announcement", "created_at": stamp,
            "thread": "announcements", "actor": {"id": "ops", "name": "Operations"}, "body": text,
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
        let (actor, action) = (n.actor.id.clone(), n.action.clone().unwrap_or_default());
        let what = match n.kind {
            Kind::Announcement => PublicationKind::Announcement { by: actor },
            Kind::Reminder => {
                let target = format!("article:{to}");
                self.rules.subscribe(USER, &target, &[&action]);
                PublicationKind::Reminder { actor, action, target }
            }
            Kind::Message if actor == USER => PublicationKind::Direct { from: actor, to: format!("p{to}") },
            Kind::Message => PublicationKind::Direct { from: actor, to: USER.to_owned() },
        };
        self.rules.publish(msgid.as_str(), stamp, text, what);
        self.rules.pull(USER);
        self.items.insert(msgid.clone(), n);
        msgid
    }

    /// Whether the item is of auto class in the current catalog.
    fn is_auto(&self, n: &Notification) -> bool {
        self.catalog.class(n.kind, n.action.as_deref()) == Class::Auto
    }

    /// Makes items of this action be of the other class from now on.
    pub(crate) fn switch_class(&mut self, action: &str) {
        let rule = self.catalog.actions.get_mut(action).unwrap();
        if rule.class == Class::Auto {
            rule.class = Class::Manual;
            self.rules.auto_actions.remove(action);
        } else {
            rule.class = Class::Auto;
            self.rules.auto_actions.insert(action.to_owned());
        }
    }

    /// The item as the server's answer has it: for auto class, `read_at` is the view's mark.
    pub(crate) fn shown(&self, n: &Notification) -> Notification {
        let mut n = n.clone();
        if n.deleted {
            (n.content.title, n.content.body, n.target) = (String::new(), String::new(), None);
            n.content.question = None;
        } else if n.auto {
            let mark = self.marks.get(&n.view().unwrap()).map(|(through, _)| *through);
            n.read_at = mark.filter(|mark| *mark >= n.content_at()).or(n.read_at);
        }
        n
    }

    pub(crate) fn unread(&self, n: &Notification) -> bool {
        self.rules.is_unread(USER, self.rules.find(n.msgid.as_str()).unwrap(), self.clock.now())
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
            .map(|(view, (through, stamp))| ViewMark { view: view.clone(), through: *through, stamp: *stamp })
            .collect();
        marks.sort_by_key(|m| m.stamp);
        let mut later_marks: Vec<ViewMark> = Vec::new();
        for n in items.iter().filter(|n| n.auto && !n.deleted) {
            let Some(view) = n.view() else { continue };
            if let Some((through, stamp)) = self.marks.get(&view)
                && *stamp > next
                && n.read_at == Some(*through)
                && !later_marks.iter().any(|m| m.view == view)
            {
                later_marks.push(ViewMark { view, through: *through, stamp: *stamp });
            }
        }
        let is_new = |one: &&ClosedConversation| one.stamp > since && one.stamp <= next;
        let closed = self.closed.iter().filter(is_new).cloned().collect();
        SyncPage {
            items,
            marks,
            later_marks,
            peer_marks: Vec::new(),
            closed,
            groups: Vec::new(),
            next,
            more,
            epoch: self.epoch.to_string(),
            forgotten_before: self.forgotten_before,
        }
    }

    /// Writes the rules' changes into items and view marks, each with a stamp of its own.
    fn write_changes(&mut self) {
        let user = &self.rules.users[USER];
        for n in self.items.values_mut() {
            let entry = self.rules.find(n.msgid.as_str()).and_then(|nth| user.inbox.get(&nth));
            let Some(entry) = entry else { continue };
            let now = self.last.next(self.clock.now());
            let since = |set: bool, before: Option<Stamp>| if set { before.or(Some(now)) } else { None };
            let (seen, read) = (since(entry.seen, n.seen_at), since(entry.read, n.read_at));
            let archived = since(entry.archived, n.archived_at);
            let after = (seen, read, archived, entry.snoozed, entry.deleted, entry.revised);
            if (n.seen_at, n.read_at, n.archived_at, n.snoozed_until, n.deleted, n.revised_at) != after {
                (n.seen_at, n.read_at, n.archived_at, n.snoozed_until, n.deleted, n.revised_at) = after;
                (n.auto, n.stamp, n.version) = (entry.auto, now, n.version + 1);
                self.last = now;
            }
        }
        for (view, through) in self.rules.users[USER].marks.clone() {
            let view: View = view.parse().unwrap();
            let before = self.marks.get(&view).map(|(known, _)| *known);
            if before != Some(through) {
                let stamp = self.stamp();
                self.restamp_read_individually(&view, through, before);
                self.marks.insert(view, (through, stamp));
            }
        }
    }

    /// Gives a new version to items that a mark that moved back had covered and that are read individually, because the
    /// mark had hidden when.
    fn restamp_read_individually(&mut self, view: &View, after: Stamp, upto: Option<Stamp>) {
        let is_uncovered = |n: &&mut Notification| {
            let at = n.content_at();
            let is_covered = n.auto && at > after && upto.is_some_and(|upto| at <= upto);
            is_covered && n.read_at.is_some() && !n.deleted && n.view().as_ref() == Some(view)
        };
        for n in self.items.values_mut().filter(is_uncovered) {
            self.last = self.last.next(self.clock.now());
            (n.stamp, n.version) = (self.last, n.version + 1);
        }
    }

    /// Revises an item with another body and priority, which resets the reader's state of it.
    pub(crate) fn edit(&mut self, id: &MsgId, text: &str, priority: i64) {
        let Some(n) = self.items.get_mut(id).filter(|n| !n.deleted) else { return };
        n.content.body = text.into();
        n.content.priority = tidings_model::Priority::new(priority).unwrap();
        self.rules.clock = self.last.next(self.clock.now());
        self.rules.revise(self.rules.find(id.as_str()).unwrap(), self.rules.clock);
        self.rules.pull(USER);
        self.write_changes();
    }

    /// Removes all items but the `newest` by retention. With `sends_half` the newer half of the removed ones is still
    /// sent.
    pub(crate) fn retain_newest(&mut self, newest: usize, sends_half: bool) {
        let mut times: Vec<Stamp> = self.items.values().map(Notification::content_at).collect();
        times.sort_unstable();
        let before = times[times.len() - newest];
        let half = if sends_half { times[(times.len() - newest) / 2] } else { before };
        self.items.retain(|_, n| n.content_at() >= half);
        let kept: Vec<usize> =
            self.items.keys().filter_map(|msgid| self.rules.find(msgid.as_str())).collect();
        self.rules.user(USER).inbox.retain(|nth, _| kept.contains(nth));
        self.forgotten_before = self.forgotten_before.max(Some(before));
    }

    /// Publishes a comment on an article that asks for an approval, within a minute; the default is to deny.
    pub(crate) fn ask(&mut self, article: u8, text: &str) -> MsgId {
        let msgid = self.post(1, article, text);
        let choice = |id: &str, label: &str| Choice { id: id.into(), label: label.into(), style: None };
        self.items.get_mut(&msgid).unwrap().content.question = Some(Question {
            answers: vec![choice("approve", "Approve"), choice("deny", "Deny")],
            text: true,
            expires_at: Some(self.clock.now().plus_secs(60)),
            default: Some("deny".into()),
            ..Question::default()
        });
        self.rules.asks();
        msgid
    }

    /// Asks again, within another minute, what nobody answered in time.
    pub(crate) fn ask_again(&mut self, msgid: &MsgId) {
        self.end_questions();
        let expires_at = Some(self.clock.now().plus_secs(60));
        let content = &mut self.items.get_mut(msgid).unwrap().content;
        let (state, answer) = (QuestionState::Open, None);
        content.question =
            content.question.take().map(|asked| Question { expires_at, state, answer, ..asked });
        let nth = self.rules.find(msgid.as_str()).unwrap();
        self.rules.history[nth].closed = false;
        self.edit(msgid, "And now?", 3);
        self.asked_again.insert(msgid.clone(), self.items[msgid].revised_at.unwrap());
    }

    /// Answers a question for a user; the code says why it does not count.
    pub(crate) fn answer(
        &mut self,
        by: &str,
        msgid: &MsgId,
        id: Option<String>,
        text: Option<String>,
    ) -> Option<Code> {
        let (now, stamp) = (self.clock.now(), self.stamp());
        let item = self.items.get_mut(msgid)?;
        let question = item.content.question.take()?.at(now);
        let code = match question.state {
            QuestionState::Open => None,
            QuestionState::Answered => Some(Code::Conflict),
            QuestionState::Expired => Some(Code::Gone),
        };
        item.content.question = Some(if code.is_some() {
            question
        } else {
            let answer = Some(Answer { id, text, by: Some(by.into()), at: now });
            Question { state: QuestionState::Answered, answer, ..question }
        });
        (item.stamp, item.version) = (stamp, item.version + 1);
        if by != USER && code.is_none() {
            let nth = self.rules.find(msgid.as_str()).unwrap();
            self.rules.close(nth);
            self.rules.pull(USER);
            self.write_changes();
        }
        code
    }

    /// Ends the questions whose time is over, as a server that runs does by itself.
    pub(crate) fn end_questions(&mut self) {
        let now = self.clock.now();
        let is_over = |n: &&mut Notification| {
            let question = n.content.question.as_ref();
            !n.deleted && question.is_some_and(|asked| !asked.is_closed() && !asked.is_open(now))
        };
        for n in self.items.values_mut().filter(is_over) {
            self.last = self.last.next(now);
            n.content.question = n.content.question.take().map(|asked| asked.at(now));
            (n.stamp, n.version) = (self.last, n.version + 1);
            self.rules.close(self.rules.find(n.msgid.as_str()).unwrap());
        }
        self.rules.pull(USER);
        self.write_changes();
    }

    /// Takes an item back, for everybody.
    pub(crate) fn recall(&mut self, id: &MsgId) {
        self.rules.clock = self.last.next(self.clock.now());
        if self.rules.recall(self.rules.find(id.as_str()).unwrap()) {
            self.rules.pull(USER);
            self.write_changes();
        }
    }

    /// Whether the user `p{to}` was removed.
    pub(crate) fn has_gone(&self, to: u8) -> bool {
        let conversation = format!("user:p{to}");
        self.closed.iter().any(|closed| closed.conversation == conversation)
    }

    /// Removes the user `p{to}`, if there is a conversation. It stays, and takes no more.
    pub(crate) fn remove_peer(&mut self, to: u8) {
        let conversation = format!("user:p{to}");
        let is_of = |n: &Notification| n.conversation.as_ref() == Some(&conversation);
        if self.has_gone(to) || !self.items.values().any(is_of) {
            return;
        }
        let (title, stamp) = (format!("P {to}"), self.stamp());
        self.closed.push(ClosedConversation { conversation, title, stamp });
    }

    /// Marks an item as read by its publisher, unless it was taken back.
    pub(crate) fn clear(&mut self, id: &MsgId) {
        let nth = self.rules.find(id.as_str()).unwrap();
        if self.rules.history[nth].withdrawn == Some(Withdrawal::Delete) {
            return;
        }
        self.rules.clock = self.last.next(self.clock.now());
        self.rules.withdraw(nth, Withdrawal::Clear);
        self.rules.pull(USER);
        self.write_changes();
    }

    pub(crate) fn op(&mut self, op: &Op) -> OpResult {
        if let Some(known) = self.answered.get(&op.id) {
            return known.clone();
        }
        let code = if let Change::Answer { msgids: [msgid], answer, text, at } = &op.change {
            let asked_at = self.asked_again.get(msgid).copied().unwrap_or_default();
            if at.is_some_and(|at| at < asked_at) {
                Some(Code::Gone)
            } else {
                self.answer(USER, msgid, answer.clone(), text.clone())
            }
        } else {
            None
        };
        if code.is_none() {
            self.apply(&op.change);
        }
        let result = OpResult { id: op.id.clone(), ok: code.is_none(), code };
        self.answered.insert(op.id.clone(), result.clone());
        result
    }

    pub(crate) fn apply(&mut self, change: &Change) {
        self.rules.now = self.clock.now();
        self.rules.clock = self.last.max(self.rules.now);
        let op = self.rules.op(change, self.last);
        self.rules.apply(USER, &op);
        self.write_changes();
    }
}
