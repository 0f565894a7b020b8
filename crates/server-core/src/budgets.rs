//! Limits on the memory and processor time of all requests together. There are budgets in bytes for request and
//! response bodies, each with a share that no user exceeds alone. Low-priority threads parse large bodies and serialize
//! large responses.

mod byte_budget;

use std::time::Duration;

use tidings_model::{Code, Problem};
use tidings_store::domain::account::UserKey;
use tidings_store::worker_pool::{RunError, WorkerPool};

pub use self::byte_budget::{ByteBudget, RequestReservations, Reservation};

/// What a body of up to this many bytes holds is worked on by the thread that received it.
pub const INLINE_BYTES: usize = 16 * 1024;
/// A body or a response of up to this many bytes is small.
pub const SMALL_BODY_BYTES: usize = 64 * 1024;
/// How long a request waits in a queue before it gets `unavailable`.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(10);
/// Large bodies of one user that are parsed at the same time, at most: a parsed body takes several times its bytes. One
/// more is parsed for others.
const PARSER_THREADS: usize = 2;
/// Large responses that are serialized at the same time.
const WRITER_THREADS: usize = 4;
/// Bytes of all small request bodies in progress, and the share of one principal.
const SMALL_BODY_BUDGET: (usize, usize) = (32 * 1024 * 1024, 8 * 1024 * 1024);
/// Bytes of all large request bodies in progress, and the share of one principal: two of the largest bodies.
const LARGE_BODY_BUDGET: (usize, usize) = (48 * 1024 * 1024, 16 * 1024 * 1024);
/// Bytes of all responses in progress, and the share of one principal.
const RESPONSE_BUDGET: (usize, usize) = (72 * 1024 * 1024, 18 * 1024 * 1024);

/// Bytes of all pages that streams of topics are sending, and the share of one principal.
const STREAM_BUDGET: (usize, usize) = (32 * 1024 * 1024, 16 * 1024 * 1024);

/// The bytes of names and filters for which open streams of topics ask, and the share of one principal. The share is
/// more than all names take that a principal may listen to.
const STREAM_TOPICS_BUDGET: (usize, usize) = (32 * 1024 * 1024, 4 * 1024 * 1024);

/// Bytes that downloads of files have read and not sent, at [`DOWNLOAD_BYTES`] each.
const DOWNLOAD_BUDGET: (usize, usize) = (8 * 1024 * 1024, 8 * 1024 * 1024);

/// Bytes of a file that are read at once.
pub const DOWNLOAD_BYTES: usize = 64 * 1024;

/// The party that a budget's share belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Principal {
    /// A user, with all tokens of theirs.
    User(UserKey),
    /// All requests without a token, together.
    Anonymous,
}

impl Principal {
    /// The key of the worker-pool queue in which its work waits.
    fn queue_key(self) -> UserKey {
        match self {
            Self::User(user) => user,
            Self::Anonymous => UserKey(0),
        }
    }
}

/// All budgets and worker pools of a server.
pub struct LoadLimits {
    small_bodies: ByteBudget,
    large_bodies: ByteBudget,
    /// Bytes of responses that are made or sent.
    pub responses: ByteBudget,
    /// Bytes of pages that open streams hold.
    pub streams: ByteBudget,
    /// Bytes of the topics and filters of open streams.
    pub stream_topics: ByteBudget,
    /// Bytes of uploaded files that are read to be sent.
    pub downloads: ByteBudget,
    parsers: WorkerPool,
    writers: WorkerPool,
}

impl Default for LoadLimits {
    fn default() -> Self {
        Self::new(QUEUE_TIMEOUT)
    }
}

impl LoadLimits {
    /// The budgets of a server in which a request waits up to `timeout` for room.
    pub(crate) fn new(timeout: Duration) -> Self {
        Self {
            small_bodies: ByteBudget::new(SMALL_BODY_BUDGET, timeout),
            large_bodies: ByteBudget::new(LARGE_BODY_BUDGET, timeout),
            responses: ByteBudget::new(RESPONSE_BUDGET, timeout),
            streams: ByteBudget::new(STREAM_BUDGET, timeout),
            stream_topics: ByteBudget::new(STREAM_TOPICS_BUDGET, timeout),
            downloads: ByteBudget::new(DOWNLOAD_BUDGET, timeout),
            parsers: WorkerPool::new("parser", spare_cores().min(PARSER_THREADS) + 1),
            writers: WorkerPool::new("writer of pages", WRITER_THREADS),
        }
    }

    /// Reserves memory for a request body; small bodies have a budget of their own and never wait for large ones.
    pub async fn reserve_body(&self, principal: Principal, bytes: usize) -> Result<Reservation, Problem> {
        let pool = if bytes <= SMALL_BODY_BYTES { &self.small_bodies } else { &self.large_bodies };
        pool.reserve(principal, bytes).await
    }

    /// Runs work on request data on the parser threads. Each principal has a queue of its own, so that one with much
    /// work delays only itself.
    pub async fn compute<T: Send + 'static>(
        &self,
        principal: Principal,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        self.parsers.run_within(QUEUE_TIMEOUT, principal.queue_key(), work).await.map_err(run_error)
    }

    /// [`LoadLimits::compute`] for the content of a body of so many bytes; a small one is computed at once.
    pub async fn compute_of<T: Send + 'static>(
        &self,
        principal: Principal,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        if bytes <= INLINE_BYTES { Ok(work()) } else { self.compute(principal, work).await }
    }

    /// [`LoadLimits::write`] of the response to a body of so many bytes; that to a small one is made at once.
    pub async fn write_of<T: Send + 'static>(
        &self,
        principal: Principal,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        if bytes <= INLINE_BYTES { Ok(work()) } else { self.write(principal.queue_key(), work).await }
    }

    /// Runs the serialization of a response on the writer threads.
    pub async fn write<T: Send + 'static>(
        &self,
        user: UserKey,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        self.writers.run(user, work).await.map_err(run_error)
    }
}

/// The number of processors minus one for the threads that serve connections; at least one.
fn spare_cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1))
}

fn run_error(why: RunError) -> Problem {
    match why {
        RunError::Busy => busy(),
        RunError::Failed => {
            tracing::error!("a part of a request panicked");
            Problem::new(Code::Unavailable, "the server cannot do this now; try again later")
        }
    }
}

fn busy() -> Problem {
    Problem::new(Code::Unavailable, "the server is busy with other large requests; try again in a moment")
}

#[cfg(test)]
#[path = "budgets_tests.rs"]
mod tests;
