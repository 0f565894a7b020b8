//! Tests of waiting: short requests do not wait for the long requests of others, and none waits longer than it may.

use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Waker};
use std::time::Duration;

use tidings_model::{Actor, Kind, Stamp};
use tidings_store::prelude::*;
use tidings_store::request_time::of_request_within;
use tidings_store::{Audience, Draft, Error, Outcome, Post, UserKey};

use crate::{READ_CONCURRENCY, SqliteStore};
use tidings_testkit::clock::ManualClock;

/// Timeout of every wait; a longer wait counts as blocked.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);
/// How long requests may wait here that are to wait for too long.
const REQUEST_TIME: Duration = Duration::from_millis(100);

async fn store() -> (SqliteStore, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&dir.path().join("server.db"), Arc::<ManualClock>::default()).unwrap();
    store.add_user("alice", "Alice", None).await.unwrap();
    (store, dir)
}

fn drafts(count: usize) -> Vec<Draft> {
    let by = Actor { id: "bob".into(), name: "Bob".into() };
    vec![Draft::new(Kind::Announcement, Audience::Everyone, by); count]
}

/// Polls a future once, so that its request is sent, and leaves the result for later.
fn poll_once<F: Future + ?Sized>(mut future: Pin<&mut F>) {
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
}

/// Keeps the writer busy until what is given first is dropped; the second ends then.
fn block_writes(store: &SqliteStore) -> (mpsc::Sender<()>, impl Future<Output = Result<(), Error>>) {
    let (unblock, blocked) = mpsc::channel::<()>();
    let mut blocked_write = Box::pin(store.write(move |_| {
        let _ = blocked.recv();
        Ok(())
    }));
    poll_once(blocked_write.as_mut());
    (unblock, blocked_write)
}

fn first_stamp(did: Result<Outcome<Vec<Post>>, Error>) -> Stamp {
    match did.unwrap() {
        Outcome::Done(posts) => posts[0].posted.stamp,
        Outcome::Replayed(_) => unreachable!(),
    }
}

#[tokio::test]
async fn a_post_is_stored_before_the_arrays_that_wait_with_it() {
    let (store, _dir) = store().await;
    let (unblock, blocked_write) = block_writes(&store);
    let mut arrays: Vec<_> = (0..8).map(|_| store.post(drafts(1_000), None)).collect();
    for array in &mut arrays {
        poll_once(array.as_mut());
    }
    let mut post = store.post(drafts(1), None);
    poll_once(post.as_mut());
    drop(unblock);
    let posted = first_stamp(tokio::time::timeout(WAIT_TIMEOUT, post).await.unwrap());
    let mut stored = Vec::new();
    for array in arrays {
        stored.push(first_stamp(tokio::time::timeout(WAIT_TIMEOUT, array).await.unwrap()));
    }
    // At most one of the arrays had begun before.
    let before = stored.iter().filter(|array| **array < posted).count();
    assert!(before <= 1, "{before} arrays were stored before a post");
    assert!(stored.is_sorted(), "arrays keep their order");
    blocked_write.await.unwrap();
}

#[tokio::test]
async fn tokens_are_known_and_posts_are_stored_while_every_reader_of_pages_is_at_work() {
    let (store, _dir) = store().await;
    let (unblock, blocked) = mpsc::channel::<()>();
    let blocked = Arc::new(std::sync::Mutex::new(blocked));
    let mut pages: Vec<_> = (0..READ_CONCURRENCY * 2)
        .map(|n| {
            let blocked = Arc::clone(&blocked);
            Box::pin(store.read_long(UserKey(100 + i64::try_from(n).unwrap()), move |_| {
                let _ = blocked.lock().unwrap().recv();
                Ok(())
            }))
        })
        .collect();
    for page in &mut pages {
        poll_once(page.as_mut());
    }
    let others = async {
        store.bearer([0; 32]).await.unwrap();
        store.catalog().await.unwrap();
        store.stored_response("token", "key").await.unwrap();
        assert!(store.user("alice").await.unwrap().is_some());
        first_stamp(store.post(drafts(1), None).await)
    };
    tokio::time::timeout(WAIT_TIMEOUT, others).await.expect("others wait for pages");
    drop(unblock);
    for page in pages {
        page.await.unwrap();
    }
}

#[tokio::test]
async fn what_a_request_can_not_wait_for_any_more_is_not_written() {
    let (store, _dir) = store().await;
    let (unblock, blocked_write) = block_writes(&store);
    let request = async { (store.post(drafts(1), None).await, store.post(drafts(100), None).await) };
    let (short, long) = of_request_within(REQUEST_TIME, request).await;
    assert!(matches!((short, long), (Err(Error::Unavailable(_)), Err(Error::Unavailable(_)))));
    drop(unblock);
    blocked_write.await.unwrap();
    first_stamp(store.post(drafts(1), None).await);
    let alice = store.user("alice").await.unwrap().unwrap().key;
    while store.fan_in(alice).await.unwrap() {}
    let stored = store.sync(alice, Stamp::ZERO, 10).await.unwrap().items.len();
    assert_eq!(stored, 1, "what was refused is not stored later");
}

#[tokio::test]
async fn reads_wait_for_their_turn_no_longer_than_a_request_may() {
    let (store, _dir) = store().await;
    let places = u32::try_from(READ_CONCURRENCY).unwrap();
    let taken = store.read_permits.acquire_many(places).await.unwrap();
    assert!(matches!(of_request_within(REQUEST_TIME, store.user("alice")).await, Err(Error::Unavailable(_))));
    drop(taken);
    let (unblock, blocked) = mpsc::channel::<()>();
    let blocked = Arc::new(std::sync::Mutex::new(blocked));
    let (begins, begun) = mpsc::channel::<()>();
    // Of two users, because none has every thread.
    let mut pages: Vec<_> = (0..READ_CONCURRENCY)
        .map(|n| {
            let (begins, blocked) = (begins.clone(), Arc::clone(&blocked));
            let reader = UserKey(if n == 0 { 1 } else { 3 });
            Box::pin(store.read_long(reader, move |_| {
                begins.send(()).unwrap();
                let _ = blocked.lock().unwrap().recv();
                Ok(())
            }))
        })
        .collect();
    for page in &mut pages {
        poll_once(page.as_mut());
        begun.recv().unwrap();
    }
    let late = of_request_within(REQUEST_TIME, store.read_long(UserKey(2), |_| Ok(()))).await;
    assert!(matches!(late, Err(Error::Unavailable(_))), "{late:?}");
    drop(unblock);
    for page in pages {
        page.await.unwrap();
    }
}
