//! Tests of waiting: short requests do not wait for the long requests of others.

use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Waker};
use std::time::Duration;

use tidings_model::{Actor, Kind, Stamp};

use crate::error::Error;
use crate::store::sqlite::{READ_CONCURRENCY, SqliteStore};
use crate::store::{Audience, Draft, Outcome, Post, Store, UserKey};
use tidings_testkit::clock::ManualClock;

/// Timeout of every wait; a longer wait counts as blocked.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);

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

fn first_stamp(did: Result<Outcome<Vec<Post>>, Error>) -> Stamp {
    match did.unwrap() {
        Outcome::Done(posts) => posts[0].posted.stamp,
        Outcome::Replayed(_) => unreachable!(),
    }
}

#[tokio::test]
async fn a_post_is_stored_before_the_arrays_that_wait_with_it() {
    let (store, _dir) = store().await;
    let (unblock, blocked) = mpsc::channel::<()>();
    let mut blocked_write = Box::pin(store.write(move |_| {
        let _ = blocked.recv();
        Ok(())
    }));
    poll_once(blocked_write.as_mut());
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
