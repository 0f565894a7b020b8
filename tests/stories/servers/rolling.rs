//! Servers that are replaced one by one behind a load balancer, while requests go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use support::{client::Client, server::ServerProcess, wait};
use tidings_testkit::postgres::Database;
use tokio::task::{JoinHandle, block_in_place};

/// How often the balancer asks each server whether it is ready.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
const CLIENTS: usize = 4;

/// Which servers get requests.
struct Balancer {
    servers: Vec<(String, AtomicBool)>,
    turn: AtomicUsize,
}

impl Balancer {
    /// Asks each server again and again, for as long as the task that is returned runs.
    fn start(servers: &[ServerProcess]) -> (Arc<Self>, JoinHandle<()>) {
        let servers = servers.iter().map(|server| (server.url(), AtomicBool::new(true))).collect();
        let balancer = Arc::new(Self { servers, turn: AtomicUsize::new(0) });
        let checks = Arc::clone(&balancer);
        let checking = tokio::spawn(async move {
            loop {
                for (url, is_ready) in &checks.servers {
                    let request = Client::without_token(url).request(reqwest::Method::GET, "health/ready");
                    let answer = Client::try_send(request).await;
                    is_ready.store(answer.is_some_and(|answer| answer.status == 200), Ordering::SeqCst);
                }
                tokio::time::sleep(CHECK_INTERVAL).await;
            }
        });
        (balancer, checking)
    }

    /// The server of the next request.
    fn next(&self) -> &str {
        let turn = self.turn.fetch_add(1, Ordering::SeqCst);
        let ready: Vec<&str> = self
            .servers
            .iter()
            .filter(|(_, is_ready)| is_ready.load(Ordering::SeqCst))
            .map(|(url, _)| url.as_str())
            .collect();
        ready[turn % ready.len()]
    }

    fn is_ready(&self, n: usize) -> bool {
        self.servers[n].1.load(Ordering::SeqCst)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_are_replaced_one_by_one_behind_a_load_balancer_fail_no_request() {
    let database = Database::empty();
    // Longer than a client of a busy machine takes from the choice of a server to its request.
    let first = ServerProcess::on_database_with(&database.url, &["--drain", "6s"]);
    let mut servers = vec![first.beside(), first];
    let ana = servers[1].admin().user("ana", &["inbox"]).await;
    let bob = servers[1].admin().user("bob", &["inbox"]).await;
    let (balancer, checking) = Balancer::start(&servers);
    let stop = Arc::new(AtomicBool::new(false));
    let posting: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (balancer, stop, token) = (Arc::clone(&balancer), Arc::clone(&stop), ana.token.clone());
            tokio::spawn(async move {
                let mut sent = Vec::new();
                while !stop.load(Ordering::SeqCst) {
                    let body = format!("{client}-{}", sent.len());
                    let server = Client::new(balancer.next(), &token);
                    // No request is repeated: each is to be done at once.
                    server.post("messages", json!({"to": "bob", "body": body})).await.is(201);
                    sent.push(body);
                }
                sent
            })
        })
        .collect();
    for (n, server) in servers.iter_mut().enumerate() {
        block_in_place(|| server.stop());
        wait::until("the balancer leaves it out", || async { !balancer.is_ready(n) }).await;
        assert_ne!(balancer.next(), server.url());
        block_in_place(|| server.restart());
        wait::until("the balancer takes it in again", || async { balancer.is_ready(n) }).await;
    }
    stop.store(true, Ordering::SeqCst);
    let mut sent = Vec::new();
    for client in posting {
        sent.extend(client.await.unwrap());
    }
    checking.abort();
    let mut found: Vec<String> = bob
        .pull(None, 1_000)
        .await
        .0
        .iter()
        .map(|item| item["body"].as_str().expect("a text").to_owned())
        .collect();
    sent.sort();
    found.sort();
    assert_eq!(found, sent);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_was_asked_to_end_says_so_and_still_serves_until_its_port_closes() {
    let database = Database::empty();
    let mut server = ServerProcess::on_database_with(&database.url, &["--drain", "10s"]);
    let admin = server.admin();
    admin.get("health/ready").await.is(200);
    server.process().expect("it runs").signal("TERM");
    wait::until("it says that it ends", || async { admin.get("health/ready").await.status == 503 }).await;
    admin.get("health/ready").await.problem(503, "unavailable", None);
    let answer = admin.get("users").await;
    assert_eq!(answer.headers["connection"], "close");
    answer.is(200);
    let process = server.process().expect("it runs");
    let status = block_in_place(|| process.exit_within(wait::TEST_TIMEOUT)).expect("it ends");
    assert!(status.success(), "{status}");
}
