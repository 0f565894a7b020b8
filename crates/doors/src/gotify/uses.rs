//! When clients were used last. It is written beside the request, which does not wait for it, and not again for a while.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tidings_model::Stamp;
use tidings_server_core::domain::limits;
use tidings_store::domain::account::Bearer;

use super::GotifyState;

/// Tokens whose last use is known, at most; beyond that all are forgotten.
const MAX_TOKENS: usize = 10_000;

/// The tokens that were used a short time ago, with that time.
#[derive(Debug, Default)]
pub(super) struct ClientUses(Mutex<HashMap<String, Stamp>>);

impl ClientUses {
    /// Whether a use of a token now is to be written.
    fn is_due(&self, token: &str, now: Stamp) -> bool {
        let mut noted = self.0.lock();
        let since = now.plus_secs(-limits::LAST_USED_SECS);
        if noted.get(token).is_some_and(|at| *at >= since) {
            return false;
        }
        if noted.len() >= MAX_TOKENS {
            noted.clear();
        }
        noted.insert(token.to_owned(), now);
        true
    }
}

/// Notes that a token is used now.
pub(super) fn note(app: &GotifyState, bearer: &Bearer) {
    if !app.uses.is_due(&bearer.token, app.now()) {
        return;
    }
    let (store, user, token) = (Arc::clone(&app.server.store), bearer.user, bearer.token.clone());
    tokio::spawn(async move {
        if let Err(e) = store.client_used(user, &token).await {
            tracing::warn!(error = %e, "the last use of a client is not recorded");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_written_once_in_a_while_for_each_token() {
        let (uses, now) = (ClientUses::default(), Stamp::ZERO.plus_secs(1_000_000));
        assert!(uses.is_due("a", now) && uses.is_due("b", now));
        assert!(!uses.is_due("a", now.plus_secs(limits::LAST_USED_SECS)));
        assert!(uses.is_due("a", now.plus_secs(limits::LAST_USED_SECS + 1)));
        for number in 0..MAX_TOKENS {
            uses.is_due(&format!("t{number}"), now);
        }
        assert!(uses.0.lock().len() <= MAX_TOKENS);
    }
}
