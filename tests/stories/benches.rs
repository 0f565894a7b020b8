//! Tests that a small run of the benchmarks ends; it does not judge the figures.

use std::process::Command;

use support::program::built;
use tidings_testkit::redis::Redis;

/// Takes figures; gives what was printed.
fn figures(args: &[&str]) -> String {
    let run =
        Command::new(built("tidings-benches")).args(args).output().expect("the figures' program starts");
    let complaints = String::from_utf8_lossy(&run.stderr);
    // A test build beside other work need not meet the bounds, so a failed bound is no failure here.
    assert!(run.status.success() || complaints.contains("not everything holds"), "{complaints}");
    String::from_utf8_lossy(&run.stdout).into_owned()
}

#[test]
fn the_figures_of_pulls_and_reads_are_taken_to_their_end() {
    figures(&["--items", "2000", "--only", "pull,reads,search"]);
}

#[test]
fn the_figures_of_many_people_and_several_processes_are_taken_to_their_end() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = folder.path().join("scale.md");
    let redis = Redis::start();
    figures(&["scale", "--quick", "--redis", &redis.url(), "--write", page.to_str().expect("a path")]);
    let page = std::fs::read_to_string(page).expect("the page is written");
    for part in [
        "PostgreSQL, 2 nodes",
        "Publishing group messages",
        "Reading",
        "Unread from the cache",
        "What rows take",
        "Growth",
        "Live channels",
    ] {
        assert!(page.contains(part), "{part} is missing:\n{page}");
    }
}
