//! Fan-out: each operation on a large recipient list beside the same operation on a small one, in turns, so that other
//! load of the machine affects both.

use std::path::Path;
use std::time::{Duration, Instant};

use reqwest::Method;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::Result;
use crate::reads::Spread;
use crate::report::{Report, micros};
use crate::setup::LoadedServer;

/// Members of the large group, and subscriptions of the reader with many.
const LARGE_COUNT: usize = 10_000;
/// Users of the server with many users.
const USER_COUNT: usize = 1_000_000;
/// Posts of each kind whose time is taken.
const POST_COUNT: usize = 1_000;
/// Pulls whose time is taken, and the reminders that each of them fetches.
const PULL_COUNT: usize = 15;
const ITEMS_PER_PULL: usize = 2_000;
/// Largest allowed ratio of the large case's median to the small case's.
const MAX_RATIO: f64 = 1.5;

/// The times of the large and of the small case.
struct Comparison {
    large: Spread,
    small: Spread,
}

impl Comparison {
    fn of(mut large: Vec<Duration>, mut small: Vec<Duration>) -> Self {
        Self { large: Spread::of(&mut large), small: Spread::of(&mut small) }
    }

    fn ratio(&self) -> f64 {
        self.large.p50.as_secs_f64() / self.small.p50.as_secs_f64()
    }

    fn write_to(&self, report: &mut Report, what: &str, floor_name: &str) {
        report.row(what, &micros(self.large), &micros(self.small), floor_name, self.ratio());
        report.target(
            &format!("{what} within {MAX_RATIO} × of {floor_name}"),
            self.ratio() <= MAX_RATIO,
            &format!("{:.2}", self.ratio()),
        );
    }
}

async fn timed(work: impl Future<Output = Result<Value>>) -> Result<Duration> {
    let started = Instant::now();
    work.await?;
    Ok(started.elapsed())
}

/// Sends many requests, up to 32 at the same time, with the admin's token.
async fn send_all(loaded: &LoadedServer, method: Method, requests: Vec<(String, Value)>) -> Result<()> {
    const MAX_CONCURRENT: usize = 32;
    let mut running: JoinSet<Result<()>> = JoinSet::new();
    for (path, body) in requests {
        if running.len() == MAX_CONCURRENT
            && let Some(done) = running.join_next().await
        {
            done??;
        }
        let request = loaded.client.request(&loaded.admin, method.clone(), &path).json(&body);
        running.spawn(async move {
            request.send().await?.error_for_status()?.bytes().await?;
            Ok(())
        });
    }
    while let Some(done) = running.join_next().await {
        done??;
    }
    Ok(())
}

/// Times a message to a group of [`LARGE_COUNT`] beside a message to a group of three.
async fn groups(report: &mut Report, loaded: &LoadedServer) -> Result<()> {
    let id = |n: usize| format!("member{n}");
    send_all(
        loaded,
        Method::POST,
        (0..LARGE_COUNT).map(|n| ("/users".to_owned(), json!({"id": id(n)}))).collect(),
    )
    .await?;
    for (name, members) in [("large", LARGE_COUNT - 1), ("small", 2)] {
        let members: Vec<String> = (0..members).map(id).collect();
        loaded.call(Method::POST, "/groups", &json!({"id": name, "name": name, "members": members})).await?;
    }
    let (mut large, mut small) = (Vec::new(), Vec::new());
    let body = json!({"body": "Ready to ship"});
    for _ in 0..POST_COUNT {
        large.push(timed(loaded.call(Method::POST, "/groups/large/messages", &body)).await?);
        small.push(timed(loaded.call(Method::POST, "/groups/small/messages", &body)).await?);
    }
    Comparison::of(large, small).write_to(
        report,
        &format!("a message to a group of {LARGE_COUNT}"),
        "one to a group of 3",
    );
    Ok(())
}

/// Inserts users straight into a server's database: a million requests would take minutes, and none of this is timed.
fn insert_users(file: &Path, users: usize) -> Result<()> {
    let mut conn = Connection::open(file)?;
    conn.busy_timeout(Duration::from_secs(10))?;
    let tx = conn.transaction()?;
    for n in 0..users {
        tx.prepare_cached("INSERT INTO users (id, name, created_at, fanned_in_to) VALUES (?1, ?1, ?2, ?2)")?
            .execute(params![format!("user{n}"), i64::try_from(n)?])?;
    }
    Ok(tx.commit()?)
}

/// Times an announcement on a server of [`USER_COUNT`] beside one on a server of ten.
async fn announcements(report: &mut Report, data: &Path) -> Result<()> {
    let mut servers = Vec::new();
    for (name, users) in [("everyone", USER_COUNT), ("few", 10)] {
        let dir = data.join(name);
        let loaded = LoadedServer::open(&dir).await?;
        insert_users(&dir.join("server.db"), users)?;
        servers.push(loaded);
    }
    let body = json!({"title": "News", "body": "For everybody"});
    let mut took = [Vec::new(), Vec::new()];
    for _ in 0..POST_COUNT {
        for (loaded, took) in servers.iter().zip(&mut took) {
            took.push(timed(loaded.call(Method::POST, "/announcements", &body)).await?);
        }
    }
    let [large, small] = took;
    Comparison::of(large, small).write_to(
        report,
        &format!("an announcement to {USER_COUNT} users"),
        "one to 10",
    );
    for loaded in servers {
        loaded.close().await?;
    }
    Ok(())
}

/// A client that pulls by the API, and its cursor.
struct Puller {
    token: String,
    since: String,
}

impl Puller {
    async fn new(loaded: &LoadedServer, id: &str) -> Result<Self> {
        loaded.call(Method::POST, "/users", &json!({"id": id})).await?;
        let body = json!({"scopes": ["inbox"]});
        let created = loaded.call(Method::POST, &format!("/users/{id}/tokens"), &body).await?;
        let token = created.get("token").and_then(Value::as_str).ok_or("no token")?.to_owned();
        Ok(Self { token, since: "1970-01-01T00:00:00Z".to_owned() })
    }

    /// Pulls until there is no more; gives the number of items.
    async fn pull(&mut self, loaded: &LoadedServer) -> Result<usize> {
        let mut received = 0;
        loop {
            let path = format!("/sync?limit=5000&since={}", self.since);
            let page = loaded.client.call(&self.token, Method::GET, &path, &Value::Null).await?;
            received += page.get("items").and_then(Value::as_array).ok_or("no page")?.len();
            page.get("next").and_then(Value::as_str).ok_or("no position")?.clone_into(&mut self.since);
            if page.get("more") != Some(&Value::Bool(true)) {
                return Ok(received);
            }
        }
    }

    async fn timed(&mut self, loaded: &LoadedServer, expected: usize) -> Result<Duration> {
        let started = Instant::now();
        let received = self.pull(loaded).await?;
        if received != expected {
            return Err(format!("{received} items came, not {expected}").into());
        }
        Ok(started.elapsed())
    }
}

/// Times the pulls of a reader with [`LARGE_COUNT`] subscriptions beside those of a reader with one. As many reminders
/// come for each.
async fn subscriptions(report: &mut Report, loaded: &LoadedServer) -> Result<()> {
    let (mut wide, mut narrow) = (Puller::new(loaded, "wide").await?, Puller::new(loaded, "narrow").await?);
    let target = |id: String| json!({"target": {"type": "article", "id": id}, "actions": ["like"]});
    let requests =
        (0..LARGE_COUNT).map(|n| ("/subscriptions?user=wide".to_owned(), target(n.to_string()))).collect();
    send_all(loaded, Method::PUT, requests).await?;
    loaded.call(Method::PUT, "/subscriptions?user=narrow", &target("one".to_owned())).await?;
    let (mut large, mut small) = (Vec::new(), Vec::new());
    let (mut idle_large, mut idle_small) = (Vec::new(), Vec::new());
    for round in 0..PULL_COUNT {
        let reminder =
            |id: String| json!({"actor": "bo", "action": "like", "target": {"type": "article", "id": id}});
        let on_many_targets =
            (0..ITEMS_PER_PULL).map(|n| reminder(((round * ITEMS_PER_PULL + n) % LARGE_COUNT).to_string()));
        let on_one_target = (0..ITEMS_PER_PULL).map(|_| reminder("one".to_owned()));
        let all: Vec<Value> = on_many_targets.zip(on_one_target).flat_map(|(a, b)| [a, b]).collect();
        for chunk in all.chunks(1_000) {
            loaded.call(Method::POST, "/reminders", &Value::Array(chunk.to_vec())).await?;
        }
        large.push(wide.timed(loaded, ITEMS_PER_PULL).await?);
        small.push(narrow.timed(loaded, ITEMS_PER_PULL).await?);
        for _ in 0..20 {
            idle_large.push(wide.timed(loaded, 0).await?);
            idle_small.push(narrow.timed(loaded, 0).await?);
        }
    }
    let what = format!("a pull of {ITEMS_PER_PULL} with {LARGE_COUNT} subscriptions");
    Comparison::of(large, small).write_to(report, &what, "one with a single subscription");
    let what = format!("a pull of nothing with {LARGE_COUNT} subscriptions");
    Comparison::of(idle_large, idle_small).write_to(report, &what, "the same with a single subscription");
    Ok(())
}

/// Takes all figures of fan-out.
pub(crate) async fn run(report: &mut Report, data: &Path) -> Result<()> {
    report
        .section("Reaching many", "microseconds of one request and its answer, taking turns with the floor");
    let loaded = LoadedServer::open(&data.join("fanout")).await?;
    groups(report, &loaded).await?;
    subscriptions(report, &loaded).await?;
    loaded.close().await?;
    announcements(report, data).await
}
