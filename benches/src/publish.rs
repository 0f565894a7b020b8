//! Publishing: one notification in each request, durable before its response, beside the rates of the disk and of the
//! loopback alone.

use std::future::ready;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::put;
use reqwest::Method;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::Result;
use crate::report::Report;
use crate::setup::LoadedServer;
use crate::work::Watch;

/// Duration of one turn of a measurement.
const TURN: Duration = Duration::from_secs(1);
/// How often a figure and its floors take turns: a machine that is slower for a while is slower for all of them.
const TURNS: u32 = 3;

/// One row of a publication.
const NOTE: &str = "INSERT INTO note (text) VALUES ('Backup done')";

/// A database of such rows.
fn notes(file: &Path) -> Result<Connection> {
    let conn = Connection::open(file)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.execute_batch(
        "CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
    )?;
    Ok(conn)
}

/// Commits of one row per second, each flushed to the disk before the next begins.
fn commits_per_second(file: &Path) -> Result<f64> {
    let conn = notes(file)?;
    let started = Instant::now();
    let mut done = 0_u32;
    while started.elapsed() < TURN {
        conn.prepare_cached(NOTE)?.execute([])?;
        done += 1;
    }
    Ok(f64::from(done) / started.elapsed().as_secs_f64())
}

/// Requests per second over `connections` connections.
async fn requests_per_second(url: &str, connections: usize) -> Result<f64> {
    let done = Arc::new(AtomicU64::new(0));
    // One client for each task, so that each has its own connection; they are there before the time counts.
    let clients = (0..connections)
        .map(|_| reqwest::Client::builder().no_proxy().tls_certs_only([]).pool_max_idle_per_host(1).build())
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let started = Instant::now();
    let mut tasks = Vec::new();
    for (n, http) in clients.into_iter().enumerate() {
        let (url, done) = (format!("{url}/topic{}", n % 8), done.clone());
        tasks.push(tokio::spawn(async move {
            while started.elapsed() < TURN {
                http.put(&url).body("Backup done").send().await?.error_for_status()?.bytes().await?;
                done.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<_, reqwest::Error>(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    #[allow(clippy::cast_precision_loss)]
    let done = done.load(Ordering::Relaxed) as f64;
    Ok(done / started.elapsed().as_secs_f64())
}

/// Publications whose cost is counted.
const COUNTED: usize = 500;

/// Publishes one after the other over one connection.
async fn publish(http: &reqwest::Client, url: &str) -> Result<()> {
    for n in 0..COUNTED {
        let url = format!("{url}/topic{}", n % 8);
        http.put(url).body("Backup done").send().await?.error_for_status()?.bytes().await?;
    }
    Ok(())
}

/// Counts what a publication costs, beside the commit of a row.
async fn work(report: &mut Report, data: &Path) -> Result<()> {
    let watch = Watch::statements();
    let loaded = LoadedServer::open(&data.join("counted")).await?;
    let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).pool_max_idle_per_host(1).build()?;
    // The first ones make the topics and prepare the statements.
    publish(&http, &loaded.client.url).await?;
    let counting = watch.count()?;
    publish(&http, &loaded.client.url).await?;
    let work = counting.end()?;
    loaded.close().await?;
    let mut conn = notes(&data.join("counted.db"))?;
    let counting = watch.count()?;
    for _ in 0..COUNTED {
        let tx = conn.transaction()?;
        tx.prepare_cached(NOTE)?.execute([])?;
        tx.commit()?;
    }
    let floor = counting.end()?;
    let unit = "for each publication by `PUT /topic` over one connection, with its request and its answer; the floor is the \
                commit of a row";
    report.section("Work of publishing", unit);
    work.write_to(report, &floor, (COUNTED, ""), &["bytes written", "transactions", "statements"]);
    Ok(())
}

/// The most connections that publish at once. They share commits.
const MOST_CONNECTIONS: usize = 64;

/// A server of raw HTTP. `/stored` commits a row before its answer, one after the other, and the rest stores nothing.
fn raw_server(file: &Path) -> Result<Router> {
    let notes = Mutex::new(notes(file)?);
    let commit = move |body: String| {
        let stored = notes.lock().map(|conn| conn.prepare_cached(NOTE)?.execute([]));
        ready(if matches!(stored, Ok(Ok(1))) { Ok(body) } else { Err(StatusCode::INTERNAL_SERVER_ERROR) })
    };
    let commit = Arc::new(commit);
    Ok(Router::new()
        .route("/stored/{topic}", put(move |body: String| commit(body)))
        .route("/{topic}", put(|body: String| async move { body })))
}

/// Publishes with 1, 16 and 64 connections. If only counts are asked for, what gives times is left out.
pub(crate) async fn run(report: &mut Report, data: &Path, counts_only: bool) -> Result<()> {
    work(report, data).await?;
    if counts_only {
        return Ok(());
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let raw = format!("http://{}", listener.local_addr()?);
    let router = raw_server(&data.join("stored.db"))?;
    let raw_server = tokio::spawn(async move { axum::serve(listener, router).await });
    let loaded = LoadedServer::open(&data.join("publish")).await?;
    report.section("Publishing", "publications a second by `PUT /topic`, each durable before its answer");
    let mut commit_time = Duration::ZERO;
    for connections in [1, 16, MOST_CONNECTIONS] {
        let [mut ours, mut loopback, mut commits, mut stored] = [0.0; 4];
        for _ in 0..TURNS {
            ours += requests_per_second(&loaded.client.url, connections).await? / f64::from(TURNS);
            loopback += requests_per_second(&raw, connections).await? / f64::from(TURNS);
            commits += commits_per_second(&data.join("commits.db"))? / f64::from(TURNS);
            stored += requests_per_second(&format!("{raw}/stored"), connections).await? / f64::from(TURNS);
        }
        let name = format!("{connections} connections");
        let text = |n: f64| format!("{n:.0} /s");
        report.rate_row(&name, &text(ours), &text(stored), "raw HTTP with a raw commit", ours / stored);
        // Beside one of the two alone, a rate depends on how fast the disk is beside the processor, and has no bar.
        for (rate, floor) in
            [(commits, "raw commits, one after the other"), (loopback, "raw HTTP, nothing stored")]
        {
            report.rough_row(&name, &text(ours), &text(rate), floor, ours / rate);
        }
        commit_time = Duration::from_secs_f64(commits.recip());
        let must = match connections {
            1 => Some(("1 connection publishes ≥ 0.4 × raw commits (goal 0.6)", ours / commits, 0.4)),
            MOST_CONNECTIONS => {
                Some(("64 connections publish ≥ 0.25 × raw HTTP (goal 0.4)", ours / loopback, 0.25))
            }
            _ => None,
        };
        if let Some((what, share, least)) = must {
            report.target(what, share >= least, &format!("{share:.2}"));
        }
    }
    changes(report, &loaded, commit_time).await?;
    raw_server.abort();
    loaded.close().await
}

/// Notifications that are edited and then taken back, one after the other.
const CHANGED: u32 = 500;

/// The time in which a reader answers questions, one after the other.
async fn answers(loaded: &LoadedServer) -> Result<Duration> {
    let mut asked = Vec::new();
    for n in 0..CHANGED {
        let question = json!({"answers": [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]});
        let body = json!({"title": format!("Deploy {n}?"), "question": question});
        asked.push(loaded.call(Method::POST, "/announcements", &body).await?);
    }
    loaded.fan_in().await?;
    let started = Instant::now();
    for (n, posted) in asked.iter().enumerate() {
        let op = json!({"id": format!("answer-{n}"), "op": "answer", "msgids": [posted["msgid"]], "answer": "yes"});
        let results =
            loaded.client.call(&loaded.token, Method::POST, "/inbox/ops", &json!({"ops": [op]})).await?;
        if results.pointer("/results/0/ok") != Some(&Value::Bool(true)) {
            return Err(format!("an answer does not count: {results}").into());
        }
    }
    Ok(started.elapsed())
}

/// A post, an edit and a recall of the same notifications over one connection, each durable before its answer.
async fn changes(report: &mut Report, loaded: &LoadedServer, commit: Duration) -> Result<()> {
    let mut paths = Vec::new();
    let started = Instant::now();
    for n in 0..CHANGED {
        let posted =
            loaded.call(Method::POST, "/announcements", &json!({"title": format!("News {n}")})).await?;
        let msgid = posted.get("msgid").and_then(Value::as_str).unwrap_or_default();
        paths.push(format!("/notifications/{msgid}"));
    }
    let post = started.elapsed();
    let started = Instant::now();
    for path in &paths {
        loaded.call(Method::PATCH, path, &json!({"body": "Corrected"})).await?;
    }
    let edit = started.elapsed();
    let started = Instant::now();
    for path in &paths {
        loaded.call(Method::DELETE, path, &json!({})).await?;
    }
    let recall = started.elapsed();
    let text = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1_000.0);
    let answer = answers(loaded).await?;
    let post = post / CHANGED;
    for (name, time) in [("an edit", edit), ("a recall", recall), ("an answer to a question", answer)] {
        let time = time / CHANGED;
        let times = |floor: Duration| time.as_secs_f64() / floor.as_secs_f64();
        report.row(name, &text(time), &text(commit), "a raw commit", times(commit));
        // A quicker post is no slower edit, so that this ratio has no bar.
        report.rough_row(name, &text(time), &text(post), "a post over the same connection", times(post));
    }
    Ok(())
}
