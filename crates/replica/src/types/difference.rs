//! Differences between stored values and their recount.

use std::fmt;

/// A stored value that differs from its recount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The counter, row or page of the file.
    pub what: String,
    /// The stored value.
    pub stored: String,
    /// The recounted value.
    pub counted: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: kept {}, counted {}", self.what, self.stored, self.counted)
    }
}
