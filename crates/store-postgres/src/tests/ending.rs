//! The end of a runtime while posts wait.

use std::sync::Arc;

use futures_util::FutureExt;
use tidings_store::Draft;
use tidings_store::prelude::*;
use tidings_testkit::clock::ManualClock;
use tokio::runtime::Builder;

use super::{connect, database};

/// Many more than have room on one stack.
const POSTS: usize = 2_000;

#[test]
fn posts_that_wait_for_their_turns_are_given_up_when_the_runtime_ends() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let database = runtime.block_on(async {
        let database = database().await;
        let store = connect(&database.url, Arc::new(ManualClock::default())).await;
        // With the same name, each has a transaction of its own.
        let draft = Draft { sequence: Some("disk".into()), ..Draft::on_topic("nas", None) };
        for _ in 0..POSTS {
            assert!(store.post(vec![draft.clone()], None).now_or_never().is_none(), "it waits");
        }
        database
    });
    drop(runtime);
    assert_eq!(database.sql("SELECT count(*) FROM notifications"), "0");
}
