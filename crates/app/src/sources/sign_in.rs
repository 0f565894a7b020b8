//! The sign-in with the browser: one at a time. The token never goes to the page: it waits here until the source is
//! added.

use std::sync::Arc;

use tidings_ipc::{SignInForm, SignInPrompt, SourceForm, SourceTest};
use tidings_model::Lang;
use tidings_replica::{Replica, Source, SourceId};
use tidings_sources::probe::ask;
use tidings_sources::{Credential, Protocol, protocol};
use tidings_strings::settings::{SettingsStrings, settings_strings};
use tidings_sync::sign_in::{self, Error as SignInError, NewSignIn, PageTexts, Prompt, Revocation, begin};
use tidings_sync::tokens::Grant;

use super::engine::RunningEngine;
use super::probe::{AskedService, Probes, connect_error_text, credential, host, other_user_text};
use super::tokens::Tokens;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::state::sign_ins::{CurrentSignIn, Granted};

part! {
    /// Signs in to sources, with a token or with the browser.
    pub(crate) struct SignIns {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        tokens: Arc<Tokens>,
        probes: Arc<Probes>;
        current: CurrentSignIn = CurrentSignIn::default(),
    }
}

impl SignIns {
    /// The client id that is kept for the service of a source; empty for none.
    pub(crate) async fn sign_in_client(&self, name: String, url: String) -> Result<String> {
        let Ok(known) = protocol(&name) else { return Ok(String::new()) };
        self.context.disk(move |replica| sign_in::client_id(replica, known, &url)).await
    }

    /// Begins a sign-in in place of one that goes on. The error is a sentence.
    pub(crate) async fn begin_sign_in(&self, form: SignInForm) -> Result<SignInPrompt> {
        let table = self.context.settings_strings();
        let (name, url) = match form.source {
            Some(id) => {
                let row = self.context.disk(move |r| r.source(id)).await?;
                (row.protocol, row.url)
            }
            None => (form.protocol, form.url),
        };
        let asked =
            |error: &tidings_net::Error| connect_error_text(error, "", &AskedService::default(), table);
        let known = protocol(&name).map_err(|error| Error::invalid(asked(&error)))?;
        let at = host_of(known, &url);
        let told = |error: &SignInError| Error::invalid(sign_in_error_text(error, &at, known, table));
        let id = form.client_id.trim().to_owned();
        if !id.is_empty() {
            let (url, id) = (url.clone(), id.clone());
            let set = move |replica: &Replica| sign_in::set_client_id(replica, known, &url, &id);
            if !self.context.disk(set).await? {
                return Err(told(&SignInError::ClientId));
            }
        }
        self.tokens.load_client_keys().await?;
        let started = begin(NewSignIn {
            protocol: known,
            url: &url,
            client_id: &id,
            more: form.more,
            texts: page_texts(self.context.lang()),
            clock: self.context.clock.clone(),
            sleep: sign_in::real_time(),
        })
        .await
        .map_err(|error| told(&error))?;
        let (page, code) = match &started.prompt {
            Prompt::Code { code, url } => (url.to_string(), Some(code.clone())),
            Prompt::Page(url) => (url.to_string(), None),
        };
        let id = self.current.replace(form.source, started, known);
        Ok(SignInPrompt { id, url: page, code })
    }

    /// Waits until the reader has agreed, and tests the source with the token. That of a new source waits for it to be
    /// added, that of a known one is stored.
    pub(crate) async fn finish_sign_in(&self, id: u64) -> Result<SourceTest> {
        let table = self.context.settings_strings();
        let failed = |text: String| Ok(SourceTest { ok: false, text, name: String::new() });
        let Some((started, known, source, cancelled)) = self.current.take(id) else {
            return failed(table.sign_in_over.to_owned());
        };
        let (url, at) = (started.url.clone(), host(&started.url));
        let granted = tokio::select! {
            granted = started.finish() => granted,
            () = cancelled.notified() => return failed(table.sign_in_over.to_owned()),
        };
        let grant = match granted {
            Ok(grant) => grant,
            Err(error) => {
                self.current.cancel(Some(id));
                return failed(sign_in_error_text(&error, &at, known, table));
            }
        };
        if let Some(source) = source {
            self.current.cancel(Some(id));
            return self.sign_in_with(source, grant).await;
        }
        let form = SourceForm {
            protocol: known.name.to_owned(),
            url: url.clone(),
            token: grant.token.clone(),
            ..SourceForm::default()
        };
        match self.probes.probe(&form).await? {
            Ok(connected) => {
                self.current.set_granted(id, Granted { protocol: known, url, grant });
                Ok(SourceTest { ok: true, text: connected.text, name: connected.name })
            }
            Err(text) => {
                self.current.cancel(Some(id));
                failed(text)
            }
        }
    }

    /// Ends a sign-in: nobody waits any more, and a token that was granted and not used is forgotten.
    pub(crate) fn cancel_sign_in(&self, id: u64) {
        self.current.cancel(Some(id));
    }

    /// Gives a source a new token of the same user. The result says whether the server accepted it.
    pub(crate) async fn sign_in_source(&self, source: SourceId, token: String) -> Result<SourceTest> {
        self.sign_in_with(source, Grant::of_token(token)).await
    }

    /// Gives a source a new token, with what renews it.
    pub(crate) async fn sign_in_with(&self, source: SourceId, mut grant: Grant) -> Result<SourceTest> {
        let table = self.context.settings_strings();
        let row = self.context.disk(move |r| r.source(source)).await?;
        if row.protocol == "kept" {
            return Ok(SourceTest { text: table.only_kept.to_owned(), ..SourceTest::default() });
        }
        let failed = |text| Ok(SourceTest { ok: false, text, name: row.name.clone() });
        let known = match protocol(&row.protocol) {
            Ok(known) => known,
            Err(error) => return failed(connect_error_text(&error, "", &AskedService::default(), table)),
        };
        let token = credential(known, &grant.token).to_owned();
        grant.token.clone_from(&token);
        let asked = AskedService::of(known, &token);
        if token.is_empty() && known.credential != Credential::Optional {
            return failed(match known.credential {
                Credential::None => table.takes_no_token.to_owned(),
                _ => asked.token_missing(table),
            });
        }
        let host = host(&row.url);
        self.tokens.load_client_keys().await?;
        let (info, preview) = match ask(&row, token.clone(), self.context.clock.clone()).await {
            Ok(answer) => answer,
            Err(error) => return failed(connect_error_text(&error, &host, &asked, table)),
        };
        if let Some(text) = other_user_text(&row, &info, table) {
            return failed(text);
        }
        self.tokens.replace_grant(row.clone(), grant).await?;
        if let Some(engine) = self.engine.get()
            && let Err(error) = engine.restart(source).await
        {
            tracing::warn!(%error, "a source that was signed in could not be started");
        }
        let text = asked.connected_text(&info, preview.as_ref(), table);
        Ok(SourceTest { ok: true, text, name: row.name })
    }

    /// Handles that the window is gone: nobody waits for a sign-in.
    pub(crate) fn window_closed(&self) {
        self.current.cancel(None);
    }

    /// Whether the reader is waited for.
    #[cfg(test)]
    pub(crate) fn is_waiting(&self, id: u64) -> bool {
        self.current.is_waiting(id)
    }

    /// A sentence for a reader who is about to remove a source: where the token of its sign-in has to be taken back by
    /// hand. `None` if there is nothing to do.
    pub(crate) async fn removal_hint(&self, source: SourceId) -> Result<Option<String>> {
        let row = self.context.disk(move |r| r.source(source)).await?;
        let (tokens, owned) = (self.tokens.store().clone(), row.clone());
        let grant = tokio::task::spawn_blocking(move || tokens.grant(&owned)).await;
        let Ok(Some(grant)) = grant else { return Ok(None) };
        let page = sign_in::revoked_by_hand(&row, &grant, &self.context.clock);
        Ok(page.map(|page| (self.context.settings_strings().take_back_by_hand)(page.as_str())))
    }

    /// Takes the token of a removed source back at its service; a sentence about one that was granted by a sign-in.
    pub(crate) async fn take_back(&self, row: &Source, grant: Option<Grant>) -> Option<String> {
        let table = self.context.settings_strings();
        Some(match sign_in::revoke(row, &grant?, &self.context.clock).await? {
            Revocation::Done => (table.taken_back)(&host(&row.url)),
            Revocation::ByHand(page) => (table.take_back_by_hand)(page.as_str()),
        })
    }

    /// The form of a source with the token of its sign-in in place of one that was entered.
    pub(crate) fn with_granted(&self, mut form: SourceForm) -> Result<(SourceForm, Option<Grant>)> {
        let Some(id) = form.sign_in else { return Ok((form, None)) };
        let granted = self.current.granted(id).filter(|granted| granted.protocol.name == form.protocol);
        let granted = granted.ok_or_else(|| Error::invalid(self.context.settings_strings().sign_in_over))?;
        // Whatever the field says by now, the token goes only where it was granted.
        form.url = granted.url;
        form.token.clone_from(&granted.grant.token);
        Ok((form, Some(granted.grant)))
    }
}

fn page_texts(lang: Lang) -> PageTexts {
    let table = settings_strings(lang);
    PageTexts {
        lang: lang.tag(),
        done: table.sign_in_page_done,
        denied: table.sign_in_page_denied,
        unknown: table.sign_in_page_unknown,
    }
}

/// The host of a typed address, for sentences.
fn host_of(known: &Protocol, typed: &str) -> String {
    let addresses = tidings_sources::probe::addresses(known, typed).unwrap_or_default();
    addresses.first().map_or_else(|| known.label.to_owned(), |url| host(url))
}

/// A sentence: why a sign-in failed, and what to do.
fn sign_in_error_text(
    error: &SignInError,
    at: &str,
    known: &'static Protocol,
    table: &SettingsStrings,
) -> String {
    match error {
        SignInError::NotOffered => (table.sign_in_not_offered)(at),
        SignInError::NoClientId => table.sign_in_no_client.to_owned(),
        SignInError::ClientId => (table.sign_in_wrong_client)(at),
        SignInError::Denied => (table.sign_in_denied)(at),
        SignInError::Expired => table.sign_in_expired.to_owned(),
        SignInError::Port(why) => (table.sign_in_no_port)(&why.to_string()),
        SignInError::Service(error) => connect_error_text(error, at, &AskedService::of(known, ""), table),
    }
}
