//! What a program and its children hold of the machine, counted from `/proc` (Linux), and the bounds of its growth.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::app;

/// What a program and its children hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// The program and its children.
    pub processes: usize,
    /// Their threads.
    pub threads: usize,
    /// Their open handles.
    pub handles: usize,
    /// Of these, timers of the kernel.
    pub timers: usize,
    /// Memory of their own, MiB.
    pub memory: usize,
    /// The files in the program's data folder.
    pub files: usize,
}

impl Usage {
    /// Counts what the program with this process id holds, with the files under `folder`.
    pub fn of(program: u32, folder: &Path) -> Self {
        let mut usage = Self { files: files_under(folder), ..Self::default() };
        let mut kib = 0;
        for pid in family(program) {
            usage.processes += 1;
            usage.threads += app::threads(pid);
            let handles = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
            for handle in handles {
                usage.handles += 1;
                let kind = fs::read_link(handle.path()).unwrap_or_default();
                usage.timers += usize::from(kind == Path::new("anon_inode:[timerfd]"));
            }
            kib += own_kib(pid);
        }
        usage.memory = kib / 1_024;
        usage
    }

    /// What has grown by more than its slack.
    pub fn grown_since(&self, before: &Self, slack: &Self) -> Vec<String> {
        let counts = [
            ("processes", self.processes, before.processes, slack.processes),
            ("threads", self.threads, before.threads, slack.threads),
            ("handles", self.handles, before.handles, slack.handles),
            ("timers", self.timers, before.timers, slack.timers),
            ("MiB", self.memory, before.memory, slack.memory),
            ("files", self.files, before.files, slack.files),
        ];
        let grown = counts.into_iter().filter(|(_, now, before, slack)| *now > before + slack);
        grown.map(|(name, now, before, _)| format!("{name}: {before}, then {now}")).collect()
    }
}

/// A process and its descendants.
fn family(program: u32) -> Vec<u32> {
    let mut parents: BTreeMap<u32, u32> = BTreeMap::new();
    for entry in fs::read_dir("/proc").expect("Linux").flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        // The name of the program, in brackets, may have any character.
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let parent = after_name.split_whitespace().nth(1).and_then(|parent| parent.parse().ok());
        parents.extend(parent.map(|parent| (pid, parent)));
    }
    let mut family = vec![program];
    let mut at = 0;
    while let Some(parent) = family.get(at).copied() {
        family.extend(parents.iter().filter(|(_, of)| **of == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    family
}

/// The memory of a process that is in no file, KiB.
fn own_kib(pid: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let own = status.lines().filter(|line| line.starts_with("RssAnon:") || line.starts_with("RssShmem:"));
    own.filter_map(|line| line.split_whitespace().nth(1)?.parse::<usize>().ok()).sum()
}

fn files_under(folder: &Path) -> usize {
    let entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.iter().map(|path| if path.is_dir() { files_under(path) } else { 1 }).sum()
}
