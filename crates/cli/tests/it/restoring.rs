//! Tests of a restore that is cut short at any step. The program is killed, or a write fails as on a full disk, at the
//! n-th operation on its files. `TIDINGS_SOAK` kills it at every step; a usual run takes a sample.
#![cfg(target_os = "linux")]

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;

use rusqlite::{Connection, OpenFlags};
use tidings_testkit::disk::{Calls, Disk, Fault, Plan};

use crate::data_folder::{CommandOutput, DataFolder, msgid, server_and_replica};
use crate::serving::Serving;

/// What a restore changes. Inside half-made files nothing is counted, because nobody looks at them.
const STEPS: Plan = Plan::count(CHANGES).skipping(HALF_MADE);
const CHANGES: Calls = Calls::CHANGE;
const HALF_MADE: [&str; 2] = ["/.restor", "-shm"];

/// The program is killed at this step.
fn killed(at: u64) -> Plan {
    Plan::kill(CHANGES, at).skipping(HALF_MADE)
}

/// The disk is full from this write on.
fn full(at: u64) -> Plan {
    Plan::fail(Calls::GROW, Fault::Full, at)
}

/// A data folder left by a killed server and a replica, with an older backup; tests work on copies of the folder.
pub(crate) struct RestoreFixture {
    old: DataFolder,
    pub(crate) backup: PathBuf,
    /// A token of Ana's that is also in the backup.
    token: String,
    contents: OnceCell<FolderContents>,
}

/// The contents of a data folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FolderContents {
    epoch: String,
    /// The bodies of the server's notifications and of the replica's items, sorted.
    server: Vec<String>,
    replica: Vec<String>,
}

impl RestoreFixture {
    pub(crate) fn new() -> Self {
        let (old, serving, _) = server_and_replica();
        let token = old.token("ana", "inbox");
        old.run(&["source", "add", "tidings", &serving.url, "--token", &token, "--name", "Here"]);
        old.run(&["send", "--to", "ana", "Before"]);
        old.run(&["pull"]);
        let backup = old.path().join("all.tar");
        old.run(&["backup", backup.to_str().unwrap()]);
        for at in 0..20 {
            old.run(&["send", "--to", "ana", &format!("After {at}")]);
        }
        old.run(&["pull"]);
        // The server is killed, so that its last commits are in the write-ahead log only.
        drop(serving);
        let log = old.path().join("server.db-wal");
        assert!(fs::metadata(log).is_ok_and(|about| about.len() > 0), "there is a log to fold");
        Self { old, backup, token, contents: OnceCell::new() }
    }

    /// The contents of the folder.
    pub(crate) fn contents(&self) -> &FolderContents {
        self.contents.get_or_init(|| check_and_read(&self.copy(), "before"))
    }

    /// A copy of the folder without the backup.
    pub(crate) fn copy(&self) -> DataFolder {
        let copy = DataFolder::new();
        for entry in fs::read_dir(self.old.path()).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_file() && entry.path() != self.backup {
                fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
            }
        }
        copy
    }
}

/// Runs the program under a plan. Returns the outcome, whether the program was killed, and the number of file operations.
fn run(folder: &DataFolder, args: &[&str], plan: &Plan) -> (CommandOutput, bool, u64) {
    let disk = Disk::below(folder.path());
    disk.plan(plan);
    let done = folder.command(args).envs(disk.env()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let killed = done.status.signal() == Some(9);
    let result = CommandOutput { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) };
    (result, killed, disk.calls())
}

/// Asserts that `check` finds nothing wrong in a folder, and returns the folder's contents.
pub(crate) fn check_and_read(folder: &DataFolder, context: &str) -> FolderContents {
    let checked = folder.try_run(&["check"]);
    assert_eq!(checked.code, Some(0), "{context}: {checked:?}");
    let open = |name: &str| {
        Connection::open_with_flags(folder.path().join(name), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
    };
    let server = open("server.db");
    let epoch = server.query_row("SELECT epoch FROM meta", [], |row| row.get(0)).unwrap();
    let bodies = |items: &str| -> Vec<String> {
        let items: serde_json::Value = serde_json::from_str(items).unwrap();
        let body = |item: &serde_json::Value| item["body"].as_str().unwrap().to_owned();
        let mut all: Vec<String> = items.as_array().unwrap().iter().map(body).collect();
        all.sort();
        all
    };
    let of = |which: &str| bodies(&folder.run(&["export", "--format", "json", "--of", which]));
    let found = FolderContents { epoch, server: of("server"), replica: of("inbox") };
    assert_nothing_left_over(folder, context);
    found
}

/// Asserts that no half-written file is left, and no write-ahead log of a database that nobody has open.
fn assert_nothing_left_over(folder: &DataFolder, context: &str) {
    let allowed = ["server.db", "replica.db"]
        .into_iter()
        .flat_map(|name| ["", ".lock", ".before"].map(|rest| format!("{name}{rest}")).to_vec());
    let allowed: BTreeSet<String> = allowed
        .chain(
            ["server.lock", "app.lock", "endpoint.json", "tokens.json", "tokens.lock", "logs", "parsing"]
                .map(str::to_owned),
        )
        .collect();
    let present: BTreeSet<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"))
        .collect();
    assert!(present.is_subset(&allowed), "{context}: left over: {:?}", present.difference(&allowed));
}

#[test]
fn a_restore_that_is_killed_at_any_step_leaves_the_old_or_the_new_whole() {
    let fixture = RestoreFixture::new();
    let backup = fixture.backup.to_str().unwrap();
    let old = check_and_read(&fixture.copy(), "before");
    let undisturbed = fixture.copy();
    let (result, _, steps) = run(&undisturbed, &["restore", backup], &STEPS);
    assert_eq!(result.code, Some(0), "{result:?}");
    let new = check_and_read(&undisturbed, "after");
    assert_ne!(new.epoch, old.epoch, "a new epoch begins");
    assert!(new.server.len() < old.server.len() && new.replica.len() < old.replica.len(), "{old:?} {new:?}");
    assert!((20..300).contains(&steps), "{steps} steps");

    let mut seen = BTreeSet::new();
    let mut state_left_at = |at: u64| {
        let folder = fixture.copy();
        let (result, was_killed, _) = run(&folder, &["restore", backup], &killed(at));
        assert!(was_killed, "step {at}: {result:?}");
        let found = check_and_read(&folder, &format!("killed at step {at}"));
        let server = if found.epoch == old.epoch { &old } else { &new };
        assert_eq!(found.server, server.server, "step {at}: one epoch and its own notifications");
        assert!(
            [&old, &new].iter().any(|state_before| state_before.replica == found.replica),
            "step {at}: {found:?}"
        );
        let state = (found.epoch == old.epoch, found.replica == old.replica);
        if seen.insert(state) {
            // From any state, the same command completes the restore.
            folder.run(&["restore", backup]);
            let again = check_and_read(&folder, "again");
            assert_eq!((&again.server, &again.replica), (&new.server, &new.replica), "after step {at}");
        }
        state
    };
    // Every step takes minutes: an even sample, and each step between two that leave different states.
    let stride = if std::env::var_os("TIDINGS_SOAK").is_some() { 1 } else { 4 };
    let sample = (1..=steps).step_by(stride).chain([steps]);
    let sample: BTreeMap<u64, _> = sample.map(|at| (at, state_left_at(at))).collect();
    for ((from, before), (to, after)) in sample.iter().zip(sample.iter().skip(1)) {
        if before != after {
            for at in from + 1..*to {
                state_left_at(at);
            }
        }
    }
    assert!(seen.contains(&(true, true)) && seen.contains(&(false, false)), "{seen:?}");
}

#[test]
fn after_a_restore_that_was_killed_replicas_pull_anew_and_keep_their_marks() {
    let fixture = RestoreFixture::new();
    let backup = fixture.backup.to_str().unwrap();
    let old = check_and_read(&fixture.copy(), "before");
    let (_, _, steps) = run(&fixture.copy(), &["restore", backup], &STEPS);
    // The first step after which the server is the restored one; the inbox may still be the old one.
    let restored = |at: u64| {
        let folder = fixture.copy();
        run(&folder, &["restore", backup], &killed(at));
        (check_and_read(&folder, "killed").epoch != old.epoch).then_some(folder)
    };
    let mut range = (1, steps);
    while range.0 < range.1 {
        let middle = u64::midpoint(range.0, range.1);
        range = if restored(middle).is_some() { (range.0, middle) } else { (middle + 1, range.1) };
    }

    // Another device pulled from the server before the restore, and marked an item while the server was down.
    let folder = fixture.copy();
    let serving = Serving::start(&folder, &["serve", "--listen", "127.0.0.1:0"]);
    let listen = serving.url.trim_start_matches("http://").to_owned();
    let laptop = DataFolder::new();
    laptop.run(&["source", "add", "tidings", &serving.url, "--token", &fixture.token, "--name", "Work"]);
    laptop.run(&["pull"]);
    let items = laptop.json(&["list"]);
    let marked = items.as_array().unwrap().iter().find(|item| item["body"] == "After 7").unwrap();
    serving.terminate();
    laptop.run(&["mark", "archive", msgid(marked)]);
    run(&folder, &["restore", backup], &killed(range.0));
    let found = check_and_read(&folder, "killed");
    assert_ne!(found.epoch, old.epoch);

    let serving = Serving::start(&folder, &["serve", "--listen", &listen]);
    folder.run(&["send", "--to", "ana", "Since"]);
    laptop.run(&["pull"]);
    let list = laptop.json(&["list"]);
    let bodies: Vec<&str> =
        list.as_array().unwrap().iter().map(|item| item["body"].as_str().unwrap()).collect();
    assert!(
        bodies.contains(&"Since") && bodies.contains(&"Before") && bodies.contains(&"After 3"),
        "{bodies:?}"
    );
    let of = |body: &str| list.as_array().unwrap().iter().find(|item| item["body"] == body).unwrap();
    assert!(of("After 7")["archived_at"].is_string(), "archived here, and it stays so");
    laptop.run(&["check"]);
    drop(serving);
}

#[test]
fn a_restore_on_a_disk_that_fills_up_changes_nothing() {
    let fixture = RestoreFixture::new();
    let backup = fixture.backup.to_str().unwrap();
    let old = check_and_read(&fixture.copy(), "before");
    let (result, _, writes) = run(&fixture.copy(), &["restore", backup], &Plan::count(Calls::GROW));
    assert_eq!(result.code, Some(0), "{result:?}");
    // All writes would take minutes: an even sample of about 24, and the last eight.
    let last = (1..=writes).rev().take(8);
    for at in (1..=writes).step_by(1 + usize::try_from(writes / 24).unwrap()).chain(last) {
        let folder = fixture.copy();
        let (result, _, _) = run(&folder, &["restore", backup], &full(at));
        let found = check_and_read(&folder, &format!("full at write {at}"));
        if result.code == Some(0) {
            assert_ne!(found.epoch, old.epoch, "write {at}: done is done");
        } else {
            assert_eq!((result.code, &found), (Some(1), &old), "write {at}: {result:?}");
            assert_eq!(
                result.err.lines().filter(|line| line.starts_with("tidings: ")).count(),
                1,
                "{result:?}"
            );
        }
    }
}

#[test]
fn a_backup_on_a_disk_that_fills_up_leaves_no_half_file() {
    let fixture = RestoreFixture::new();
    let old = check_and_read(&fixture.copy(), "before");
    let folder = fixture.copy();
    let file = folder.path().join("new.tar");
    let (result, _, writes) = run(&folder, &["backup", file.to_str().unwrap()], &Plan::count(Calls::GROW));
    assert_eq!(result.code, Some(0), "{result:?}");
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600, "for its owner alone");
    for at in (1..=writes).step_by(1 + usize::try_from(writes / 24).unwrap()) {
        let folder = fixture.copy();
        let file = folder.path().join("new.tar");
        let (result, _, _) = run(&folder, &["backup", file.to_str().unwrap()], &full(at));
        if result.code == Some(0) {
            fs::remove_file(&file).unwrap();
        }
        assert!(!file.exists(), "write {at}: {result:?}");
        assert_eq!(check_and_read(&folder, &format!("full at write {at}")), old);
    }
}
