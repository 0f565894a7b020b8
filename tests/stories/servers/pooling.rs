//! Servers behind a pooler that shares connections by transaction: there is no LISTEN and no prepared statement.

use serde_json::json;
use support::server::ServerProcess;
use tidings_testkit::pooler::Pooler;
use tidings_testkit::postgres::Cluster;
use tokio::task::block_in_place;

use super::traffic::{Traffic, is_well};
use super::{at, bodies, live, read_until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_a_pooler_everything_works_and_hints_come_by_looking() {
    let database = block_in_place(Cluster::start);
    let pooler = block_in_place(|| Pooler::before(&database));
    let one = ServerProcess::on_database(&pooler.url());
    let two = one.beside();
    let ana = one.admin().user("ana", &["inbox"]).await;
    let dora = one.admin().user("dora", &["inbox"]).await;
    let there = at(&dora, &two);
    let mut channel = live(&there).await;
    ana.post("messages", json!({"to": "dora", "body": "Through the pooler"})).await.success();
    read_until(&mut channel, "event: hint").await;
    assert_eq!(bodies(&there).await, ["Through the pooler"]);
    drop(channel);

    let traffic = Traffic::start(&[&one, &two]).await;
    traffic.goes_on().await;
    traffic.goes_on().await;
    traffic.end(&pooler.url()).await;
    block_in_place(|| is_well(&database.url()));
}
