//! The address by which a file of settings names a source.

use serde::{Deserialize, Serialize};
use tidings_replica::Source;

/// Identifies a source on every computer, although row ids differ.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SourceAddress {
    pub(super) url: String,
    #[serde(default)]
    pub(super) user: Option<String>,
    /// The own server of the computer that wrote the file; it stands for the own server of this one.
    #[serde(default)]
    pub(super) own: bool,
}

impl SourceAddress {
    pub(super) fn of(source: &Source) -> Self {
        Self { url: source.url.clone(), user: source.user.clone(), own: source.own }
    }

    pub(super) fn matches(&self, source: &Source) -> bool {
        (self.own && source.own)
            || (self.own == source.own && self.url == source.url && self.user == source.user)
    }
}
