//! Requests whose database is slow: each is answered within ten seconds, and repeating it is safe.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tidings_model::SystemClock;
use tidings_model::wire::Scope;
use tidings_server::ServerConfig;
use tidings_testkit::client::Client;
use tidings_testkit::link::{Fault, Link};
use tidings_testkit::postgres::Cluster;
use tidings_testkit::server::RunningServer;
use tokio::task::block_in_place;

/// The time of a request's waits for its store, with that of everything else that it does, and what a busy machine takes.
const ANSWER_TIME: Duration = Duration::from_secs(10 + 5);

/// A server that reaches its database over a link, with clients of two users.
struct Distant {
    server: RunningServer,
    alice: Client,
    bob: Client,
    link: Link,
    _dir: tempfile::TempDir,
    _database: Cluster,
}

impl Distant {
    async fn start() -> Self {
        let database = block_in_place(Cluster::start);
        let link = Link::to(&database.socket_file()).await;
        let dir = tempfile::tempdir().unwrap();
        let store = database.url_through(link.port()).parse().unwrap();
        let config = ServerConfig { store, ..ServerConfig::new(dir.path()) };
        let server = RunningServer::start(config, Arc::new(SystemClock)).await;
        let alice = server.owner("alice", "Alice", &[Scope::Inbox]).await;
        let bob = server.owner("bob", "Bob", &[Scope::Inbox]).await;
        Self { server, alice, bob, link, _dir: dir, _database: database }
    }

    /// Sends a request while each round trip to the database takes this long.
    async fn ask_slowly(&self, round_trip: Duration, path: &str, body: Value) {
        self.link.set(Fault::Slow(round_trip));
        let began = Instant::now();
        self.alice.post_keyed(path, body, "slow").await.unwrap().problem(503, "unavailable", None);
        assert!(began.elapsed() < ANSWER_TIME, "{:?}", began.elapsed());
        self.link.set(Fault::None);
    }

    async fn post(&self, body: &str) -> Value {
        self.bob.post("messages", json!({"to": "alice", "body": body})).await.is(201)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_of_many_steps_is_answered_in_time_and_its_repetition_finishes_them() {
    let distant = Distant::start().await;
    let mark = |id: &str, msgid: &Value| json!({"ops": [{"id": id, "op": "read", "msgids": [msgid]}]});
    let (first, second) = (distant.post("first").await, distant.post("second").await);
    // Its statements are prepared by that.
    distant.alice.post_keyed("inbox/ops", mark("a", &first["msgid"]), "fast").await.unwrap().is(200);
    // No step takes as long by itself.
    let ops = mark("b", &second["msgid"]);
    distant.ask_slowly(Duration::from_secs(1), "inbox/ops", ops.clone()).await;
    let again = distant.alice.post_keyed("inbox/ops", ops, "slow").await.unwrap().is(200);
    assert_eq!(again["results"][0]["id"], "b", "{again}");
    distant.server.holds_together().await;
    distant.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_that_is_answered_before_it_is_stored_is_stored_once() {
    let distant = Distant::start().await;
    distant.alice.post("messages", json!({"to": "bob", "body": "before"})).await.is(201);
    let post = json!({"to": "bob", "body": "slow"});
    distant.ask_slowly(Duration::from_secs(2), "messages", post.clone()).await;
    let again = distant.alice.post_keyed("messages", post, "slow").await.unwrap().is(201);
    let inbox = distant.alice.inbox().await;
    let slow: Vec<&Value> = inbox.iter().filter(|item| item["body"] == "slow").collect();
    assert_eq!(slow.len(), 1, "{inbox:?}");
    assert_eq!(slow[0]["msgid"], again["msgid"]);
    distant.server.holds_together().await;
    distant.server.stop().await;
}
