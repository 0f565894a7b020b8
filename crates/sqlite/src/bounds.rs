//! The bounds of commits, of the write-ahead log and of page caches. A test makes them small, so that every commit copies the log
//! and no page stays in memory.

use std::time::Duration;

/// How much one commit takes, how long the write-ahead log gets, and how much stays in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The most jobs that share a commit.
    pub(crate) batch_jobs: usize,
    /// The time in µs after which a transaction accepts no further job: finished jobs wait for its commit, and so do writers
    /// of other processes.
    transaction_micros: usize,
    /// A commit that makes the log longer than this copies it, in pages of 4 KiB: SQLite's own bound.
    pub(crate) log_pages: usize,
    /// The same while many large writes follow each other.
    pub(crate) max_log_pages: usize,
    /// A log longer than this, in bytes, is copied between two large writes. With four times as much a quarter less is written,
    /// but the copy of it makes short writes wait 80 ms.
    pub(crate) long_log_bytes: usize,
    /// More than this, in bytes, is copied while large writes go on; less while the next of them waits, so that the copy ends.
    pub(crate) large_rest_bytes: usize,
    /// At most this, in bytes, is copied on the writer's own connection. If nothing is left the log begins anew with the next
    /// write.
    pub(crate) short_rest_bytes: usize,
    /// A log longer than this, in bytes, is copied and truncated once the writer is idle: after a crash the whole log is read
    /// on opening.
    pub(crate) idle_log_bytes: usize,
    /// The time in ms without work after which the writer counts as idle.
    idle_millis: usize,
    /// The page cache of the writer's connection, in KiB. What it holds of a large write is written by the commit, for which short
    /// writes wait, some 3 ms for a MiB. The less it holds, the more often a page is written.
    pub(crate) cache_kib: usize,
    /// The page cache of a reader's connection, in KiB.
    pub(crate) reader_cache_kib: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self::picked(|_, usual| usual)
    }
}

impl Bounds {
    /// The bounds that `pick` gives. It is called for each with the smallest value with which work goes on, and the usual one.
    #[must_use]
    pub fn picked(mut pick: impl FnMut(usize, usize) -> usize) -> Self {
        const KIB: usize = 1 << 10;
        const MIB: usize = 1 << 20;
        Self {
            batch_jobs: pick(1, 1_024),
            transaction_micros: pick(0, 20_000),
            log_pages: pick(1, 1_000),
            max_log_pages: pick(1, 128 * KIB),
            long_log_bytes: pick(0, 64 * MIB),
            large_rest_bytes: pick(0, 32 * MIB),
            short_rest_bytes: pick(0, 2 * MIB),
            idle_log_bytes: pick(0, 4 * MIB),
            idle_millis: pick(1, 2_000),
            cache_kib: pick(1, 11 * KIB),
            reader_cache_kib: pick(1, 4 * KIB),
        }
    }

    /// Whether a transaction with so many jobs, which has lasted so long, takes no further one.
    pub(crate) fn is_reached(&self, jobs: usize, time: Duration) -> bool {
        jobs >= self.batch_jobs || time >= Duration::from_micros(self.transaction_micros as u64)
    }

    pub(crate) const fn idle_time(&self) -> Duration {
        Duration::from_millis(self.idle_millis as u64)
    }
}
