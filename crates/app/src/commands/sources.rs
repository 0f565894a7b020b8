//! What the inbox pulls from: tried, added, renamed, paused, removed, signed in. Refuses to keep a source that was not
//! reached once, and to hold a token anywhere but in the vault.

use std::time::Duration;

use tidings_replica::{NewSource, Source, SourceChange, SourceId};
use tidings_sync::source::open;
use tidings_sync::tokens::Kept;
use tidings_sync::{Engine, Error as SyncError, Greeting, Head};
use url::Url;

use crate::app::App;
use crate::error::{Error, Result};
use crate::notices::Lack;
use crate::page::{SourceForm, SourceTest};
use crate::words::house::{HouseWords, house};
use crate::words::{grouped, words};

/// A source may take so long to say who one is there.
const HELLO: Duration = Duration::from_secs(15);
/// Characters of a name.
const NAME: usize = 64;

/// A source that was reached.
struct Reached {
    url: String,
    user: Option<String>,
    host: String,
    text: String,
}

impl App {
    /// Tries a source without keeping anything.
    pub async fn test_source(&self, form: SourceForm) -> Result<SourceTest> {
        Ok(match self.reach(&form).await? {
            Ok(reached) => SourceTest { ok: true, text: reached.text, name: reached.host },
            Err(text) => SourceTest { ok: false, text, name: String::new() },
        })
    }

    /// Adds a source that can be reached, and pulls it.
    pub async fn add_source(&self, form: SourceForm) -> Result<SourceId> {
        let table = self.house();
        let wanted = match form.name.trim() {
            "" => None,
            name => Some(named(name).ok_or_else(|| Error::invalid(table.name_needed))?),
        };
        let reached = self.reach(&form).await?.map_err(Error::invalid)?;
        let name = self.free_name(wanted, &reached.host).await?;
        let new =
            NewSource { name, protocol: form.protocol, url: reached.url, user: reached.user, own: false };
        let id = self.disk(move |r| r.add_source(new)).await?;
        if let Err(error) = self.keep_token(id, form.token.trim().to_owned()).await {
            self.disk(move |r| r.remove_source(id, false)).await?;
            return Err(error);
        }
        self.sources_changed().await;
        Ok(id)
    }

    /// Gives a source another name.
    pub async fn rename_source(&self, source: SourceId, name: String) -> Result<()> {
        let table = self.house();
        let own = self.disk(move |r| r.source(source)).await?.own;
        let name = match named(&name) {
            Some(name) => name,
            // The page has a name for it.
            None if own && name.trim().is_empty() => String::new(),
            None => return Err(Error::invalid(table.name_needed)),
        };
        let change = SourceChange { name: Some(name.clone()), ..SourceChange::default() };
        let done = self.disk(move |r| r.change_source(source, change)).await;
        self.told(done.map_err(|error| taken(error, &name, table)))
    }

    /// Pauses a source, or goes on with it.
    pub async fn pause_source(&self, source: SourceId, on: bool) -> Result<()> {
        let row = self.disk(move |r| r.source(source)).await?;
        if row.protocol == "kept" {
            return Err(Error::invalid(self.house().only_kept));
        }
        let change = SourceChange { paused: Some(on), ..SourceChange::default() };
        self.disk(move |r| r.change_source(source, change)).await?;
        self.sources_changed().await;
        Ok(())
    }

    /// Removes a source, forgets its token, and keeps what it brought or deletes it here.
    pub async fn remove_source(&self, source: SourceId, keep: bool) -> Result<()> {
        if self.disk(move |r| r.source(source)).await?.own {
            return Err(Error::invalid(self.house().own_stays));
        }
        self.disk(move |r| r.remove_source(source, keep)).await?;
        self.sources_changed().await;
        let vault = self.inner.vault.clone();
        let forgotten = tokio::task::spawn_blocking(move || vault.remove(source)).await;
        if let Ok(Err(error)) = forgotten {
            tracing::warn!(%error, "the token of a removed source could not be forgotten");
        }
        if !keep {
            self.forget_files(source).await;
        }
        Ok(())
    }

    /// Gives a source another token of the same user.
    pub async fn sign_in_source(&self, source: SourceId, token: String) -> Result<SourceTest> {
        let table = self.house();
        let row = self.disk(move |r| r.source(source)).await?;
        if row.protocol == "kept" {
            return Ok(SourceTest { text: table.only_kept.to_owned(), ..SourceTest::default() });
        }
        let no = |text| Ok(SourceTest { ok: false, text, name: row.name.clone() });
        let token = token.trim().to_owned();
        if token.is_empty() {
            return no(table.no_token.to_owned());
        }
        let host = host(&row.url);
        let (greeting, head) = match self.greet(&row, token.clone()).await {
            Ok(answered) => answered,
            Err(error) => return no(why(&error, &host, table)),
        };
        if let (Some(is), Some(was)) = (&greeting.user, &row.user)
            && is != was
        {
            return no((table.other_user)(is, was));
        }
        self.keep_token(source, token).await?;
        if let Some(engine) = self.engine()
            && let Err(error) = engine.restart(source).await
        {
            tracing::warn!(%error, "a source that was signed in could not be started");
        }
        Ok(SourceTest { ok: true, text: signed_in(&greeting, head.as_ref(), table), name: row.name })
    }

    /// Pulls one source now.
    pub async fn try_source(&self, source: SourceId) -> Result<()> {
        self.disk(move |r| r.source(source)).await?;
        if let Some(engine) = self.engine()
            && let Err(error) = engine.pull_one(source).await
        {
            tracing::warn!(%error, "a source could not be tried");
        }
        Ok(())
    }

    /// Puts the sources into this order.
    pub async fn order_sources(&self, ids: Vec<SourceId>) -> Result<()> {
        let done = self.disk(move |r| r.order_sources(ids)).await;
        self.told(done)
    }

    /// The engine looks at the sources anew, and the page hears of them.
    pub(crate) async fn sources_changed(&self) {
        if let Some(engine) = self.engine()
            && let Err(error) = engine.reload().await
        {
            tracing::warn!(%error, "the sources could not be looked at anew");
        }
        self.inner.events.note(|dirty| dirty.sync = true);
    }

    pub(crate) fn engine(&self) -> Option<&Engine> {
        self.inner.engine.get()
    }

    /// The words about the house, in the page's language.
    pub(crate) fn house(&self) -> &'static HouseWords {
        house(self.lang())
    }

    /// Keeps a token; one that had to go into a file is said.
    pub(crate) async fn keep_token(&self, source: SourceId, token: String) -> Result<()> {
        let vault = self.inner.vault.clone();
        let kept = tokio::task::spawn_blocking(move || vault.set(source, &token)).await;
        match kept.map_err(|_| Error::Ending)? {
            Ok(Kept::Keyring) => Ok(()),
            Ok(Kept::File) => {
                self.raise(&Lack::Keyring);
                Ok(())
            }
            Err(error) => Err(Error::storage((self.house().token_not_kept)(&error.to_string()))),
        }
    }

    fn told(&self, done: Result<()>) -> Result<()> {
        self.inner.events.note(|dirty| dirty.sync = true);
        done
    }

    /// Asks a source who one is there; why not, in words.
    async fn reach(&self, form: &SourceForm) -> Result<Result<Reached, String>> {
        let table = self.house();
        let url = match address(&form.url, table) {
            Ok(url) => url,
            Err(text) => return Ok(Err(text)),
        };
        let token = form.token.trim();
        if token.is_empty() {
            return Ok(Err(table.no_token.to_owned()));
        }
        let host = host(&url);
        let row = row(&form.protocol, &url);
        let (greeting, head) = match self.greet(&row, token.to_owned()).await {
            Ok(answered) => answered,
            Err(error) => return Ok(Err(why(&error, &host, table))),
        };
        if let Some(name) = self.already(&row, greeting.user.as_deref()).await? {
            return Ok(Err((table.already)(&name)));
        }
        let text = signed_in(&greeting, head.as_ref(), table);
        Ok(Ok(Reached { url, user: greeting.user, host, text }))
    }

    async fn greet(&self, row: &Source, token: String) -> Result<(Greeting, Option<Head>), SyncError> {
        let source = open(row, token, self.inner.clock.clone())?;
        let hello = async {
            let greeting = source.greet().await?;
            Ok((greeting, source.head().await?))
        };
        tokio::time::timeout(HELLO, hello).await.map_err(|_| SyncError::Slow)?
    }

    /// What the same inbox is called here, if it is here.
    async fn already(&self, new: &Source, user: Option<&str>) -> Result<Option<String>> {
        let sources = self.disk(tidings_replica::Replica::sources).await?;
        let same = |row: &&Source| {
            row.protocol == new.protocol
                && row.url.trim_end_matches('/') == new.url
                && (row.user.is_none() || user.is_none() || row.user.as_deref() == user)
        };
        Ok(sources.iter().find(same).map(|row| match row.name.as_str() {
            "" => words(self.lang()).this_computer.to_owned(),
            name => name.to_owned(),
        }))
    }

    /// The name that was asked for, else the host's with a number where that is taken.
    async fn free_name(&self, wanted: Option<String>, host: &str) -> Result<String> {
        let sources = self.disk(tidings_replica::Replica::sources).await?;
        let is_free = |name: &str| sources.iter().all(|source| source.name != name);
        match wanted {
            Some(name) if is_free(&name) => Ok(name),
            Some(name) => Err(Error::invalid((self.house().name_taken)(&name))),
            None => Ok((1..=sources.len() + 1)
                .map(|n| if n == 1 { host.to_owned() } else { format!("{host} {n}") })
                .find(|name| is_free(name))
                .unwrap_or_default()),
        }
    }
}

/// A source that is not kept.
pub(crate) fn row(protocol: &str, url: &str) -> Source {
    Source {
        id: 0,
        name: String::new(),
        protocol: protocol.to_owned(),
        url: url.to_owned(),
        user: None,
        own: false,
        paused: false,
        position: 0,
        cursor: None,
        epoch: None,
        complete: false,
        last_pull: None,
        telling: tidings_replica::Telling::default(),
    }
}

/// A name that can be shown.
pub(crate) fn named(name: &str) -> Option<String> {
    let name = name.trim();
    let fits = !name.is_empty() && name.chars().count() <= NAME && !name.chars().any(char::is_control);
    fits.then(|| name.to_owned())
}

/// An address without credentials, query and the API's path; https where it has no scheme.
pub(crate) fn address(text: &str, table: &HouseWords) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(table.no_address.to_owned());
    }
    let full = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let url = full.parse::<Url>().ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some());
    let mut url = url.ok_or_else(|| (table.bad_address)(text))?;
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').trim_end_matches("/api/v1").trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// The host with its port, as people write it.
fn host(url: &str) -> String {
    let parsed = url.parse::<Url>().ok();
    parsed.as_ref().and_then(crate::render::markdown::host).unwrap_or_else(|| url.to_owned())
}

fn signed_in(greeting: &Greeting, head: Option<&Head>, table: &HouseWords) -> String {
    let who = greeting.name.as_deref().or(greeting.user.as_deref());
    let unread = head.map(|head| {
        let total = &head.unread.total;
        grouped(total.count) + if total.capped { "+" } else { "" }
    });
    (table.signed_in)(who, unread.as_deref())
}

/// Why a source could not be reached, and what to do.
fn why(error: &SyncError, host: &str, table: &HouseWords) -> String {
    match error {
        SyncError::Kind(kind) => (table.unknown_protocol)(kind),
        SyncError::Address(url) => (table.bad_address)(url),
        SyncError::Setup(_) => table.setup.to_owned(),
        SyncError::Certificate => (table.certificate)(host),
        SyncError::Offline => (table.offline)(host),
        SyncError::Unreachable | SyncError::Stopped => (table.unreachable)(host),
        SyncError::Slow => (table.slow)(host),
        SyncError::Unavailable { status, .. } => (table.unavailable)(host, *status),
        SyncError::SignIn => (table.wrong_token)(host),
        SyncError::Forbidden => (table.no_inbox)(host),
        // A page, or nothing, where the API should be.
        SyncError::Garbled | SyncError::Resync | SyncError::Refused(404 | 405) => (table.not_tidings)(host),
        SyncError::Refused(status) => (table.refused)(host, *status),
        _ => (table.not_tidings)(host),
    }
}

fn taken(error: Error, name: &str, table: &HouseWords) -> Error {
    match error {
        Error::Replica(tidings_replica::Error::NameTaken(_)) => Error::invalid((table.name_taken)(name)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use tidings_model::Lang;

    use super::*;

    #[test]
    fn an_address_is_taken_as_people_write_it() {
        let table = house(Lang::En);
        for (text, url) in [
            ("tidings.example.org", "https://tidings.example.org"),
            (" https://a.example.org/api/v1/ ", "https://a.example.org"),
            ("http://me:secret@a.example.org:7878/x/?q#f", "http://a.example.org:7878/x"),
            ("localhost:7878", "https://localhost:7878"),
        ] {
            assert_eq!(address(text, table).as_deref(), Ok(url), "{text}");
        }
        for text in ["", "ftp://a.example.org", "http://", "a b"] {
            assert!(address(text, table).is_err(), "{text}");
        }
    }
}
