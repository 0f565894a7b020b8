//! A store and the reference rules beside it, to both of which each step is applied.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tidings_model::wire::Posted;
use tidings_model::wire::{Change, Op, UnreadCounts};
use tidings_model::{
    Actor, Class, Clock, Code, Kind, MsgId, Notification, Question, QuestionState, Receipt, Stamp, Target,
    View,
};
use tidings_store::domain::draft::receipts_expire;
use tidings_store::{
    Applied, Audience, Draft, Editor, Error, InboxQuery, Outcome, PostedBy, RequestedOp, SequenceChange,
    Store, TargetRef, UserKey, Visit, WrittenContent,
};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::rules::{Position, PublicationKind, ReaderOp, Rules, Withdrawal, change};

use super::steps::{ACTIONS, Step, TARGETS, USERS};

pub(super) struct Harness {
    store: Arc<dyn Store>,
    clock: Arc<ManualClock>,
    keys: Vec<UserKey>,
    rules: Rules,
    /// The position of each publication with a sequence, by action and target.
    sequences: BTreeMap<(usize, usize), Position>,
    /// The position of each edited publication, by sender and recipient.
    edited: BTreeMap<(usize, usize), Position>,
    /// The ends of questions, and the outcome of those that are closed.
    questions: BTreeMap<Position, (Stamp, QuestionState)>,
    ops: usize,
    /// A device of each user, with how far it has pulled and the receipts of the user's messages to the group.
    devices: Vec<(Stamp, BTreeMap<String, Option<Receipt>>)>,
    /// Whether the last user was removed.
    removed: bool,
    /// Whether the group was ended.
    ended: bool,
}

/// An inbox, without what each store names and times in its own way.
#[derive(Debug, PartialEq)]
pub(super) struct Seen {
    items: BTreeMap<Position, Notification>,
    unread: UnreadCounts,
}

/// The user whom a history may remove.
const LAST: usize = USERS.len() - 1;

impl Harness {
    /// A harness over an empty store with this clock: with three users, the first of whom is in a group.
    pub(super) async fn new(store: Arc<dyn Store>, clock: Arc<ManualClock>) -> Self {
        let mut keys = Vec::new();
        for id in USERS {
            match store.add_user(id, id, None).await.unwrap() {
                Outcome::Done(user) => keys.push(user.key),
                Outcome::Replayed(_) => unreachable!("nobody asked before"),
            }
        }
        store.add_group(keys[0], Some("crew".into()), "Crew".into(), vec![], None).await.unwrap();
        let mut rules = Rules::default();
        for id in USERS {
            rules.add_user(id);
        }
        rules.groups.insert("crew".into(), [USERS[0].to_owned()].into());
        Self {
            store,
            clock,
            keys,
            rules,
            sequences: BTreeMap::new(),
            edited: BTreeMap::new(),
            questions: BTreeMap::new(),
            ops: 0,
            devices: vec![(Stamp::ZERO, BTreeMap::new()); USERS.len()],
            removed: false,
            ended: false,
        }
    }

    /// Goes on with another store, which has to have what this one had.
    pub(super) fn go_on_with(&mut self, store: Arc<dyn Store>) {
        self.store = store;
    }

    async fn post(&self, draft: Draft) -> Option<Posted> {
        match self.store.post(vec![draft], None).await {
            Ok(Outcome::Done(posts)) => Some(posts[0].posted.clone()),
            Ok(Outcome::Replayed(_)) => panic!("nobody asked before"),
            Err(Error::Refused(_)) => None,
            Err(e) => panic!("{e}"),
        }
    }

    fn published(&mut self, posted: &Posted, what: PublicationKind) {
        self.rules.publish(posted.msgid.as_str(), posted.stamp, "", what);
    }

    /// Ends the questions whose time is over, as a read of an inbox does.
    fn end_questions(&mut self) {
        let now = self.clock.now();
        for (nth, (until, state)) in &mut self.questions {
            if *until <= now && self.rules.close(*nth) {
                *state = QuestionState::Expired;
            }
        }
    }

    /// Sets the time of the rules to that of the next change in a user's inbox. The clock may step back, and stamps run ahead
    /// of one that stands; no change is earlier than a stamp that was given.
    async fn tell_time(&mut self, user: usize) {
        let newest = self.store.position(self.keys[user]).await.unwrap();
        self.rules.clock = self.clock.now().max(newest);
    }

    async fn pull(&mut self, user: usize) {
        self.end_questions();
        self.tell_time(user).await;
        while self.store.fan_in(self.keys[user]).await.unwrap() {}
        self.rules.pull(USERS[user]);
    }

    /// Pulls the new items with the user's device, in small pages.
    async fn pull_with_device(&mut self, user: usize) {
        self.pull(user).await;
        loop {
            let (since, receipts) = &mut self.devices[user];
            let page = self.store.sync(self.keys[user], *since, 2).await.unwrap();
            if let Some(to) = page.delivered_to {
                self.store.set_delivered(self.keys[user], to).await.unwrap();
            }
            *since = page.next;
            for item in page.items().unwrap() {
                if item.actor.id == USERS[user] && item.conversation.as_deref() == Some("group:crew") {
                    receipts.insert(item.msgid.as_str().to_owned(), item.receipt);
                }
            }
            if !page.more {
                break;
            }
        }
        self.rules.arrive(USERS[user]);
    }

    /// Asserts that devices which pull once more know with how many members each message has arrived.
    async fn assert_receipts_match_rules(&mut self) {
        for user in self.present() {
            self.pull_with_device(user).await;
        }
        while self.store.count_deliveries().await.unwrap() {}
        for user in self.present() {
            self.pull_with_device(user).await;
        }
        // What has arrived of an older message is not told any more.
        let told_since = receipts_expire(self.clock.now());
        for (id, (_, receipts)) in USERS.iter().zip(&self.devices).take(self.present().len()) {
            for (msgid, receipt) in receipts {
                let nth = self.rules.find(msgid).unwrap();
                let PublicationKind::Group { members, .. } = &self.rules.history[nth].kind else { continue };
                let arrived = u32::try_from(self.rules.arrived(nth).len()).unwrap();
                let told = receipt.map_or(0, |receipt| receipt.delivered);
                let is_old = self.rules.history[nth].stamp < told_since;
                assert!(told <= arrived, "{msgid} of {id} has arrived with {told}, not {arrived}");
                let expected = Receipt {
                    read: u32::try_from(self.rules.readers(nth).len()).unwrap(),
                    delivered: if is_old { told } else { arrived },
                    members: u32::try_from(members.len() - 1).unwrap(),
                };
                let is_deleted = self.rules.users[*id].inbox[&nth].deleted;
                assert_eq!(*receipt, (!is_deleted).then_some(expected), "the receipt of {msgid} of {id}");
            }
        }
    }

    async fn items(&self, user: usize) -> Vec<Notification> {
        self.items_in_pages_of(user, 3).await
    }

    async fn items_in_pages_of(&self, user: usize, limit: usize) -> Vec<Notification> {
        let (mut since, mut items) = (Stamp::ZERO, Vec::new());
        loop {
            let page = self.store.sync(self.keys[user], since, limit).await.unwrap();
            items.extend(page.items().unwrap());
            since = page.next;
            if !page.more {
                return items;
            }
        }
    }

    /// What a user sees who has just pulled. Nothing is seen of one who was removed.
    pub(super) async fn seen(&self, user: usize) -> Option<Seen> {
        if !self.present().contains(&user) {
            return None;
        }
        let items = self.items_in_pages_of(user, 1_000).await.into_iter();
        let items = items.map(|item| (self.rules.find(item.msgid.as_str()).unwrap(), item));
        let items = items.map(|(nth, item)| (nth, comparable(nth, item))).collect();
        Some(Seen { items, unread: self.store.unread(self.keys[user], 1_000).await.unwrap() })
    }

    /// An item of a user, by a number that a history draws. Items are in the order of their creation, which every store has.
    async fn pick(&self, user: usize, item_index: usize) -> Option<Notification> {
        let mut items = self.items(user).await;
        items.sort_unstable_by_key(|item| item.created_at);
        let nth = item_index % items.len().max(1);
        items.into_iter().nth(nth)
    }

    async fn apply(&mut self, user: usize, change: Change) -> Applied {
        self.ops += 1;
        let id = self.ops.to_string();
        let requested_ops = vec![RequestedOp { id: id.clone(), op: Some(Op { id, change }) }];
        match self.store.apply(self.keys[user], requested_ops, 99, None).await.unwrap() {
            Outcome::Done(applied) => applied,
            Outcome::Replayed(_) => panic!("nobody asked before"),
        }
    }

    /// The users who are there.
    pub(super) fn present(&self) -> std::ops::Range<usize> {
        if self.removed { 0..LAST } else { 0..USERS.len() }
    }

    /// Removes the last user, and all that nobody can read any more, a row at a time.
    async fn remove(&mut self) {
        if std::mem::replace(&mut self.removed, true) {
            return;
        }
        self.store.remove_user(USERS[LAST], WrittenContent::Keep).await.unwrap();
        while self.store.prune(None, 1).await.unwrap() {}
        assert!(!self.store.removal_pending().await.unwrap());
        self.rules.remove_user(USERS[LAST]);
    }

    /// What a removed user does is refused, and nothing comes of it.
    async fn run_of_removed(&mut self, step: &Step) {
        if let Step::Message { from, to } = *step {
            let by = Actor { id: USERS[from].into(), name: USERS[from].into() };
            let draft = Draft::new(Kind::Message, Audience::User(USERS[to].into()), by);
            assert!(self.post(draft).await.is_none());
        }
    }

    pub(super) async fn run(&mut self, step: &Step) {
        if self.removed && step.is_of(LAST) {
            return self.run_of_removed(step).await;
        }
        let by = |u: usize| Actor { id: USERS[u].into(), name: USERS[u].into() };
        match *step {
            Step::Announce => {
                let draft = Draft::new(Kind::Announcement, Audience::Everyone, by(0));
                let posted = self.post(draft).await.unwrap();
                self.published(&posted, PublicationKind::Announcement { by: USERS[0].into() });
            }
            Step::Remind { actor, action, target } => {
                let posted = self.post(reminder(by(actor), action, target)).await.unwrap();
                self.published(&posted, reminder_record(actor, action, target));
            }
            Step::Revise { actor, action, target } => {
                let mut draft = reminder(by(actor), action, target);
                draft.sequence = Some(ACTIONS[action].into());
                let posted = self.post(draft).await.unwrap();
                if let Some(nth) = self.sequences.get(&(action, target)) {
                    self.rules.revise(*nth, posted.stamp);
                } else {
                    self.sequences.insert((action, target), self.rules.now());
                    self.published(&posted, reminder_record(actor, action, target));
                }
            }
            Step::Recall { nth } => {
                let nth = nth % self.rules.history.len().max(1);
                let Some(published) = self.rules.history.get(nth) else { return };
                // What nobody could read any more went with its user.
                let msgid = MsgId(published.msgid.clone());
                if self.removed && self.store.created_at(&msgid).await.unwrap().is_none() {
                    return;
                }
                let admin =
                    Editor { user: self.keys[0], id: USERS[0].into(), is_admin: true, application: None };
                let recalled = self.store.recall(&MsgId(published.msgid.clone()), &admin).await.unwrap();
                assert_eq!(recalled.is_some(), self.rules.recall(nth));
                self.sequences.retain(|_, named| *named != nth);
                self.edited.retain(|_, named| *named != nth);
            }
            Step::Withdraw { action, target, delete } => {
                let Some(nth) = self.sequences.get(&(action, target)).copied() else { return };
                let (change, how) = if delete {
                    self.sequences.remove(&(action, target));
                    (SequenceChange::Delete, Withdrawal::Delete)
                } else {
                    (SequenceChange::Clear, Withdrawal::Clear)
                };
                let done = self.store.sequence(TARGETS[target], ACTIONS[action], change, PostedBy::default());
                assert!(done.await.unwrap().is_some());
                self.rules.withdraw(nth, how);
            }
            Step::Edit { from, to } => {
                let draft = if from == to {
                    Draft::new(Kind::Announcement, Audience::Everyone, by(from))
                } else {
                    Draft::new(Kind::Message, Audience::User(USERS[to].into()), by(from))
                };
                let target =
                    Target { kind: "edited".into(), id: format!("{from}-{to}"), ..Target::default() };
                let posted = self
                    .post(Draft { sequence: Some("it".into()), target: Some(target), ..draft })
                    .await
                    .unwrap();
                if let Some(nth) = self.edited.get(&(from, to)) {
                    self.rules.revise(*nth, posted.stamp);
                } else {
                    self.edited.insert((from, to), self.rules.now());
                    let (from_id, to_id) = (USERS[from].to_owned(), USERS[to].to_owned());
                    let what = if from == to {
                        PublicationKind::Announcement { by: from_id }
                    } else {
                        PublicationKind::Direct { from: from_id, to: to_id }
                    };
                    self.published(&posted, what);
                }
            }
            Step::Class { action, auto } => {
                let mut catalog = (*self.store.catalog().await.unwrap()).clone();
                catalog.actions.get_mut(ACTIONS[action]).unwrap().class =
                    if auto { Class::Auto } else { Class::Manual };
                self.store.set_catalog(catalog).await.unwrap();
                if auto {
                    self.rules.auto_actions.insert(ACTIONS[action].into());
                } else {
                    self.rules.auto_actions.remove(ACTIONS[action]);
                }
            }
            Step::Message { from, to } => {
                let draft = Draft::new(Kind::Message, Audience::User(USERS[to].into()), by(from));
                let posted = self.post(draft).await.unwrap();
                self.published(
                    &posted,
                    PublicationKind::Direct { from: USERS[from].into(), to: USERS[to].into() },
                );
            }
            Step::Ask { from, to, secs } => {
                let (from_id, to_id) = (USERS[from].to_owned(), USERS[to].to_owned());
                let (mut draft, what) = if from == to {
                    let draft = Draft::new(Kind::Announcement, Audience::Everyone, by(from));
                    (draft, PublicationKind::Announcement { by: from_id })
                } else {
                    let draft = Draft::new(Kind::Message, Audience::User(to_id.clone()), by(from));
                    (draft, PublicationKind::Direct { from: from_id, to: to_id })
                };
                let until = self.clock.now().plus_secs(secs);
                let asks = Question { text: true, expires_at: Some(until), ..Question::default() };
                draft.content.question = Some(asks);
                let posted = self.post(draft).await.unwrap();
                self.questions.insert(self.rules.now(), (until, QuestionState::Open));
                self.published(&posted, what);
                self.rules.asks();
            }
            Step::Answer { user, item_index } => self.answer(user, item_index).await,
            Step::GroupMessage { from } => {
                let draft = Draft::new(Kind::Message, Audience::Group("crew".into()), by(from));
                let posted = self.post(draft).await;
                let members = self.rules.members("crew");
                assert_eq!(posted.is_some(), members.contains(USERS[from]));
                if let Some(posted) = posted {
                    let (gid, from) = ("crew".into(), USERS[from].into());
                    self.published(&posted, PublicationKind::Group { gid, from, members });
                }
            }
            Step::Subscribe { user, target, action } => {
                let place = TargetRef { kind: "article".into(), id: TARGETS[target].into() };
                self.store
                    .subscribe(self.keys[user], place, vec![ACTIONS[action].into()], None)
                    .await
                    .unwrap();
                self.rules.subscribe(USERS[user], &article(target), &[ACTIONS[action]]);
            }
            Step::Unsubscribe { user, target, action } => {
                let place = TargetRef { kind: "article".into(), id: TARGETS[target].into() };
                self.store.unsubscribe(self.keys[user], place, Some(ACTIONS[action].into())).await.unwrap();
                self.rules.unsubscribe(USERS[user], &article(target), Some(ACTIONS[action]));
            }
            Step::Follow { user, actor_index } => {
                self.store.follow(self.keys[user], USERS[actor_index]).await.unwrap();
                self.rules.follow(USERS[user], USERS[actor_index]);
            }
            Step::Unfollow { user, actor_index } => {
                self.store.unfollow(self.keys[user], USERS[actor_index]).await.unwrap();
                self.rules.user(USERS[user]).follows.remove(USERS[actor_index]);
            }
            Step::Prefer { user, action, wanted } => {
                let set = BTreeMap::from([(ACTIONS[action].to_owned(), Some(wanted))]);
                self.store.set_preferences(self.keys[user], set).await.unwrap();
                self.rules.user(USERS[user]).preferences.insert(ACTIONS[action].into(), wanted);
            }
            Step::End => {
                if !std::mem::replace(&mut self.ended, true) {
                    self.store.end_group("crew").await.unwrap();
                    self.rules.groups.get_mut("crew").unwrap().clear();
                    while self.store.prune(None, 1).await.unwrap() {}
                }
            }
            Step::Remove => self.remove().await,
            Step::Join { .. } if self.ended => {}
            Step::Join { user } => {
                self.store.join("crew", USERS[user]).await.unwrap();
                self.rules.groups.get_mut("crew").unwrap().insert(USERS[user].into());
            }
            Step::Leave { user } => {
                let left = self.store.leave("crew", USERS[user]).await.is_ok();
                assert_eq!(left, self.rules.groups.get_mut("crew").unwrap().remove(USERS[user]));
            }
            Step::Pull { user } => self.pull_with_device(user).await,
            Step::Mark { user, item_index, mark_index, secs_ago } => {
                self.mark(user, item_index, mark_index, secs_ago).await;
            }
            Step::Visit { user, item_index } => {
                self.pull(user).await;
                if let Some(item) = self.pick(user, item_index).await {
                    let view = item.view().unwrap_or(View::Announcements);
                    let last = self.store.meta().await.unwrap().last_stamp;
                    let visit =
                        if item_index % 2 == 0 { Visit::Now } else { Visit::Item(item.msgid.clone()) };
                    let through = if item_index % 2 == 0 { last } else { item.content_at() };
                    let op = ReaderOp::Visit { view: view.to_string(), through };
                    self.rules.apply(USERS[user], &op);
                    self.store.visit(self.keys[user], &view, visit, 99).await.unwrap();
                }
            }
            Step::ReadAll { user } => {
                self.pull(user).await;
                let last = self.store.meta().await.unwrap().last_stamp;
                self.rules.apply(USERS[user], &ReaderOp::ReadAll { kind: None, through: last });
                let change = Change::ReadAll { kind: None, through: Stamp::MAX };
                self.apply(user, change).await;
                let counts = self.store.unread(self.keys[user], 99).await.unwrap();
                assert_eq!(counts.total.count, 0);
            }
            Step::Advance { secs } => {
                self.clock.advance(secs);
                self.store.count_deliveries().await.unwrap();
            }
        }
    }

    async fn answer(&mut self, user: usize, item_index: usize) {
        let Some(item) = self.pick(user, item_index).await else { return };
        self.tell_time(user).await;
        let nth = self.rules.find(item.msgid.as_str()).unwrap();
        let is_recalled = self.rules.history[nth].withdrawn == Some(Withdrawal::Delete);
        let now = self.clock.now();
        let expected = match self.questions.get(&nth) {
            _ if item.deleted || is_recalled => None,
            None => Some(Code::Invalid),
            Some((_, QuestionState::Answered)) => Some(Code::Conflict),
            Some((_, QuestionState::Expired)) => Some(Code::Gone),
            Some((until, QuestionState::Open)) => (*until <= now).then_some(Code::Gone),
        };
        let text = Some("so".into());
        let change = Change::Answer { msgids: [item.msgid.clone()], answer: None, text, at: None };
        if expected.is_none() && !item.deleted && !is_recalled {
            let op = self.rules.op(&change, Stamp::MAX);
            self.rules.apply(USERS[user], &op);
            self.questions.entry(nth).and_modify(|(_, state)| *state = QuestionState::Answered);
        }
        let applied = self.apply(user, change).await;
        assert_eq!(applied.results[0].code, expected, "{} of {}", item.msgid, USERS[user]);
    }

    async fn mark(&mut self, user: usize, item_index: usize, mark_index: u8, secs_ago: u8) {
        let Some(item) = self.pick(user, item_index).await else { return };
        self.tell_time(user).await;
        let until = self.clock.now().plus_secs(2);
        let mut change = change(mark_index, vec![item.msgid.clone()], until);
        if let Change::Mark { at, .. } = &mut change {
            // Between two steps of the clock, so that no two marks were put at the same time.
            let micros = i64::from(secs_ago) * 1_000_000 - 500_000;
            *at = (secs_ago > 0).then(|| self.clock.now().plus_micros(-micros));
        }
        let op = self.rules.op(&change, Stamp::MAX);
        self.rules.apply(USERS[user], &op);
        self.apply(user, change).await;
    }

    /// Asserts that each of these handles on the database gives the unread counts of a recount.
    pub(super) async fn assert_counts_are_recounts(&mut self, handles: &[&dyn Store]) {
        self.end_questions();
        for user in self.present() {
            let (key, id) = (self.keys[user], USERS[user]);
            self.tell_time(user).await;
            let mut recount = None;
            for (nth, handle) in handles.iter().enumerate() {
                let told = handle.fresh_unread(key, 1_000).await.unwrap();
                if recount.is_none() {
                    // Whoever asks first brings in what is due; after that nothing changes.
                    recount = Some(self.store.unread(key, 1_000).await.unwrap());
                }
                assert_eq!(Some(&told), recount.as_ref(), "{id} at {nth}");
            }
            // A request for counts brings in the due items, as a pull does.
            self.rules.pull(id);
        }
    }

    /// Asserts that every inbox equals that of the rules, and every count equals a count of the items.
    pub(super) async fn assert_matches_rules(&mut self) {
        for user in self.present() {
            self.pull(user).await;
        }
        self.assert_receipts_match_rules().await;
        let now = self.clock.now();
        let rules = &self.rules;
        for (user, id) in USERS.iter().enumerate().take(self.present().len()) {
            let items = self.items(user).await;
            let msgids: BTreeSet<&str> = items.iter().map(|i| i.msgid.as_str()).collect();
            assert_eq!(msgids.len(), items.len(), "nothing is there twice");
            let inbox = &rules.users[*id].inbox;
            assert_eq!(
                msgids,
                inbox.keys().map(|nth| &*rules.history[*nth].msgid).collect(),
                "what {id} has"
            );
            for item in &items {
                let nth = rules.find(item.msgid.as_str()).unwrap();
                let entry = &inbox[&nth];
                assert_eq!((item.kind, item.deleted), (rules.kind(nth), entry.deleted));
                if !item.deleted {
                    let state = item.content.question.as_ref().map(|question| question.state);
                    let expected = self.questions.get(&nth).map(|(_, state)| *state);
                    assert_eq!(state, expected, "{} of {id}", item.msgid);
                    let actual = (
                        item.auto,
                        item.revised_at,
                        item.read_at.is_some(),
                        item.archived_at.is_some(),
                        item.seen_at.is_some(),
                        item.snoozed_until,
                    );
                    let rules = (
                        entry.auto,
                        entry.revised,
                        rules.is_read(id, nth),
                        entry.archived,
                        entry.seen,
                        entry.snoozed,
                    );
                    assert_eq!(actual, rules, "{} of {id}", item.msgid);
                }
            }
            assert!(items.windows(2).all(|w| w[0].stamp < w[1].stamp));
            let counts = self.store.unread(self.keys[user], 1_000).await.unwrap();
            let expected = rules.unread(id, now);
            assert_eq!(counts.total.count, expected.total());
            assert_eq!(counts.reminder.count, expected.reminder);
            assert_eq!(counts.message.count, expected.message);
            let conversations = counts.conversations.iter().map(|(id, count)| (id.clone(), count.count));
            assert_eq!(
                conversations.filter(|(_, n)| *n > 0).collect::<BTreeMap<_, _>>(),
                expected.conversations
            );
            let query = InboxQuery { limit: 1_000, ..InboxQuery::default() };
            let mut listed = self.store.inbox(self.keys[user], query).await.unwrap().items().unwrap();
            let mut wanted: Vec<_> =
                items.iter().filter(|i| !i.deleted && i.archived_at.is_none()).cloned().collect();
            wanted.sort_by_key(Notification::content_at);
            listed.reverse();
            assert_eq!(listed, wanted);
        }
        assert_eq!(self.store.check().await.unwrap(), []);
    }
}

/// An item without its name, its stamps and its version. Of its times only whether they are set is left, but for the end of
/// a snooze. Each store tells in its own time with whom a message has arrived.
fn comparable(nth: Position, item: Notification) -> Notification {
    let is_set = |at: Option<Stamp>| at.map(|_| Stamp::ZERO);
    Notification {
        msgid: MsgId(nth.to_string()),
        stamp: Stamp::ZERO,
        version: 0,
        created_at: Stamp::ZERO,
        seen_at: is_set(item.seen_at),
        read_at: is_set(item.read_at),
        archived_at: is_set(item.archived_at),
        revised_at: is_set(item.revised_at),
        receipt: item.receipt.map(|receipt| Receipt { delivered: 0, ..receipt }),
        ..item
    }
}

fn reminder(by: Actor, action: usize, target: usize) -> Draft {
    let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, by);
    draft.action = ACTIONS[action].into();
    draft.target = Some(Target { kind: "article".into(), id: TARGETS[target].into(), ..Target::default() });
    draft
}

fn article(target: usize) -> String {
    format!("article:{}", TARGETS[target])
}

fn reminder_record(actor: usize, action: usize, target: usize) -> PublicationKind {
    PublicationKind::Reminder {
        actor: USERS[actor].into(),
        action: ACTIONS[action].into(),
        target: article(target),
    }
}
