//! A store and the rules beside it, in which a step takes place. Refuses any difference between the two.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use tidings_model::wire::{Change, Op};
use tidings_model::{Actor, Clock, Kind, MsgId, Notification, Stamp, Target, View, is_unread};

use super::rules::{Published, Rules, What};
use super::steps::{ACTIONS, Step, TARGETS, USERS};
use crate::store::conformance::StandingClock;
use crate::store::sqlite::SqliteStore;
use crate::store::{AskedOp, Audience, Did, Draft, Error, InboxQuery, Store, TargetRef, UserKey, Visit};

pub(super) struct World {
    store: Arc<SqliteStore>,
    clock: Arc<StandingClock>,
    keys: Vec<UserKey>,
    rules: Rules,
    ops: usize,
}

impl World {
    /// The three users, one of whom is in a group.
    pub(super) async fn new(folder: &Path) -> Self {
        let clock = Arc::new(StandingClock::default());
        let store = SqliteStore::open(&folder.join("server.db"), clock.clone()).unwrap();
        let mut keys = Vec::new();
        for id in USERS {
            match store.add_user(id, id, None).await.unwrap() {
                Did::Now(user) => keys.push(user.key),
                Did::Before(_) => unreachable!("nobody asked before"),
            }
        }
        store.add_group(keys[0], Some("crew".into()), "Crew".into(), vec![], None).await.unwrap();
        let mut rules = Rules::default();
        rules.members.insert(0);
        Self { store: Arc::new(store), clock, keys, rules, ops: 0 }
    }

    async fn post(&self, draft: Draft) -> Option<MsgId> {
        match self.store.post(vec![draft], None).await {
            Ok(Did::Now(posts)) => Some(posts[0].posted.msgid.clone()),
            Ok(Did::Before(_)) => panic!("nobody asked before"),
            Err(Error::Refused(_)) => None,
            Err(e) => panic!("{e}"),
        }
    }

    async fn pull(&mut self, user: usize) {
        while self.store.bring_in(self.keys[user]).await.unwrap() {}
        self.rules.pull(user);
    }

    async fn items(&self, user: usize) -> Vec<Notification> {
        let (mut since, mut items) = (Stamp::ZERO, Vec::new());
        loop {
            let page = self.store.sync(self.keys[user], since, 3).await.unwrap();
            items.extend(page.items);
            since = page.next;
            if !page.more {
                return items;
            }
        }
    }

    async fn apply(&mut self, user: usize, change: Change) {
        self.ops += 1;
        let id = self.ops.to_string();
        let asked = vec![AskedOp { id: id.clone(), op: Some(Op { id, change }) }];
        self.store.apply(self.keys[user], asked, 99, None).await.unwrap();
    }

    pub(super) async fn run(&mut self, step: &Step) {
        self.rules.now += 1;
        let by = |u: usize| Actor { id: USERS[u].into(), name: USERS[u].into() };
        match *step {
            Step::Announce => {
                let draft = Draft::new(Kind::Announcement, Audience::Everyone, by(0));
                let msgid = self.post(draft).await.unwrap();
                self.rules.published.push(Published { msgid, at: self.rules.now, what: What::Announcement });
            }
            Step::Remind { actor, action, target } => {
                let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, by(actor));
                draft.action = ACTIONS[action].into();
                draft.target =
                    Some(Target { kind: "article".into(), id: TARGETS[target].into(), ..Target::default() });
                let msgid = self.post(draft).await.unwrap();
                let what = What::Reminder { actor, action, target };
                self.rules.published.push(Published { msgid, at: self.rules.now, what });
            }
            Step::Message { from, to } => {
                let draft = Draft::new(Kind::Message, Audience::User(USERS[to].into()), by(from));
                let msgid = self.post(draft).await.unwrap();
                self.rules.has[to].insert(msgid.clone());
                self.rules.has[from].insert(msgid);
            }
            Step::GroupMessage { from } => {
                let draft = Draft::new(Kind::Message, Audience::Group("crew".into()), by(from));
                let posted = self.post(draft).await;
                assert_eq!(posted.is_some(), self.rules.members.contains(&from));
                if let Some(msgid) = posted {
                    for member in self.rules.members.clone() {
                        self.rules.has[member].insert(msgid.clone());
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
                    let visit = if which % 2 == 0 { Visit::Now } else { Visit::Item(item.msgid.clone()) };
                    self.store.visit(self.keys[user], &view, visit, 99).await.unwrap();
                }
            }
            Step::ReadAll { user } => {
                self.pull(user).await;
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
        let change = match how {
            0 => Change::Read { msgids },
            1 => Change::Unread { msgids },
            2 => Change::Seen { msgids },
            3 => Change::Archive { msgids },
            4 => Change::Unarchive { msgids },
            5 => Change::Snooze { msgids, until: self.clock.now().plus_secs(2) },
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
            assert_eq!(has, self.rules.has[user], "what {id} has");
            assert!(items.windows(2).all(|w| w[0].stamp < w[1].stamp));
            let counts = self.store.unread(self.keys[user], 1_000).await.unwrap();
            let unread = |of: &dyn Fn(&Notification) -> bool| {
                items.iter().filter(|i| of(i) && is_unread(&i.state(id), now)).count() as u64
            };
            assert_eq!(counts.total.count, unread(&|_| true));
            assert_eq!(counts.message.count, unread(&|i| i.kind == Kind::Message));
            for (conversation, count) in &counts.conversations {
                assert_eq!(count.count, unread(&|i| i.conversation.as_ref() == Some(conversation)));
            }
            let query = InboxQuery { limit: 1_000, ..InboxQuery::default() };
            let mut listed = self.store.inbox(self.keys[user], query).await.unwrap().items;
            let mut wanted: Vec<_> =
                items.iter().filter(|i| !i.deleted && i.archived_at.is_none()).cloned().collect();
            wanted.sort_by_key(|i| i.created_at);
            listed.reverse();
            assert_eq!(listed, wanted);
        }
        assert_eq!(self.store.check().await.unwrap(), []);
    }
}
