//! Checks of what happens at the same time: nothing is missed, doubled or half done, in whatever order requests come.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicUsize;

use futures_util::future::join_all;
use tidings_model::wire::Posted;

use super::publishing::on_topic;
use super::*;

pub async fn what_is_posted_beside_a_pull_is_pulled_once(store: &dyn Store, _: &ManualClock) {
    let reader = user(store, "alice").await;
    user(store, "bob").await;
    subscribe(store, reader, "1", &["like"]).await;
    let found = post_beside_pulls(&[store], reader).await;
    assert!(
        found.is_ordered,
        "stamps in the order of the posts of each writer, and items in that of the inbox"
    );
    assert_eq!(found, Pulled { is_ordered: true, ..Pulled::default() });
}

/// What a reader saw who pulled while others posted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pulled {
    /// Posts that were acknowledged and never pulled.
    pub missed: Vec<MsgId>,
    /// Items that were pulled again, or that nobody has posted.
    pub unexpected: Vec<MsgId>,
    /// Stamps that several posts have.
    pub shared_stamps: Vec<Stamp>,
    /// Whether posts and items come in the order of their stamps.
    pub is_ordered: bool,
}

/// The cursor of a reader who has pulled everything.
async fn end_of_inbox(store: &dyn Store, user: UserKey) -> Stamp {
    fan_in(store, user).await;
    let (mut since, mut more) = (Stamp::ZERO, true);
    while more {
        let page = store.sync(user, since, 1_000).await.unwrap();
        (since, more) = (page.next, page.more);
    }
    since
}

/// Posts at these stores of one database, by several writers at once, and lets `alice` pull beside them, from the end
/// of her inbox on. It compares the items that she pulled with the acknowledged publications. She has subscribed to
/// what the reminders are about.
pub async fn post_beside_pulls(stores: &[&dyn Store], alice: UserKey) -> Pulled {
    const WRITERS: usize = 6;
    let writing = AtomicUsize::new(WRITERS);
    let before = end_of_inbox(stores[0], alice).await;
    let write = |n: usize| {
        // Both kinds of writers at each store.
        let (writing, store) = (&writing, stores[(n / 2) % stores.len()]);
        async move {
            let mut posted = Vec::new();
            for _ in 0..8 {
                // Messages lock her inbox and so wait for her pulls; what is stored once does not.
                let (drafts, hers) = if n.is_multiple_of(2) {
                    (vec![announcement("a"), reminder("dave", "like", "1")], 2)
                } else {
                    (vec![message("bob", "alice"), message("bob", "bob")], 1)
                };
                let Outcome::Done(posts) = store.post(drafts, None).await.unwrap() else { panic!("no key") };
                posted.push(posts.into_iter().take(hers).map(|post| post.posted).collect::<Vec<_>>());
            }
            writing.fetch_sub(1, Ordering::SeqCst);
            posted
        }
    };
    let read = async {
        let (mut since, mut found) = (before, Vec::new());
        let store = stores[0];
        loop {
            let last = writing.load(Ordering::SeqCst) == 0;
            fan_in(store, alice).await;
            let mut more = true;
            while more {
                let page = store.sync(alice, since, 5).await.unwrap();
                found.extend(page.items().unwrap());
                assert!(page.next >= since, "a cursor never goes back");
                (since, more) = (page.next, page.more);
            }
            if last {
                return found;
            }
        }
    };
    let (written, found) = tokio::join!(join_all((0..WRITERS).map(write)), read);
    let of_writers: Vec<Vec<_>> =
        written.into_iter().map(|posts| posts.into_iter().flatten().collect()).collect();
    let mut is_ordered = found.is_sorted_by(|a, b| a.stamp < b.stamp);
    let (mut pulled, mut stamps) = (BTreeMap::<MsgId, usize>::new(), BTreeSet::new());
    for item in &found {
        *pulled.entry(item.msgid.clone()).or_default() += 1;
    }
    let (mut missed, mut shared_stamps) = (Vec::new(), Vec::new());
    for posted in of_writers {
        is_ordered &= posted.is_sorted_by(|a, b| a.stamp < b.stamp);
        for Posted { msgid, stamp } in posted {
            if !stamps.insert(stamp) {
                shared_stamps.push(stamp);
            }
            match pulled.get_mut(&msgid) {
                Some(times) => *times -= 1,
                None => missed.push(msgid),
            }
        }
    }
    let unexpected = pulled.into_iter().filter(|(_, times)| *times > 0).map(|(msgid, _)| msgid).collect();
    Pulled { missed, unexpected, shared_stamps, is_ordered }
}

pub async fn a_key_that_is_sent_several_times_at_once_is_done_once(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let idempotency = || {
        let answer = |posts: &Vec<Post>| StoredResponse {
            status: 201,
            body: posts[0].posted.msgid.as_str().as_bytes().to_vec(),
            token_salt: String::new(),
        };
        Some(Idempotency { token: "t".into(), key: "k".into(), answer: Box::new(answer) })
    };
    let all = join_all((0..8).map(|_| store.post(vec![announcement("a")], idempotency()))).await;
    let (mut done, mut replayed) = (Vec::new(), Vec::new());
    for outcome in all {
        match outcome.unwrap() {
            Outcome::Done(posts) => done.push(posts[0].posted.msgid.as_str().as_bytes().to_vec()),
            Outcome::Replayed(answer) => replayed.push(answer.body),
        }
    }
    assert_eq!((done.len(), replayed.len()), (1, 7));
    assert!(replayed.iter().all(|body| *body == done[0]), "everybody gets the answer of the first");
    assert_eq!(super::all(store, alice).await.len(), 1);
}

pub async fn a_refusal_is_of_one_request_alone(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let drafts = (0..24).map(|n| match n % 3 {
        0 => message("bob", "nobody"),
        1 => to_group("bob", "no-group"),
        _ => message("bob", "alice"),
    });
    let posted = join_all(drafts.map(|draft| store.post(vec![draft], None))).await;
    for (n, outcome) in posted.into_iter().enumerate() {
        if n % 3 == 2 {
            assert!(matches!(outcome, Ok(Outcome::Done(_))), "{n}");
        } else {
            assert_refused(outcome, "not_found");
        }
    }
    assert_eq!(super::all(store, alice).await.len(), 8);
}

pub async fn one_name_that_is_published_several_times_at_once_is_one_publication(
    store: &dyn Store,
    _: &ManualClock,
) {
    let alice = user(store, "alice").await;
    let publication = |n: usize| Draft { subscribe: Some(alice), ..on_topic(&n.to_string(), Some("run")) };
    let posted = join_all((0..8).map(|n| post(store, publication(n)))).await;
    let msgids: BTreeSet<&MsgId> = posted.iter().map(|post| &post.posted.msgid).collect();
    assert_eq!(msgids.len(), 1);
    let last = posted.iter().enumerate().max_by_key(|(_, post)| post.posted.stamp).unwrap().0;
    let items = super::all(store, alice).await;
    assert_eq!(items.iter().map(|i| i.content.body.clone()).collect::<Vec<_>>(), [last.to_string()]);
    // In one request they revise each other in their order.
    let drafts = (0..3).map(|n| on_topic(&format!("step {n}"), Some("other"))).collect();
    let Outcome::Done(posts) = store.post(drafts, None).await.unwrap() else { panic!("no key") };
    assert!(posts.iter().all(|post| post.posted.msgid == posts[0].posted.msgid));
    let bodies: Vec<_> = super::all(store, alice).await.into_iter().map(|i| i.content.body).collect();
    assert_eq!(bodies.iter().filter(|body| *body == "step 2").count(), 1);
    assert_eq!(bodies.len(), 2);
}

pub async fn what_is_due_is_delivered_once_however_many_deliver_it(store: &dyn Store, clock: &ManualClock) {
    let alice = user(store, "alice").await;
    let due = clock.now().plus_secs(60);
    let scheduled = join_all((0..30).map(|_| store.schedule(message("bob", "alice"), due, None))).await;
    let scheduled: BTreeSet<MsgId> = scheduled
        .into_iter()
        .map(|outcome| match outcome.unwrap() {
            Outcome::Done(msgid) => msgid,
            Outcome::Replayed(_) => panic!("it has no key"),
        })
        .collect();
    clock.advance(60);
    let mut delivered = Vec::new();
    loop {
        let round = join_all((0..4).map(|_| store.deliver_due())).await;
        let mut next = None;
        for done in round {
            let (posts, after) = done.unwrap();
            delivered.extend(posts.into_iter().map(|post| post.posted.msgid));
            next = after;
        }
        if next.is_none() {
            break;
        }
    }
    assert_eq!(delivered.iter().cloned().collect::<BTreeSet<_>>(), scheduled);
    assert_eq!((delivered.len(), super::all(store, alice).await.len()), (30, 30));
}

pub async fn what_is_added_several_times_at_once_is_there_once(store: &dyn Store, _: &ManualClock) {
    let added = join_all((0..6).map(|_| store.add_user("alice", "Alice", None))).await;
    let (done, refused): (Vec<_>, Vec<_>) = added.into_iter().partition(Result::is_ok);
    assert_eq!((done.len(), refused.len()), (1, 5));
    for outcome in refused {
        assert_refused(outcome, "conflict");
    }
    let alice = store.user("alice").await.unwrap().unwrap().key;
    let target = || TargetRef { kind: "article".into(), id: "1".into() };
    let actions = || vec!["like".to_owned(), "comment".to_owned()];
    let subscribed = join_all((0..6).map(|_| store.subscribe(alice, target(), actions(), None))).await;
    let first = subscribed[0].as_ref().unwrap().clone();
    assert!(subscribed.into_iter().all(|subscription| subscription.unwrap() == first));
    let follows = join_all((0..6).map(|_| store.follow(alice, "dave"))).await;
    let first = follows[0].as_ref().unwrap().clone();
    assert!(follows.into_iter().all(|follow| follow.unwrap() == first));
    // A topic's owner is subscribed by what is published.
    let publication = || Draft { subscribe: Some(alice), ..on_topic("a", None) };
    join_all((0..6).map(|_| post(store, publication()))).await;
    assert_eq!(super::all(store, alice).await.len(), 6);
}
