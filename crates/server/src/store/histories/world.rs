//! Runs steps against a store and against the model of the rules, and compares the two.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use tidings_model::wire::Posted;
use tidings_model::wire::{Change, Op};
use tidings_model::{Actor, Class, Clock, Kind, MsgId, Notification, Stamp, Target, View};

use super::rules::{Entry, Published, Rules, What};
use super::steps::{ACTIONS, Step, TARGETS, USERS};
use crate::store::conformance::StandingClock;
use crate::store::sqlite::SqliteStore;
use crate::store::{
    Audience, Draft, Error, InboxQuery, Outcome, RequestedOp, Store, TargetRef, UserKey, Visit,
};

pub(super) struct World {
    store: Arc<SqliteStore>,
    clock: Arc<StandingClock>,
    keys: Vec<UserKey>,
    rules: Rules,
    /// Where in `rules.published` the publications are that have a name of their own.
    named: BTreeMap<(usize, usize), usize>,
    ops: usize,
}

impl World {
    /// The three users, one of whom is in a group.
    pub(super) async fn new(folder: &Path) -> Self {
        let clock = Arc::new(StandingClock::default());
        let store =
            SqliteStore::open(&folder.join("server.db"), clock.clone()).unwrap().with_small_portions();
        let mut keys = Vec::new();
        for id in USERS {
            match store.add_user(id, id, None).await.unwrap() {
                Outcome::Done(user) => keys.push(user.key),
                Outcome::Replayed(_) => unreachable!("nobody asked before"),
            }
        }
        store.add_group(keys[0], Some("crew".into()), "Crew".into(), vec![], None).await.unwrap();
        let mut rules = Rules::default();
        rules.members.insert(0);
        Self { store: Arc::new(store), clock, keys, rules, named: BTreeMap::new(), ops: 0 }
    }

    async fn post(&self, draft: Draft) -> Option<Posted> {
        match self.store.post(vec![draft], None).await {
            Ok(Outcome::Done(posts)) => Some(posts[0].posted.clone()),
            Ok(Outcome::Replayed(_)) => panic!("nobody asked before"),
            Err(Error::Refused(_)) => None,
            Err(e) => panic!("{e}"),
        }
    }

    fn published(&mut self, posted: Posted, what: What) {
        let Posted { msgid, stamp } = posted;
        self.rules.published.push(Published { msgid, stamp, at: self.rules.now, revised: None, what });
    }

    async fn pull(&mut self, user: usize) {
        while self.store.fan_in(self.keys[user]).await.unwrap() {}
        self.rules.pull(user);
    }

    async fn items(&self, user: usize) -> Vec<Notification> {
        let (mut since, mut items) = (Stamp::ZERO, Vec::new());
        loop {
            let page = self.store.sync(self.keys[user], since, 3).await.unwrap();
            items.extend(page.items().unwrap());
            since = page.next;
            if !page.more {
                return items;
            }
        }
    }

    async fn apply(&mut self, user: usize, change: Change) {
        self.ops += 1;
        let id = self.ops.to_string();
        let asked = vec![RequestedOp { id: id.clone(), op: Some(Op { id, change }) }];
        self.store.apply(self.keys[user], asked, 99, None).await.unwrap();
    }

    pub(super) async fn run(&mut self, step: &Step) {
        self.rules.now += 1;
        let by = |u: usize| Actor { id: USERS[u].into(), name: USERS[u].into() };
        match *step {
            Step::Announce => {
                let draft = Draft::new(Kind::Announcement, Audience::Everyone, by(0));
                let posted = self.post(draft).await.unwrap();
                self.published(posted, What::Announcement { by: 0 });
            }
            Step::Remind { actor, action, target } => {
                let posted = self.post(reminder(by(actor), action, target)).await.unwrap();
                self.published(posted, What::Reminder { actor, action, target });
            }
            Step::Revise { actor, action, target } => {
                let mut draft = reminder(by(actor), action, target);
                draft.sequence = Some(ACTIONS[action].into());
                let posted = self.post(draft).await.unwrap();
                if let Some(at) = self.named.get(&(action, target)) {
                    self.rules.published[*at].revised = Some((posted.stamp, self.rules.now));
                } else {
                    self.named.insert((action, target), self.rules.published.len());
                    self.published(posted, What::Reminder { actor, action, target });
                }
            }
            Step::Class { action, auto } => {
                let mut catalog = (*self.store.catalog().await.unwrap()).clone();
                catalog.actions.get_mut(ACTIONS[action]).unwrap().class =
                    if auto { Class::Auto } else { Class::Manual };
                self.store.set_catalog(catalog).await.unwrap();
                if auto {
                    self.rules.auto.insert(action);
                } else {
                    self.rules.auto.remove(&action);
                }
            }
            Step::Message { from, to } => {
                let draft = Draft::new(Kind::Message, Audience::User(USERS[to].into()), by(from));
                let posted = self.post(draft).await.unwrap();
                for (user, peer) in [(from, to), (to, from)] {
                    let view = View::Conversation(format!("user:{}", USERS[peer]));
                    let entry = Entry::new(Kind::Message, view, posted.stamp, user == from);
                    self.rules.inboxes[user].items.insert(posted.msgid.clone(), entry);
                }
            }
            Step::GroupMessage { from } => {
                let draft = Draft::new(Kind::Message, Audience::Group("crew".into()), by(from));
                let posted = self.post(draft).await;
                assert_eq!(posted.is_some(), self.rules.members.contains(&from));
                if let Some(posted) = posted {
                    for member in self.rules.members.clone() {
                        let view = View::Conversation("group:crew".into());
                        let entry = Entry::new(Kind::Message, view, posted.stamp, member == from);
                        self.rules.inboxes[member].items.insert(posted.msgid.clone(), entry);
                    }
                }
            }
            Step::Subscribe { user, target, action } => {
                let place = TargetRef { kind: "article".into(), id: TARGETS[target].into() };
                self.store
                    .subscribe(self.keys[user], place, vec![ACTIONS[action].into()], None)
                    .await
                    .unwrap();
                self.rules.subscriptions.entry((user, target, action)).or_insert(self.rules.now);
            }
            Step::Unsubscribe { user, target, action } => {
                let place = TargetRef { kind: "article".into(), id: TARGETS[target].into() };
                self.store.unsubscribe(self.keys[user], place, Some(ACTIONS[action].into())).await.unwrap();
                self.rules.subscriptions.remove(&(user, target, action));
            }
            Step::Follow { user, whom } => {
                self.store.follow(self.keys[user], USERS[whom]).await.unwrap();
                self.rules.follows.entry((user, whom)).or_insert(self.rules.now);
            }
            Step::Unfollow { user, whom } => {
                self.store.unfollow(self.keys[user], USERS[whom]).await.unwrap();
                self.rules.follows.remove(&(user, whom));
            }
            Step::Prefer { user, action, wanted } => {
                let set = BTreeMap::from([(ACTIONS[action].to_owned(), Some(wanted))]);
                self.store.set_preferences(self.keys[user], set).await.unwrap();
                if wanted {
                    self.rules.unwanted.remove(&(user, action));
                } else {
                    self.rules.unwanted.insert((user, action));
                }
            }
            Step::Join { user } => {
                self.store.join("crew", USERS[user]).await.unwrap();
                self.rules.members.insert(user);
            }
            Step::Leave { user } => {
                let left = self.store.leave("crew", USERS[user]).await.is_ok();
                assert_eq!(left, self.rules.members.remove(&user));
            }
            Step::Pull { user } => self.pull(user).await,
            Step::Mark { user, which, how } => self.mark(user, which, how).await,
            Step::Visit { user, which } => {
                self.pull(user).await;
                let items = self.items(user).await;
                if let Some(item) = items.get(which % items.len().max(1)) {
                    let view = item.view().unwrap_or(View::Announcements);
                    let last = self.store.meta().await.unwrap().last_stamp;
                    let visit = if which % 2 == 0 { Visit::Now } else { Visit::Item(item.msgid.clone()) };
                    self.rules.inboxes[user].visit(&item.msgid, (which % 2 == 0).then_some(last));
                    self.store.visit(self.keys[user], &view, visit, 99).await.unwrap();
                }
            }
            Step::ReadAll { user } => {
                self.pull(user).await;
                let last = self.store.meta().await.unwrap().last_stamp;
                self.rules.inboxes[user].read_all(last);
                let change = Change::ReadAll { kind: None, through: Stamp::MAX };
                self.apply(user, change).await;
                let counts = self.store.unread(self.keys[user], 99).await.unwrap();
                assert_eq!(counts.total.count, 0);
            }
            Step::Advance { secs } => self.clock.advance(secs),
        }
    }

    async fn mark(&mut self, user: usize, which: usize, how: u8) {
        let items = self.items(user).await;
        let Some(item) = items.get(which % items.len().max(1)) else { return };
        let msgids = vec![item.msgid.clone()];
        let until = self.clock.now().plus_secs(2);
        self.rules.inboxes[user].mark(&item.msgid, how, until);
        let change = match how {
            0 => Change::Read { msgids },
            1 => Change::Unread { msgids },
            2 => Change::Seen { msgids },
            3 => Change::Archive { msgids },
            4 => Change::Unarchive { msgids },
            5 => Change::Snooze { msgids, until },
            6 => Change::Unsnooze { msgids },
            _ => Change::Delete { msgids },
        };
        self.apply(user, change).await;
    }

    /// Everything is where the rules put it, and every number is what the items say.
    pub(super) async fn holds(&mut self) {
        for user in 0..USERS.len() {
            self.pull(user).await;
        }
        let now = self.clock.now();
        for (user, id) in USERS.iter().enumerate() {
            let items = self.items(user).await;
            let has: BTreeSet<MsgId> = items.iter().map(|i| i.msgid.clone()).collect();
            assert_eq!(has.len(), items.len(), "nothing is there twice");
            let inbox = &self.rules.inboxes[user];
            assert_eq!(has, inbox.items.keys().cloned().collect(), "what {id} has");
            for item in &items {
                let entry = &inbox.items[&item.msgid];
                assert_eq!((item.kind, item.deleted), (entry.kind, entry.deleted));
                if !item.deleted {
                    let there =
                        (item.auto, item.revised_at, item.read_at.is_some(), item.archived_at.is_some());
                    let rules = (entry.auto, entry.revised, inbox.is_read(entry), entry.archived);
                    assert_eq!(there, rules, "{} of {id}", item.msgid);
                }
            }
            assert!(items.windows(2).all(|w| w[0].stamp < w[1].stamp));
            let counts = self.store.unread(self.keys[user], 1_000).await.unwrap();
            assert_eq!(counts.total.count, inbox.unread(now, |_| true));
            assert_eq!(counts.reminder.count, inbox.unread(now, |e| e.kind == Kind::Reminder));
            assert_eq!(counts.message.count, inbox.unread(now, |e| e.kind == Kind::Message));
            for (conversation, count) in &counts.conversations {
                let view = View::Conversation(conversation.clone());
                assert_eq!(count.count, inbox.unread(now, |e| e.view == view));
            }
            let query = InboxQuery { limit: 1_000, ..InboxQuery::default() };
            let mut listed = self.store.inbox(self.keys[user], query).await.unwrap().items().unwrap();
            let mut wanted: Vec<_> =
                items.iter().filter(|i| !i.deleted && i.archived_at.is_none()).cloned().collect();
            wanted.sort_by_key(|i| i.created_at);
            listed.reverse();
            assert_eq!(listed, wanted);
        }
        assert_eq!(self.store.check().await.unwrap(), []);
    }
}

fn reminder(by: Actor, action: usize, target: usize) -> Draft {
    let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, by);
    draft.action = ACTIONS[action].into();
    draft.target = Some(Target { kind: "article".into(), id: TARGETS[target].into(), ..Target::default() });
    draft
}
