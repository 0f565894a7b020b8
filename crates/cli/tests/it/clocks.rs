//! Tests of servers and commands whose clock was wrong for a while.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::{Value, json};
use tempfile::TempDir;
use tidings_model::{Clock, Stamp, SystemClock};

use crate::data_folder::DataFolder;
use crate::serving::Serving;

const YEAR: i64 = 365 * 24 * 3_600;
const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

/// The library that sets the clock of a program.
static CLOCK: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let dir = TempDir::with_prefix("tidings-clock.").unwrap();
    let (source, library) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/clock.c"), dir.path().join("clock.so"));
    let made = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).args([&library, &source]).status();
    assert!(made.unwrap().success());
    (dir, library)
});

/// The path of that library.
pub(crate) fn clock_library() -> &'static Path {
    &CLOCK.1
}

fn serve(folder: &DataFolder, more: &[&str]) -> Serving {
    Serving::start(folder, &[&SERVE, more].concat())
}

/// Creation times and bodies of what a server has for Ana, the oldest first.
fn exported(folder: &DataFolder) -> Vec<(Stamp, String)> {
    let out = folder.run(&["export", "--format", "json", "--of", "server"]);
    let items: Value = serde_json::from_str(&out).unwrap();
    let mut items: Vec<_> = items
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["user"] == "ana")
        .map(|item| {
            let created_at = item["created_at"].as_str().unwrap().parse().unwrap();
            (created_at, item["body"].as_str().unwrap().to_owned())
        })
        .collect();
    items.sort();
    items
}

fn bodies(folder: &DataFolder) -> Vec<String> {
    exported(folder).into_iter().map(|(_, body)| body).collect()
}

#[test]
fn a_start_a_year_ahead_deletes_nothing_moves_no_stamp_and_check_says_for_how_long() {
    let folder = DataFolder::new();
    let serving = serve(&folder, &[]);
    folder.run(&["user", "add", "ana"]);
    folder.run(&["send", "--to", "ana", "precious"]);
    serving.terminate();
    folder.set_clock_ahead(YEAR);
    let serving = serve(&folder, &["--retain", "90d"]);
    let held = json!([{"of": "server", "hours_left": 24}]);
    assert_eq!(folder.json(&["check"])["held"], held);
    serving.terminate();
    folder.set_clock_ahead(0);
    let serving = serve(&folder, &["--retain", "90d"]);
    let checked = folder.run(&["check"]);
    assert!(checked.contains("server: all is well\n"), "{checked}");
    assert!(checked.contains("nothing is deleted by age for 24 more hours of running"), "{checked}");
    folder.run(&["send", "--to", "ana", "of today"]);
    let [precious, today] = exported(&folder).try_into().unwrap();
    assert_eq!((&*precious.1, &*today.1), ("precious", "of today"));
    assert!(today.0 <= SystemClock.now(), "the wrong clock moved a stamp: {today:?}");
    serving.terminate();
    // Whoever looked at the clock ends the wait.
    let serving = serve(&folder, &["--retain", "90d", "--retain-now"]);
    assert_eq!(folder.json(&["check"])["held"], Value::Null);
    assert_eq!(bodies(&folder), ["precious", "of today"]);
    serving.terminate();
}
