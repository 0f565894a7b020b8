//! A disk that fails as real ones do, under a program that does not know of it.
//!
//! The program runs with a small library before libc (`faults.c`), which sees its calls on the files of one folder. A
//! [`Plan`] lets calls fail, or kills the program at one; it may be changed while the program runs. A [`Disk`] that
//! records keeps what each call changed, and gives [images](Disk::power_cuts) of what a loss of power would have left.

mod image;
mod record;
mod volume;

use std::fs::{self, File};
use std::ops::BitOr;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

pub use self::image::{Image, PowerCuts};
use self::volume::Volume;
use crate::library::compiled;
use crate::report::tried;

/// The library, compiled once for all tests of this process.
static LIBRARY: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| compiled("src/disk/faults.c"));

/// Kinds of calls on files. `|` adds them up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calls(u64);

impl Calls {
    /// Opening what exists.
    pub const OPEN: Self = Self(1);
    /// Creating a file, a folder or a link.
    pub const CREATE: Self = Self(2);
    /// Reading.
    pub const READ: Self = Self(4);
    /// Writing and allocating.
    pub const WRITE: Self = Self(8);
    /// Setting a size.
    pub const TRUNCATE: Self = Self(16);
    /// Syncing a file or a folder.
    pub const SYNC: Self = Self(32);
    /// Renaming.
    pub const RENAME: Self = Self(64);
    /// Removing.
    pub const UNLINK: Self = Self(128);
    /// Mapping into memory.
    pub const MAP: Self = Self(256);
    /// Whatever a full disk refuses.
    pub const GROW: Self = Self(2 | 8);
    /// Whatever changes something.
    pub const CHANGE: Self = Self(2 | 8 | 16 | 32 | 64 | 128);
    /// Everything.
    pub const ALL: Self = Self(511);
}

impl BitOr for Calls {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The errors of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// `EIO`: the disk does not answer.
    Io,
    /// `ENOSPC`: the disk is full.
    Full,
    /// `ENOMEM`: the system has no memory left.
    Memory,
    /// A read or a write does half of what it was to do.
    Short,
}

/// What happens to which calls.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    action: u64,
    calls: Calls,
    first: u64,
    times: u64,
    /// Calls on paths that contain one of these are not counted.
    skipped: [&'static str; 2],
}

/// The action of a plan that kills.
const KILL: u64 = 1;

impl Plan {
    /// Calls of these kinds are counted, and nothing happens to them.
    pub const fn count(calls: Calls) -> Self {
        Self { action: 0, calls, first: 1, times: 0, skipped: [""; 2] }
    }

    /// The program is killed at the `first` of these calls, counted from 1.
    pub const fn kill(calls: Calls, first: u64) -> Self {
        Self { action: KILL, first, times: 1, ..Self::count(calls) }
    }

    /// The `first` of these calls fails, counted from 1, and all that follow.
    pub const fn fail(calls: Calls, fault: Fault, first: u64) -> Self {
        let action = match fault {
            Fault::Short => 2,
            Fault::Io => 1_005,
            Fault::Memory => 1_012,
            Fault::Full => 1_028,
        };
        Self { action, first, times: u64::MAX, ..Self::count(calls) }
    }

    /// Only so many calls fail.
    #[must_use]
    pub const fn times(self, times: u64) -> Self {
        Self { times, ..self }
    }

    /// Calls on paths that contain one of these, of at most 31 bytes, are not counted.
    #[must_use]
    pub const fn skipping(self, skipped: [&'static str; 2]) -> Self {
        Self { skipped, ..self }
    }

    /// As the library reads it.
    fn bytes(&self, action: u64) -> Vec<u8> {
        let mut bytes: Vec<u8> = [action, self.calls.0, self.first, self.times, 0, 0]
            .into_iter()
            .flat_map(u64::to_ne_bytes)
            .collect();
        for skipped in self.skipped {
            let mut name = [0; 32];
            name[..skipped.len()].copy_from_slice(skipped.as_bytes());
            assert_eq!(name[31], 0, "{skipped} is too long");
            bytes.extend(name);
        }
        bytes
    }
}

/// The errors that the calls of each kind may have.
const FAULTS: [(Calls, Fault); 16] = [
    (Calls::WRITE, Fault::Io),
    (Calls::WRITE, Fault::Full),
    (Calls::WRITE, Fault::Short),
    (Calls::SYNC, Fault::Io),
    (Calls::SYNC, Fault::Full),
    (Calls::READ, Fault::Io),
    (Calls::READ, Fault::Memory),
    (Calls::READ, Fault::Short),
    (Calls::OPEN, Fault::Memory),
    (Calls::CREATE, Fault::Io),
    (Calls::CREATE, Fault::Full),
    (Calls::TRUNCATE, Fault::Io),
    (Calls::RENAME, Fault::Io),
    (Calls::UNLINK, Fault::Io),
    (Calls::MAP, Fault::Memory),
    (Calls::ALL, Fault::Io),
];

/// The first calls that fail, each with every error, once and from then on: every `stride`th of these plans. With
/// `TIDINGS_SOAK` all of them. An odd stride meets every error.
pub fn plans(firsts: u64, stride: usize) -> impl Iterator<Item = Plan> {
    let stride = if std::env::var_os("TIDINGS_SOAK").is_some() { 1 } else { stride };
    let all = (1..=firsts).flat_map(|first| {
        FAULTS.into_iter().flat_map(move |(calls, fault)| {
            let plan = Plan::fail(calls, fault, first);
            [plan.times(1), plan]
        })
    });
    all.step_by(stride)
}

/// The files below a folder, as programs see them that run with [`Disk::env`].
pub struct Disk {
    folder: PathBuf,
    /// The plan and the record.
    own: TempDir,
    plan: File,
    /// Whether the plan kills.
    kills: AtomicBool,
    /// What was there when the recording began.
    before: Option<Volume>,
}

impl Disk {
    /// A disk that is well until a plan is made.
    pub fn below(folder: &Path) -> Self {
        let own = TempDir::with_prefix("tidings-disk.").expect("a temporary folder");
        let mut options = File::options();
        let plan = options.read(true).write(true).create_new(true).open(own.path().join("plan"));
        let folder = folder.canonicalize().expect("the folder is there");
        let plan = plan.expect("a file for the plan");
        let this = Self { folder, own, plan, kills: AtomicBool::new(false), before: None };
        this.begin(&Plan::count(Calls::ALL));
        this
    }

    /// A disk that records. Nothing else may change the folder while programs run on it.
    pub fn recorded(folder: &Path) -> Self {
        let mut this = Self::below(folder);
        this.before = Some(Volume::of(&this.folder));
        fs::write(this.record_path(), "").expect("the record is writable");
        this
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The environment of the programs.
    pub fn env(&self) -> Vec<(&'static str, String)> {
        let text = |path: &Path| path.to_str().expect("a path in UTF-8").to_owned();
        let mut env = vec![
            ("LD_PRELOAD", text(&LIBRARY.1)),
            ("FAULT_DIR", text(&self.folder)),
            ("FAULT_PLAN", text(&self.own.path().join("plan"))),
        ];
        if self.before.is_some() {
            env.push(("FAULT_LOG", text(&self.record_path())));
        }
        env
    }

    fn record_path(&self) -> PathBuf {
        self.own.path().join("record")
    }

    /// Makes a plan, from the next call on. It takes the place of the one before, and counts from 1.
    pub fn plan(&self, plan: &Plan) {
        self.report();
        self.begin(plan);
    }

    fn begin(&self, plan: &Plan) {
        self.kills.store(plan.action == KILL, Ordering::Relaxed);
        // Nothing happens before all of it is there.
        self.plan.write_all_at(&plan.bytes(0), 0).expect("the plan is writable");
        self.plan.write_all_at(&plan.action.to_ne_bytes(), 0).expect("the plan is writable");
    }

    /// No call fails any more. The counts stay.
    pub fn heal(&self) {
        self.plan.write_all_at(&0_u64.to_ne_bytes(), 0).expect("the plan is writable");
    }

    /// The number of calls of the plan's kinds since it was made.
    pub fn calls(&self) -> u64 {
        self.number(4)
    }

    /// How many of them failed.
    pub fn failed(&self) -> u64 {
        self.number(5)
    }

    /// Reports what came of the plan.
    fn report(&self) {
        let kills = self.kills.load(Ordering::Relaxed);
        match self.failed() {
            0 => {}
            killed if kills => tried("kills between two calls on files", &[("kills", killed)], &[]),
            failed => tried("calls on files that fail", &[("calls failed", failed)], &[]),
        }
    }

    fn number(&self, nth: u64) -> u64 {
        let mut bytes = [0; 8];
        self.plan.read_exact_at(&mut bytes, nth * 8).expect("the plan is readable");
        u64::from_ne_bytes(bytes)
    }

    /// How far the record is, in bytes. What was acknowledged before is in each image of a later position.
    pub fn position(&self) -> u64 {
        fs::metadata(self.record_path()).expect("a record").len()
    }

    /// Images of what a loss of power would have left at `count` moments after a position, drawn from the seed.
    pub fn power_cuts(&self, seed: u64, count: usize, after: u64) -> PowerCuts {
        let bytes = fs::read(self.record_path()).expect("a record");
        let before = self.before.clone().expect("a disk that records");
        tried("losses of power", &[("images", count as u64)], &[seed]);
        PowerCuts::new(before, record::read(&bytes), seed, count, after)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.report();
    }
}
