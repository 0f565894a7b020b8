//! Keeps the memory of a process that holds tokens out of files and other programs. No core dump of it is written, and no
//! message of a panic that may have a part of it.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};

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

/// Logs panics by their place in the code, and with the calls that led there if `RUST_BACKTRACE` asks for them. A message is
/// logged if it is a literal. Others have values, for example the token that a header can't have, or a text that was cut within
/// a letter.
pub fn log_panics() {
    std::panic::set_hook(Box::new(|panicked| {
        let at = panicked.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(at, "a part of the program panicked: {}", panic_message(panicked.payload()));
        let calls = Backtrace::capture();
        if calls.status() == BacktraceStatus::Captured {
            tracing::error!("{calls}");
        }
    }));
}

/// The message of a panic, if it is a literal.
pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> &'static str {
    payload.downcast_ref::<&'static str>().copied().unwrap_or("its message may have a secret")
}
