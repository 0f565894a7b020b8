//! A long random history of three readers with devices, beside a plain model of the rules: whatever happens, everything
//! reaches exactly those whom the rules name, once, and everybody agrees about it.
//! Refuses to forgive a difference at any point where the two can be compared.
//!
//! `TIDINGS_SEED` plays another history, `TIDINGS_STEPS` a shorter or longer one; with `TIDINGS_TOLD` it is told step by
//! step.

mod compare;
mod crowd;
mod deeds;
mod device;
mod elsewhere;
mod host;
mod line;
mod pulls;
mod reading;
mod rules;
mod steps;
mod waiting;
mod world;

use host::Host;
use world::World;

/// The history that is played unless somebody asks for another one.
const SEED: u64 = 2_026;

fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

async fn play(host: Host, steps: u64) {
    let seed = asked("TIDINGS_SEED").unwrap_or(SEED);
    let mut world = World::begin(host, seed).await;
    let steps = asked("TIDINGS_STEPS").unwrap_or(steps);
    for step in 1..=steps {
        world.step().await;
        if step.is_multiple_of(2_500) {
            world.server_is_right().await;
        }
    }
    world.ends().await;
    let told = world.tally();
    println!("seed {seed}: {told:?}");
    for (what, count) in told {
        assert!(count * 100 >= steps, "too little of it happened: {what}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_any_history_everything_is_exactly_where_the_rules_put_it() {
    play(Host::inside().await, 10_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_holds_where_programs_are_killed() {
    play(Host::program(), 1_000).await;
}
