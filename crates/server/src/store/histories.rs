//! Random histories of users who publish, subscribe, read, join and leave, beside a plain model of the rules. Refuses
//! any difference at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use tidings_model::wire::{Change, Op};
use tidings_model::{Actor, Clock, Kind, MsgId, Notification, Stamp, Target, View, is_unread};

use super::conformance::StandingClock;
use super::sqlite::SqliteStore;
use super::{AskedOp, Audience, Did, Draft, InboxQuery, Store, TargetRef, UserKey, Visit};

const USERS: [&str; 3] = ["ann", "bob", "cat"];
const ACTIONS: [&str; 2] = ["like", "comment"];
const TARGETS: [&str; 2] = ["1", "2"];

#[derive(Debug, Clone)]
enum Step {
    Announce,
    Remind { actor: usize, action: usize, target: usize },
    Message { from: usize, to: usize },
    GroupMessage { from: usize },
    Subscribe { user: usize, target: usize, action: usize },
    Unsubscribe { user: usize, target: usize, action: usize },
    Follow { user: usize, whom: usize },
    Unfollow { user: usize, whom: usize },
    Prefer { user: usize, action: usize, wanted: bool },
    Join { user: usize },
    Leave { user: usize },
    Pull { user: usize },
    Mark { user: usize, which: usize, how: u8 },
    Visit { user: usize, which: usize },
    ReadAll { user: usize },
    Advance { secs: i64 },
}

fn step() -> impl Strategy<Value = Step> {
    let u = || 0..USERS.len();
    let (a, t) = (|| 0..ACTIONS.len(), || 0..TARGETS.len());
    prop_oneof![
        1 => Just(Step::Announce),
        4 => (u(), a(), t()).prop_map(|(actor, action, target)| Step::Remind { actor, action, target }),
        2 => (u(), u()).prop_map(|(from, to)| Step::Message { from, to }),
        3 => u().prop_map(|from| Step::GroupMessage { from }),
        3 => (u(), t(), a()).prop_map(|(user, target, action)| Step::Subscribe { user, target, action }),
        1 => (u(), t(), a()).prop_map(|(user, target, action)| Step::Unsubscribe { user, target, action }),
        1 => (u(), u()).prop_map(|(user, whom)| Step::Follow { user, whom }),
        1 => (u(), u()).prop_map(|(user, whom)| Step::Unfollow { user, whom }),
        1 => (u(), a(), any::<bool>()).prop_map(|(user, action, wanted)| Step::Prefer { user, action, wanted }),
        1 => u().prop_map(|user| Step::Join { user }),
        1 => u().prop_map(|user| Step::Leave { user }),
        4 => u().prop_map(|user| Step::Pull { user }),
        6 => (u(), 0..40usize, 0..8u8).prop_map(|(user, which, how)| Step::Mark { user, which, how }),
        3 => (u(), 0..40usize).prop_map(|(user, which)| Step::Visit { user, which }),
        1 => u().prop_map(|user| Step::ReadAll { user }),
        1 => (-5..5i64).prop_map(|secs| Step::Advance { secs }),
    ]
}

/// What was published, as the model remembers it.
struct Published {
    msgid: MsgId,
    at: usize,
    what: What,
}

enum What {
    Announcement,
    Reminder { actor: usize, action: usize, target: usize },
}

/// The rules, plainly: who has what.
#[derive(Default)]
struct Rules {
    /// Steps count as time.
    now: usize,
    published: Vec<Published>,
    subscriptions: BTreeMap<(usize, usize, usize), usize>,
    follows: BTreeMap<(usize, usize), usize>,
    unwanted: BTreeSet<(usize, usize)>,
    members: BTreeSet<usize>,
    pulled_to: [usize; 3],
    has: [BTreeSet<MsgId>; 3],
}

impl Rules {
    fn pull(&mut self, user: usize) {
        for p in self.published.iter().filter(|p| p.at > self.pulled_to[user]) {
            let reaches = match p.what {
                What::Announcement => true,
                What::Reminder { actor, action, target } => {
                    let since = self.subscriptions.get(&(user, target, action));
                    let followed = self.follows.get(&(user, actor));
                    actor != user
                        && !self.unwanted.contains(&(user, action))
                        && [since, followed].into_iter().flatten().any(|from| *from < p.at)
                }
            };
            if reaches {
                self.has[user].insert(p.msgid.clone());
            }
        }
        self.pulled_to[user] = self.now;
    }
}

struct World {
    store: Arc<SqliteStore>,
    clock: Arc<StandingClock>,
    keys: Vec<UserKey>,
    rules: Rules,
    ops: usize,
}

impl World {
    async fn post(&self, draft: Draft) -> Option<MsgId> {
        match self.store.post(vec![draft], None).await {
            Ok(Did::Now(posts)) => Some(posts[0].posted.msgid.clone()),
            Ok(Did::Before(_)) => panic!("nobody asked before"),
            Err(super::Error::Refused(_)) => None,
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

    async fn run(&mut self, step: &Step) {
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
    async fn holds(&mut self) {
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_history_ends_where_the_rules_say(steps in proptest::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let dir = tempfile::tempdir().unwrap();
            let clock = Arc::new(StandingClock::default());
            let store = SqliteStore::open(&dir.path().join("server.db"), clock.clone()).unwrap();
            let mut keys = Vec::new();
            for id in USERS {
                match store.add_user(id, id, None).await.unwrap() {
                    Did::Now(user) => keys.push(user.key),
                    Did::Before(_) => unreachable!("nobody asked before"),
                }
            }
            store.add_group(keys[0], Some("crew".into()), "Crew".into(), vec![], None).await.unwrap();
            let rules = Rules { members: BTreeSet::from([0]), ..Rules::default() };
            let mut world = World { store: Arc::new(store), clock, keys, rules, ops: 0 };
            for step in &steps {
                world.run(step).await;
            }
            world.holds().await;
        });
    }
}
