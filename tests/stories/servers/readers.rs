//! Who may read a topic is set at one server, and holds at the others.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use support::server::ServerProcess;
use tidings_testkit::postgres::Database;

use super::{BUSY, at, bodies, read_until};

#[tokio::test]
async fn readers_that_one_server_was_told_hold_at_the_other_and_end_the_streams_of_others_there() {
    let database = Database::empty();
    let one = ServerProcess::on_database(&database.url);
    let two = one.beside();
    let ann = one.admin().user("ann", &["inbox"]).await;
    let mal = at(&one.admin().user("mal", &["inbox"]).await, &two);
    let subscription = json!({"target": {"type": "topic", "id": "ops"}, "actions": ["publish"]});
    for client in [&ann, &mal] {
        client.put("subscriptions", subscription.clone()).await.success();
    }
    let publish = async |text: &str| {
        ann.send(ann.request(Method::POST, "/ops").body(text.to_owned())).await.success();
    };
    let mut stream = mal.request(Method::GET, "/ops/json").send().await.unwrap();
    read_until(&mut stream, "open").await;
    publish("for all").await;
    read_until(&mut stream, "for all").await;
    assert_eq!(bodies(&mal).await, ["for all"]);

    one.admin().put("topics/ops", json!({"readers": ["ann"]})).await.success();
    publish("secret").await;
    assert_eq!(mal.get("/ops/json?poll=1").await.is(403)["code"], 40301);
    assert_eq!(bodies(&mal).await, ["for all"]);
    assert_eq!(bodies(&at(&ann, &two)).await.len(), 2);
    let end = async {
        let mut rest = String::new();
        while let Ok(Some(chunk)) = stream.chunk().await {
            rest.push_str(&String::from_utf8_lossy(&chunk));
        }
        rest
    };
    let rest = tokio::time::timeout(Duration::from_secs(3) + BUSY, end).await.expect("its stream ends");
    assert!(!rest.contains("secret"), "{rest}");
}
