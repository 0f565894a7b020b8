//! The status of a source, and the events of the engine.

use std::{collections::BTreeMap, sync::Arc};

use tidings_model::Stamp;
use tidings_replica::{Applied, SourceId};

use crate::Trouble;

/// The status of one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourceStatus {
    /// Not started yet, or between two pulls of a source that has no live channel.
    #[default]
    Idle,
    /// Paused by the reader.
    Paused,
    /// A pull is under way that may bring much: the first one, or one after a gap.
    Pulling {
        /// Items fetched so far.
        done: u64,
        /// Items in all, where the server says it; at least `done`.
        of: Option<u64>,
    },
    /// Up to date, with an open live channel.
    Live,
    /// The last try failed, and another one is due.
    Retrying {
        /// When it is due.
        at: Stamp,
        /// Why it failed.
        trouble: Trouble,
    },
    /// The token is missing or was refused; nothing is tried until it changes or a pull is asked for.
    NeedsSignIn {
        /// Since when.
        since: Stamp,
    },
}

/// The status of each source.
pub type SourceStatuses = BTreeMap<SourceId, SourceStatus>;

/// What the engine reports while it works.
#[derive(Debug, Clone)]
pub enum EngineEvent {
    /// A page was applied that changed the replica.
    Applied {
        /// Its source.
        source: SourceId,
        /// What it changed.
        applied: Arc<Applied>,
        /// Why it was pulled.
        reason: PullReason,
    },
    /// A pull is complete: everything that the server had is in the replica.
    CaughtUp {
        /// Its source.
        source: SourceId,
        /// Why it was pulled.
        reason: PullReason,
    },
}

/// Why a page was pulled; decides whether its items make toasts of their own or a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PullReason {
    /// The first pull of a source: its history.
    Backlog,
    /// The first pull after a start, a sleep or a lost connection: what arrived meanwhile.
    Gap,
    /// A hint, a timer or a person asked for it.
    Live,
}
