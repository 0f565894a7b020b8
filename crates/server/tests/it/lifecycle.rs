//! Tests of the server's life in a program: restarts, backups, a second process, the end.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tidings_model::wire::Scope;
use tidings_server::mend_clock::FutureStamps;
use tidings_server::{Server, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Client, SHUTDOWN_TIMEOUT, TEST_TIMEOUT, logged, start, start_in, start_with, until};
use crate::uploads::{files, until_files, upload};

#[tokio::test]
async fn everything_survives_a_restart() {
    let s = start().await;
    let alice = s.user("alice").await;
    let publisher = s.publisher().await;
    alice.subscribe("1", &["like"]).await;
    let posted = publisher.remind("bob", "like", "1").await;
    alice.op("read", &[posted["msgid"].as_str().unwrap()], json!({})).await;
    let before = alice.get("sync").await.is(200);
    let token = alice.token.clone();
    let (dir, clock) = s.stop().await;
    let s = start_in(dir, clock, |_| {}).await;
    let alice = Client::new(&s.url, &token);
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
    assert!(matches!(refused, Err(tidings_server::Error::DataDir(_))));
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
    let publisher = s.publisher().await;
    publisher.post("announcements", json!({"title": "kept"})).await.is(201);
    let epoch = alice.get("sync").await.is(200)["epoch"].as_str().unwrap().to_owned();
    let file = s.dir.path().join("copy.backup");
    s.server.backup(&file).await.unwrap();
    publisher.post("announcements", json!({"title": "lost"})).await.is(201);
    let busy = Server::restore(s.dir.path(), &file, s.clock.clone(), FutureStamps::Refuse).await;
    assert!(busy.is_err(), "somebody serves it");
    let token = alice.token.clone();
    let (dir, clock) = s.stop().await;
    Server::restore(dir.path(), &file, clock.clone(), FutureStamps::Refuse).await.unwrap();
    let s = start_in(dir, clock, |_| {}).await;
    let alice = Client::new(&s.url, &token);
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
    let s = start_in(dir, clock, |c| {
        c.retain = Some(week);
        c.retain_now = true;
    })
    .await;
    let alice = Client::new(&s.url, &token);
    until("the old message is gone", || async { alice.unread("total").await == 0 }).await;
    s.holds_together().await;
}

/// The seconds of running for which a server still deletes nothing by age, as its file says.
fn held_secs(dir: &Path) -> u64 {
    let db = rusqlite::Connection::open(dir.join("server.db")).unwrap();
    db.busy_timeout(TEST_TIMEOUT).unwrap();
    db.query_row("SELECT age_hold_secs FROM meta", [], |row| row.get(0)).unwrap()
}

/// The receipts that wait for a sender.
async fn receipts(sender: &Client) -> usize {
    sender.get("receipts").await.is(200)["receipts"].as_array().unwrap().len()
}

/// What makes the body of a publication its file.
const FILE: [(&str, &str); 1] = [("Filename", "a.txt")];

#[tokio::test]
async fn a_clock_that_is_a_year_ahead_deletes_nothing_by_age_also_after_a_restart() {
    const YEAR: i64 = 365 * 24 * 3_600;
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    bob.post("messages", json!({"to": "alice", "body": "precious"})).await.is(201);
    // A file whose time is over at once, and a receipt of a message that is too old then.
    let carol = s.user("carol").await;
    upload(&carol, "/notes", "precious", &FILE).await.is(200);
    carol.post("groups", json!({"id": "crew", "name": "Crew", "members": ["alice"]})).await.is(201);
    let sent = carol.post("groups/crew/messages", json!({"body": "precious"})).await.is(201);
    alice.put("conversations/group:crew/read", json!({"through": sent["msgid"]})).await.is(200);
    let tokens = [&alice, &bob, &carol].map(|client| client.token.clone());
    let (dir, clock) = s.stop().await;
    clock.advance(YEAR);
    let short = |c: &mut ServerConfig| {
        c.retain = Some(Duration::from_secs(90 * 24 * 3_600));
        c.upkeep_interval = Duration::from_millis(20);
    };
    logged();
    let s = start_in(dir, clock, short).await;
    let is_said = || logged().contains("the clock is more than 7 days ahead of what is known");
    until("it is said", || async { is_said() }).await;
    until("the hold is stored", || async { held_secs(s.dir.path()) > 0 }).await;
    // A publication moves the newest stamp to the wrong year, so that the next start finds nothing odd.
    let bob = Client::new(&s.url, &tokens[1]);
    bob.post("messages", json!({"to": "alice", "body": "of a wrong year"})).await.is(201);
    let (dir, clock) = s.stop().await;
    let s = start_in(dir, clock, short).await;
    let [alice, bob, carol] = tokens.each_ref().map(|token| Client::new(&s.url, token));
    // Files have been tidied once more when that of a recalled publication is gone.
    let recalled = upload(&carol, "/notes", "not meant", &FILE).await.is(200);
    carol.delete(&format!("notifications/{}", recalled["id"].as_str().unwrap())).await.is(204);
    until_files(&s, "the file of what is recalled goes all the same", 1).await;
    // Upkeep has run once more when the data of a removed user is gone.
    s.user("dan").await;
    s.admin.delete("users/dan").await.is(204);
    let db = rusqlite::Connection::open(s.dir.path().join("server.db")).unwrap();
    db.busy_timeout(TEST_TIMEOUT).unwrap();
    until("removed users go all the same", || async {
        db.query_row("SELECT count(*) FROM users WHERE id >= '~'", [], |row| row.get::<_, i64>(0)).unwrap()
            == 0
    })
    .await;
    assert!(held_secs(s.dir.path()) > 0, "the restart did not end the hold");
    assert_eq!((alice.unread("total").await, bob.pull(None, 10).await.0.len()), (2, 2));
    assert_eq!((files(s.dir.path()).len(), receipts(&carol).await), (1, 1));
    // An operator who says that the clock is right gets what they asked for.
    let (dir, clock) = s.stop().await;
    let s = start_in(dir, clock, |c| {
        short(c);
        c.retain_now = true;
    })
    .await;
    let alice = Client::new(&s.url, &alice.token);
    until("the old message is gone", || async { alice.unread("total").await == 1 }).await;
    until_files(&s, "the old file is gone", 0).await;
    let carol = Client::new(&s.url, &carol.token);
    until("the old receipt is gone", || async { receipts(&carol).await == 0 }).await;
    assert_eq!(held_secs(s.dir.path()), 0);
}

#[tokio::test]
async fn a_clock_that_jumps_while_a_server_runs_deletes_nothing_by_age_after_a_restart() {
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    bob.post("messages", json!({"to": "alice", "body": "precious"})).await.is(201);
    // What is published by the wrong clock hides the jump from the next start, and no upkeep has seen it yet.
    s.clock.advance(365 * 24 * 3_600);
    bob.post("messages", json!({"to": "alice", "body": "of a wrong year"})).await.is(201);
    let (token, (dir, clock)) = (alice.token.clone(), s.stop().await);
    let s = start_in(dir, clock, |c| {
        c.retain = Some(Duration::from_secs(90 * 24 * 3_600));
        c.upkeep_interval = Duration::from_millis(20);
    })
    .await;
    until("upkeep to wait with what is old", || async { held_secs(s.dir.path()) > 0 }).await;
    // Upkeep has run once more when the data of a removed user is gone.
    s.admin.delete("users/bob").await.is(204);
    until("the removed user goes", || async { !s.server.has_removals().await.unwrap() }).await;
    assert_eq!(Client::new(&s.url, &token).unread("total").await, 2);
}

#[tokio::test]
async fn a_wrong_counter_is_put_right_while_it_runs_and_never_in_silence() {
    logged();
    let s = start_with(|c| c.upkeep_interval = Duration::from_millis(50)).await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    bob.post("messages", json!({"to": "alice", "body": "m"})).await.is(201);
    let db = rusqlite::Connection::open(s.dir.path().join("server.db")).unwrap();
    db.busy_timeout(TEST_TIMEOUT).unwrap();
    let changed = db.execute("UPDATE items SET unread = 0 WHERE own = 0", []).unwrap();
    assert_eq!(changed, 1, "the counter is wrong");
    // The upkeep may repair the counter before the test reads it; the log keeps what it found.
    let is_logged = || {
        logged().lines().any(|line| {
            line.contains("a counter was wrong and was put right")
                && line.contains("for alice: stored 0, counted 1")
        })
    };
    until("it is said", || async { is_logged() }).await;
    assert_eq!(alice.unread("total").await, 1, "the counter is right");
    s.holds_together().await;
}

#[tokio::test]
async fn a_wrong_list_of_conversations_is_put_right_while_it_runs_and_counted() {
    logged();
    let s = start_with(|c| c.upkeep_interval = Duration::from_millis(50)).await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    s.user("carol").await;
    for body in ["old", "new"] {
        bob.post("messages", json!({"to": "alice", "body": body})).await.is(201);
    }
    bob.post("messages", json!({"to": "carol", "body": "m"})).await.is(201);
    let db = rusqlite::Connection::open(s.dir.path().join("server.db")).unwrap();
    db.busy_timeout(TEST_TIMEOUT).unwrap();
    // Carol's list lacks a conversation, and Alice's has an older message as the newest.
    let sql = "BEGIN IMMEDIATE;
        DELETE FROM conversations WHERE user = (SELECT key FROM users WHERE id = 'carol');
        UPDATE conversations SET newest_at = (SELECT min(i.created_at) FROM items i
            WHERE i.user = conversations.user AND i.kind = 3) WHERE user = (SELECT key FROM users WHERE id = 'alice');
        COMMIT";
    db.execute_batch(sql).unwrap();
    let is_logged = |whose: &str| {
        let what = format!("newest item of user:bob of {whose}");
        logged().lines().any(|l| l.contains("a counter was wrong and was put right") && l.contains(&what))
    };
    until("both are said", || async { is_logged("alice") && is_logged("carol") }).await;
    let metrics = s.admin.get("/metrics").await.is(200);
    assert!(metrics.as_str().unwrap().contains("\ntidings_repairs_total 2\n"), "{metrics}");
    let list = alice.get("conversations").await.is(200);
    assert_eq!(list[0]["last"]["body"], "new");
    s.holds_together().await;
}

/// A connection on which the head of a request and a part of its body are sent, and the rest of the body.
async fn half_sent(alice: &Client) -> (tokio::net::TcpStream, &'static str) {
    let mut stream = tokio::net::TcpStream::connect(alice.url.trim_start_matches("http://")).await.unwrap();
    let (first_part, last_part) = (r#"{"to": "alice", "#, r#""body": "just in time"}"#);
    let head = format!(
        "POST /api/v1/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Length: {}\r\n\r\n{first_part}",
        alice.token,
        first_part.len() + last_part.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    (stream, last_part)
}

#[tokio::test]
async fn what_is_in_flight_at_the_end_is_finished() {
    let s = start().await;
    let alice = s.user("alice").await;
    let (mut stream, last_part) = half_sent(&alice).await;
    // The server has read that head once it answers a later request.
    alice.get("me").await.is(200);
    let stopping = tokio::spawn(s.stop());
    until("the server takes nobody new", || async {
        tokio::net::TcpStream::connect(alice.url.trim_start_matches("http://")).await.is_err()
    })
    .await;
    stream.write_all(last_part.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let (dir, clock) = stopping.await.unwrap();
    let s = start_in(dir, clock, |_| {}).await;
    let alice = Client::new(&s.url, &alice.token);
    assert_eq!(alice.pull(None, 10).await.0[0]["body"], "just in time");
}

#[tokio::test]
async fn whoever_never_finishes_does_not_hold_up_the_end() {
    let s = start().await;
    let alice = s.user("alice").await;
    let (_stream, _) = half_sent(&alice).await;
    alice.get("me").await.is(200);
    s.stop_within(SHUTDOWN_TIMEOUT).await;
}

#[tokio::test]
async fn an_upkeep_task_that_panicked_goes_on_and_is_counted() {
    logged();
    let day = Duration::from_secs(24 * 3_600);
    let s = start_with(|c| {
        c.upkeep_interval = Duration::from_millis(30);
        c.retain = Some(day);
    })
    .await;
    let alice = s.user("alice").await;
    alice.post("messages", json!({"to": "alice", "body": "old"})).await.is(201);
    // Only the tasks that remove old messages and files ask for the time now.
    let panicked = s.clock_fails_once();
    until("it panicked", || async { panicked.load(Ordering::SeqCst) }).await;
    until("it is counted", || async {
        let metrics = s.admin.get("/metrics").await.is(200);
        let count = |task: &str| format!("tidings_task_restarts_total{{task=\"{task}\"}} 1");
        ["upkeep", "files"].iter().any(|task| metrics.as_str().unwrap().contains(&count(task)))
    })
    .await;
    assert!(logged().contains("the clock fails"), "{}", logged());
    s.clock.advance(2 * 24 * 3_600);
    until("it forgets again", || async {
        alice.pull(None, 10).await.0.iter().all(|item| item["deleted"] == true)
    })
    .await;
}

#[tokio::test]
async fn a_delayed_publication_that_can_not_be_read_holds_up_nobody_elses() {
    let open = |c: &mut tidings_server::ServerConfig| {
        c.open_publish = true;
        c.standalone_owner = Some("me".to_owned());
    };
    let s = start_with(open).await;
    let (token, nobody) = (s.token("me", &[Scope::Inbox]).await.token, Client::without_token(&s.url));
    for body in ["first", "second", "third"] {
        let request = nobody.request(reqwest::Method::POST, "/backups").header("in", "30m").body(body);
        nobody.send(request).await.is(200);
    }
    let (dir, clock) = s.stop().await;
    // Rows as somebody else's backup may contain them.
    let file = rusqlite::Connection::open(dir.path().join("server.db")).unwrap();
    let foreign = r#"UPDATE scheduled SET draft = CASE draft ->> 'body' WHEN 'first' THEN '{"v": 2}'
        WHEN 'second' THEN 'not JSON' ELSE draft END"#;
    assert_eq!(file.execute(foreign, []).unwrap(), 3);
    clock.advance(3_600);
    let s = start_in(dir, clock, open).await;
    let me = Client::new(&s.url, &token);
    until("the third is delivered", || async { me.unread("total").await == 1 }).await;
    let left: i64 = file.query_row("SELECT count(*) FROM scheduled", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "what can't be read is not tried again and again");
    s.holds_together().await;
}
