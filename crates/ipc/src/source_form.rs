//! The form of a source, and the result of testing it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The form that adds or edits a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceForm {
    /// The protocol: the name of one of `Bootstrap.protocols`.
    pub protocol: String,
    /// The address as the reader typed it; without a scheme https is tried, and http on this computer and in its network.
    /// An empty one stands for the protocol's own.
    pub url: String,
    /// The token in plain text, or none; it is stored in the keyring.
    pub token: String,
    /// The reader's name for the source; an empty one is replaced by the host's name.
    pub name: String,
    /// The id of a sign-in with the browser that succeeded, whose token is taken in place of `token`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sign_in: Option<u64>,
}

/// The result of testing a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceTest {
    /// Whether the source can be added.
    pub ok: bool,
    /// A sentence: "Signed in as Ana. 12 unread", or what failed and what to do.
    pub text: String,
    /// A suggested name: the service's, a document's title, or the host.
    pub name: String,
}
