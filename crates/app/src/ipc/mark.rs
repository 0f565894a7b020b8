//! The answer to a mark, which can undo it. The marks themselves are [`tidings_model::Mark`].

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a mark did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Marked {
    /// Give this to `undo`; none where nothing changed.
    #[ts(type = "number | null")]
    pub undo: Option<u64>,
    /// Threads that changed.
    #[ts(type = "number")]
    pub threads: u64,
    /// The replica's changes so far, this one among them: a list of fewer does not know of it.
    #[ts(type = "number")]
    pub as_of: u64,
}
