//! The limits that a child sets for itself before it reads anything.

use crate::Limits;

/// Gives up what a parser does not need: priority, rights, core dumps and files. When the kernel looks for a process to
/// end, it takes this one before the program that started it. Calls that this system does not have are left out.
pub(crate) fn begin() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        close_inherited();
        // This comes before the process is not dumpable, after which its files in /proc belong to root.
        let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
        let _ = rustix::thread::set_no_new_privs(true);
    }
    #[cfg(unix)]
    {
        use rustix::process::{Resource, nice};
        lower(Resource::Core, 0);
        lower(Resource::Fsize, 0);
        let _ = nice(10);
    }
}

/// Closes all files but the three pipes. This program opens none that another one inherits, but the program that
/// started it may have left some open.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "the files belong to nobody: this process has one thread, which has opened none"
)]
fn close_inherited() {
    let open = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let open: Vec<_> = open.map(|file| file.path()).collect();
    // The folder that was read is closed by now.
    for file in open.iter().filter(|file| file.symlink_metadata().is_ok()) {
        let number = file.file_name().and_then(|name| name.to_str()?.parse().ok());
        let Some(number) = number.filter(|number| *number > 2) else { continue };
        // SAFETY: no value in this process owns the file of this number.
        unsafe { rustix::io::close(number) };
    }
}

/// Sets the limits for one input. `base` is the memory of the child before its first input.
pub(crate) fn limit(limits: &Limits, base: u64) {
    #[cfg(unix)]
    {
        use rustix::process::Resource;
        lower(Resource::Data, base.saturating_add(limits.memory as u64));
        let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        let seconds = limits.processor_time().as_secs().max(1) + 1;
        lower(Resource::Cpu, u64::try_from(used.tv_sec).unwrap_or_default() + seconds);
    }
    #[cfg(not(unix))]
    let _ = (limits, base);
}

/// Sets a limit that may be raised again, unless there is a lower one.
#[cfg(unix)]
fn lower(resource: rustix::process::Resource, to: u64) {
    use rustix::process::{Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(resource).maximum;
    let current = maximum.map_or(to, |maximum| maximum.min(to));
    // A limit that can't be set leaves those of the guard and of the time.
    let _ = setrlimit(resource, Rlimit { current: Some(current), maximum });
}

/// The bytes that count against the limit of memory now; zero if this system does not report them.
pub(crate) fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmData:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}
