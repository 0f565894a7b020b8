//! Tests whether a source can be reached, and which user its token belongs to. Saves nothing.

use std::sync::Arc;

use tidings_ipc::SourceForm;
use tidings_model::{Format, text};
use tidings_net::Error as NetError;
use tidings_net::address::{self, AddressKind};
use tidings_net::hosts::is_loopback;
use tidings_render::item::source_name;
use tidings_render::{link, plain};
use tidings_replica::Source;
use tidings_sources::probe::{self, Probed, same_inbox};
use tidings_sources::{Credential, PreviewPage, Protocol, ServerInfo, protocol};
use tidings_strings::grouped;
use tidings_strings::settings::SettingsStrings;
use url::Url;

use super::tokens::Tokens;
use crate::context::{Context, part};
use crate::error::Result;

/// The most characters of a name.
const MAX_NAME_CHARS: usize = 64;

/// The result of connecting to a source: its protocol, stored address, credential and user, a name for it, and a
/// sentence.
pub(crate) struct Connected {
    pub(crate) protocol: &'static Protocol,
    pub(crate) url: String,
    pub(crate) token: String,
    pub(crate) user: Option<String>,
    pub(crate) name: String,
    pub(crate) text: String,
}

part! {
    /// Asks services whether a source can be reached.
    pub(crate) struct Probes {
        context: Arc<Context>,
        tokens: Arc<Tokens>,
    }
}

impl Probes {
    /// Connects to a source and asks for the token's user; the inner error is a sentence that says why it failed.
    pub(crate) async fn probe(&self, form: &SourceForm) -> Result<Result<Connected, String>> {
        let table = self.context.settings_strings();
        let protocol = match protocol(&form.protocol) {
            Ok(protocol) => protocol,
            Err(error) => return Ok(Err(connect_error_text(&error, "", &AskedService::default(), table))),
        };
        let token = credential(protocol, &form.token);
        let urls = match entered_addresses(&form.url, protocol, table) {
            Ok(urls) => urls,
            Err(text) => return Ok(Err(text)),
        };
        let (probed, mut text) = match self.reach(protocol, &urls, token, None).await? {
            Ok(reached) => reached,
            Err(text) => return Ok(Err(text)),
        };
        let is_of_server = protocol.address != AddressKind::Applications;
        if is_of_server && !form.url.trim().is_empty() && !address::has_scheme(&form.url) {
            text = (table.join_sentences)(&text, &answered_text(&probed.url, table));
        }
        let (name, token) = (suggested_name(protocol, &probed), token.to_owned());
        Ok(Ok(Connected { protocol, name, token, url: probed.url, user: probed.info.user, text }))
    }

    /// Asks a service at the addresses that were entered. Gives its answer with a sentence; the inner error is a sentence,
    /// too. `edited` is the source that changes, if one does: its user has to stay, and it is no other source there.
    pub(super) async fn reach(
        &self,
        protocol: &'static Protocol,
        urls: &[String],
        token: &str,
        edited: Option<&Source>,
    ) -> Result<Result<(Probed, String), String>> {
        let table = self.context.settings_strings();
        let asked = AskedService::of(protocol, token);
        if token.is_empty() && protocol.credential == Credential::Token {
            return Ok(Err(asked.token_missing(table)));
        }
        self.tokens.load_client_keys().await?;
        let probed = match probe::find(protocol, urls, token, &self.context.clock).await {
            Ok(probed) => probed,
            Err(error) => {
                let host = urls.first().map_or_else(String::new, |url| host(url));
                return Ok(Err(connect_error_text(&error, &host, &asked, table)));
            }
        };
        if let Some(text) = edited.and_then(|row| other_user_text(row, &probed.info, table)) {
            return Ok(Err(text));
        }
        let mut others = self.context.disk(tidings_replica::Replica::sources).await?;
        others.retain(|other| edited.is_none_or(|row| row.id != other.id));
        if let Some(other) = same_inbox(&others, protocol, &probed) {
            return Ok(Err((table.source_exists)(&source_name(other, self.context.lang()))));
        }
        let text = asked.connected_text(&probed.info, probed.preview.as_ref(), table);
        Ok(Ok((probed, text)))
    }
}

/// A sentence if a token is of another user than the source.
pub(super) fn other_user_text(row: &Source, info: &ServerInfo, table: &SettingsStrings) -> Option<String> {
    let (new_user, user) = (info.user.as_ref()?, row.user.as_ref()?);
    (new_user != user).then(|| (table.other_user)(&display_name(new_user), &display_name(user)))
}

/// The entered credential, as it is used: none for a protocol that takes none.
pub(crate) fn credential<'t>(protocol: &Protocol, entered: &'t str) -> &'t str {
    if protocol.credential == Credential::None { "" } else { entered.trim() }
}

/// What was asked, for the sentences about the answer.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AskedService {
    protocol: Option<&'static Protocol>,
    with_token: bool,
}

impl AskedService {
    pub(crate) fn of(protocol: &'static Protocol, token: &str) -> Self {
        Self { protocol: Some(protocol), with_token: !token.is_empty() }
    }

    /// The service as a sentence names it: "a Tidings server", "GitHub".
    fn service(self, table: &SettingsStrings) -> String {
        self.protocol.map_or_else(String::new, |known| (table.service)(known.name, known.label))
    }

    /// A sentence: the protocol needs a token, and none was entered.
    pub(crate) fn token_missing(self, table: &SettingsStrings) -> String {
        match self.protocol {
            Some(known) if known.name != "tidings" => (table.no_token_of)(known.label),
            _ => table.no_token.to_owned(),
        }
    }

    /// A sentence: who was signed in, or what answered to a request without a token.
    pub(crate) fn connected_text(
        self,
        info: &ServerInfo,
        preview: Option<&PreviewPage>,
        table: &SettingsStrings,
    ) -> String {
        let title = info.name.as_deref().map(display_name);
        if self.with_token {
            signed_in_text(info, preview, table)
        } else {
            (table.connected)(title.as_deref().filter(|title| !title.is_empty()))
        }
    }

    fn example(self) -> &'static str {
        self.protocol.map_or("tidings.example.org", |known| known.example)
    }
}

/// A name for a new source: the service's if it stands at its own address, a document's title, else the host.
pub fn suggested_name(protocol: &Protocol, probed: &Probed) -> String {
    if protocol.address == AddressKind::Applications
        || protocol.default_url.is_some_and(|url| url.trim_end_matches('/') == probed.url)
    {
        return protocol.label.to_owned();
    }
    let title = probed.info.name.as_deref().filter(|_| protocol.credential == Credential::None);
    title.map(display_name).and_then(|title| valid_name(&title)).unwrap_or_else(|| host(&probed.url))
}

/// A source that is not in the replica.
pub(crate) fn unsaved_source(protocol: &str, url: &str) -> Source {
    Source { protocol: protocol.to_owned(), url: url.to_owned(), ..Source::default() }
}

/// A trimmed name without control characters; `None` if it is empty or too long.
pub(crate) fn valid_name(name: &str) -> Option<String> {
    let fits = |name: &str| !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS;
    let name = name.trim();
    let shown = text::line(name);
    (fits(name) && !name.chars().any(char::is_control) && fits(shown.trim())).then(|| shown.trim().to_owned())
}

/// The addresses that a text may mean for a protocol; the error is a sentence.
pub(super) fn entered_addresses(
    text: &str,
    protocol: &Protocol,
    table: &SettingsStrings,
) -> Result<Vec<String>, String> {
    if text.trim().is_empty() && protocol.default_url.is_none() {
        return Err((table.no_address)(protocol.example));
    }
    probe::addresses(protocol, text).map_err(|_| (table.bad_address)(text.trim(), protocol.example))
}

/// The address of a source in a settings file, as it is stored; `None` for what is no address, or of no known protocol.
pub(crate) fn stored_address(name: &str, url: &str) -> Option<String> {
    let known = protocol(name).ok().filter(|_| !url.trim().is_empty())?;
    probe::addresses(known, url).ok()?.into_iter().next()
}

/// A sentence: which address answered, and whether others in the network can read what goes there.
fn answered_text(url: &str, table: &SettingsStrings) -> String {
    let is_open = url.parse().is_ok_and(|url: Url| url.scheme() == "http" && !is_loopback(&url));
    if is_open { (table.answered_unencrypted)(url) } else { (table.answered)(url) }
}

/// The host of an address with its port, as it is written for people.
pub(crate) fn host(url: &str) -> String {
    let parsed = url.parse::<Url>().ok();
    parsed.as_ref().and_then(link::host).unwrap_or_else(|| url.to_owned())
}

/// A name from a server in one safe line.
pub(crate) fn display_name(name: &str) -> String {
    plain::line(name, Format::Plain, MAX_NAME_CHARS)
}

pub(crate) fn signed_in_text(
    info: &ServerInfo,
    preview: Option<&PreviewPage>,
    table: &SettingsStrings,
) -> String {
    let who = info.name.as_deref().or(info.user.as_deref()).map(display_name);
    let unread = preview.map(|preview| {
        let total = &preview.unread.total;
        grouped(total.count) + if total.capped { "+" } else { "" }
    });
    (table.signed_in)(who.as_deref(), unread.as_deref())
}

/// A sentence: why a source could not be connected, and what to do.
pub(crate) fn connect_error_text(
    error: &NetError,
    host: &str,
    asked: &AskedService,
    table: &SettingsStrings,
) -> String {
    let is_tidings = asked.protocol.is_none_or(|known| known.name == "tidings");
    match error {
        NetError::Kind(kind) => (table.unknown_protocol)(kind),
        NetError::Address(url) => (table.bad_address)(url, asked.example()),
        NetError::Setup(_) => table.no_tls.to_owned(),
        NetError::NoSessionBus => table.no_session_bus.to_owned(),
        NetError::MonitorRefused => table.monitor_refused.to_owned(),
        NetError::Certificate(fault) => table.certificate(*fault, host),
        NetError::Offline => (table.offline)(host),
        NetError::NameNotFound => (table.name_not_found)(host),
        NetError::Unreachable | NetError::Stopped => (table.unreachable)(host),
        NetError::Slow | NetError::AnswerTooSlow => (table.slow)(host),
        NetError::Unavailable { status, .. } => (table.unavailable)(host, *status),
        NetError::SignIn | NetError::Forbidden if !asked.with_token => {
            let takes_token = asked.protocol.is_some_and(|known| known.credential != Credential::None);
            (table.sign_in_needed)(host, takes_token)
        }
        NetError::SignIn => (table.wrong_token)(host),
        NetError::Forbidden if is_tidings => (table.no_inbox)(host),
        NetError::Forbidden => (table.no_right)(host),
        NetError::Refused(status) if !matches!(status, 404 | 405) => (table.refused)(host, *status),
        NetError::AnswerTooLarge => (table.answer_too_large)(host),
        NetError::RedirectRefused => (table.redirected)(host),
        // Something other than the service answers at this address.
        _ => (table.not_service)(host, &asked.service(table)),
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
