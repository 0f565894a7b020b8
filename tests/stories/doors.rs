//! Tests of sources of other protocols against the doors of a Tidings server: items that are read through them have the
//! shape of pulled ones.

use std::sync::Arc;

use futures_util::StreamExt;
use reqwest::Method;
use serde_json::json;
use tempfile::TempDir;
use tidings_model::wire::Scope;
use tidings_model::{Mark, Notification, SystemClock};
use tidings_replica::{ItemFilter, NewSource, Replica, SourceId, Targets};
use tidings_sources::Source;
use tidings_sync::pull_once;
use tidings_testkit::client::Client;
use tidings_testkit::server::{RunningServer, config_of};
use tidings_testkit::wait::within_timeout;

/// A replica with one source.
struct Reader {
    replica: Replica,
    source: SourceId,
    token: String,
    _dir: TempDir,
}

impl Reader {
    fn of(protocol: &str, url: String, token: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let replica = Replica::open(dir.path(), Arc::new(SystemClock)).unwrap();
        let new = NewSource { name: "door".into(), protocol: protocol.into(), url, user: None, own: false };
        let source = replica.add_source(new).unwrap();
        Self { replica, source, token: token.to_owned(), _dir: dir }
    }

    fn client(&self) -> Arc<dyn Source> {
        tidings_sources::open(
            &self.replica.source(self.source).unwrap(),
            self.token.clone(),
            Arc::new(SystemClock),
        )
        .unwrap()
    }

    /// Pulls with a client, and gives all items, oldest first.
    async fn pull_with(&self, client: Arc<dyn Source>) -> Vec<Notification> {
        pull_once(&self.replica, self.source, client).await.unwrap();
        assert_eq!(self.replica.check().unwrap(), []);
        let items = self.replica.items(&ItemFilter::default(), 1_000).unwrap();
        items.into_iter().rev().map(|item| item.notification).collect()
    }

    async fn pull(&self) -> Vec<Notification> {
        self.pull_with(self.client()).await
    }
}

async fn running() -> (TempDir, RunningServer, Client) {
    let dir = tempfile::tempdir().unwrap();
    let server = RunningServer::start(config_of(dir.path()), Arc::new(SystemClock)).await;
    let ana = server.owner("ana", "Ana", &[Scope::Inbox, Scope::Publish]).await;
    (dir, server, ana)
}

#[tokio::test]
async fn a_topic_read_as_ntfys_is_what_a_pull_brings() {
    let (_dir, server, ana) = running().await;
    let own = Reader::of("tidings", server.url.clone(), &ana.token);
    let ntfy = Reader::of("ntfy", format!("{}/backups,alerts", server.url), &ana.token);
    ntfy.pull().await;
    let client = ntfy.client();
    let mut live = client.listen().await.unwrap().expect("a stream");
    let full = [
        ("title", "NAS"),
        ("priority", "5"),
        ("tags", "warning,nas"),
        ("click", "https://nas.example/"),
        ("icon", "https://nas.example/icon.png"),
        ("attach", "https://nas.example/a%20b.log"),
        ("markdown", "yes"),
        ("x-sequence-id", "build"),
    ];
    publish(&ana, "backups", "**started**", &full).await;
    publish(&ana, "alerts", "plain", &[]).await;
    for _ in 0..2 {
        let hint = within_timeout("a hint", live.next()).await;
        assert!(matches!(hint, Some(Ok(tidings_sources::Hint::Changed))), "{hint:?}");
    }
    let read = ntfy.pull_with(client.clone()).await;
    let pulled = own.pull().await;
    assert_eq!(read.len(), 2);
    for (read, pulled) in read.iter().zip(&pulled) {
        assert_eq!(read.content, pulled.content);
        assert_eq!(
            (&read.thread, &read.actor, &read.target),
            (&pulled.thread, &pulled.actor, &pulled.target)
        );
        assert_eq!((read.kind, &read.action), (pulled.kind, &pulled.action));
        assert_eq!(read.created_at.as_secs(), pulled.created_at.as_secs());
    }

    // Revised, cleared and deleted by its publisher.
    publish(&ana, "backups", "done", &[("x-sequence-id", "build")]).await;
    let read = ntfy.pull_with(client.clone()).await;
    let build = read.iter().find(|n| n.thread == "topic:backups#publish").unwrap();
    assert_eq!((build.content.body.as_str(), build.read_at), ("done", None));
    ana.put("/backups/build/clear", json!({})).await.success();
    let read = ntfy.pull().await;
    let build = read.iter().find(|n| n.thread == "topic:backups#publish").unwrap();
    assert!(build.content.body == "done" && build.read_at.is_some());
    ana.delete("/backups/build").await.success();
    assert_eq!(ntfy.pull().await.len(), 1);
    server.stop().await;
}

#[tokio::test]
async fn an_application_read_as_gotifys_is_what_a_pull_brings() {
    let (_dir, server, ana) = running().await;
    let own = Reader::of("tidings", server.url.clone(), &ana.token);
    let gotify = Reader::of("gotify", server.url.clone(), &ana.token);
    let made = ana.post("/application", json!({"name": "Backup"})).await.is(200);
    let app = ana.with_token(made["token"].as_str().unwrap());
    gotify.pull().await;
    let client = gotify.client();
    let mut live = client.listen().await.unwrap().expect("a stream");
    let extras = json!({
        "client::display": {"contentType": "text/markdown"},
        "client::notification": {"click": {"url": "https://e.org/"}, "bigImageUrl": "https://e.org/a%20b.png"},
        "android::action": {"onReceive": {"intentUrl": "https://e.org/i"}},
        "home::lamp": {"on": true},
    });
    let full = json!({"title": "NAS", "message": "**done**", "priority": 8, "extras": extras});
    app.post("/message", full).await.is(200);
    let hint = within_timeout("a hint", live.next()).await;
    assert!(matches!(hint, Some(Ok(tidings_sources::Hint::Changed))), "{hint:?}");
    app.post("/message", json!({"message": "plain", "priority": 0})).await.is(200);
    let read = gotify.pull_with(client.clone()).await;
    let pulled = own.pull().await;
    assert_eq!(read.len(), 2);
    for (read, pulled) in read.iter().zip(&pulled) {
        assert_eq!(read.content, pulled.content);
        assert_eq!(
            (read.kind, &read.action, &read.actor.name),
            (pulled.kind, &pulled.action, &pulled.actor.name)
        );
        assert_eq!(read.created_at, pulled.created_at);
    }

    // What is deleted here leaves the server's list.
    let first = read[0].msgid.clone();
    gotify.replica.mark(Targets::MsgIds(vec![first]), Mark::Delete).unwrap();
    assert_eq!(gotify.pull().await.len(), 1);
    let left = ana.get("/message").await.is(200);
    assert_eq!(left["messages"].as_array().unwrap().len(), 1);
    server.stop().await;
}

/// Publishes on a topic with a token, as `curl -H` does.
async fn publish(client: &Client, topic: &str, body: &str, headers: &[(&str, &str)]) {
    let request = client.request(Method::POST, &format!("/{topic}")).body(body.to_owned());
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    client.send(request).await.success();
}
