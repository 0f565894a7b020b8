//! Tests random work of many users at two servers over one PostgreSQL, while servers, database and connections fail at
//! random. Everything that was acknowledged reaches each entitled reader exactly once, in order, and is counted right.
//!
//! `TIDINGS_SOAK` is its length in seconds, `TIDINGS_SEED` selects other work and other faults; `make soak` takes 20 minutes.

mod control;
mod faults;
mod readers;
mod record;
mod work;
mod writers;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::json;
use support::client::Client;
use support::server::ServerProcess;
use support::{app::try_tidings, wait};
use tidings_testkit::postgres::Cluster;
use tidings_testkit::report::tried;

use self::faults::Faults;
use self::readers::Reader;
use self::record::Record;
use self::work::Work;

/// The seed and the length without `TIDINGS_SEED` and `TIDINGS_SOAK`.
const SEED: u64 = 2_026;
const TIME: Duration = Duration::from_secs(6);

/// The users who write and read.
const USERS: [&str; 6] = ["ana", "bob", "cid", "dora", "eve", "finn"];

fn requested(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_or_doubled_whatever_fails_while_many_write() {
    let seed = requested("TIDINGS_SEED").unwrap_or(SEED);
    let time = requested("TIDINGS_SOAK").map_or(TIME, Duration::from_secs);
    println!("TIDINGS_SEED={seed}: {} s", time.as_secs());
    let cluster = Cluster::start();
    let one = ServerProcess::on_database(&cluster.url());
    let two = one.beside();
    let (work, clients) = prepare(&[&one, &two], seed, time).await;

    let writing: Vec<_> = clients
        .iter()
        .enumerate()
        .map(|(n, user)| tokio::spawn(Arc::clone(&work).write(n, user.clone())))
        .collect();
    let reading: Vec<_> = clients
        .iter()
        .enumerate()
        .map(|(n, user)| {
            let reader = Reader::new(USERS[n], user.clone());
            let marking = tokio::spawn(Arc::clone(&reader).mark(Arc::clone(&work), n));
            let pulling = tokio::spawn(Arc::clone(&reader).pull(Arc::clone(&work), n));
            (reader, marking, pulling)
        })
        .collect();
    let rng = StdRng::seed_from_u64(seed);
    let mut faults = Faults::new(cluster, [one, two], Arc::clone(&work), rng);
    faults.happen(time).await;
    work.ended.store(true, Ordering::SeqCst);
    for writer in writing {
        writer.await.expect("a writer goes on");
    }
    let waiting = || async { faults.cluster.sql("SELECT count(*) FROM scheduled") == "0" };
    wait::until("what was delayed is delivered", waiting).await;
    let mut pulling = Vec::new();
    for (reader, marks, pulls) in reading {
        marks.await.expect("a marker goes on");
        pulling.push((reader, pulls));
    }
    // Nothing is posted or marked any more: what is pulled from now on is the rest.
    work.complete.store(true, Ordering::SeqCst);

    let mut pulled = Vec::new();
    for (reader, pulls) in pulling {
        pulled.push((reader, pulls.await.expect("a puller goes on")));
    }
    // The last pulls are counted a moment later as arrivals, which the senders get with their next pull.
    let uncounted = "SELECT count(*) FROM deliveries WHERE counted_to < delivered_to";
    wait::until("arrivals are counted", || async { faults.cluster.sql(uncounted) == "0" }).await;

    let mut record = Record { posted: work.posted(), readers: Vec::new() };
    for (n, (reader, position)) in pulled.into_iter().enumerate() {
        reader.pull_on(&work, n, position).await;
        let subscriptions = work.subscriptions(&clients[n]).await;
        record.readers.push(reader.record(subscriptions));
        for url in &work.urls {
            reader.compare_with_new_device(&Client::new(url, &clients[n].token)).await;
        }
    }
    println!("{}\n{}", work.report(&record.posted), faults.report());
    let differences = record.differences();
    assert!(differences.is_empty(), "seed {seed}: {differences:#?}");
    tokio::task::block_in_place(|| is_well(&faults.cluster.url()));
    println!("0 lost, 0 twice, every count is right");
    let counts =
        [("s", time.as_secs()), ("publications", record.posted.len() as u64), ("faults", faults.count())];
    tried("two servers over one database while everything fails", &counts, &[seed]);
}

/// Users with a token each, a group of all of them, and their subscriptions.
async fn prepare(servers: &[&ServerProcess; 2], seed: u64, time: Duration) -> (Arc<Work>, Vec<Client>) {
    let admin = servers[0].admin();
    let mut clients = Vec::new();
    for id in USERS {
        clients.push(admin.user(id, &["inbox"]).await);
    }
    let everybody = json!({"id": "crew", "name": "Crew", "members": USERS});
    clients[0].post("groups", everybody).await.success();
    for client in clients.iter().step_by(2) {
        let topic = json!({"target": {"type": "topic", "id": writers::TOPIC}, "actions": ["publish"]});
        client.put("subscriptions", topic).await.success();
    }
    let publisher = admin.user("publisher", &["publish"]).await;
    let urls = servers.map(ServerProcess::url);
    let work = Work::new(urls, publisher, seed, Instant::now(), time);
    work.group_made("crew", USERS.map(str::to_owned).to_vec());
    (Arc::new(work), clients)
}

/// Counts everything in a database again.
fn is_well(store: &str) {
    let data = tempfile::tempdir().expect("a temporary folder");
    let (is_well, out, err) = try_tidings(data.path(), &["check", "--store", store]);
    assert!(is_well && out.contains("all is well"), "{out}{err}");
}
