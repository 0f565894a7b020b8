//! Who publishes: a token's user, or a program of the server's user without a token.

use axum::http::request::Parts;
use tidings_server_core::budgets::Principal;
use tidings_server_core::peer_user::{self, PeerUser};
use tidings_store::domain::account::{Bearer, UserKey};

/// The publisher of one request.
#[derive(Clone)]
pub(in crate::ntfy) struct Publisher {
    /// The owner of an `Idempotency-Key`; `None` if it is not known, and a key is refused.
    pub(in crate::ntfy) idempotency_owner: Option<String>,
    /// The token; `None` for a program without one.
    pub(super) bearer: Option<Bearer>,
}

impl Publisher {
    /// The token's user; `None` for a program without a token.
    pub(in crate::ntfy) fn user(&self) -> Option<UserKey> {
        self.bearer.as_ref().map(|bearer| bearer.user)
    }

    pub(super) fn principal(&self) -> Principal {
        principal(self.bearer.as_ref())
    }
}

pub(in crate::ntfy) async fn publisher(parts: &Parts, bearer: Option<Bearer>, topic: &str) -> Publisher {
    Publisher { idempotency_owner: idempotency_owner(parts, bearer.as_ref(), topic).await, bearer }
}

/// The owner of an `Idempotency-Key`: the token, or without one the topic together with the system user who runs the
/// program. `None` if that user is not known; a key is then refused, because another program may send the same one.
async fn idempotency_owner(parts: &Parts, bearer: Option<&Bearer>, topic: &str) -> Option<String> {
    if let Some(bearer) = bearer {
        return Some(bearer.token.clone());
    }
    match parts.extensions.get::<peer_user::PeerConnection>()?.user().await {
        PeerUser::Uid(uid) => Some(format!("uid:{uid}:{topic}")),
        PeerUser::Gone | PeerUser::Unreadable | PeerUser::Unsupported => None,
    }
}

/// The principal whose share of the body budgets a publication uses.
pub(super) fn principal(bearer: Option<&Bearer>) -> Principal {
    bearer.map_or(Principal::Anonymous, |bearer| Principal::User(bearer.user))
}
