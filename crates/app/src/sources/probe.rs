//! Tests whether a source can be reached, and which user its token belongs to. Saves nothing.

use std::time::Duration;

use tidings_model::{Format, text};
use tidings_replica::Source;
use tidings_sync::http::is_loopback;
use tidings_sync::source::open;
use tidings_sync::{Error as SyncError, PreviewPage, ServerInfo, address};
use url::Url;

use crate::app::App;
use crate::error::Result;
use crate::ipc::SourceForm;
use crate::render::item::source_name;
use crate::render::{link, plain};
use crate::strings::admin::AdminStrings;
use crate::strings::grouped;

/// The longest wait for a source's answers.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// The most characters of a name.
const MAX_NAME_CHARS: usize = 64;

/// The result of connecting to a source: its normalised address, user and host, and a sentence.
pub(crate) struct Connected {
    pub(crate) url: String,
    pub(crate) user: Option<String>,
    pub(crate) host: String,
    pub(crate) text: String,
}

impl App {
    /// Connects to a source and asks for the token's user; the inner error is a sentence that says why it failed.
    pub(crate) async fn probe(&self, form: &SourceForm) -> Result<Result<Connected, String>> {
        let table = self.admin_strings();
        let urls = match normalized_urls(&form.url, table) {
            Ok(urls) => urls,
            Err(text) => return Ok(Err(text)),
        };
        let token = form.token.trim();
        if token.is_empty() {
            return Ok(Err(table.no_token.to_owned()));
        }
        let ask = |url: String| async move {
            self.connect(&unsaved_source(&form.protocol, &url), token.to_owned()).await
        };
        let (url, (info, preview)) = match address::first_answering(&urls, ask).await {
            Ok(answer) => answer,
            Err(error) => {
                let asked = urls.first().map_or_else(String::new, |url| host(url));
                return Ok(Err(connect_error_text(&error, &asked, table)));
            }
        };
        let row = unsaved_source(&form.protocol, &url);
        if let Some(name) = self.existing_source_name(&row, info.user.as_deref()).await? {
            return Ok(Err((table.source_exists)(&name)));
        }
        let mut text = signed_in_text(&info, preview.as_ref(), table);
        if !address::has_scheme(&form.url) {
            text = (table.join_sentences)(&text, &answered_text(&url, table));
        }
        Ok(Ok(Connected { host: host(&url), url, user: info.user, text }))
    }

    pub(crate) async fn connect(
        &self,
        row: &Source,
        token: String,
    ) -> Result<(ServerInfo, Option<PreviewPage>), SyncError> {
        let source = open(row, token, self.inner.clock.clone())?;
        let requests = async {
            let info = source.server_info().await?;
            Ok((info, source.preview_page().await?))
        };
        tokio::time::timeout(CONNECT_TIMEOUT, requests).await.map_err(|_| SyncError::Slow)?
    }

    /// The name of the source that already pulls the same inbox, if there is one.
    async fn existing_source_name(&self, new: &Source, user: Option<&str>) -> Result<Option<String>> {
        let sources = self.disk(tidings_replica::Replica::sources).await?;
        let same = |row: &&Source| {
            row.protocol == new.protocol
                && row.url.trim_end_matches('/') == new.url
                && (row.user.is_none() || user.is_none() || row.user.as_deref() == user)
        };
        Ok(sources.iter().find(same).map(|row| source_name(row, self.lang())))
    }
}

/// A source that is not in the replica.
pub(crate) fn unsaved_source(protocol: &str, url: &str) -> Source {
    Source { protocol: protocol.to_owned(), url: url.to_owned(), ..Source::default() }
}

/// A trimmed name without control characters; `None` where it is empty or too long.
pub(crate) fn valid_name(name: &str) -> Option<String> {
    let fits = |name: &str| !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS;
    let name = name.trim();
    let shown = text::line(name);
    (fits(name) && !name.chars().any(char::is_control) && fits(shown.trim())).then(|| shown.trim().to_owned())
}

/// A name that no source has: the given one, else with a number.
pub(crate) fn unused_name(name: &str, sources: &[Source]) -> String {
    (1..=sources.len() + 1)
        .map(|n| if n == 1 { name.to_owned() } else { format!("{name} {n}") })
        .find(|name| sources.iter().all(|source| source.name != *name))
        .unwrap_or_default()
}

/// The addresses that a text may mean, without credentials, query and the API's path; see [`address::candidates`].
fn normalized_urls(text: &str, table: &AdminStrings) -> Result<Vec<String>, String> {
    if text.trim().is_empty() {
        return Err(table.no_address.to_owned());
    }
    let invalid = || (table.bad_address)(text.trim());
    let urls = address::candidates(text).map_err(|_| invalid())?;
    urls.iter().map(|url| url.parse().map(normalized).map_err(|_| invalid())).collect()
}

/// The first of the addresses that a text may mean.
pub(crate) fn normalized_url(text: &str, table: &AdminStrings) -> Result<String, String> {
    normalized_urls(text, table).map(|urls| urls.into_iter().next().unwrap_or_default())
}

fn normalized(mut url: Url) -> String {
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').trim_end_matches("/api/v1").trim_end_matches('/').to_owned();
    url.set_path(&path);
    url.as_str().trim_end_matches('/').to_owned()
}

/// A sentence: which address answered, and whether others in the network can read what goes there.
fn answered_text(url: &str, table: &AdminStrings) -> String {
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
    table: &AdminStrings,
) -> String {
    let who = info.name.as_deref().or(info.user.as_deref()).map(display_name);
    let unread = preview.map(|preview| {
        let total = &preview.unread.total;
        grouped(total.count) + if total.capped { "+" } else { "" }
    });
    (table.signed_in)(who.as_deref(), unread.as_deref())
}

/// A sentence: why a source could not be connected, and what to do.
pub(crate) fn connect_error_text(error: &SyncError, host: &str, table: &AdminStrings) -> String {
    match error {
        SyncError::Kind(kind) => (table.unknown_protocol)(kind),
        SyncError::Address(url) => (table.bad_address)(url),
        SyncError::Setup(_) => table.no_tls.to_owned(),
        SyncError::Certificate => (table.certificate)(host),
        SyncError::Offline => (table.offline)(host),
        SyncError::Unreachable | SyncError::Stopped => (table.unreachable)(host),
        SyncError::Slow => (table.slow)(host),
        SyncError::Unavailable { status, .. } => (table.unavailable)(host, *status),
        SyncError::SignIn => (table.wrong_token)(host),
        SyncError::Forbidden => (table.no_inbox)(host),
        // Something other than the API answers at this address.
        SyncError::Malformed | SyncError::Resync | SyncError::Refused(404 | 405) => (table.not_tidings)(host),
        SyncError::Refused(status) => (table.refused)(host, *status),
        _ => (table.not_tidings)(host),
    }
}

#[cfg(test)]
mod tests {
    use tidings_model::Lang;

    use super::*;
    use crate::strings::admin::admin_strings;

    #[test]
    fn who_one_is_there_reads_in_the_order_of_its_letters_and_is_no_longer_than_a_name() {
        let table = admin_strings(Lang::En);
        let who = |name: &str| {
            let info = ServerInfo { name: Some(name.into()), ..ServerInfo::default() };
            signed_in_text(&info, None, table)
        };
        assert_eq!(who("an\u{202e}A\u{61c}\u{1b}[2J\r\nOk"), "Signed in as anA [2J Ok");
        assert!(who(&"x".repeat(1 << 20)).len() < 100);
        assert_eq!(valid_name("W\u{202e}ork\u{200f} ").as_deref(), Some("Work"));
        assert_eq!(valid_name("\u{202e}"), None);
    }

    #[test]
    fn an_address_is_taken_as_people_write_it() {
        let table = admin_strings(Lang::En);
        for (text, url) in [
            ("tidings.example.org", "https://tidings.example.org"),
            (" https://a.example.org/api/v1/ ", "https://a.example.org"),
            ("http://me:secret@a.example.org:7878/x/?q#f", "http://a.example.org:7878/x"),
            ("tidings.example.org:7878/x/", "https://tidings.example.org:7878/x"),
        ] {
            assert_eq!(normalized_urls(text, table), Ok(vec![url.to_owned()]), "{text}");
        }
        let both = ["https://localhost:7878", "http://localhost:7878"].map(str::to_owned).to_vec();
        assert_eq!(normalized_urls(" localhost:7878/api/v1 ", table), Ok(both));
        for text in ["", "ftp://a.example.org", "http://", "a b"] {
            assert!(normalized_url(text, table).is_err(), "{text}");
        }
    }
}
