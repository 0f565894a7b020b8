//! Tests with the programs and libraries of others, run against a server of ours.

mod agents;
mod gotify_libraries;
mod gotify_reconnects;
mod ntfy_curl;
mod ntfy_libraries;
mod ntfy_reconnects;
mod publish_guide;

use serde_json::{Value, json};
use support::client::Client;
use support::program::Process;
use support::server::ServerProcess;
use support::wait;

/// A server, and a user whose token publishes and who subscribes to the topic `backups`.
async fn ana() -> (ServerProcess, Client) {
    let server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    let topic = json!({"target": {"type": "topic", "id": "backups"}, "actions": ["publish"]});
    ana.put("subscriptions", topic).await.success();
    (server, ana)
}

/// Makes an application of Gotify's; gives a client with its token.
async fn application(client: &Client, name: &str) -> Client {
    let made = client.post("/application", json!({"name": name})).await.is(200);
    client.with_token(made["token"].as_str().expect("a token"))
}

/// Waits until each client has reconnected as often as it is to, or has ended.
async fn until_reconnected(readers: &mut [Process]) {
    wait::until("both have reconnected", || {
        let done = |reader: &mut Process| !reader.is_running() || reader.output().contains("reconnected");
        let all = readers.iter_mut().all(done);
        async move { all }
    })
    .await;
}

/// Asserts that a value has all that is wanted; an object may have further members.
#[track_caller]
fn assert_has(value: &Value, wanted: &Value) {
    match (value, wanted) {
        (Value::Object(_), Value::Object(members)) => {
            members.iter().for_each(|(name, wanted)| assert_has(&value[name], wanted));
        }
        (Value::Array(values), Value::Array(all)) => {
            assert_eq!(values.len(), all.len(), "{value:#}");
            values.iter().zip(all).for_each(|(value, wanted)| assert_has(value, wanted));
        }
        _ => assert_eq!(value, wanted),
    }
}
