//! The server as a program runs it: restarts, backups, a second process, the end.

use serde_json::json;
use tidings_model::wire::Scope;
use tidings_server::{Server, ServerConfig};

use crate::support::{Client, start, start_in};

#[tokio::test]
async fn everything_survives_a_restart() {
    let s = start().await;
    let alice = s.user("alice").await;
    let press = s.publisher().await;
    alice.subscribe("1", &["like"]).await;
    let posted = press.remind("bob", "like", "1").await;
    alice.op("read", &[posted["msgid"].as_str().unwrap()], json!({})).await;
    let before = alice.get("sync").await.is(200);
    let token = alice.token.clone();
    let (dir, clock) = s.stop().await;
    let s = start_in(dir, clock, |_| {}).await;
    let alice = Client::new(&s.url, token.as_deref());
    assert_eq!(alice.get("sync").await.is(200), before);
    s.holds_together().await;
}

#[tokio::test]
async fn one_process_serves_a_folder() {
    let s = start().await;
    s.admin.get("health").await.is(200);
    let config = ServerConfig::new(s.dir.path());
    let second = Server::open(config, s.clock.clone()).await.unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let refused = tidings_server::serve(listener, second, std::future::pending()).await;
    assert!(matches!(refused, Err(tidings_server::Error::Folder(_))));
}

#[tokio::test]
async fn a_first_start_makes_an_admin_once() {
    let dir = tempfile::tempdir().unwrap();
    let clock = std::sync::Arc::new(tidings_model::SystemClock);
    let server = Server::open(ServerConfig::new(dir.path().join("new")), clock).await.unwrap();
    let first = server.first_start().await.unwrap().unwrap();
    assert_eq!((first.about.user.as_str(), first.about.scopes.as_slice()), ("admin", &[Scope::Admin][..]));
    assert!(server.first_start().await.unwrap().is_none());
}

#[tokio::test]
async fn a_restored_backup_is_a_new_epoch() {
    let s = start().await;
    let alice = s.user("alice").await;
    let press = s.publisher().await;
    press.post("announcements", json!({"title": "kept"})).await.is(201);
    let epoch = alice.get("sync").await.is(200)["epoch"].as_str().unwrap().to_owned();
    let file = s.dir.path().join("copy.backup");
    s.server.backup(&file).await.unwrap();
    press.post("announcements", json!({"title": "lost"})).await.is(201);
    let busy = Server::restore(s.dir.path(), &file, s.clock.clone()).await;
    assert!(busy.is_err(), "somebody serves it");
    let token = alice.token.clone();
    let (dir, clock) = s.stop().await;
    Server::restore(dir.path(), &file, clock.clone()).await.unwrap();
    let s = start_in(dir, clock, |_| {}).await;
    let alice = Client::new(&s.url, token.as_deref());
    alice.get(&format!("sync?epoch={epoch}")).await.problem(410, "resync", None);
    let (items, _, _) = alice.pull(None, 10).await;
    assert_eq!(items.len(), 1);
    s.holds_together().await;
}

#[tokio::test]
async fn old_things_are_forgotten_where_it_was_told_so() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    bob.post("messages", json!({"to": "alice", "body": "old"})).await.is(201);
    assert_eq!(alice.unread("total").await, 1);
    let (token, (dir, clock)) = (alice.token.clone(), s.stop().await);
    clock.advance(10 * 24 * 3_600);
    let week = std::time::Duration::from_secs(7 * 24 * 3_600);
    let s = start_in(dir, clock, |c| c.retain = Some(week)).await;
    let alice = Client::new(&s.url, token.as_deref());
    crate::support::until("the old message is gone", || async { alice.unread("total").await == 0 }).await;
    s.holds_together().await;
}
