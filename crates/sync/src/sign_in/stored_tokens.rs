//! What gives an engine the stored tokens of sources, and renews those that expire.

use std::sync::Arc;

use async_trait::async_trait;
use tidings_model::{Clock, Stamp};
use tidings_net::{Error, Result};
use tidings_replica::Source as Row;
use tidings_sources::is_open;
use url::Url;

use super::renewal::renew;
use crate::tokens::{TokenStore, Tokens};

/// The [`Tokens`] of a program, from a [`TokenStore`]. The own server's token is returned only while that server runs
/// at the source's address.
#[derive(Clone)]
pub struct StoredTokens {
    store: TokenStore,
    runs_at: Arc<dyn Fn(&Url) -> bool + Send + Sync>,
}

impl StoredTokens {
    /// Uses the tokens of `store`. `runs_at` is true if the own server answers at an address; it may block.
    pub fn new(store: TokenStore, runs_at: impl Fn(&Url) -> bool + Send + Sync + 'static) -> Self {
        Self { store, runs_at: Arc::new(runs_at) }
    }

    /// The underlying store.
    pub fn store(&self) -> &TokenStore {
        &self.store
    }
}

#[async_trait]
impl Tokens for StoredTokens {
    fn token(&self, source: &Row) -> Result<String> {
        if source.own {
            let at = source.url.parse::<Url>().map_err(|_| Error::Unreachable)?;
            if !(self.runs_at)(&at) {
                return Err(Error::Unreachable);
            }
        }
        if let Ok(at) = source.url.parse() {
            self.store.certificates().load_key(&at);
        }
        let without = || is_open(&source.protocol).then(String::new);
        self.store.get(source).or_else(without).ok_or(Error::SignIn)
    }

    fn renewal_due(&self, source: &Row) -> Option<Stamp> {
        self.store.grant(source)?.renewal?.due_at()
    }

    async fn renew(&self, source: &Row, refused: Option<&str>, clock: &Arc<dyn Clock>) -> Result<bool> {
        renew(&self.store, source, refused, clock).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_servers_token_goes_only_to_the_server_that_runs_here() {
        let folder = tempfile::tempdir().unwrap();
        let store = TokenStore::without_keyring(folder.path());
        let own = Row { id: 1, own: true, url: "http://127.0.0.1:7878".to_owned(), ..Row::default() };
        store.set(&own, "tdg_own").unwrap();
        let keys = |runs: &'static str| {
            StoredTokens::new(store.clone(), move |at| at.origin() == runs.parse::<Url>().unwrap().origin())
        };
        assert_eq!(keys("http://127.0.0.1:7878").token(&own).unwrap(), "tdg_own");
        for elsewhere in ["http://127.0.0.1:7879", "https://evil.example"] {
            assert!(matches!(keys(elsewhere).token(&own), Err(Error::Unreachable)), "{elsewhere}");
        }
        let named = Row { url: "https://evil.example".to_owned(), ..own };
        assert!(keys("https://evil.example").token(&named).is_err(), "it was stored for another origin");
    }
}
