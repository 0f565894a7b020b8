//! Tests what a loss of power leaves: programs run on a disk that records, and images are made of what would be left at
//! moments by lot. What was not synced is dropped, kept, reordered or torn. Each image opens, is sound, and has whatever was
//! acknowledged before. A replica is also killed while it takes in a long backlog.
//!
//! `TIDINGS_SEED` draws other moments; `TIDINGS_SOAK` makes twenty times as many images.

mod killed;
mod moving;
mod replica;
mod server;

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use support::program::built;
use tidings_model::SystemClock;
use tidings_replica::FileBounds;
use tidings_testkit::disk::{Disk, Image};
use tidings_testkit::server::{RunningServer, config_of};

/// The seed without `TIDINGS_SEED`.
const SEED: u64 = 38;

/// Names the data folder of a part that runs as a process of its own.
const FOLDER: &str = "TIDINGS_TEST_FOLDER";

/// The bound of the log that is copied by hand between two large writes.
const LONG_LOG: usize = 64 << 20;

/// The bounds of a replica's file with which a backlog's log is copied by hand after each page. Bounds from this value on are
/// as small as they may be.
fn copied_by_hand(from: usize) -> FileBounds {
    FileBounds::picked(|least, usual| if usual >= from { least } else { usual })
}

/// An ignored test of this program, as a process of its own.
fn part(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a running test knows where it is"));
    command.args(["--exact", name, "--ignored", "--nocapture"]);
    command
}

/// The images of a whole record, `count` of them or twenty times as many.
fn images(disk: &Disk, count: usize) -> impl Iterator<Item = Image> + use<> {
    images_after(disk, count, 0)
}

/// [`images`] of what came after a position of the record.
fn images_after(disk: &Disk, count: usize, position: u64) -> impl Iterator<Item = Image> + use<> {
    let seed = std::env::var("TIDINGS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(SEED);
    let count = if std::env::var_os("TIDINGS_SOAK").is_some() { 20 * count } else { count };
    println!("TIDINGS_SEED={seed}: {count} images of {} bytes", disk.position());
    disk.power_cuts(seed, count, position)
}

/// Runs the `tidings` program on a data folder, with its files on a disk.
fn tidings_on(disk: &Disk, data: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(built("tidings"));
    command.args(args).env("TIDINGS_DATA_DIR", data).env("TIDINGS_NO_KEYRING", "1").envs(disk.env());
    for unset in ["TIDINGS_SERVER", "TIDINGS_TOKEN", "TIDINGS_STORE", "DBUS_SESSION_BUS_ADDRESS"] {
        command.env_remove(unset);
    }
    command.output().expect("tidings starts")
}

/// [`tidings_on`], which succeeds.
fn tidings_done(disk: &Disk, data: &Path, args: &[&str]) -> String {
    let Output { status, stdout, stderr } = tidings_on(disk, data, args);
    assert!(status.success(), "{args:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("text")
}

/// Serves what an image has. Nothing in it is wrong.
async fn serve(data: &Path) -> RunningServer {
    let server = RunningServer::start(config_of(data), Arc::new(SystemClock)).await;
    server.holds_together().await;
    server
}
