//! The origin and user that a token was stored for.

use serde::{Deserialize, Serialize};
use tidings_replica::Source as Row;
use url::Url;

/// The origin that a token may go to, and the user there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owner {
    /// Scheme, host and port, for example `https://tidings.example.org` or `http://127.0.0.1:7878`.
    pub(super) origin: String,
    /// `None` where the source has none, or it was not known yet.
    #[serde(default)]
    pub(super) user: Option<String>,
}

impl Owner {
    /// The owner that a source's address and user name; `None` where the address is not one of a server.
    pub(super) fn of(source: &Row) -> Option<Self> {
        let origin = source.url.parse::<Url>().ok()?.origin();
        let origin = origin.is_tuple().then(|| origin.ascii_serialization())?;
        Some(Self { origin, user: source.user.clone() })
    }

    /// Whether a token that was stored for this owner may be given to the other: same origin, and not another user.
    pub(super) fn matches(&self, other: &Self) -> bool {
        let other_user = matches!((&self.user, &other.user), (Some(a), Some(b)) if a != b);
        self.origin == other.origin && !other_user
    }
}
