//! Tests of what many threads use at once, each in hundreds of orders of steps.
//!
//! A failing one prints its schedule, which `shuttle::replay` plays again. `TIDINGS_SEED` tries others.
#![allow(clippy::unwrap_used)]

use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, Runner};
use tidings_interleavings::{access_scenarios, live_scenarios, pool, writer_scenarios};
use tidings_testkit::report::tried;

/// The orders of steps that each of the two schedulers draws.
const ORDERS: usize = 300;
/// The changes of the thread that the second scheduler draws at most: few are enough for most faults.
const CHANGES: usize = 3;

fn in_many_orders(scenario: fn()) {
    let seed = std::env::var("TIDINGS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(2_026);
    println!("TIDINGS_SEED={seed}");
    let config = || {
        let mut config = Config::new();
        // For SQLite.
        config.stack_size = 1 << 20;
        config
    };
    Runner::new(RandomScheduler::new_from_seed(seed, ORDERS), config()).run(scenario);
    Runner::new(PctScheduler::new_from_seed(seed, CHANGES, ORDERS), config()).run(scenario);
    tried("steps of threads in many orders", &[("scenarios", 1), ("orders", 2 * ORDERS as u64)], &[seed]);
}

#[test]
fn every_job_of_the_pool_is_done_once() {
    in_many_orders(pool::every_job_is_done_once);
}

#[test]
fn nobody_has_all_threads_of_the_pool() {
    in_many_orders(pool::nobody_has_all_threads);
}

#[test]
fn a_topic_that_changed_while_it_was_looked_up_is_looked_up_anew() {
    in_many_orders(access_scenarios::a_topic_that_changed_is_looked_up_anew);
}

#[test]
fn a_token_that_was_revoked_while_it_was_looked_up_is_unknown_at_once() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _context = runtime.enter();
    in_many_orders(access_scenarios::a_revoked_token_is_unknown_at_once);
}

#[test]
fn a_hint_reaches_who_listens_whatever_opens_and_closes() {
    in_many_orders(live_scenarios::a_hint_reaches_who_listens);
}

#[test]
fn a_publication_wakes_who_listens_to_its_topic_while_another_leaves() {
    in_many_orders(live_scenarios::a_publication_wakes_who_listens_to_its_topic);
}

#[test]
fn each_job_of_the_writer_is_committed_and_answered() {
    in_many_orders(writer_scenarios::each_job_is_committed_and_answered);
}

#[test]
fn so_is_each_of_them_with_a_commit_of_its_own() {
    in_many_orders(writer_scenarios::so_it_is_with_a_commit_for_each_job);
}
