//! A network to the database that says nothing: no call waits for long, and connections that died are replaced.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tidings_model::{Actor, Kind};
use tidings_store::prelude::*;
use tidings_store::{Audience, Draft, Error};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::link::{Fault, Link};
use tidings_testkit::postgres::Cluster;
use tokio::task::block_in_place;

use super::connect;
use crate::PostgresStore;

/// The longest time of a call, with what a busy machine takes.
const CALL: Duration = Duration::from_secs(9 + 4);
/// Calls at once, each of which has a connection.
const CALLS: usize = 12;

async fn behind_a_link() -> (Cluster, Link, PostgresStore) {
    let cluster = block_in_place(Cluster::start);
    let link = Link::to(&cluster.socket_file()).await;
    let store = connect(&cluster.url_through(link.port()), Arc::new(ManualClock::default())).await;
    assert_eq!(read_at_once(&store).await, CALLS);
    (cluster, link, store)
}

/// Reads over many connections at once; gives how many of the calls were answered.
async fn read_at_once(store: &PostgresStore) -> usize {
    let answers = join_all((0..CALLS).map(|_| store.user("ann"))).await;
    answers.iter().filter(|answer| answer.is_ok()).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_waits_for_long_for_a_database_that_says_nothing() {
    let (_cluster, link, store) = behind_a_link().await;
    link.set(Fault::Frozen);
    let by = Actor { id: "press".into(), name: "Press".into() };
    let announcement = Draft::new(Kind::Announcement, Audience::Everyone, by);
    let began = Instant::now();
    let (posted, read) = tokio::join!(store.post(vec![announcement], None), store.user("ann"));
    assert!(began.elapsed() < CALL, "{:?}", began.elapsed());
    assert!(posted.is_err());
    assert!(matches!(read, Err(Error::Unavailable(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_call_that_was_not_answered_replaces_every_connection_that_nobody_uses() {
    let (cluster, link, store) = behind_a_link().await;
    let open = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    let connections: usize = block_in_place(|| cluster.sql(open)).parse().unwrap();
    assert!(connections > CALLS / 2, "{connections} connections");
    link.forget_connections();
    assert!(store.user("ann").await.is_err(), "its connection is dead");
    assert_eq!(read_at_once(&store).await, CALLS, "the others were replaced");
}
