//! Keeps the memory of a process that holds tokens out of files and other programs: no core dump of it is written.

/// Sets the limit on core files of this process, and of the programs that it starts, to 0. Some systems pass a dump to a
/// program instead of writing a file; those of systemd and Ubuntu keep to this limit, too.
pub fn forbid_core_dumps() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        if let Err(e) = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }) {
            tracing::warn!(error = %e, "core dumps could not be turned off");
        }
    }
}

/// Makes this process one that the system never dumps, and whose memory no other program of the same user reads.
/// Programs that it starts are not concerned. This is only for programs without a window: the desktop's portals, which
/// open files and links, look into `/proc/PID/root` of who asks. They refuse a process if they may not.
pub fn forbid_memory_access() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        if let Err(e) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
            tracing::warn!(error = %e, "the memory could not be closed to other programs");
        }
    }
}
