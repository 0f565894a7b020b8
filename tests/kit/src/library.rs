//! Small libraries in C that programs run with before libc.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Compiles a source of this crate into a library, which is in a folder of its own.
pub(crate) fn compiled(source: &str) -> (TempDir, PathBuf) {
    let dir = TempDir::with_prefix("tidings-library.").expect("a temporary folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let library = dir.path().join("library.so");
    let made = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).args([&library, &source]).status();
    assert!(made.expect("a C compiler").success());
    (dir, library)
}
