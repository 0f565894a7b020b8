//! Tests of several servers over one PostgreSQL database, each a process of its own.

mod broken_links;
mod crashes;
mod deliveries;
mod editing;
mod encryption;
mod frozen;
mod pooling;
mod promotion;
mod readers;
mod rolling;
mod traffic;
mod unfit_databases;

use std::process::Command;
use std::time::{Duration, Instant};

use reqwest::{Method, Response};
use serde_json::{Value, json};
use support::{client::Client, program::built, server::ServerProcess, wait};
use tidings_testkit::postgres::Database;

/// Reads a stream until its text contains `wanted`; fails the test if that takes too long.
async fn read_until(stream: &mut Response, wanted: &str) -> String {
    let mut text = String::new();
    let read = async {
        while !text.contains(wanted) {
            let chunk = stream.chunk().await.expect("the stream goes on").expect("the stream goes on");
            text.push_str(&String::from_utf8_lossy(&chunk));
        }
    };
    let in_time = tokio::time::timeout(wait::TEST_TIMEOUT, read).await;
    assert!(in_time.is_ok(), "{wanted:?} did not come, but: {text}");
    text
}

/// Opens the live channel of a client's user, and waits for its greeting.
async fn live(client: &Client) -> Response {
    let mut stream = client.request(Method::GET, "events").send().await.expect("a stream");
    assert_eq!(stream.status(), 200);
    read_until(&mut stream, "open").await;
    stream
}

#[tokio::test]
async fn what_one_server_takes_the_other_gives_and_tells_at_once() {
    let database = Database::empty();
    let one = ServerProcess::on_database(&database.url);
    let two = one.beside();
    let ana = one.admin().user("ana", &["inbox", "publish"]).await;
    let bob = one.admin().user("bob", &["inbox"]).await;
    let (ana_there, bob_there) = (at(&ana, &two), at(&bob, &two));

    let mut channel = live(&bob_there).await;
    let mut topic = reqwest::Client::new()
        .get(format!("{}/doors/json", two.url()))
        .bearer_auth(&bob.token)
        .send()
        .await
        .unwrap();
    read_until(&mut topic, "open").await;

    let message = json!({"to": "bob", "body": "Written here"});
    ana.post("messages", message).await.success();
    read_until(&mut channel, "event: hint").await;
    assert_eq!(bodies(&bob_there).await, ["Written here"]);

    let doors = ana.request(Method::POST, "/doors").body("The front door is open");
    ana.send(doors).await.success();
    read_until(&mut topic, "The front door is open").await;

    one.admin().post("announcements", json!({"title": "Tonight", "body": "We move"})).await.success();
    read_until(&mut channel, "event: hint").await;
    assert_eq!(bob_there.unread("announcement").await, 1);
    assert_eq!(ana_there.unread("announcement").await, 1);

    let there = bob_there.inbox().await;
    let ids: Vec<&str> = there.iter().filter_map(|item| item["msgid"].as_str()).collect();
    bob_there.op("read", &ids, json!({})).await;
    assert_eq!(bob.unread("total").await, 0, "what was read there is read here");
}

/// What a busy machine takes beyond the time in which the other servers know that a token was revoked.
const BUSY: Duration = Duration::from_secs(4);

#[tokio::test]
async fn a_token_that_one_server_revoked_is_refused_by_the_other_and_ends_its_streams() {
    let database = Database::empty();
    let one = ServerProcess::on_database(&database.url);
    let two = one.beside();
    let (ana, bob) = (one.admin().user("ana", &["inbox"]).await, one.admin().user("bob", &["inbox"]).await);
    let (ana_there, bob_there) = (at(&ana, &two), at(&bob, &two));

    // While nobody listens there.
    bob_there.get("unread").await.is(200);
    revoke(&one, "bob").await;
    wait::within(Duration::from_secs(1) + BUSY, "the other server refuses it", || async {
        bob_there.get("unread").await.status == 401
    })
    .await;

    let mut channel = live(&ana_there).await;
    ana_there.get("unread").await.is(200);
    revoke(&one, "ana").await;
    let ended = async { while let Ok(Some(_)) = channel.chunk().await {} };
    let ended = tokio::time::timeout(Duration::from_secs(3) + BUSY, ended).await;
    assert!(ended.is_ok(), "its stream ends");
    ana_there.get("unread").await.problem(401, "unauthorized", None);
}

#[tokio::test]
async fn what_a_token_made_ends_with_it_on_every_server() {
    let database = Database::empty();
    let one = ServerProcess::on_database(&database.url);
    let two = one.beside();
    let ana = one.admin().user("ana", &["inbox"]).await;
    let sign_in = async |with: &Client, name: &str| {
        let made = with.post("/client", json!({"name": name})).await.success();
        with.with_token(made["token"].as_str().expect("a token"))
    };
    let phone = sign_in(&at(&ana, &two), "phone").await;
    let tablet = sign_in(&phone, "tablet").await;
    let listed = ana.get("tokens").await.is(200);
    let of = |label: &str| listed.as_array().unwrap().iter().find(|token| token["label"] == label).unwrap();
    assert_eq!(of("tablet")["made_by"], of("phone")["id"]);

    let mut channel = live(&tablet).await;
    let id = of("phone")["made_by"].as_str().expect("the token that signed in");
    one.admin().delete(&format!("tokens/{id}")).await.success();
    let ended = async { while let Ok(Some(_)) = channel.chunk().await {} };
    let ended = tokio::time::timeout(Duration::from_secs(3) + BUSY, ended).await;
    assert!(ended.is_ok(), "its stream ends");
    for gone in [&tablet, &phone, &ana] {
        gone.get("unread").await.problem(401, "unauthorized", None);
    }
    let left = one.admin().get("tokens").await.is(200);
    assert!(left.as_array().unwrap().iter().all(|token| token["user"] != "ana"), "{left}");
}

/// Revokes the token of a user at a server.
async fn revoke(server: &ServerProcess, user: &str) {
    let tokens = server.admin().get("tokens").await.is(200);
    let of_user = tokens.as_array().unwrap().iter().find(|token| token["user"] == user);
    let id = of_user.and_then(|token| token["id"].as_str()).expect("a token of the user").to_owned();
    server.admin().delete(&format!("tokens/{id}")).await.success();
}

#[tokio::test]
async fn a_server_that_is_killed_loses_and_doubles_nothing_that_it_acknowledged() {
    let database = Database::empty();
    let mut one = ServerProcess::on_database(&database.url);
    let two = one.beside();
    let ana = one.admin().user("ana", &["inbox", "publish"]).await;
    let bob = one.admin().user("bob", &["inbox"]).await;
    let (ana_there, bob_there) = (at(&ana, &two), at(&bob, &two));

    let posting = tokio::spawn(async move {
        let mut acknowledged = Vec::new();
        for n in 0..2_000 {
            let (body, key) = (format!("Number {n}"), format!("key-{n}"));
            let message = json!({"to": "bob", "body": body});
            match ana.post_keyed("messages", message.clone(), &key).await {
                Some(answer) if answer.status.is_success() => acknowledged.push(body),
                // It repeats, as a client does, the same request with the same key, at a server that answers.
                _ => {
                    ana_there.post_keyed("messages", message, &key).await.expect("it answers").success();
                    acknowledged.push(body);
                    return acknowledged;
                }
            }
        }
        panic!("it was killed meanwhile");
    });
    wait::until("some were taken", || async { bob_there.unread("message").await >= 20 }).await;
    one.kill();
    let acknowledged = posting.await.unwrap();

    let found: Vec<String> = bob_there
        .pull(None, 500)
        .await
        .0
        .iter()
        .map(|item| item["body"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(found, acknowledged, "each once, in their order");
    one.restart();
    assert_eq!(at(&bob, &one).pull(None, 500).await.0.len(), acknowledged.len());
}

#[tokio::test]
async fn several_servers_start_on_an_empty_database_at_once() {
    let database = Database::empty();
    let starting: Vec<_> = (0..3)
        .map(|_| {
            let url = database.url.clone();
            tokio::task::spawn_blocking(move || ServerProcess::beside_others(&url))
        })
        .collect();
    let mut servers = Vec::new();
    for server in starting {
        servers.push(server.await.unwrap());
    }
    let admins = servers.iter().filter(|server| server.has_admin_token()).count();
    assert_eq!(admins, 1, "one of them made the admin");
    for server in &servers {
        Client::without_token(&server.url()).get("health/ready").await.is(200);
    }
}

#[tokio::test]
async fn a_server_without_its_database_says_so_and_recovers_by_itself() {
    let database = Database::empty();
    let server = ServerProcess::on_database(&database.url);
    let admin = server.admin();
    let ready = || async { admin.get("health/ready").await.status.as_u16() };
    assert_eq!(ready().await, 200);

    database.refuse_connections();
    let asked = Instant::now();
    wait::until("it is not ready", || async { ready().await == 503 }).await;
    assert!(asked.elapsed() < wait::TEST_TIMEOUT);
    admin.get("users").await.problem(503, "unavailable", None);
    admin.get("health").await.is(200);

    database.allow_connections();
    wait::until("it is ready again", || async { ready().await == 200 }).await;
    admin.get("users").await.is(200);
}

#[tokio::test]
async fn commands_work_on_the_database_and_never_show_its_password() {
    let database = Database::empty();
    let url = format!("{}&password=s3cret", database.url);
    let data = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let out = Command::new(built("tidings"))
            .args(args)
            .args(["--store", &url])
            .env("TIDINGS_DATA_DIR", data.path())
            .output()
            .unwrap();
        let text = [out.stdout, out.stderr].concat();
        (out.status.code(), String::from_utf8_lossy(&text).into_owned())
    };
    assert_eq!(run(&["user", "add", "ana"]).0, Some(0));
    let (code, users) = run(&["user", "list"]);
    assert_eq!((code, users.contains("ana")), (Some(0), true), "{users}");
    let (code, token) = run(&["token", "create", "--user", "ana", "--scope", "inbox"]);
    assert_eq!((code, token.contains("tdg_")), (Some(0), true), "{token}");
    let (code, checked) = run(&["check"]);
    assert_eq!((code, checked.contains("all is well")), (Some(0), true), "{checked}");
    let (code, items) = run(&["export", "--format", "json", "--of", "server"]);
    assert_eq!(code, Some(0), "{items}");

    for wrong in ["postgres://ana:s3cret@nowhere.invalid/t", "mysql://ana:s3cret@x/t"] {
        let out = Command::new(built("tidings"))
            .args(["user", "list", "--store", wrong])
            .env("TIDINGS_DATA_DIR", data.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned();
        assert!(!out.status.success() && !text.contains("s3cret"), "{text}");
    }
}

/// The same user at another server.
fn at(client: &Client, server: &ServerProcess) -> Client {
    Client::new(&server.url(), &client.token)
}

/// The bodies of the newest items, the oldest first.
async fn bodies(client: &Client) -> Vec<String> {
    let items: Vec<Value> = client.inbox().await;
    items.iter().rev().map(|item| item["body"].as_str().unwrap_or_default().to_owned()).collect()
}
