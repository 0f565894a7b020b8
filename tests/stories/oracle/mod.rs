//! Tests a long random history of three readers with devices against a plain model of the rules. Every publication
//! reaches exactly the users whom the rules name, once, and server, devices and model agree wherever they can be
//! compared.
//!
//! `TIDINGS_SEED` selects another history, `TIDINGS_STEPS` its length, and `TIDINGS_BOUNDS` draws bounds from a seed;
//! `TIDINGS_VERBOSE` prints every step.

mod at_server;
mod catalog;
pub(crate) mod clocks;
mod compare;
mod concurrency;
pub(crate) mod device;
mod device_marks;
pub(crate) mod flaky_link;
pub(crate) mod host;
mod in_thread;
mod log;
mod people;
mod publishers;
mod pulls;
mod questions;
mod steps;
pub(crate) mod told;
mod unsent;
pub(crate) mod world;

use clocks::YEAR;
use host::Host;
use in_thread::ServerBounds;
use tidings_server::{AccessBounds, Bounds, FileBounds, HintBounds};
use tidings_testkit::lot;
use tidings_testkit::server::store_bounds;
use world::World;

/// The seed of the history without `TIDINGS_SEED`.
const SEED: u64 = 2_026;

pub(crate) fn requested(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

fn seed() -> u64 {
    requested("TIDINGS_SEED").unwrap_or(SEED)
}

/// The bounds of a server in this process, drawn from the seed of the history.
fn bounds(seed: u64) -> ServerBounds {
    lot::drawn(seed, |lot| ServerBounds {
        store: store_bounds(lot),
        file: FileBounds::picked(|least, usual| lot.bound(least, usual)),
        access: AccessBounds::picked(|least, usual| lot.bound(least, usual)),
        hints: HintBounds::picked(|least, usual| lot.bound(least, usual)),
    })
}

async fn play(host: Host, steps: u64) {
    let seed = seed();
    let mut world = World::start(host, seed).await;
    let steps = requested("TIDINGS_STEPS").unwrap_or(steps);
    for step in 1..=steps {
        // For a sixth of the history the server's clock is a year ahead, or that of one of two nodes. For the last sixth
        // it is right again, and behind the stamps that it gave.
        if step == steps * 4 / 6 {
            world.step_the_clock(YEAR).await;
            world.host.set_clock_of_one(YEAR).await;
        } else if step == steps * 5 / 6 {
            world.step_the_clock(-YEAR).await;
            world.host.set_clock_of_one(0).await;
        }
        world.step().await;
        if step.is_multiple_of(2_500) {
            world.check_server().await;
        }
    }
    world.settle_and_compare().await;
    let coverage = world.coverage();
    let went = world.went();
    println!("seed {seed}: {coverage:?}, users and groups that went: {went:?}");
    // Rare events may be missing in a short history.
    let enough_went = if steps >= 5_000 { 3 } else { 0 };
    assert!(went.iter().all(|count| *count >= enough_went), "too few went: {went:?}");
    for (what, count) in coverage {
        assert!(count * 100 >= steps, "too little of it happened: {what}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_any_history_everything_is_exactly_where_the_rules_put_it() {
    // Small bounds of its store would let it bring in what is due between two pages that are read as one moment.
    let bounds = ServerBounds { store: Bounds::default(), ..bounds(seed()) };
    play(Host::inside(&bounds).await, 6_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_holds_where_programs_are_killed() {
    play(Host::program(), 1_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_holds_on_two_nodes_of_which_one_is_killed_at_a_time() {
    play(Host::nodes(), 1_000).await;
}
