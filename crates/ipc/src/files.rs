//! Files of notifications: the state of their local copies, and their previews.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The state of an attachment's local copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum FileState {
    /// The download runs.
    Fetching {
        /// Bytes downloaded so far.
        done: u64,
        /// Bytes in total; null if unknown.
        of: Option<u64>,
    },
    /// The file was downloaded.
    Here {
        /// Size in bytes.
        size: u64,
    },
    /// The download failed.
    Failed {
        /// The reason, a sentence.
        why: String,
    },
}

/// The preview of a downloaded file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "preview", rename_all = "snake_case")]
pub enum Preview {
    /// A picture.
    Image {
        /// The picture as a `data:` address.
        src: String,
        /// Its width by its height, each in pixels; the page bounds how many it shows at once.
        pixels: u32,
    },
    /// The beginning of a text, at most 64 KiB.
    Text {
        /// The text.
        text: String,
        /// Whether the text goes on after the preview.
        cut: bool,
    },
    /// Neither a picture nor a text: no preview.
    None,
}
