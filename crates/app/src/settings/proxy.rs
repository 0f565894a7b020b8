//! The proxy in the settings. Its password does not go to the page.

use std::sync::Arc;

use tidings_ipc::{ProxyForm, ProxyUse, ProxyView};
use tidings_net::proxies::{ProxyChoice, ProxyCredentials, ProxyError, ProxyStore};
use tidings_net::secrets::StoredIn;

use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::sources::engine::RunningEngine;
use crate::sources::tokens::Tokens;
use crate::state::notices::Degradation;

part! {
    /// The proxy in the settings.
    pub(crate) struct ProxySettings {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        tokens: Arc<Tokens>,
    }
}

impl ProxySettings {
    /// The proxy as it is set.
    pub(crate) async fn proxy(&self) -> Result<ProxyView> {
        self.in_proxy_store(|store| Ok(view(store))).await
    }

    /// Sets the proxy, and has every source connect anew. An error leaves the one of before.
    pub(crate) async fn set_proxy(&self, form: ProxyForm) -> Result<ProxyView> {
        let (stored, view) = self
            .in_proxy_store(move |store| {
                let known = store.credentials();
                let ProxyForm { choice, address, user, password } = form;
                let keeps = password.is_empty() && user.trim() == known.user;
                let credentials =
                    (!keeps).then(|| ProxyCredentials { user: user.trim().to_owned(), password });
                let choice = match choice {
                    ProxyUse::Desktop => ProxyChoice::Desktop,
                    ProxyUse::None => ProxyChoice::None,
                    ProxyUse::This => ProxyChoice::This { address },
                };
                let stored = store.set(choice, credentials)?;
                Ok((stored, view(store)))
            })
            .await?;
        if stored == Some(StoredIn::File) {
            self.context.raise(&Degradation::Keyring);
        }
        self.engine.pull_now();
        Ok(view)
    }

    /// Uses the proxy that was chosen, also by another process.
    pub(crate) async fn load_proxy(&self) {
        let store = self.tokens.store().proxy();
        if let Ok(Err(error)) = tokio::task::spawn_blocking(move || store.load()).await {
            tracing::warn!(%error, "the proxy that was chosen is not used");
        }
    }

    async fn in_proxy_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ProxyStore) -> std::result::Result<T, ProxyError> + Send + 'static,
    ) -> Result<T> {
        let store = self.tokens.store().proxy();
        let done = tokio::task::spawn_blocking(move || work(&store)).await.map_err(|_| Error::Ending)?;
        done.map_err(|error| match error {
            ProxyError::Address => Error::invalid(self.context.settings_strings().proxy_address),
            ProxyError::Disk(error) => {
                Error::storage((self.context.settings_strings().not_written)(&error.to_string()))
            }
        })
    }
}

fn view(store: &ProxyStore) -> ProxyView {
    match store.choice().unwrap_or_default() {
        ProxyChoice::Desktop => ProxyView::default(),
        ProxyChoice::None => ProxyView { choice: ProxyUse::None, ..ProxyView::default() },
        ProxyChoice::This { address } => {
            let ProxyCredentials { user, password } = store.credentials();
            ProxyView { choice: ProxyUse::This, address, user, has_password: !password.is_empty() }
        }
    }
}
