//! What several processes do to the same inboxes at the same time, each with a clock of its own.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tidings_model::wire::{Change, Op};
use tidings_model::{Actor, Kind, Mark, MsgId, Stamp, Target, View};
use tidings_store::prelude::*;
use tidings_store::{Audience, Draft, Outcome, RequestedOp, TargetRef, UserKey, Visit};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;
use tidings_testkit::wait;
use tokio::task::JoinSet;

use super::{connect, database};
use crate::PostgresStore;

/// Handles on one database, as of processes whose clocks differ by minutes.
async fn processes(count: usize) -> (Database, Vec<Arc<PostgresStore>>) {
    let database = database().await;
    let mut stores = Vec::new();
    for n in 0..count {
        let clock = ManualClock::default();
        clock.advance(i64::try_from(n).unwrap() * 100);
        stores.push(Arc::new(connect(&database.url, Arc::new(clock)).await));
    }
    (database, stores)
}

async fn add_user(store: &PostgresStore, id: &str) -> UserKey {
    match store.add_user(id, id, None).await.unwrap() {
        Outcome::Done(user) => user.key,
        Outcome::Replayed(_) => panic!("nobody asked before"),
    }
}

fn draft(kind: Kind, audience: Audience, from: &str) -> Draft {
    Draft::new(kind, audience, Actor { id: from.into(), name: from.into() })
}

fn reminder() -> Draft {
    let mut draft = draft(Kind::Reminder, Audience::Subscribers, "press");
    draft.action = "like".into();
    draft.target = Some(Target { kind: "article".into(), id: "1".into(), ..Target::default() });
    draft
}

/// What one reader has pulled.
struct Pulled {
    user: UserKey,
    since: Stamp,
    found: Vec<MsgId>,
}

impl Pulled {
    /// Pulls the new items, in small pages.
    async fn pull(&mut self, store: &PostgresStore) {
        let mut more = true;
        while more {
            more = store.fan_in(self.user).await.unwrap();
            let page = store.sync(self.user, self.since, 7).await.unwrap();
            for item in page.items().unwrap() {
                assert!(item.stamp > self.since, "stamps of an inbox only grow");
                self.since = item.stamp;
                self.found.push(item.msgid);
            }
            self.since = page.next;
            more |= page.more;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_several_processes_post_is_pulled_exactly_once() {
    const READERS: [&str; 3] = ["ann", "bob", "cat"];
    let (_database, stores) = processes(3).await;
    let press = add_user(&stores[0], "press").await;
    let mut keys = Vec::new();
    for id in READERS {
        let key = add_user(&stores[0], id).await;
        let target = TargetRef { kind: "article".into(), id: "1".into() };
        stores[0].subscribe(key, target, vec!["like".into()], None).await.unwrap();
        keys.push(key);
    }
    let members = READERS.map(str::to_owned).to_vec();
    stores[1].add_group(press, Some("crew".into()), "Crew".into(), members, None).await.unwrap();

    let writing = Arc::new(AtomicBool::new(true));
    let mut readers = JoinSet::new();
    for (nth, key) in keys.into_iter().enumerate() {
        let (store, writing) = (Arc::clone(&stores[nth]), Arc::clone(&writing));
        readers.spawn(async move {
            let mut pulled = Pulled { user: key, since: Stamp::ZERO, found: Vec::new() };
            while writing.load(Ordering::SeqCst) {
                pulled.pull(&store).await;
            }
            pulled.pull(&store).await;
            (nth, pulled.found)
        });
    }
    let mut writers = JoinSet::new();
    for store in stores.iter().cycle().take(6).map(Arc::clone) {
        writers.spawn(async move {
            let (mut for_all, mut for_one) = (Vec::new(), vec![Vec::new(); READERS.len()]);
            for n in 0..20 {
                let to = n % READERS.len();
                let drafts = vec![
                    reminder(),
                    draft(Kind::Announcement, Audience::Everyone, "press"),
                    draft(Kind::Message, Audience::Group("crew".into()), "press"),
                    draft(Kind::Message, Audience::User(READERS[to].into()), "press"),
                ];
                let Outcome::Done(mut posts) = store.post(drafts, None).await.unwrap() else { panic!() };
                for_one[to].push(posts.pop().unwrap().posted.msgid);
                for_all.extend(posts.into_iter().map(|post| post.posted.msgid));
            }
            (for_all, for_one)
        });
    }
    let (mut for_all, mut for_one) = (BTreeSet::new(), vec![BTreeSet::new(); READERS.len()]);
    while let Some(written) = writers.join_next().await {
        let (all, one) = written.unwrap();
        for_all.extend(all);
        for (set, msgids) in for_one.iter_mut().zip(one) {
            set.extend(msgids);
        }
    }
    writing.store(false, Ordering::SeqCst);
    while let Some(read) = readers.join_next().await {
        let (nth, found) = read.unwrap();
        let distinct: BTreeSet<MsgId> = found.iter().cloned().collect();
        assert_eq!(distinct.len(), found.len(), "nothing comes twice to {}", READERS[nth]);
        let expected: BTreeSet<MsgId> = for_all.union(&for_one[nth]).cloned().collect();
        assert_eq!(distinct, expected, "what {} has", READERS[nth]);
    }
    assert_eq!(stores[0].check().await.unwrap(), []);
}

#[tokio::test]
async fn what_changes_while_a_pull_is_under_way_is_on_its_page_or_on_the_next() {
    let (_database, stores) = processes(2).await;
    let (ann, bob) = (add_user(&stores[0], "ann").await, add_user(&stores[0], "bob").await);
    let message = draft(Kind::Message, Audience::User("bob".into()), "ann");
    stores[0].post(vec![message], None).await.unwrap();
    // Prepares the statements of the next one, which goes over the same connection.
    let since = stores[0].sync(ann, Stamp::ZERO, 10).await.unwrap().next;
    let mut other = stores[1].begin().await.unwrap();
    let lock =
        "SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE peer_marks IN ACCESS EXCLUSIVE MODE";
    other.batch(lock).await.unwrap();
    let pull = stores[0].sync(ann, since, 10);
    tokio::pin!(pull);
    let waits = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'peer_marks'::regclass";
    tokio::select! {
        _ = &mut pull => panic!("it reads how far others have read"),
        () = wait::until("it waits after its items", || async { other.exists(waits, &[]).await.unwrap() }) => {}
    }
    let (item, mark) = (since.as_micros() + 1, since.as_micros() + 2);
    let changes = format!(
        "UPDATE items SET stamp = {item}, version = version + 1 WHERE user_key = {0};
         INSERT INTO peer_marks (user_key, peer_key, mark, stamp) VALUES ({0}, {1}, {item}, {mark});
         UPDATE inboxes SET last = {mark} WHERE user_key = {0}",
        ann.0, bob.0
    );
    other.batch(&changes).await.unwrap();
    other.commit().await.unwrap();
    let page = pull.await.unwrap();
    let next = stores[0].sync(ann, page.next, 10).await.unwrap();
    let pulled = page.items().unwrap().len() + next.items().unwrap().len();
    assert_eq!(pulled, 1, "the item that changed before the mark");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn members_who_read_at_two_processes_wait_for_each_other_and_every_number_is_true() {
    const MEMBERS: [&str; 4] = ["ann", "bob", "cat", "dan"];
    let (_database, stores) = processes(2).await;
    let mut keys = Vec::new();
    for id in MEMBERS {
        keys.push(add_user(&stores[0], id).await);
    }
    let members = MEMBERS.map(str::to_owned).to_vec();
    stores[0].add_group(keys[0], Some("crew".into()), "Crew".into(), members, None).await.unwrap();
    let mut working = JoinSet::new();
    for (nth, user) in keys.iter().copied().enumerate() {
        let stores = stores.clone();
        working.spawn(async move {
            let peer = MEMBERS[(nth + 1) % MEMBERS.len()];
            for n in 0..10 {
                let store = &stores[(nth + n) % stores.len()];
                let drafts = vec![
                    draft(Kind::Message, Audience::Group("crew".into()), MEMBERS[nth]),
                    draft(Kind::Message, Audience::User(peer.into()), MEMBERS[nth]),
                ];
                store.post(drafts, None).await.unwrap();
                while store.fan_in(user).await.unwrap() {}
                let view = if n % 2 == 0 { "group:crew".to_owned() } else { format!("user:{peer}") };
                store.visit(user, &View::Conversation(view), Visit::Now, 99).await.unwrap();
                let change = match n % 3 {
                    0 => Change::ReadAll { kind: None, through: Stamp::MAX },
                    n => {
                        let items = store.sync(user, Stamp::ZERO, 100).await.unwrap().items().unwrap();
                        let mark = if n == 1 { Mark::Read } else { Mark::Unread };
                        Change::Mark {
                            mark,
                            msgids: items.into_iter().map(|item| item.msgid).collect(),
                            at: None,
                        }
                    }
                };
                let op = RequestedOp { id: n.to_string(), op: Some(Op { id: n.to_string(), change }) };
                store.apply(user, vec![op], 99, None).await.unwrap();
            }
        });
    }
    while let Some(done) = working.join_next().await {
        done.unwrap();
    }
    assert_eq!(stores[0].check().await.unwrap(), []);
    for (nth, user) in keys.iter().copied().enumerate() {
        while stores[1].fan_in(user).await.unwrap() {}
        let change = Change::ReadAll { kind: None, through: Stamp::MAX };
        let op = RequestedOp { id: "all".into(), op: Some(Op { id: "all".into(), change }) };
        let Outcome::Done(applied) = stores[nth % 2].apply(user, vec![op], 99, None).await.unwrap() else {
            panic!()
        };
        assert_eq!(applied.unread.total.count, 0);
    }
    for user in keys {
        for item in stores[0].sync(user, Stamp::ZERO, 1_000).await.unwrap().items().unwrap() {
            assert!(item.receipt.is_none_or(|receipt| (receipt.read, receipt.members) == (3, 3)), "{item:?}");
        }
    }
    assert_eq!(stores[1].check().await.unwrap(), []);
}
