//! Whether there is a newer version of the program.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What is known of newer versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Releases {
    /// Whether this package names a feed of its releases. Without one nothing is asked, and there is nothing to switch off.
    pub has_feed: bool,
    /// A newer version; null if none is known, or if the reader does not want to be told.
    pub newer: Option<NewerVersion>,
}

/// A version that is newer than this program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NewerVersion {
    /// The version, such as `0.2.0`.
    pub version: String,
    /// The page about it, at an address of the web.
    pub link: String,
}
