//! How many files this process may have open, and how many of them connections may use.

/// Files that are kept for the databases, the log and whatever else the process opens, at least.
const RESERVE: u64 = 128;

/// Raises the number of files that this process may have open as far as the system lets it. For programs that are a
/// server and nothing else: what they start inherits it.
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

/// How many connections there may be, of those wanted: a quarter of the open files is not for them.
pub(super) fn for_connections(wanted: usize) -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit};
        if let Some(files) = getrlimit(Resource::Nofile).current {
            return wanted.min(usable(files));
        }
    }
    wanted
}

fn usable(files: u64) -> usize {
    let reserve = RESERVE.max(files / 4);
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
