//! The origin and user that a token was stored for.

use serde::{Deserialize, Serialize};
use tidings_replica::Source as Row;
use url::Url;

/// The origin and user for which a token is valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owner {
    /// Scheme, host and port, for example `https://tidings.example.org` or `http://127.0.0.1:7878`.
    pub(super) origin: String,
    /// The user's id; `None` if the source had none or it was unknown.
    #[serde(default)]
    pub(super) user: Option<String>,
}

impl Owner {
    /// The owner that follows from a source's address and user; `None` if the address is not one of a server.
    pub(super) fn of(source: &Row) -> Option<Self> {
        let origin = source.url.parse::<Url>().ok()?.origin();
        let origin = origin.is_tuple().then(|| origin.ascii_serialization())?;
        Some(Self { origin, user: source.user.clone() })
    }

    /// Whether a token that was stored for this owner may be used for the other: same origin, and not a different
    /// user.
    pub(super) fn matches(&self, other: &Self) -> bool {
        let other_user = matches!((&self.user, &other.user), (Some(a), Some(b)) if a != b);
        self.origin == other.origin && !other_user
    }
}
