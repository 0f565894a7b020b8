//! Stores the tokens of sources.

use std::sync::Arc;

use tidings_net::secrets::StoredIn;
use tidings_replica::Source;
use tidings_sync::tokens::Grant;
use tidings_sync::{StoredTokens, TokenStore};
use url::Url;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::state::notices::Degradation;

/// The tokens of the sources, and where they are stored.
pub(crate) struct Tokens {
    context: Arc<Context>,
    stored: StoredTokens,
}

impl Tokens {
    /// Opens the tokens of the data folder. `serves_origin` is true if the own server answers at an address.
    pub(crate) fn open(
        context: &Arc<Context>,
        serves_origin: impl Fn(&Url) -> bool + Send + Sync + 'static,
    ) -> Self {
        let dir = context.data.home().dir();
        // Tests never touch the developer's keyring.
        let store = if cfg!(test) { TokenStore::without_keyring(dir) } else { TokenStore::new(dir) };
        if let Err(error) = store.certificates().load() {
            tracing::warn!(%error, "certificates that were added are not used");
        }
        Self { context: Arc::clone(context), stored: StoredTokens::new(store, serves_origin) }
    }

    /// Where the tokens are stored.
    pub(crate) fn store(&self) -> &TokenStore {
        self.stored.store()
    }

    /// The tokens as the engine asks for them.
    pub(crate) fn stored(&self) -> StoredTokens {
        self.stored.clone()
    }

    /// Reads the keys of client certificates, with which a source that is not stored may be asked.
    pub(crate) async fn load_client_keys(&self) -> Result<()> {
        let certificates = self.store().certificates();
        tokio::task::spawn_blocking(move || certificates.load_keys()).await.map_err(|_| Error::Ending)
    }

    /// Moves tokens that an earlier version stored by row id.
    pub(crate) async fn migrate_tokens(&self) {
        let Ok(rows) = self.context.disk(tidings_replica::Replica::sources).await else { return };
        let tokens = self.store().clone();
        match tokio::task::spawn_blocking(move || tokens.migrate_legacy(&rows)).await {
            Ok(Ok(0)) | Err(_) => {}
            Ok(Ok(sources)) => {
                tracing::warn!(
                    sources,
                    "this inbox was restored from a backup, so it is not known for which addresses its tokens were \
                     kept: they are forgotten, and the sources have to be signed in again"
                );
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "the tokens of a former version could not be taken over");
            }
        }
    }

    /// Stores the token of a source. If it had to go into a file, a notice says so.
    pub(crate) async fn store_token(&self, source: Source, token: String) -> Result<()> {
        self.store_grant(source, Grant::of_token(token)).await
    }

    /// Stores the token of a source with what renews it, like [`Tokens::store_token`].
    pub(super) async fn store_grant(&self, source: Source, grant: Grant) -> Result<()> {
        let tokens = self.store().clone();
        let stored = tokio::task::spawn_blocking(move || tokens.set_grant(&source, grant)).await;
        match stored.map_err(|_| Error::Ending)? {
            Ok(StoredIn::Keyring) => Ok(()),
            Ok(StoredIn::File) => {
                self.context.raise(&Degradation::Keyring);
                Ok(())
            }
            Err(error) => {
                Err(Error::storage((self.context.settings_strings().token_not_stored)(&error.to_string())))
            }
        }
    }

    /// Stores the token of a source in place of the one before; an empty one only removes that.
    pub(super) async fn replace_grant(&self, source: Source, grant: Grant) -> Result<()> {
        if !grant.token.is_empty() {
            return self.store_grant(source, grant).await;
        }
        let tokens = self.store().clone();
        let removed = tokio::task::spawn_blocking(move || tokens.remove(&source)).await;
        let why =
            |error: std::io::Error| (self.context.settings_strings().token_not_stored)(&error.to_string());
        removed.map_err(|_| Error::Ending)?.map_err(|error| Error::storage(why(error)))
    }
}
