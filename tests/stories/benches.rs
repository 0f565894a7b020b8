//! A small run of the benchmarks to their end; it does not judge the figures.

use std::process::Command;

use support::program::built;

#[test]
fn the_figures_of_pulls_and_reads_are_taken_to_their_end() {
    let run = Command::new(built("tidings-benches"))
        .args(["--items", "2000", "--only", "pull,reads"])
        .output()
        .expect("the figures' program starts");
    let complaints = String::from_utf8_lossy(&run.stderr);
    // Built for tests and beside others it need not reach what it must reach at rest.
    assert!(run.status.success() || complaints.contains("not everything holds"), "{complaints}");
}
