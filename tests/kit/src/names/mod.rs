//! The names that a program looks up, as a test wants them to be known or not.
//!
//! The program runs with a small library before libc (`names.c`), which answers for names that end in `.test`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::library::compiled;

/// The library, compiled once for all tests of this process.
static LIBRARY: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| compiled("src/names/names.c"));

/// The names that the programs of a test know.
#[derive(Debug)]
pub struct Names {
    dir: TempDir,
}

impl Names {
    /// Names of which none is known yet.
    pub fn new() -> Self {
        let this = Self { dir: TempDir::with_prefix("tidings-names.").expect("a temporary folder") };
        this.forget();
        this
    }

    /// Has a program look up its names here.
    pub fn hold_for(&self, command: &mut Command) {
        command.env("LD_PRELOAD", &LIBRARY.1).env("TIDINGS_TEST_NAMES", self.file());
    }

    /// A name has this address from now on, and no other name has one.
    pub fn know(&self, name: &str, address: &str) {
        self.write(&format!("{name} {address}\n"));
    }

    /// No name has an address from now on: nobody answers.
    pub fn forget(&self) {
        self.write("");
    }

    /// How often a name was looked up that had no address.
    pub fn unanswered(&self) -> usize {
        fs::read_to_string(self.dir.path().join("names.asked")).unwrap_or_default().lines().count()
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("names")
    }

    /// Replaces the file, which a program may be reading.
    fn write(&self, text: &str) {
        let written: &Path = &self.dir.path().join("names.new");
        fs::write(written, text).expect("the folder is writable");
        fs::rename(written, self.file()).expect("the folder is writable");
    }
}

impl Default for Names {
    fn default() -> Self {
        Self::new()
    }
}
