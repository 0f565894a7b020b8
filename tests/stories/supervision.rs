//! Tests that every task of the programs runs under a supervisor: a spawn that is not in `ALLOWED` fails.

use std::fs;
use std::path::{Path, PathBuf};

use support::program::root;

/// The folders of the programs' own code. Tasks that tests spawn end with the test.
const PARTS: &[&str] = &[
    "crates/app/src",
    "crates/cli/src",
    "crates/doctor/src",
    "crates/home/src",
    "crates/net/src",
    "crates/ports/src",
    "crates/query/src",
    "crates/render/src",
    "crates/sources/src",
    "crates/sync/src",
    "crates/toasts/src",
    "src-tauri/src",
];

/// The calls that start a task.
const SPAWNS: &[&str] = &["tokio::spawn(", "async_runtime::spawn(", "task::spawn("];

/// The files that may spawn tasks without the supervisor: path, number of spawns, and why a panic is not lost.
const ALLOWED: &[(&str, usize, &str)] = &[
    ("crates/cli/src/commands/watch/exec.rs", 1, "the command's input ends early, and it goes on"),
    ("crates/cli/src/output/progress.rs", 1, "the line that says how far a command is does not appear"),
    ("crates/net/src/supervise.rs", 2, "the supervisor itself"),
    ("crates/sync/src/engine/mod.rs", 1, "a source's task, which restarts its runner and counts its faults"),
    ("crates/sync/src/pull/mod.rs", 2, "awaited by the pull, to which a panic is an error"),
];

/// The files of Rust below a folder, without those of tests.
pub(crate) fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the programs") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|end| end == "rs")
            && !path.to_string_lossy().ends_with("_tests.rs")
        {
            found.push(path);
        }
    }
}

/// The number of spawns in a file before its test module.
fn spawns(path: &Path) -> usize {
    let text = fs::read_to_string(path).expect("a file of the programs");
    let own = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = own.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| SPAWNS.iter().filter(|spawn| line.contains(**spawn)).count().min(1)).sum()
}

#[test]
fn every_task_of_the_programs_runs_under_a_supervisor() {
    let (root, mut files) = (root(), Vec::new());
    for part in PARTS {
        sources(&root.join(part), &mut files);
    }
    assert!(files.len() > 100, "the programs are found: {}", files.len());
    let mut wrong = Vec::new();
    for file in &files {
        let name = file.strip_prefix(&root).expect("inside").to_string_lossy().replace('\\', "/");
        let allowed = ALLOWED.iter().find(|(allowed, ..)| *allowed == name).map_or(0, |(_, times, _)| *times);
        let found = spawns(file);
        if found != allowed {
            wrong.push(format!("{name} spawns {found} tasks by itself, {allowed} are written down"));
        }
    }
    assert!(wrong.is_empty(), "use tidings_net::supervise:\n{}", wrong.join("\n"));
}
