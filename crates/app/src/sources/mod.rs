//! Adds, tests, renames, pauses, signs in and removes sources. A source is added only after it was reached; its token
//! is stored in the token store alone.

pub(crate) mod own_api;
pub(crate) mod own_server;
pub(crate) mod probe;
mod server_settings;
pub(crate) mod server_state;

use tidings_replica::{NewSource, Source, SourceChange, SourceId};
use tidings_sync::Engine;
use tidings_sync::tokens::StoredIn;

use crate::app::App;
use crate::error::{Error, Result};
use crate::ipc::{SourceForm, SourceTest};
use crate::settings::notices::Degradation;
use crate::sources::probe::{
    connect_error_text, display_name, host, signed_in_text, unused_name, valid_name,
};
use crate::strings::admin::{AdminStrings, admin_strings};

impl App {
    /// Tests a source without saving anything.
    pub async fn test_source(&self, form: SourceForm) -> Result<SourceTest> {
        Ok(match self.probe(&form).await? {
            Ok(connected) => SourceTest { ok: true, text: connected.text, name: connected.host },
            Err(text) => SourceTest { ok: false, text, name: String::new() },
        })
    }

    /// Adds a source that can be reached, and pulls it. Returns its id.
    pub async fn add_source(&self, form: SourceForm) -> Result<SourceId> {
        let table = self.admin_strings();
        let wanted = match form.name.trim() {
            "" => None,
            name => Some(valid_name(name).ok_or_else(|| Error::invalid(table.name_needed))?),
        };
        let connected = self.probe(&form).await?.map_err(Error::invalid)?;
        let name = self.free_name(wanted, &connected.host).await?;
        let new =
            NewSource { name, protocol: form.protocol, url: connected.url, user: connected.user, own: false };
        let id = self.disk(move |r| r.add_source(new)).await?;
        let row = self.disk(move |r| r.source(id)).await?;
        if let Err(error) = self.store_token(row, form.token.trim().to_owned()).await {
            self.disk(move |r| r.remove_source(id, false)).await?;
            return Err(error);
        }
        self.sources_changed().await;
        Ok(id)
    }

    /// Renames a source. The own server's name may be empty.
    pub async fn rename_source(&self, source: SourceId, name: String) -> Result<()> {
        let table = self.admin_strings();
        let own = self.disk(move |r| r.source(source)).await?.own;
        let name = match valid_name(&name) {
            Some(name) => name,
            // The page shows a default name for it.
            None if own && name.trim().is_empty() => String::new(),
            None => return Err(Error::invalid(table.name_needed)),
        };
        let change = SourceChange { name: Some(name.clone()), ..SourceChange::default() };
        let done = self.disk(move |r| r.change_source(source, change)).await;
        self.with_sync_update(done.map_err(|error| name_taken_error(error, &name, table)))
    }

    /// Pauses or resumes a source.
    pub async fn pause_source(&self, source: SourceId, on: bool) -> Result<()> {
        let row = self.disk(move |r| r.source(source)).await?;
        if row.protocol == "kept" {
            return Err(Error::invalid(self.admin_strings().only_kept));
        }
        let change = SourceChange { paused: Some(on), ..SourceChange::default() };
        self.disk(move |r| r.change_source(source, change)).await?;
        self.sources_changed().await;
        Ok(())
    }

    /// Removes a source and its token; `keep` leaves its items in the inbox. Removing them may take minutes; where the
    /// program ends before, the next start finishes it.
    pub async fn remove_source(&self, source: SourceId, keep: bool) -> Result<()> {
        let row = self.disk(move |r| r.source(source)).await?;
        if row.own {
            return Err(Error::invalid(self.admin_strings().own_not_removable));
        }
        self.disk(move |r| r.begin_removal(source, keep)).await?;
        let tokens = self.inner.tokens.store().clone();
        // A locked keyring may ask the user first; the source is not pulled meanwhile.
        let removal = tokio::task::spawn_blocking(move || tokens.remove(&row));
        self.sources_changed().await;
        if let Ok(Err(error)) = removal.await {
            tracing::warn!(%error, "the token of a removed source could not be removed");
        }
        if !keep {
            self.remove_files_of(source).await;
        }
        self.disk(move |r| r.finish_removal(keep)).await?;
        self.remove_unneeded_copies().await;
        Ok(())
    }

    /// Gives a source a new token of the same user. The result says whether the server accepted it.
    pub async fn sign_in_source(&self, source: SourceId, token: String) -> Result<SourceTest> {
        let table = self.admin_strings();
        let row = self.disk(move |r| r.source(source)).await?;
        if row.protocol == "kept" {
            return Ok(SourceTest { text: table.only_kept.to_owned(), ..SourceTest::default() });
        }
        let failed = |text| Ok(SourceTest { ok: false, text, name: row.name.clone() });
        let token = token.trim().to_owned();
        if token.is_empty() {
            return failed(table.no_token.to_owned());
        }
        let host = host(&row.url);
        let (info, preview) = match self.connect(&row, token.clone()).await {
            Ok(answer) => answer,
            Err(error) => return failed(connect_error_text(&error, &host, table)),
        };
        if let (Some(new_user), Some(user)) = (&info.user, &row.user)
            && new_user != user
        {
            return failed((table.other_user)(&display_name(new_user), &display_name(user)));
        }
        self.store_token(row.clone(), token).await?;
        if let Some(engine) = self.engine()
            && let Err(error) = engine.restart(source).await
        {
            tracing::warn!(%error, "a source that was signed in could not be started");
        }
        Ok(SourceTest { ok: true, text: signed_in_text(&info, preview.as_ref(), table), name: row.name })
    }

    /// Pulls one source at once.
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
        self.with_sync_update(done)
    }

    /// Makes the engine read the sources again, and updates the page.
    pub(crate) async fn sources_changed(&self) {
        if let Some(engine) = self.engine()
            && let Err(error) = engine.reload().await
        {
            tracing::warn!(%error, "the sources could not be reloaded");
        }
        self.inner.events.update(|dirty| dirty.sync = true);
    }

    pub(crate) fn engine(&self) -> Option<&Engine> {
        self.inner.engine.get()
    }

    /// The admin strings in the reader's language.
    pub(crate) fn admin_strings(&self) -> &'static AdminStrings {
        admin_strings(self.lang())
    }

    /// Moves tokens that an earlier version stored by row id.
    pub(crate) async fn migrate_tokens(&self) {
        let Ok(rows) = self.disk(tidings_replica::Replica::sources).await else { return };
        let tokens = self.inner.tokens.store().clone();
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

    /// Stores the token of a source. Where it had to go into a file, a notice says so.
    pub(crate) async fn store_token(&self, source: Source, token: String) -> Result<()> {
        let tokens = self.inner.tokens.store().clone();
        let stored = tokio::task::spawn_blocking(move || tokens.set(&source, &token)).await;
        match stored.map_err(|_| Error::Ending)? {
            Ok(StoredIn::Keyring) => Ok(()),
            Ok(StoredIn::File) => {
                self.raise(&Degradation::Keyring);
                Ok(())
            }
            Err(error) => Err(Error::storage((self.admin_strings().token_not_stored)(&error.to_string()))),
        }
    }

    fn with_sync_update(&self, done: Result<()>) -> Result<()> {
        self.inner.events.update(|dirty| dirty.sync = true);
        done
    }

    /// The wanted name if it is free, else the host's name with a number where that is in use.
    async fn free_name(&self, wanted: Option<String>, host: &str) -> Result<String> {
        let sources = self.disk(tidings_replica::Replica::sources).await?;
        match wanted {
            Some(name) if sources.iter().all(|source| source.name != name) => Ok(name),
            Some(name) => Err(Error::invalid((self.admin_strings().name_taken)(&name))),
            None => Ok(unused_name(host, &sources)),
        }
    }
}

fn name_taken_error(error: Error, name: &str, table: &AdminStrings) -> Error {
    match error {
        Error::Replica(tidings_replica::Error::NameTaken(_)) => Error::invalid((table.name_taken)(name)),
        other => other,
    }
}
