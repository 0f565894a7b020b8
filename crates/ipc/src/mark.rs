//! The answer to a mark, which can undo it. The marks themselves are [`tidings_model::Mark`].

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The result of a mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Marked {
    /// The id that `undo` takes; none if nothing changed.
    pub undo: Option<u64>,
    /// The number of threads that changed.
    pub threads: u64,
    /// The number of the replica's changes after this mark: a list with a lower `as_of` does not include it.
    pub as_of: u64,
}
