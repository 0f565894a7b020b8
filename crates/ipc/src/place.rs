//! The places of the page.

use serde::{Deserialize, Serialize};
use tidings_model::Kind;
use ts_rs::TS;

use crate::SourceId;

/// A place from which a list of threads is taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "place", rename_all = "snake_case")]
pub enum Place {
    /// Everything that is neither archived nor snoozed.
    Inbox,
    /// The unread threads of the inbox.
    Unread,
    /// The pinned threads, also archived and snoozed ones.
    Pinned,
    /// The snoozed threads.
    Snoozed,
    /// The archived threads.
    Done,
    /// The threads of one kind in the inbox.
    Kind {
        /// The kind.
        kind: Kind,
    },
    /// The threads of one source in the inbox.
    Source {
        /// The source.
        source: SourceId,
    },
    /// The threads that a saved search finds.
    Saved {
        /// The saved search's id.
        id: i64,
    },
}
