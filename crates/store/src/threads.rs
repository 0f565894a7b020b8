//! Threads and locks of the worker pool. `tests/interleavings` compiles it with others in their place, which try one order of
//! steps after the other.

pub(crate) use std::thread;

pub(crate) use parking_lot::{Condvar, Mutex, MutexGuard};

/// How much the nice value is raised. With 5 a thread gets about a third of the weight of normal threads. Those have
/// precedence, and locks that such a thread has (of the allocator or of SQLite) are still released soon while they are
/// busy.
#[cfg(target_os = "linux")]
pub(crate) const NICENESS: i32 = 5;

/// Lowers the priority of this thread. Only on Linux, where the nice value belongs to a thread; elsewhere it is that of
/// the whole process.
pub(crate) fn lower_priority() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{getpriority_process, setpriority_process};
        let lowered = getpriority_process(None).and_then(|now| setpriority_process(None, now + NICENESS));
        if let Err(e) = lowered {
            tracing::debug!(error = %e, "a thread keeps its priority");
        }
    }
}
