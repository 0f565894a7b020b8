//! How a source is doing, for whoever shows it. Refuses words in any language but the closed list of troubles.

use std::{collections::BTreeMap, sync::Arc};

use tidings_model::Stamp;
use tidings_replica::{Applied, SourceId};

use crate::Trouble;

/// How one source is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// Not started yet, or between two looks at a source that has no live channel.
    #[default]
    Idle,
    /// Its reader paused it.
    Paused,
    /// Fetching what came.
    Pulling {
        /// Items fetched in this pull.
        done: u64,
        /// Items expected, where the server says so; never less than `done`.
        of: Option<u64>,
    },
    /// Up to date, with an open live channel.
    Live,
    /// The last try failed.
    Retrying {
        /// When the next one is due.
        at: Stamp,
        /// What happened.
        trouble: Trouble,
    },
    /// The token is missing or was refused; nothing is tried until it changes or a pull is asked for.
    NeedsSignIn {
        /// Since when.
        since: Stamp,
    },
}

/// By source.
pub type States = BTreeMap<SourceId, State>;

/// What the engine tells while it works.
#[derive(Debug, Clone)]
pub enum News {
    /// A page was written.
    Applied {
        /// Of which source.
        source: SourceId,
        /// What it did.
        applied: Arc<Applied>,
        /// How it came.
        occasion: Occasion,
    },
    /// A pull of this occasion is over: everything that was there is in.
    CaughtUp {
        /// Which source.
        source: SourceId,
        /// How it came.
        occasion: Occasion,
    },
}

/// Why a page was pulled: it decides how loudly its items are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Occasion {
    /// The source's first backlog: history, not news.
    Backlog,
    /// The first pull after a start, a sleep or a lost connection: what came while nobody listened.
    Gap,
    /// A hint, a timer or a person asked.
    Live,
}
