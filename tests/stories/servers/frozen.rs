//! A server that is stopped in the middle of a transaction holds the row that orders everything that is created.

use std::time::{Duration, Instant};

use serde_json::json;
use support::{server::ServerProcess, wait};
use tidings_testkit::postgres::Cluster;
use tokio::task::block_in_place;

use super::at;
use super::crashes::serves_again;
use super::traffic::Traffic;

/// How long the others wait for it at most, and what a busy machine takes for the rest.
const HELD: Duration = Duration::from_secs(3 + 4);

/// How often it is looked whether a transaction is left open, while what the server has sent is worked off.
const LOOKS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_frozen_while_it_holds_the_log_holds_the_others_for_three_seconds_at_most() {
    let database = block_in_place(Cluster::start);
    let mut one = ServerProcess::on_database(&format!("{}&application_name=one", database.url()));
    let two = one.beside_at(&format!("{}&application_name=two", database.url()));
    let traffic = Traffic::start(&[&one, &two]).await;
    let ana = one.admin().user("ana", &["inbox"]).await;
    one.admin().user("eve", &["inbox"]).await;
    let (there, admin) = (at(&ana, &two), one.admin());
    for n in 0..2 {
        traffic.goes_on().await;
        block_in_place(|| freeze_within_transaction(&database, &mut one));
        let asked = Instant::now();
        there.post("messages", json!({"to": "eve", "body": format!("frozen {n}")})).await.success();
        assert!(asked.elapsed() < HELD, "the others waited for {:?}", asked.elapsed());
        one.process().expect("it runs").signal("CONT");
        serves_again(&admin).await;
    }
    let sent = there.get("conversations/user:eve/messages").await.is(200);
    assert_eq!(sent["items"].as_array().map(Vec::len), Some(2), "{sent}");
    traffic.end(&database.url()).await;
}

/// Stops a server at a moment at which it has taken stamps and not committed yet.
fn freeze_within_transaction(database: &Cluster, server: &mut ServerProcess) {
    let process = server.process().expect("it runs");
    wait::until_blocking("it is stopped while it holds the log", || {
        process.signal("STOP");
        let holds = (0..LOOKS).any(|_| database.silent_holders_of_the_log().contains(&"one".to_owned()));
        if !holds {
            process.signal("CONT");
        }
        holds
    });
}
