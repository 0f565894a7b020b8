//! Tests days of two people with three devices and their server, as the model of the rules says that they are. They have
//! one thread, the project's own clock, and every fault and every step by lot. Each history is drawn from a seed, and the
//! same seed plays it again.
//!
//! The steps and the model are those of `oracle`. Here the server is in the thread of the test, on a real port and a real
//! database, and a device sends one request at a time. Each call waits for the threads that write the databases, so that
//! nothing but the seed decides what comes after what. A link loses, doubles and holds back requests, and so reorders
//! them. In the end replicas, server and model agree, and counters and threads are what a recount says. Search finds
//! exactly what exists, and toasts told nothing twice and nothing that was read.
//!
//! `TIDINGS_SEED` plays one history alone, with `TIDINGS_VERBOSE` step by step; `TIDINGS_SOAK` plays ten thousand.

mod checks;
mod events;
mod restored;
mod service;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use tempfile::TempDir;
use tidings_model::Stamp;
use tidings_replica::SourceId;
use tidings_testkit::report::tried_since;
use tidings_testkit::rules::Rules;
use tidings_testkit::services::Gotify;

use self::events::{DeviceCopy, EVENTS};
use crate::oracle::{host::Host, requested, told::Told, world::World};

/// The tests that share the seeds, so that they run beside each other.
const PARTS: u64 = 10;
/// The number of histories, and of those of a soak.
const SEEDS: u64 = 300;
const SOAK_SEEDS: u64 = 10_000;
/// The number of steps of a history.
const STEPS: u64 = 40;
/// With fewer histories than these, something may not have happened in any.
const ENOUGH: u64 = 30;

/// The clocks of laptop, desk and phone: so many seconds ahead of the server's.
const AHEAD: [i64; 3] = [3_600, 0, -3_600];
/// The device that also pulls from a service.
const PHONE: usize = 2;

/// A history that is played.
struct Simulation<'s> {
    world: World,
    service: &'s Gotify,
    service_source: SourceId,
    /// The number of messages that the service has.
    published: usize,
    /// The ids of the tokens that devices have for themselves.
    tokens: [Option<String>; 3],
    /// A copy of the files of a device.
    copy: Option<DeviceCopy>,
    backup: Option<Backup>,
    /// The number of times that days passed.
    jumps: u32,
    /// How often each event happened.
    happened: BTreeMap<&'static str, u64>,
}

/// A backup of the server, with what the rules said of it.
struct Backup {
    folder: TempDir,
    rules: Rules,
    jumps: u32,
}

impl Backup {
    fn file(&self) -> PathBuf {
        self.folder.path().join("backup.db")
    }
}

/// What a history was.
struct Played {
    /// The same for the same steps and the same end.
    trace: u64,
    /// How much time passed in it, in seconds.
    seconds: i64,
    /// How often each thing happened.
    happened: BTreeMap<&'static str, u64>,
}

/// The beginning of every history: users, groups and devices that have pulled once.
async fn beginning() -> World {
    let mut world = World::start(Host::in_thread().await, 0).await;
    for (device, ahead) in AHEAD.into_iter().enumerate() {
        world.devices[device].clock.set_ahead(ahead);
        world.pull(device, None).await;
    }
    world.host.thread_mut().expect("it is in this thread").stop().await;
    world
}

async fn play(beginning: &World, service: &Gotify, seed: u64) -> Played {
    let mut world = beginning.again(seed).await;
    let start = world.now();
    world.told = world.devices.iter().map(|_| Told::new(start)).collect();
    let service_source = service::add(service, &world.devices[PHONE]);
    let mut simulation = Simulation {
        world,
        service,
        service_source,
        published: 0,
        tokens: [None, None, None],
        copy: None,
        backup: None,
        jumps: 0,
        happened: BTreeMap::new(),
    };
    for _ in 0..STEPS {
        Box::pin(simulation.step()).await;
    }
    Box::pin(simulation.end(start)).await
}

impl Simulation<'_> {
    /// Lets everything arrive, and compares.
    async fn end(mut self, start: Stamp) -> Played {
        while !self.world.held.is_empty() {
            self.deliver_late().await;
        }
        Box::pin(self.world.settle_and_compare()).await;
        for device in 0..self.world.devices.len() {
            self.check_threads(device);
            self.note_state(device);
        }
        let searched = self.world.below(AHEAD.len());
        self.check_search(searched);
        let told: usize = self.world.told.iter().map(|told| told.count).sum();
        self.happened.insert("told", told as u64);
        for (what, count) in self.world.coverage() {
            *self.happened.entry(what).or_default() += count;
        }
        // Time and chance may bring no backup.
        if self.backup.is_some() {
            Box::pin(self.restore_backup()).await;
        }
        self.check_service().await;
        let seconds = (self.world.now().as_micros() - start.as_micros()) / 1_000_000;
        if let Some(server) = self.world.host.thread_mut() {
            server.stop().await;
        }
        Played { trace: self.world.log.trace(), seconds, happened: self.happened }
    }
}

/// Plays a part of the histories, and reports the days of them in a second.
async fn play_part(part: u64) {
    let chosen = requested("TIDINGS_SEED");
    if chosen.is_some() && part > 0 {
        return;
    }
    let (what, all) = if std::env::var_os("TIDINGS_SOAK").is_some() {
        ("days of three devices and a server", SOAK_SEEDS)
    } else {
        ("days of three devices and a server, as in `make test`", SEEDS)
    };
    let (began, share) = (Instant::now(), all / PARTS);
    let seeds = chosen.map_or(part * share..(part + 1) * share, |seed| seed..seed + 1);
    let (beginning, service) = (beginning().await, Gotify::start().await);
    let mut seconds = 0;
    let mut happened: BTreeMap<&'static str, u64> = BTreeMap::new();
    for seed in seeds.clone() {
        let played = play(&beginning, &service, seed).await;
        seconds += played.seconds;
        for (what, count) in played.happened {
            *happened.entry(what).or_default() += count;
        }
    }
    let (days, millis) = (seconds / 86_400, i64::try_from(began.elapsed().as_millis()).unwrap());
    let counts = [("histories", seeds.end - seeds.start), ("days", u64::try_from(days).unwrap())];
    tried_since(began, what, &counts, &[seeds.start, seeds.end - 1]);
    println!(
        "seeds {seeds:?}: {days} days in {millis} ms, {} a second; {happened:?}",
        days * 1_000 / millis.max(1)
    );
    if share >= ENOUGH && chosen.is_none() {
        let missing = EVENTS.into_iter().filter(|event| !happened.contains_key(event));
        let missing: Vec<&str> = missing.chain(never(&happened)).collect();
        assert!(missing.is_empty(), "it never happened: {missing:?}");
    }
}

/// What was counted, and never happened.
fn never(happened: &BTreeMap<&'static str, u64>) -> impl Iterator<Item = &'static str> {
    happened.iter().filter(|(_, count)| **count == 0).map(|(what, _)| *what)
}

macro_rules! parts {
    ($($name:ident $part:literal)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                play_part($part).await;
            }
        )*
    };
}

parts! {
    days_end_as_the_model_says_in_the_first_tenth_of_the_seeds 0
    days_end_as_the_model_says_in_the_second_tenth_of_the_seeds 1
    days_end_as_the_model_says_in_the_third_tenth_of_the_seeds 2
    days_end_as_the_model_says_in_the_fourth_tenth_of_the_seeds 3
    days_end_as_the_model_says_in_the_fifth_tenth_of_the_seeds 4
    days_end_as_the_model_says_in_the_sixth_tenth_of_the_seeds 5
    days_end_as_the_model_says_in_the_seventh_tenth_of_the_seeds 6
    days_end_as_the_model_says_in_the_eighth_tenth_of_the_seeds 7
    days_end_as_the_model_says_in_the_ninth_tenth_of_the_seeds 8
    days_end_as_the_model_says_in_the_last_tenth_of_the_seeds 9
}

#[tokio::test]
async fn a_seed_plays_the_same_history_again() {
    let (beginning, service) = (beginning().await, Gotify::start().await);
    for seed in [1, 2, 3] {
        let first = play(&beginning, &service, seed).await;
        let again = play(&beginning, &service, seed).await;
        assert_eq!((first.trace, first.seconds), (again.trace, again.seconds), "seed {seed}");
        let other = play(&beginning, &service, seed + 10).await;
        assert_ne!(first.trace, other.trace, "another seed is another history");
    }
}
