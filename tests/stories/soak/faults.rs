//! What fails while users work: a server is killed or stands still, the database is killed, connections are cut.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use support::server::ServerProcess;
use support::wait;
use tidings_testkit::postgres::Cluster;

use super::work::Work;

/// Publications that are acknowledged after a fault until the next one may come.
const GOES_ON: usize = 10;
/// From the end of one fault to the next in a long run.
const LONGEST_PEACE: Duration = Duration::from_secs(8);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    KilledServer,
    KilledDatabase,
    FrozenServer,
    CutConnections,
}

const ALL: [Fault; 4] =
    [Fault::KilledServer, Fault::KilledDatabase, Fault::FrozenServer, Fault::CutConnections];

/// How often something failed, and the longest time from then until publications were acknowledged again.
#[derive(Debug, Default)]
struct Suffered {
    times: usize,
    longest: Duration,
}

pub(super) struct Faults {
    pub(super) cluster: Cluster,
    servers: [ServerProcess; 2],
    work: Arc<Work>,
    rng: StdRng,
    suffered: BTreeMap<Fault, Suffered>,
}

impl Faults {
    pub(super) fn new(cluster: Cluster, servers: [ServerProcess; 2], work: Arc<Work>, rng: StdRng) -> Self {
        Self { cluster, servers, work, rng, suffered: BTreeMap::new() }
    }

    /// Lets things fail for this time, or until each kind has happened: one after the other, in random order. Everything
    /// runs again at its end.
    pub(super) async fn happen(&mut self, time: Duration) {
        let began = Instant::now();
        let (mut next, mut rounds) = (Vec::new(), 0);
        loop {
            let each_happened = rounds > 1 || (rounds == 1 && next.is_empty());
            if each_happened && began.elapsed() >= time {
                return;
            }
            if next.is_empty() {
                next = ALL.to_vec();
                next.shuffle(&mut self.rng);
                rounds += 1;
            }
            let peace = LONGEST_PEACE.min(time / 8).mul_f64(self.rng.random_range(0.2..1.0));
            tokio::time::sleep(peace).await;
            let Some(fault) = next.pop() else { continue };
            let before = Instant::now();
            self.suffer(fault).await;
            self.goes_on().await;
            let suffered = self.suffered.entry(fault).or_default();
            suffered.times += 1;
            suffered.longest = suffered.longest.max(before.elapsed());
            if time > Duration::from_secs(60) {
                println!(
                    "{:>5} s: {fault:?}, {:.1?} until work went on",
                    began.elapsed().as_secs(),
                    before.elapsed()
                );
            }
        }
    }

    async fn suffer(&mut self, fault: Fault) {
        let server = self.rng.random_range(0..2);
        let moment = Duration::from_millis(self.rng.random_range(0..500));
        match fault {
            Fault::KilledServer => {
                self.servers[server].kill();
                tokio::time::sleep(moment).await;
                tokio::task::block_in_place(|| self.servers[server].restart());
            }
            Fault::KilledDatabase => {
                tokio::task::block_in_place(|| self.cluster.kill());
                tokio::time::sleep(moment).await;
                tokio::task::block_in_place(|| self.cluster.restart());
            }
            Fault::FrozenServer => {
                self.signal(server, "STOP");
                tokio::time::sleep(Duration::from_millis(500) + moment * 7).await;
                self.signal(server, "CONT");
            }
            Fault::CutConnections => {
                self.cluster.sql(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
                );
            }
        }
    }

    fn signal(&mut self, server: usize, name: &str) {
        self.servers[server].process().expect("it runs").signal(name);
    }

    /// Waits until further publications are acknowledged.
    async fn goes_on(&self) {
        let before = self.work.count();
        wait::until("work goes on", || async { self.work.count() >= before + GOES_ON }).await;
    }

    /// How often something failed.
    pub(super) fn count(&self) -> u64 {
        self.suffered.values().map(|suffered| suffered.times as u64).sum()
    }

    /// What failed, in a few lines.
    pub(super) fn report(&self) -> String {
        let each = self.suffered.iter().map(|(fault, suffered)| {
            let Suffered { times, longest } = suffered;
            format!("{times} × {fault:?}, work went on within {longest:.1?}")
        });
        each.collect::<Vec<_>>().join("\n")
    }
}
