//! A standby that takes over from its primary, with or without everything that was acknowledged.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use support::{client::Client, server::ServerProcess};
use tidings_testkit::postgres::Cluster;
use tokio::task::block_in_place;

use super::at;
use super::crashes::serves_again;
use super::traffic::is_well;

/// What a program that follows the protocol keeps of an inbox.
#[derive(Debug, Default)]
struct Replica {
    bodies: BTreeMap<String, String>,
    since: String,
    epoch: String,
    /// How often it had to begin anew.
    resyncs: u32,
}

impl Replica {
    /// Pulls the new items; from the beginning if the server says so.
    async fn pull(&mut self, client: &Client) {
        loop {
            let from = if self.epoch.is_empty() {
                String::new()
            } else {
                format!("&since={}&epoch={}", self.since, self.epoch)
            };
            let answer = client.get(&format!("sync?limit=3{from}")).await;
            if answer.status == 410 {
                answer.problem(410, "resync", None);
                *self = Self { resyncs: self.resyncs + 1, ..Self::default() };
                continue;
            }
            let page = answer.is(200);
            let text = |value: &Value| value.as_str().expect("a text").to_owned();
            for item in page["items"].as_array().expect("items") {
                self.bodies.insert(text(&item["msgid"]), text(&item["body"]));
            }
            (self.since, self.epoch) = (text(&page["next"]), text(&page["epoch"]));
            if page["more"] == false {
                return;
            }
        }
    }

    fn has(&self, body: &str) -> bool {
        self.bodies.values().any(|own| own == body)
    }
}

async fn send(from: &Client, bodies: &[&str]) {
    for body in bodies {
        from.post("messages", json!({"to": "bob", "body": body})).await.success();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_promoted_standby_that_lost_commits_begins_a_new_epoch_and_replicas_agree_again() {
    let mut primary = block_in_place(Cluster::start);
    let mut standby = block_in_place(|| primary.standby());
    let url = primary.url_with(&standby);
    let one = ServerProcess::on_database(&url);
    let two = one.beside();
    let ana = one.admin().user("ana", &["inbox"]).await;
    let bob = one.admin().user("bob", &["inbox"]).await;
    let mut replicas = [Replica::default(), Replica::default()];
    send(&ana, &["a", "b", "c", "d"]).await;
    block_in_place(|| {
        primary.wait_for(&standby);
        standby.kill();
    });
    // Acknowledged and pulled by one of them, and never heard of by the standby.
    send(&ana, &["lost 1", "lost 2"]).await;
    replicas[0].pull(&bob).await;
    assert!(replicas[0].has("a") && replicas[0].has("lost 2"));
    block_in_place(|| {
        primary.kill();
        standby.restart();
        standby.promote();
    });
    for server in [&one, &two] {
        serves_again(&server.admin()).await;
    }
    send(&at(&ana, &two), &["e"]).await;
    send(&ana, &["f"]).await;
    for (replica, server) in replicas.iter_mut().zip([&two, &one]) {
        replica.pull(&at(&bob, server)).await;
    }
    assert_eq!((replicas[0].resyncs, replicas[1].resyncs), (1, 0));
    assert_eq!(replicas[0].bodies, replicas[1].bodies);
    assert_eq!(replicas[0].epoch, replicas[1].epoch);
    let bodies: Vec<&str> = replicas[0].bodies.values().map(String::as_str).collect();
    assert_eq!(bodies.len(), 6);
    assert!(replicas[0].has("f") && !replicas[0].has("lost 1"));
    replicas[0].pull(&bob).await;
    assert_eq!(replicas[0].resyncs, 1, "once");
    block_in_place(|| is_well(&standby.url()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_promoted_standby_that_has_everything_continues_the_epoch_where_that_was_promised() {
    let mut primary = block_in_place(Cluster::start);
    let standby = block_in_place(|| primary.standby());
    block_in_place(|| primary.wait_for_standbys());
    let url = primary.url_with(&standby);
    let one = ServerProcess::on_database_with(&url, &["--failover", "lossless"]);
    let two = one.beside();
    let ana = one.admin().user("ana", &["inbox"]).await;
    let bob = one.admin().user("bob", &["inbox"]).await;
    let mut replica = Replica::default();
    send(&ana, &["a", "b"]).await;
    replica.pull(&bob).await;
    let epoch = replica.epoch.clone();
    send(&ana, &["c"]).await;
    block_in_place(|| {
        primary.kill();
        standby.promote();
    });
    for server in [&one, &two] {
        serves_again(&server.admin()).await;
    }
    send(&at(&ana, &two), &["d"]).await;
    replica.pull(&bob).await;
    assert_eq!((replica.resyncs, &replica.epoch), (0, &epoch));
    assert_eq!(replica.bodies.len(), 4);
    assert!(["a", "b", "c", "d"].iter().all(|body| replica.has(body)));
    block_in_place(|| is_well(&standby.url()));
}
