//! Tests of several servers over one PostgreSQL database that share a Redis: as a bus, and for unread counts.

use std::process::Command;

use reqwest::{Method, Response};
use serde_json::json;
use support::{client::Client, program::built, server::ServerProcess, wait};
use tidings_testkit::postgres::Database;
use tidings_testkit::redis::Redis;

/// Two servers over one database and one Redis, with ana at the first and bob at the second.
struct Pair {
    one: ServerProcess,
    two: ServerProcess,
    ana: Client,
    bob: Client,
    _database: Database,
}

impl Pair {
    async fn start(redis: &str) -> Self {
        let database = Database::empty();
        let settings = ["TIDINGS_BUS", "TIDINGS_CACHE"].map(|name| (name, redis.to_owned()));
        let one = ServerProcess::on_database_with_env(&database.url, &settings);
        let two = one.beside();
        let ana = one.admin().user("ana", &["inbox", "publish"]).await;
        let bob = one.admin().user("bob", &["inbox"]).await;
        let bob = Client::new(&two.url(), &bob.token);
        Self { one, two, ana, bob, _database: database }
    }

    async fn write(&self, body: &str) {
        self.ana.post("messages", json!({"to": "bob", "body": body})).await.success();
    }

    /// A metric of the second server.
    async fn metric(&self, name: &str) -> u64 {
        let text = Client::new(&self.two.url(), &self.one.admin().token).get("/metrics").await.is(200);
        let text = text.as_str().unwrap();
        let line = text.lines().find(|line| line.starts_with(&format!("{name} "))).expect(text);
        line.rsplit(' ').next().unwrap().parse().unwrap()
    }
}

/// Opens the live channel of a client's user, and waits for its greeting.
async fn live(client: &Client) -> Response {
    let mut stream = client.request(Method::GET, "events").send().await.expect("a stream");
    read_until(&mut stream, "open").await;
    stream
}

/// Reads a stream until a piece of it contains `wanted`.
async fn read_until(stream: &mut Response, wanted: &str) {
    let read = async {
        let mut text = String::new();
        while !text.contains(wanted) {
            let chunk = stream.chunk().await.expect("the stream goes on").expect("the stream goes on");
            text.push_str(&String::from_utf8_lossy(&chunk));
        }
    };
    wait::within_timeout(wanted, read).await;
}

#[tokio::test]
async fn servers_hint_to_each_other_over_redis_and_by_their_own_looks_when_it_is_gone() {
    let mut redis = Redis::start();
    let pair = Pair::start(&redis.url()).await;
    let channels = || async { redis.ask(&["PUBSUB", "SHARDCHANNELS"]) };
    wait::until("they listen", || async { channels().await.starts_with("tidings:") }).await;
    let mut channel = live(&pair.bob).await;
    pair.write("Over the bus").await;
    read_until(&mut channel, "event: hint").await;

    redis.kill();
    for n in 2..4 {
        pair.write("Without it").await;
        read_until(&mut channel, "event: hint").await;
        assert_eq!(pair.bob.unread("message").await, n);
    }
    for server in [&pair.one, &pair.two] {
        Client::without_token(&server.url()).get("health/ready").await.is(200);
    }
    redis.restart();
    wait::until("they listen again", || async { !redis.ask(&["PUBSUB", "SHARDCHANNELS"]).is_empty() }).await;
    pair.write("Over the bus again").await;
    read_until(&mut channel, "event: hint").await;
}

#[tokio::test]
async fn unread_counts_are_right_on_every_server_while_redis_is_killed_and_comes_back() {
    let mut redis = Redis::start();
    let pair = Pair::start(&redis.url()).await;
    wait::until("it is connected", || async { pair.metric("tidings_cache_open").await == 0 }).await;
    let bob_here = Client::new(&pair.one.url(), &pair.bob.token);
    let mut sent = 0;
    for round in 0..3 {
        for _ in 0..5 {
            pair.write("One more").await;
            sent += 1;
            assert_eq!(pair.bob.unread("message").await, sent);
            assert_eq!(bob_here.unread("message").await, sent);
            assert_eq!(pair.bob.unread("message").await, sent);
        }
        match round {
            0 => redis.kill(),
            1 => redis.restart(),
            _ => {}
        }
    }
    let hits = pair.metric("tidings_cache_hits_total").await;
    wait::until("it is in use again", || async {
        assert_eq!(pair.bob.unread("message").await, sent);
        pair.metric("tidings_cache_hits_total").await > hits
    })
    .await;
    assert!(pair.metric("tidings_cache_unanswered_total").await > 0);
    assert_eq!(pair.metric("tidings_cache_repaired_total").await, 0);
}

#[tokio::test]
async fn the_password_of_a_redis_is_in_no_log_whatever_it_answers() {
    let redis = Redis::with_password("s3cret-word");
    let mut pair = Pair::start(&redis.url()).await;
    wait::until("it is connected", || async { pair.metric("tidings_cache_open").await == 0 }).await;
    pair.write("Hello").await;
    assert_eq!(pair.bob.unread("message").await, 1);
    assert!(!logs(&mut pair.one).contains("s3cret-word"));

    // One that repeats what it was asked, as an old one does with a command that it does not know.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = vec![0; 4_096];
            let n = stream.read(&mut asked).await.unwrap_or_default();
            let said = String::from_utf8_lossy(&asked[..n]).replace(['\r', '\n'], " ");
            let _ = stream.write_all(format!("-ERR unknown command, with args {said}\r\n").as_bytes()).await;
        }
    });
    let mut pair = Pair::start(&format!("redis://ana:s3cret-word@127.0.0.1:{port}/1")).await;
    for server in [&mut pair.one, &mut pair.two] {
        wait::until_blocking("both say that they can't use it", || {
            let text = logs(server);
            text.contains("the bus is lost") && text.contains("the cache can't be connected to")
        });
        let text = logs(server);
        assert!(!text.contains("s3cret-word") && text.contains(&format!("127.0.0.1:{port}")), "{text}");
    }
    pair.write("Hello").await;
    assert_eq!(pair.bob.unread("message").await, 1);
}

fn logs(server: &mut ServerProcess) -> String {
    server.process().expect("it runs").output()
}

#[test]
fn a_redis_is_refused_where_the_data_is_in_a_file_and_no_message_has_its_password() {
    let data = tempfile::tempdir().unwrap();
    let refused = |args: &[&str], store: &str| {
        let out = Command::new(built("tidings"))
            .args(["serve", "--listen", "127.0.0.1:0", "--store", store])
            .args(args)
            .env("TIDINGS_DATA_DIR", data.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned();
        assert_eq!(out.status.code(), Some(2), "{text}");
        assert!(!text.contains("s3cret"), "{text}");
        text
    };
    for option in ["--bus", "--cache"] {
        let text = refused(&[option, "redis://:s3cret@127.0.0.1:6379"], "sqlite");
        assert!(text.contains("PostgreSQL"), "{text}");
        refused(&[option, "reddis://:s3cret@127.0.0.1"], "postgres://ana@127.0.0.1/t");
        refused(&[option, "redis://:s3cret@127.0.0.1/x"], "postgres://ana@127.0.0.1/t");
    }
}
