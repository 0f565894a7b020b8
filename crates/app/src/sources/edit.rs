//! Edits a source: its name, its address with the topics in it, its token. A new address or token is stored once the
//! service has answered to it, as the same user. The token that is kept goes only to the origin for which it was stored.

use tidings_ipc::{SourceForm, SourceTest};
use tidings_net::address::AddressKind;
use tidings_replica::{Source, SourceChange, SourceId};
use tidings_sources::{Protocol, protocol};
use tidings_strings::settings::SettingsStrings;
use tidings_sync::tokens::Grant;
use url::Url;

use super::Sources;
use super::probe::{credential, entered_addresses, host, valid_name};
use crate::error::{Error, Result};

/// What a service answered at the new address, or to the new token.
struct Accepted {
    url: String,
    /// The token that was entered, to be stored.
    token: Option<String>,
    text: String,
}

impl Sources {
    /// Changes the name, the address and the token of a source. An empty token keeps the one it has. Without success
    /// nothing changes, and the sentence says why.
    ///
    /// # Errors
    /// `invalid` for a name that is missing, too long or taken.
    pub(crate) async fn edit_source(&self, source: SourceId, form: SourceForm) -> Result<SourceTest> {
        let table = self.context.settings_strings();
        let row = self.context.disk(move |r| r.source(source)).await?;
        let name = match valid_name(&form.name) {
            Some(name) => name,
            // The page shows a default name for it.
            None if row.own && form.name.trim().is_empty() => String::new(),
            None => return Err(Error::invalid(table.name_needed)),
        };
        let accepted = match asked_anew(&row, &form) {
            Some(known) => match self.ask_anew(&row, known, &form).await? {
                Ok(accepted) => Some(accepted),
                Err(text) => return Ok(SourceTest { ok: false, text, name: row.name }),
            },
            None => None,
        };
        let moved = accepted.as_ref().map(|accepted| accepted.url.clone()).filter(|url| *url != row.url);
        let is_moved = moved.is_some();
        let change = SourceChange { name: Some(name.clone()), url: moved, ..SourceChange::default() };
        let changed = self.context.disk(move |r| r.change_source(source, change)).await;
        changed.map_err(|error| name_taken_error(error, &name, table))?;
        let Some(Accepted { url, token, text }) = accepted else {
            return self.context.with_sync_update(Ok(())).map(|()| SourceTest {
                ok: true,
                text: String::new(),
                name,
            });
        };
        if let Some(token) = token {
            let stored =
                self.tokens.replace_grant(Source { url, ..row.clone() }, Grant::of_token(token)).await;
            if let Err(error) = stored {
                let before =
                    SourceChange { name: Some(row.name), url: Some(row.url), ..SourceChange::default() };
                self.context.disk(move |r| r.change_source(source, before)).await?;
                return Err(error);
            }
        }
        // The cursor may mean nothing there; known items make no toasts again.
        if is_moved {
            self.context.disk(move |r| r.resync(source)).await?;
        }
        if let Some(engine) = self.engine.get()
            && let Err(error) = engine.restart(source).await
        {
            tracing::warn!(%error, "a source that was edited could not be started");
        }
        self.context.with_sync_update(Ok(()))?;
        Ok(SourceTest { ok: true, text, name })
    }

    /// Asks the service at the address and with the token of the form; the inner error is a sentence.
    async fn ask_anew(
        &self,
        row: &Source,
        known: &'static Protocol,
        form: &SourceForm,
    ) -> Result<std::result::Result<Accepted, String>> {
        let table = self.context.settings_strings();
        let mut urls = match entered_addresses(&form.url, known, table) {
            Ok(urls) => urls,
            Err(text) => return Ok(Err(text)),
        };
        let entered = Some(credential(known, &form.token).to_owned()).filter(|token| !token.is_empty());
        let kept = if entered.is_none() { self.kept_token(row).await? } else { None };
        if kept.is_some() {
            urls.retain(|url| origin(url) == origin(&row.url));
            if urls.is_empty() {
                return Ok(Err((table.token_of_other_address)(&host(&row.url))));
            }
        }
        let token = entered.as_deref().or(kept.as_deref()).unwrap_or_default();
        let reached = self.probes.reach(known, &urls, token, Some(row)).await?;
        Ok(reached.map(|(probed, text)| Accepted { url: probed.url, token: entered, text }))
    }

    /// The token that is stored for a source.
    async fn kept_token(&self, row: &Source) -> Result<Option<String>> {
        let (tokens, row) = (self.tokens.store().clone(), row.clone());
        let kept = tokio::task::spawn_blocking(move || tokens.get(&row)).await;
        Ok(kept.map_err(|_| Error::Ending)?.filter(|token| !token.is_empty()))
    }
}

/// The protocol of a source that has to be asked, because the form has another address or a token.
fn asked_anew(row: &Source, form: &SourceForm) -> Option<&'static Protocol> {
    let known = protocol(&row.protocol).ok().filter(|_| !row.own)?;
    let is_other = form.url.trim() != row.url || !credential(known, &form.token).is_empty();
    (known.address != AddressKind::Applications && is_other).then_some(known)
}

/// Scheme, host and port of an address.
fn origin(url: &str) -> Option<String> {
    url.parse::<Url>().ok().map(|url| url.origin().ascii_serialization())
}

fn name_taken_error(error: Error, name: &str, table: &SettingsStrings) -> Error {
    match error {
        Error::Replica(tidings_replica::Error::NameTaken(_)) => Error::invalid((table.name_taken)(name)),
        other => other,
    }
}
