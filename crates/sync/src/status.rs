//! The status of a source, and the events of the engine.

use std::{collections::BTreeMap, sync::Arc};

use tidings_model::Stamp;
use tidings_replica::{Applied, SourceId, ThreadId};

use crate::Trouble;

/// The status of one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourceStatus {
    /// Not started yet, or between two pulls of a source without a live channel.
    #[default]
    Idle,
    /// Paused by the reader.
    Paused,
    /// A pull is running that may bring many items: the first one, or one after a gap.
    Pulling {
        /// Items fetched so far.
        done: u64,
        /// The total number of items, at least `done`; `None` if the server does not report it.
        of: Option<u64>,
    },
    /// Up to date, with an open live channel.
    Live,
    /// The last try failed, and another one is scheduled.
    Retrying {
        /// The time of the next try.
        at: Stamp,
        /// The reason of the failure.
        trouble: Trouble,
    },
    /// The token is missing or was refused. No request is sent until the token changes or a pull is requested.
    NeedsSignIn {
        /// The time since which the sign-in is missing.
        since: Stamp,
    },
}

/// The status of each source.
pub type SourceStatuses = BTreeMap<SourceId, SourceStatus>;

/// An event that the engine reports while it works.
#[derive(Debug, Clone)]
pub enum EngineEvent {
    /// A page was applied that changed the replica.
    Applied {
        /// The source of the page.
        source: SourceId,
        /// The changes that it made.
        applied: Arc<Applied>,
        /// The reason of the pull.
        reason: PullReason,
    },
    /// The service refused the subscription that the reader wanted of a thread; what was in force before is so again.
    SubscriptionRefused {
        /// The thread's source.
        source: SourceId,
        /// The thread.
        thread: ThreadId,
    },
    /// A pull is complete: all items of the server are in the replica.
    CaughtUp {
        /// The source that was pulled.
        source: SourceId,
        /// The reason of the pull.
        reason: PullReason,
    },
}

/// The reason of a pull; decides whether items make toasts of their own or a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PullReason {
    /// The first pull of a source: its history.
    Backlog,
    /// The first pull after a start, a sleep or a lost connection: items that arrived meanwhile.
    Gap,
    /// A hint, a timer or a person asked for it.
    Live,
}
