//! The limit on open files of this process, and how many of them connections may use.

/// Open files reserved for the databases, the log and everything else but connections, at least.
const RESERVED_FILES: u64 = 128;

/// Raises the limit on open files of this process to the system's maximum. Only for programs that are nothing but a
/// server: child processes inherit the limit.
pub fn raise_open_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        if limit.current != limit.maximum
            && let Err(e) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })
        {
            tracing::warn!(error = %e, "could not raise the number of open files");
        }
    }
}

/// The number of connections that the limit on open files permits, at most `max_connections`. A quarter of the files,
/// and at least [`RESERVED_FILES`], is left for other uses.
pub(super) fn for_connections(max_connections: usize) -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit};
        if let Some(files) = getrlimit(Resource::Nofile).current {
            return max_connections.min(usable(files));
        }
    }
    max_connections
}

fn usable(files: u64) -> usize {
    let reserve = RESERVED_FILES.max(files / 4);
    usize::try_from(files.saturating_sub(reserve)).unwrap_or(usize::MAX).max(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_files_are_never_for_connections() {
        assert_eq!([1_024, 256, 100].map(usable), [768, 128, 16]);
    }
}
