//! A network between a server and its database that breaks in each of its ways, while another server goes on.

use std::time::Instant;

use serde_json::json;
use support::{server::ServerProcess, wait};
use tidings_testkit::link::{Fault, Link, Way};
use tidings_testkit::postgres::Cluster;
use tokio::task::block_in_place;

use super::bodies;
use super::crashes::serves_again;
use super::traffic::{ANSWER_TIME, RECOVERY_TIME, Traffic, is_well};

/// A server that reaches its database over a link, and one beside it that reaches it directly.
struct Pair {
    far: ServerProcess,
    near: ServerProcess,
    link: Link,
    database: Cluster,
}

impl Pair {
    async fn start() -> Self {
        let database = block_in_place(Cluster::start);
        let link = Link::to(&database.socket_file()).await;
        let near = ServerProcess::on_database(&database.url());
        let far = near.beside_at(&database.url_through(link.port()));
        Self { far, near, link, database }
    }

    /// Breaks the network in this way while publications go on; afterwards the server recovers, and nothing is lost or
    /// doubled.
    async fn survives(self, fault: Fault) {
        let traffic = Traffic::start(&[&self.far, &self.near]).await;
        traffic.goes_on().await;
        self.link.set(fault);
        let (asked, admin) = (Instant::now(), self.far.admin());
        admin.get("users").await.problem(503, "unavailable", None);
        assert!(asked.elapsed() < ANSWER_TIME, "{:?}", asked.elapsed());
        let ready = self.near.admin().get("health/ready").await.status;
        assert_eq!(ready, 200, "the other one goes on");
        traffic.goes_on().await;
        self.link.set(Fault::None);
        serves_again(&admin).await;
        traffic.goes_on().await;
        assert!(traffic.longest_answer() < ANSWER_TIME, "{:?}", traffic.longest_answer());
        traffic.end(&self.database.url()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_connections_are_cut_says_so_and_recovers() {
    Pair::start().await.survives(Fault::Cut).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_network_freezes_says_so_and_recovers() {
    Pair::start().await.survives(Fault::Frozen).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_its_database_does_not_hear_says_so_and_recovers() {
    Pair::start().await.survives(Fault::Drops(Way::There)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_does_not_hear_its_database_says_so_and_recovers() {
    Pair::start().await.survives(Fault::Drops(Way::Back)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_connections_were_forgotten_by_the_network_makes_new_ones() {
    let Pair { far, near, link, database } = Pair::start().await;
    let traffic = Traffic::start(&[&far, &near]).await;
    traffic.goes_on().await;
    link.forget_connections();
    let admin = far.admin();
    wait::within(RECOVERY_TIME, "it serves over new connections", || async {
        admin.get("users").await.status == 200 && admin.get("health/ready").await.status == 200
    })
    .await;
    traffic.goes_on().await;
    assert!(traffic.longest_answer() < ANSWER_TIME, "{:?}", traffic.longest_answer());
    traffic.end(&database.url()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_whose_commit_or_its_answer_is_lost_is_stored_once() {
    let Pair { far, near: _near, link, database } = Pair::start().await;
    let ana = far.admin().user("ana", &["inbox"]).await;
    let bob = far.admin().user("bob", &["inbox"]).await;
    let mut sent = Vec::new();
    for way in [Way::Back, Way::There] {
        for n in 0..3 {
            let body = format!("{way:?} {n}");
            link.lose_next(way, b"COMMIT\0");
            // Without a key: the server itself finds out whether it was stored.
            ana.post("messages", json!({"to": "bob", "body": body})).await.is(201);
            assert!(link.has_lost_it(), "{body}");
            sent.push(body);
        }
    }
    assert_eq!(bodies(&bob).await, sent, "each once, in their order");
    block_in_place(|| is_well(&database.url()));
}
