//! A token, with what renews it.

use std::fmt;

use serde::{Deserialize, Serialize};
use tidings_model::Stamp;

/// The time before a token expires from which it is renewed, in seconds.
const AHEAD_SECONDS: i64 = 5 * 60;
/// The least time between two renewals, in seconds, whatever life a service gives its tokens.
const MIN_LIFE_SECONDS: i64 = 60;

/// A token, as it was entered or granted. `Debug` prints none of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The token.
    pub token: String,
    /// What renews it; `None` if it does not expire, or was entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewal: Option<Renewal>,
    /// The client that it was granted to by a sign-in; `None` if it was entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<GrantedTo>,
}

/// The client that a token was granted to, which may take it back. `Debug` prints none of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantedTo {
    /// Its id.
    pub id: String,
    /// The secret that it got as it registered itself; `None` for one that the reader registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// What renews a token. `Debug` prints none of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renewal {
    /// The refresh token, which is used once.
    pub refresh_token: String,
    /// The id of the client that the token was granted to.
    pub client_id: String,
    /// When the token was granted.
    pub obtained_at: Stamp,
    /// When it expires; `None` if the service does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Stamp>,
}

impl Grant {
    /// A token that nothing renews.
    pub fn of_token(token: impl Into<String>) -> Self {
        Self { token: token.into(), renewal: None, client: None }
    }
}

impl Renewal {
    /// The time from which the token is renewed: five minutes before it expires, but never within a minute after it was
    /// granted.
    pub fn due_at(&self) -> Option<Stamp> {
        let expires_at = self.expires_at?;
        Some(expires_at.plus_secs(-AHEAD_SECONDS).max(self.obtained_at.plus_secs(MIN_LIFE_SECONDS)))
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant").finish_non_exhaustive()
    }
}

impl fmt::Debug for GrantedTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GrantedTo").finish_non_exhaustive()
    }
}

impl fmt::Debug for Renewal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renewal").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}
