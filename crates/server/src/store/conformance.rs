//! What any store must do, told as checks that need nothing but a constructor. Refuses to know which store it is.
//!
//! A store names its constructor once, in a test target:
//!
//! ```ignore
//! tidings_server::store_conformance!(|clock| async move { (MyStore::open(clock).await, ()) });
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "a store that does not conform fails its test, at once and with words"
)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};

use tidings_model::wire::{Change, Op, Scope};
use tidings_model::{Actor, Clock, Kind, MsgId, Notification, Stamp, Target, View};

use super::{
    Answer, Applied, AskedOp, Audience, Did, Draft, Error, Group, InboxQuery, NewToken, Once, Post, Reach,
    SequenceChange, Store, TargetRef, UserKey, Visit,
};

/// A clock that stands until it is moved.
#[derive(Debug)]
pub struct StandingClock(AtomicI64);

impl Default for StandingClock {
    fn default() -> Self {
        Self(AtomicI64::new(1_795_000_000_000_000))
    }
}

impl StandingClock {
    /// Moves it, forward or back.
    pub fn advance(&self, secs: i64) {
        self.0.fetch_add(secs * 1_000_000, Ordering::SeqCst);
    }
}

impl Clock for StandingClock {
    fn now(&self) -> Stamp {
        Stamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

/// Makes a test of every check, for the store that a constructor makes.
///
/// The constructor takes an `Arc<StandingClock>` and answers a future of an `Arc<dyn Store>`, empty and of its own for
/// each call, with whatever has to live as long.
#[macro_export]
macro_rules! store_conformance {
    ($make:expr) => {
        $crate::store_conformance!(@each $make;
            a_user_is_there_until_it_is_removed,
            a_token_is_found_by_its_hash_and_gone_when_revoked,
            the_same_key_is_done_once,
            stamps_only_grow,
            a_post_is_all_or_nothing,
            an_announcement_is_for_those_who_are_there,
            a_reminder_needs_a_subscription_made_before_it,
            a_follow_brings_what_somebody_does,
            what_is_brought_in_is_brought_in_once,
            a_long_absence_is_brought_in_page_by_page,
            preferences_hold_when_it_is_brought_in,
            a_message_is_in_both_inboxes,
            a_pull_goes_on_where_it_ended,
            the_inbox_is_newest_first,
            operations_are_applied_once_and_in_order,
            a_view_is_read_up_to_its_mark,
            numbers_stop_at_the_cap,
            conversations_are_latest_first,
            a_group_is_seen_from_within,
            receipts_wait_for_their_sender,
            a_sequence_changes_what_was_published,
            what_is_scheduled_comes_when_it_is_due,
            the_catalog_decides_the_class,
            old_things_are_forgotten,
            a_new_epoch_is_another_one,
            only_the_concerned_are_named,
        );
    };
    (@each $make:expr; $($check:ident),* $(,)?) => {$(
        #[tokio::test]
        async fn $check() {
            let clock = ::std::sync::Arc::new($crate::store::conformance::StandingClock::default());
            let (store, _kept) = ($make)(::std::sync::Arc::clone(&clock)).await;
            let store: ::std::sync::Arc<dyn $crate::store::Store> = store;
            $crate::store::conformance::$check(&*store, &clock).await;
            assert_eq!(store.check().await.unwrap(), [], "every counter agrees with its recount");
        }
    )*};
}

async fn user(store: &dyn Store, id: &str) -> UserKey {
    match store.add_user(id, &id.to_uppercase(), None).await.unwrap() {
        Did::Now(user) => user.key,
        Did::Before(_) => panic!("nobody asked before"),
    }
}

fn announcement(title: &str) -> Draft {
    let mut draft = Draft::new(
        Kind::Announcement,
        Audience::Everyone,
        Actor { id: "press".into(), name: "Press".into() },
    );
    draft.title = title.into();
    draft
}

fn reminder(actor: &str, action: &str, id: &str) -> Draft {
    let by = Actor { id: actor.into(), name: actor.into() };
    let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, by);
    draft.action = action.into();
    draft.target = Some(Target { kind: "article".into(), id: id.into(), ..Target::default() });
    draft
}

fn message(from: &str, to: &str) -> Draft {
    let by = Actor { id: from.into(), name: from.into() };
    Draft::new(Kind::Message, Audience::User(to.into()), by)
}

fn to_group(from: &str, group: &str) -> Draft {
    Draft { audience: Audience::Group(group.into()), ..message(from, "") }
}

async fn post(store: &dyn Store, draft: Draft) -> Post {
    match store.post(vec![draft], None).await.unwrap() {
        Did::Now(mut posts) => posts.pop().unwrap(),
        Did::Before(_) => panic!("nobody asked before"),
    }
}

async fn subscribe(store: &dyn Store, user: UserKey, id: &str, actions: &[&str]) {
    let target = TargetRef { kind: "article".into(), id: id.into() };
    let actions = actions.iter().map(|a| (*a).to_owned()).collect();
    store.subscribe(user, target, actions, None).await.unwrap();
}

async fn bring_in(store: &dyn Store, user: UserKey) {
    while store.bring_in(user).await.unwrap() {}
}

async fn all(store: &dyn Store, user: UserKey) -> Vec<Notification> {
    bring_in(store, user).await;
    store.sync(user, Stamp::ZERO, 1_000).await.unwrap().items
}

async fn apply(store: &dyn Store, user: UserKey, changes: Vec<Change>) -> Applied {
    static NEXT: AtomicI64 = AtomicI64::new(0);
    let ops = changes
        .into_iter()
        .map(|change| {
            let id = NEXT.fetch_add(1, Ordering::SeqCst).to_string();
            AskedOp { id: id.clone(), op: Some(Op { id, change }) }
        })
        .collect();
    match store.apply(user, ops, 99, None).await.unwrap() {
        Did::Now(applied) => applied,
        Did::Before(_) => panic!("nobody asked before"),
    }
}

async fn unread(store: &dyn Store, user: UserKey) -> u64 {
    bring_in(store, user).await;
    store.unread(user, 99).await.unwrap().total.count
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Error>, code: &str) {
    match result {
        Err(Error::Refused(problem)) => assert_eq!(problem.code.as_str(), code),
        other => panic!("it should be refused as {code}, but: {other:?}"),
    }
}

async fn group(store: &dyn Store, owner: UserKey, id: &str, members: &[&str]) -> Group {
    let members = members.iter().map(|m| (*m).to_owned()).collect();
    match store.add_group(owner, Some(id.to_owned()), id.to_uppercase(), members, None).await.unwrap() {
        Did::Now(group) => group,
        Did::Before(_) => panic!("nobody asked before"),
    }
}

pub async fn a_user_is_there_until_it_is_removed(store: &dyn Store, _: &StandingClock) {
    let key = user(store, "alice").await;
    refused(store.add_user("alice", "Other", None).await, "conflict");
    let found = store.user("alice").await.unwrap().unwrap();
    assert_eq!((found.key, found.name.as_str()), (key, "ALICE"));
    user(store, "bob").await;
    post(store, message("bob", "alice")).await;
    store.remove_user("alice").await.unwrap();
    assert_eq!(store.user("alice").await.unwrap(), None);
    assert_eq!(store.users().await.unwrap().len(), 1);
    refused(store.remove_user("alice").await, "not_found");
    refused(store.bring_in(key).await, "not_found");
    let again = user(store, "alice").await;
    assert_ne!(again, key, "a place is never given away twice");
    assert!(all(store, again).await.is_empty());
}

pub async fn a_token_is_found_by_its_hash_and_gone_when_revoked(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    let bob = user(store, "bob").await;
    let before = store.head().await.unwrap().auth_version;
    let new = NewToken { id: "t1".into(), hash: [7; 32], label: "l".into(), scopes: vec![Scope::Inbox] };
    store.add_token("alice", new.clone(), None).await.unwrap();
    assert_ne!(store.head().await.unwrap().auth_version, before);
    let bearer = store.bearer([7; 32]).await.unwrap().unwrap();
    assert_eq!((bearer.user, bearer.token.as_str(), bearer.scopes), (alice, "t1", vec![Scope::Inbox]));
    assert_eq!(store.bearer([8; 32]).await.unwrap(), None);
    assert_eq!(store.tokens(Some(bob)).await.unwrap(), []);
    assert_eq!(store.tokens(None).await.unwrap().len(), 1);
    refused(store.revoke("t1", Some(bob)).await, "not_found");
    store.revoke("t1", Some(alice)).await.unwrap();
    assert_eq!(store.bearer([7; 32]).await.unwrap(), None);
    refused(store.add_token("nobody", new, None).await, "not_found");
}

pub async fn the_same_key_is_done_once(store: &dyn Store, clock: &StandingClock) {
    let alice = user(store, "alice").await;
    let once = || {
        let answer = |posts: &Vec<Post>| Answer {
            status: 201,
            body: posts[0].posted.msgid.as_str().as_bytes().to_vec(),
            seal: String::new(),
        };
        Some(Once { token: "t".into(), key: "k".into(), answer: Box::new(answer) })
    };
    let Did::Now(first) = store.post(vec![announcement("1")], once()).await.unwrap() else { panic!() };
    let Did::Before(again) = store.post(vec![announcement("2")], once()).await.unwrap() else { panic!() };
    assert_eq!(again.body, first[0].posted.msgid.as_str().as_bytes());
    assert_eq!(store.answered("t", "k").await.unwrap(), Some(again));
    assert_eq!(store.answered("other", "k").await.unwrap(), None);
    assert_eq!(all(store, alice).await.len(), 1);
    clock.advance(25 * 3_600);
    assert_eq!(store.answered("t", "k").await.unwrap(), None);
    assert!(matches!(store.post(vec![announcement("3")], once()).await.unwrap(), Did::Now(_)));
}

pub async fn stamps_only_grow(store: &dyn Store, clock: &StandingClock) {
    let alice = user(store, "alice").await;
    let mut last = store.head().await.unwrap().last_stamp;
    for step in [0, 5, -60, 0] {
        clock.advance(step);
        let posted = post(store, announcement("a")).await.posted;
        assert!(posted.stamp > last);
        last = posted.stamp;
    }
    let items = all(store, alice).await;
    assert!(items.windows(2).all(|w| w[0].stamp < w[1].stamp && w[0].created_at < w[1].created_at));
    assert_eq!(store.head().await.unwrap().last_stamp, items[3].stamp);
}

pub async fn a_post_is_all_or_nothing(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    let head = store.head().await.unwrap();
    refused(store.post(vec![message("x", "alice"), message("x", "nobody")], None).await, "not_found");
    assert_eq!(store.head().await.unwrap(), head);
    assert!(all(store, alice).await.is_empty());
    let Did::Now(none) = store.post(Vec::new(), None).await.unwrap() else { panic!() };
    assert!(none.is_empty());
}

pub async fn an_announcement_is_for_those_who_are_there(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    let posted = post(store, announcement("a")).await;
    assert_eq!(posted.reach, Reach::Everyone);
    let late = user(store, "late").await;
    let items = all(store, alice).await;
    assert_eq!(items[0].msgid, posted.posted.msgid);
    assert_eq!((items[0].created_at, items[0].version), (posted.posted.stamp, 1));
    assert!(items[0].stamp > posted.posted.stamp, "it is brought in at a fresh stamp");
    assert!(all(store, late).await.is_empty());
}

pub async fn a_reminder_needs_a_subscription_made_before_it(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    post(store, reminder("bob", "like", "1")).await;
    subscribe(store, alice, "1", &["like"]).await;
    post(store, reminder("bob", "like", "1")).await;
    post(store, reminder("bob", "comment", "1")).await;
    post(store, reminder("bob", "like", "2")).await;
    post(store, reminder("alice", "like", "1")).await;
    assert_eq!(all(store, alice).await.len(), 1);
    subscribe(store, alice, "1", &["like", "comment"]).await;
    let listed = store.subscriptions(alice, Some("article".into()), None).await.unwrap();
    assert_eq!(listed[0].actions, ["comment", "like"]);
    post(store, reminder("bob", "comment", "1")).await;
    let target = TargetRef { kind: "article".into(), id: "1".into() };
    store.unsubscribe(alice, target.clone(), Some("like".into())).await.unwrap();
    post(store, reminder("bob", "like", "1")).await;
    assert_eq!(all(store, alice).await.len(), 2);
    store.unsubscribe(alice, target, None).await.unwrap();
    assert_eq!(store.subscriptions(alice, None, None).await.unwrap(), []);
}

pub async fn a_follow_brings_what_somebody_does(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    let first = store.follow(alice, "bob").await.unwrap();
    assert_eq!(store.follow(alice, "bob").await.unwrap(), first);
    subscribe(store, alice, "1", &["like"]).await;
    post(store, reminder("bob", "like", "1")).await;
    post(store, reminder("bob", "share", "2")).await;
    post(store, reminder("carol", "share", "2")).await;
    assert_eq!(all(store, alice).await.len(), 2, "once, however many ways lead to it");
    assert_eq!(store.follows(alice).await.unwrap(), [first]);
    store.unfollow(alice, "bob").await.unwrap();
    post(store, reminder("bob", "share", "2")).await;
    assert_eq!(all(store, alice).await.len(), 2);
}

pub async fn what_is_brought_in_is_brought_in_once(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    subscribe(store, alice, "1", &["like"]).await;
    for _ in 0..300 {
        post(store, reminder("bob", "like", "1")).await;
    }
    assert_eq!(all(store, alice).await.len(), 300);
    let head = store.head().await.unwrap();
    assert!(!store.bring_in(alice).await.unwrap());
    assert_eq!(store.head().await.unwrap(), head, "a pull with nothing to bring in writes nothing");
}

pub async fn a_long_absence_is_brought_in_page_by_page(store: &dyn Store, _: &StandingClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    subscribe(store, alice, "last", &["like"]).await;
    subscribe(store, bob, "all", &["like"]).await;
    for _ in 0..42 {
        store.post(vec![reminder("carol", "like", "all"); 500], None).await.unwrap();
    }
    post(store, reminder("carol", "like", "last")).await;
    post(store, announcement("the end")).await;
    bring_in(store, alice).await;
    assert_eq!(all(store, alice).await.len(), 2);
    bring_in(store, bob).await;
    let (mut since, mut got) = (Stamp::ZERO, 0);
    loop {
        let page = store.sync(bob, since, 4_000).await.unwrap();
        got += page.items.len();
        since = page.next;
        if !page.more {
            break;
        }
    }
    assert_eq!(got, 21_001);
}

pub async fn preferences_hold_when_it_is_brought_in(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    subscribe(store, alice, "1", &["like"]).await;
    let set = |wanted| BTreeMap::from([("like".to_owned(), wanted)]);
    post(store, reminder("bob", "like", "1")).await;
    store.set_preferences(alice, set(Some(false))).await.unwrap();
    assert_eq!(store.preferences(alice).await.unwrap(), BTreeMap::from([("like".to_owned(), false)]));
    assert!(all(store, alice).await.is_empty());
    store.set_preferences(alice, set(None)).await.unwrap();
    assert!(all(store, alice).await.is_empty(), "the pull has passed it");
    post(store, reminder("bob", "like", "1")).await;
    assert_eq!(all(store, alice).await.len(), 1);
}

pub async fn a_message_is_in_both_inboxes(store: &dyn Store, _: &StandingClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let posted = post(store, message("alice", "bob")).await;
    assert_eq!(posted.reach, Reach::Users(vec![bob, alice]));
    assert_eq!((unread(store, alice).await, unread(store, bob).await), (0, 1));
    assert_eq!(all(store, alice).await[0].conversation.as_deref(), Some("user:bob"));
    assert_eq!(all(store, bob).await[0].conversation.as_deref(), Some("user:alice"));
}

pub async fn a_pull_goes_on_where_it_ended(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    for _ in 0..5 {
        post(store, announcement("a")).await;
    }
    bring_in(store, alice).await;
    let (mut since, mut got) = (Stamp::ZERO, Vec::new());
    loop {
        let page = store.sync(alice, since, 2).await.unwrap();
        assert!(page.items.len() <= 2);
        got.extend(page.items.into_iter().map(|i| i.msgid));
        since = page.next;
        if !page.more {
            break;
        }
    }
    assert_eq!(got.len(), 5);
    let last = store.sync(alice, since, 2).await.unwrap();
    assert_eq!((last.items.len(), last.next, last.more), (0, since, false));
    assert_eq!(last.epoch, store.epoch().await.unwrap());
}

pub async fn the_inbox_is_newest_first(store: &dyn Store, _: &StandingClock) {
    let (alice, _) = (user(store, "alice").await, user(store, "bob").await);
    subscribe(store, alice, "1", &["like"]).await;
    let a = post(store, announcement("a")).await.posted.msgid;
    let r = post(store, reminder("bob", "like", "1")).await.posted.msgid;
    let m = post(store, message("bob", "alice")).await.posted.msgid;
    bring_in(store, alice).await;
    let list = |query: InboxQuery| async move {
        let page = store.inbox(alice, InboxQuery { limit: 10, ..query }).await.unwrap();
        page.items.into_iter().map(|i| i.msgid).collect::<Vec<_>>()
    };
    assert_eq!(list(InboxQuery::default()).await, [m.clone(), r.clone(), a.clone()]);
    assert_eq!(list(InboxQuery { kind: Some(Kind::Reminder), ..Default::default() }).await, vec![r.clone()]);
    for (thread, one) in [("announcements", &a), ("article:1#like", &r), ("user:bob", &m)] {
        let query = InboxQuery { thread: Some(thread.into()), ..Default::default() };
        assert_eq!(list(query).await, vec![one.clone()], "{thread}");
    }
    let query = InboxQuery { conversation: Some("user:bob".into()), ..Default::default() };
    assert_eq!(list(query).await, vec![m.clone()]);
    apply(store, alice, vec![Change::Archive { msgids: vec![a.clone()] }, Change::Read { msgids: vec![r] }])
        .await;
    assert_eq!(list(InboxQuery { archived: true, ..Default::default() }).await, [a]);
    assert_eq!(list(InboxQuery { unread: Some(true), ..Default::default() }).await, [m]);
    let page = store.inbox(alice, InboxQuery { limit: 1, ..Default::default() }).await.unwrap();
    assert_eq!(page.next, Some(page.items[0].created_at));
    let query = InboxQuery { limit: 1, before: page.next, ..Default::default() };
    assert_eq!(store.inbox(alice, query).await.unwrap().next, None);
}

pub async fn operations_are_applied_once_and_in_order(store: &dyn Store, clock: &StandingClock) {
    let alice = user(store, "alice").await;
    subscribe(store, alice, "1", &["like"]).await;
    let id = post(store, reminder("bob", "like", "1")).await.posted.msgid;
    bring_in(store, alice).await;
    let ids = || vec![id.clone(), MsgId::from("unknown")];
    let applied = apply(
        store,
        alice,
        vec![
            Change::Read { msgids: ids() },
            Change::Unread { msgids: ids() },
            Change::Seen { msgids: ids() },
        ],
    )
    .await;
    assert!(applied.results.iter().all(|r| r.ok) && applied.changed);
    assert_eq!(applied.unread.total.count, 1);
    let op = Op { id: "same".into(), change: Change::Delete { msgids: ids() } };
    let asked = || vec![AskedOp { id: "same".into(), op: Some(op.clone()) }];
    let Did::Now(first) = store.apply(alice, asked(), 99, None).await.unwrap() else { panic!() };
    let Did::Now(again) = store.apply(alice, asked(), 99, None).await.unwrap() else { panic!() };
    assert_eq!((first.changed, again.changed, again.results[0].ok), (true, false, true));
    let gone = all(store, alice).await.pop().unwrap();
    assert!(gone.deleted && gone.body.is_empty());
    let unknown = vec![AskedOp { id: "odd".into(), op: None }];
    let Did::Now(odd) = store.apply(alice, unknown, 99, None).await.unwrap() else { panic!() };
    assert!(!odd.results[0].ok);

    let id = post(store, announcement("a")).await.posted.msgid;
    bring_in(store, alice).await;
    let until = clock.now().plus_secs(60);
    apply(store, alice, vec![Change::Snooze { msgids: vec![id.clone()], until }]).await;
    assert_eq!(unread(store, alice).await, 0);
    clock.advance(60);
    assert_eq!(unread(store, alice).await, 1, "it wakes by itself");
    apply(store, alice, vec![Change::ReadAll { kind: None, through: Stamp::MAX }]).await;
    assert_eq!(unread(store, alice).await, 0);
    apply(store, alice, vec![Change::Unread { msgids: vec![id] }]).await;
    assert_eq!(unread(store, alice).await, 1);
}

pub async fn a_view_is_read_up_to_its_mark(store: &dyn Store, _: &StandingClock) {
    let (alice, _) = (user(store, "alice").await, user(store, "bob").await);
    let view = View::Conversation("user:bob".into());
    assert_eq!(store.view(alice, &view, 99).await.unwrap().0, None);
    let one = post(store, message("bob", "alice")).await.posted;
    let two = post(store, message("bob", "alice")).await.posted;
    let (at, left, _) = store.visit(alice, &view, Visit::Item(one.msgid.clone()), 99).await.unwrap();
    assert_eq!((at, left.count), (one.stamp, 1));
    let before = store.sync(alice, Stamp::ZERO, 10).await.unwrap();
    assert_eq!(before.items[0].read_at, Some(one.stamp), "derived, without a new version");
    assert_eq!((before.items[0].version, before.marks.len()), (1, 1));
    let (at, _, _) = store.visit(alice, &view, Visit::At(Stamp::ZERO), 99).await.unwrap();
    assert_eq!(at, one.stamp, "never back");
    let (at, left, _) = store.visit(alice, &view, Visit::At(Stamp::MAX), 99).await.unwrap();
    assert!(at >= two.stamp && at < Stamp::MAX);
    assert_eq!(left.count, 0);
    apply(store, alice, vec![Change::Unread { msgids: vec![two.msgid.clone()] }]).await;
    assert_eq!(store.view(alice, &view, 99).await.unwrap().0, Some(two.stamp.plus_micros(-1)));
    assert_eq!(unread(store, alice).await, 1);
    refused(store.visit(alice, &view, Visit::Item("nope".into()), 99).await, "not_found");
    refused(store.visit(alice, &View::Announcements, Visit::Item(two.msgid), 99).await, "not_found");
}

pub async fn numbers_stop_at_the_cap(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    for _ in 0..4 {
        post(store, announcement("a")).await;
    }
    post(store, message("x", "alice")).await;
    bring_in(store, alice).await;
    let counts = store.unread(alice, 3).await.unwrap();
    assert_eq!((counts.announcement.count, counts.announcement.capped), (3, true));
    assert_eq!((counts.message.count, counts.message.capped), (1, false));
    assert_eq!((counts.total.count, counts.total.capped), (3, true));
    assert_eq!(store.unread(alice, 5).await.unwrap().total.count, 5);
    assert_eq!(counts.conversations.len(), 1);
}

pub async fn conversations_are_latest_first(store: &dyn Store, _: &StandingClock) {
    let (alice, _) = (user(store, "alice").await, user(store, "bob").await);
    post(store, message("bob", "alice")).await;
    let other = post(store, message("stranger", "alice")).await.posted.msgid;
    let list = store.conversations(alice, 99).await.unwrap();
    let ids: Vec<&str> = list.iter().map(|c| c.id.as_str()).collect();
    assert_eq!(ids, ["user:stranger", "user:bob"]);
    assert_eq!((list[0].title.as_str(), list[1].title.as_str()), ("stranger", "BOB"));
    assert_eq!((list[1].unread.count, list[1].read_through), (1, None));
    apply(store, alice, vec![Change::Delete { msgids: vec![other] }]).await;
    assert_eq!(store.conversations(alice, 99).await.unwrap().len(), 1);
}

pub async fn a_group_is_seen_from_within(store: &dyn Store, _: &StandingClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let carol = user(store, "carol").await;
    group(store, alice, "crew", &["bob", "alice"]).await;
    refused(store.add_group(bob, Some("crew".into()), "x".into(), vec![], None).await, "conflict");
    refused(store.add_group(bob, None, "x".into(), vec!["nobody".into()], None).await, "not_found");
    refused(store.post(vec![to_group("carol", "crew")], None).await, "forbidden");
    refused(store.post(vec![to_group("alice", "nope")], None).await, "not_found");
    assert_eq!(post(store, to_group("alice", "crew")).await.reach, Reach::Group("crew".into()));
    store.join("crew", "carol").await.unwrap();
    assert_eq!(store.join("crew", "carol").await.unwrap().members.len(), 3);
    post(store, to_group("alice", "crew")).await;
    store.leave("crew", "bob").await.unwrap();
    refused(store.leave("crew", "bob").await, "not_found");
    post(store, to_group("alice", "crew")).await;
    let counts = [all(store, alice).await.len(), all(store, bob).await.len(), all(store, carol).await.len()];
    assert_eq!(counts, [3, 2, 2]);
    assert!(store.is_member("crew", carol).await.unwrap() && !store.is_member("crew", bob).await.unwrap());
    assert_eq!(store.members_among("crew", &[bob, carol]).await.unwrap(), [carol]);
    store.leave("crew", "alice").await.unwrap();
    assert_eq!(store.group("crew").await.unwrap().unwrap().owner, "carol");
    assert_eq!(store.group("nope").await.unwrap(), None);
}

pub async fn receipts_wait_for_their_sender(store: &dyn Store, _: &StandingClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    user(store, "carol").await;
    group(store, alice, "crew", &["bob", "carol"]).await;
    let one = post(store, to_group("alice", "crew")).await.posted;
    let two = post(store, to_group("alice", "crew")).await.posted;
    bring_in(store, bob).await;
    let view = View::Conversation("group:crew".into());
    let (_, _, ripple) = store.visit(bob, &view, Visit::Item(two.msgid.clone()), 99).await.unwrap();
    assert_eq!(ripple.senders, [alice]);
    let page = store.receipts(alice, Stamp::ZERO, 1).await.unwrap();
    assert_eq!((page.receipts.len(), page.more), (1, true));
    assert_eq!((&page.receipts[0].msgid, page.receipts[0].reader.as_str()), (&one.msgid, "bob"));
    let rest = store.receipts(alice, page.next, 10).await.unwrap();
    assert_eq!((rest.receipts.len(), rest.more), (1, false));
    store.ack_receipts(alice, rest.next, None).await.unwrap();
    assert!(store.receipts(alice, Stamp::ZERO, 10).await.unwrap().receipts.is_empty());
    let readers = store.readers("crew", &one.msgid).await.unwrap();
    assert_eq!((readers.read[0].user.as_str(), readers.unread), ("bob", vec!["carol".to_owned()]));
    assert_eq!((readers.read_count, readers.member_count), (1, 2));
    apply(store, bob, vec![Change::Unread { msgids: vec![one.msgid.clone()] }]).await;
    store.visit(bob, &view, Visit::Now, 99).await.unwrap();
    assert!(store.receipts(alice, Stamp::ZERO, 10).await.unwrap().receipts.is_empty(), "one a message");
    let mine = all(store, alice).await;
    assert!(mine.iter().all(|i| i.receipt.is_some_and(|r| (r.read, r.members) == (1, 2)) && i.version == 2));
    refused(store.readers("crew", &"nope".into()).await, "not_found");
}

pub async fn a_sequence_changes_what_was_published(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    let publication = |body: &str| {
        let mut draft = reminder("job", "publish", "job");
        draft.target = Some(Target { kind: "topic".into(), id: "job".into(), ..Target::default() });
        draft.body = body.into();
        draft.sequence = Some("run".into());
        draft.subscribe = Some(alice);
        draft
    };
    let first = post(store, publication("10 %")).await.posted;
    let item = all(store, alice).await.pop().unwrap();
    apply(store, alice, vec![Change::Read { msgids: vec![first.msgid.clone()] }]).await;
    assert_eq!(post(store, publication("90 %")).await.posted.msgid, first.msgid);
    let changed = all(store, alice).await;
    assert_eq!(changed.len(), 1);
    assert_eq!((changed[0].msgid.clone(), changed[0].body.as_str()), (item.msgid, "90 %"));
    assert_eq!((changed[0].version, unread(store, alice).await), (3, 1));
    assert!(store.sequence("job", "run", SequenceChange::Clear).await.unwrap().is_some());
    assert_eq!(unread(store, alice).await, 0);
    assert!(store.sequence("job", "run", SequenceChange::Delete).await.unwrap().is_some());
    assert!(all(store, alice).await[0].deleted);
    assert!(store.sequence("job", "nope", SequenceChange::Clear).await.unwrap().is_none());
}

pub async fn what_is_scheduled_comes_when_it_is_due(store: &dyn Store, clock: &StandingClock) {
    let alice = user(store, "alice").await;
    let due = clock.now().plus_secs(60);
    let id = store.schedule(announcement("later"), due).await.unwrap();
    let between = post(store, announcement("now")).await.posted;
    assert_eq!(store.deliver_due().await.unwrap(), (vec![], Some(due)));
    assert_eq!(all(store, alice).await.len(), 1);
    clock.advance(60);
    let (posts, next) = store.deliver_due().await.unwrap();
    assert_eq!((posts.len(), next), (1, None));
    assert_eq!(posts[0].posted.msgid, id);
    assert!(posts[0].posted.stamp > between.stamp);
    assert_eq!(all(store, alice).await.len(), 2);
}

pub async fn the_catalog_decides_the_class(store: &dyn Store, _: &StandingClock) {
    let alice = user(store, "alice").await;
    subscribe(store, alice, "1", &["like"]).await;
    post(store, reminder("bob", "like", "1")).await;
    bring_in(store, alice).await;
    let view = View::Target("article:1".into());
    assert_eq!(store.visit(alice, &view, Visit::Now, 99).await.unwrap().1.count, 1);
    let mut catalog = (*store.catalog().await.unwrap()).clone();
    catalog.actions.get_mut("like").unwrap().class = tidings_model::Class::Auto;
    store.set_catalog(catalog.clone()).await.unwrap();
    assert_eq!(*store.catalog().await.unwrap(), catalog);
    assert_eq!(unread(store, alice).await, 0);
}

pub async fn old_things_are_forgotten(store: &dyn Store, clock: &StandingClock) {
    let alice = user(store, "alice").await;
    for _ in 0..3 {
        post(store, announcement("old")).await;
    }
    assert_eq!(unread(store, alice).await, 3);
    clock.advance(3_600);
    let kept = post(store, announcement("new")).await.posted.msgid;
    bring_in(store, alice).await;
    assert!(!store.tidy(None, 2).await.unwrap());
    let before = Some(clock.now().plus_secs(-60));
    while store.tidy(before, 2).await.unwrap() {}
    let left = all(store, alice).await;
    assert_eq!(left.into_iter().map(|i| i.msgid).collect::<Vec<_>>(), [kept]);
    assert_eq!(store.reconcile(UserKey(0), 10).await.unwrap(), (vec![], Some(alice)));
    assert_eq!(store.reconcile(alice, 10).await.unwrap().1, None);
}

pub async fn a_new_epoch_is_another_one(store: &dyn Store, _: &StandingClock) {
    let before = store.epoch().await.unwrap();
    let after = store.begin_epoch().await.unwrap();
    assert_ne!(before, after);
    assert_eq!(store.epoch().await.unwrap(), after);
}

pub async fn only_the_concerned_are_named(store: &dyn Store, _: &StandingClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let carol = user(store, "carol").await;
    subscribe(store, alice, "1", &["like"]).await;
    store.follow(bob, "dave").await.unwrap();
    let reach = post(store, reminder("dave", "like", "1")).await.reach;
    assert_eq!(store.concerned(&reach, &[alice, bob, carol]).await.unwrap(), [alice, bob]);
    assert_eq!(store.concerned(&reach, &[carol]).await.unwrap(), []);
    assert_eq!(store.concerned(&Reach::Everyone, &[carol]).await.unwrap(), [carol]);
}
