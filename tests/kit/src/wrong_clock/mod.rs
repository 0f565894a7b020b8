//! Programs whose clock of the day is wrong.
//!
//! The program runs with a small library before libc (`clock.c`).

use std::path::PathBuf;
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::library::compiled;

/// The library, compiled once for all tests of this process.
static LIBRARY: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| compiled("src/wrong_clock/clock.c"));

/// The environment of a program whose clock is this many seconds ahead.
pub fn ahead_by(secs: i64) -> [(&'static str, String); 2] {
    [("LD_PRELOAD", LIBRARY.1.to_string_lossy().into_owned()), ("CLOCK_AHEAD", secs.to_string())]
}
