//! Adds, tests, edits, pauses, signs in and removes sources. A source is added only after it was reached; its token
//! is stored in the token store alone.

pub(crate) mod certificates;
mod edit;
pub(crate) mod engine;
pub(crate) mod files;
pub(crate) mod import;
pub(crate) mod own_server;
pub(crate) mod passed_by;
pub(crate) mod probe;
pub(crate) mod sign_in;
pub(crate) mod tokens;

use std::sync::Arc;

use tidings_ipc::{SourceForm, SourceTest};
use tidings_replica::{NewSource, SourceChange, SourceId};
use tidings_sources::probe::unused_name;
use tidings_sources::{MAX_APPLICATIONS, Protocol, applications, with_application};
use tidings_sync::presets;
use tidings_sync::tokens::Grant;

use self::engine::RunningEngine;
use self::files::SourceFiles;
use self::probe::{Connected, Probes, valid_name};
use self::sign_in::SignIns;
use self::tokens::Tokens;
use crate::context::{Context, part};
use crate::error::{Error, Result};

part! {
    /// The sources: adds, edits, pauses and removes them.
    pub(crate) struct Sources {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        tokens: Arc<Tokens>,
        probes: Arc<Probes>,
        sign_ins: Arc<SignIns>,
        source_files: Arc<SourceFiles>,
    }
}

impl Sources {
    /// Tests a source without saving anything.
    pub(crate) async fn test_source(&self, form: SourceForm) -> Result<SourceTest> {
        let (form, _) = self.sign_ins.with_granted(form)?;
        Ok(match self.probes.probe(&form).await? {
            Ok(connected) => SourceTest { ok: true, text: connected.text, name: connected.name },
            Err(text) => SourceTest { ok: false, text, name: String::new() },
        })
    }

    /// Adds a source that can be reached, and pulls it. Returns its id.
    pub(crate) async fn add_source(&self, form: SourceForm) -> Result<SourceId> {
        let table = self.context.settings_strings();
        let wanted = match form.name.trim() {
            "" => None,
            name => Some(valid_name(name).ok_or_else(|| Error::invalid(table.name_needed))?),
        };
        let sign_in = form.sign_in;
        let (form, granted) = self.sign_ins.with_granted(form)?;
        let connected = self.probes.probe(&form).await?.map_err(Error::invalid)?;
        let (id, _) = self.keep_source(connected, wanted, granted).await?;
        if let Some(used) = sign_in {
            self.sign_ins.cancel_sign_in(used);
        }
        Ok(id)
    }

    /// Stores a source that answered, under the wanted name or one like its own, and pulls it. Returns its id and name.
    async fn keep_source(
        &self,
        connected: Connected,
        wanted: Option<String>,
        granted: Option<Grant>,
    ) -> Result<(SourceId, String)> {
        let name = self.free_name(wanted, &connected.name).await?;
        let Connected { protocol, url, token, user, .. } = connected;
        let protocol_name = protocol.name.to_owned();
        let new = NewSource { name: name.clone(), protocol: protocol_name, url, user, own: false };
        let id = self.context.disk(move |r| r.add_source(new)).await?;
        let grant = granted.unwrap_or_else(|| Grant::of_token(token));
        if let Err(error) = self.complete_source(id, protocol, grant).await {
            self.context
                .disk(move |r| {
                    presets::remove(r, id)?;
                    r.remove_source(id, false)
                })
                .await?;
            return Err(error);
        }
        self.engine.sources_changed().await;
        Ok((id, name))
    }

    /// Gives a new source the presets of its protocol, and stores its token, if it has one.
    async fn complete_source(&self, id: SourceId, protocol: &'static Protocol, grant: Grant) -> Result<()> {
        let row = self
            .context
            .disk(move |r| {
                presets::apply(r, id, protocol)?;
                r.source(id)
            })
            .await?;
        if grant.token.is_empty() { Ok(()) } else { self.tokens.store_grant(row, grant).await }
    }

    /// Keeps the notifications of an application of this desktop from now on, or keeps them no longer. What was kept of
    /// it stays.
    pub(crate) async fn keep_application(&self, source: SourceId, name: &str, on: bool) -> Result<()> {
        let row = self.context.disk(move |r| r.source(source)).await?;
        let changed = applications(&row).map(|_| with_application(&row.url, name, on));
        let Some(Ok(url)) = changed else {
            return Err(Error::invalid((self.context.settings_strings().application_not_kept)(
                MAX_APPLICATIONS as u64,
            )));
        };
        self.context
            .disk(move |r| {
                r.change_source(source, SourceChange { url: Some(url), ..SourceChange::default() })
            })
            .await?;
        self.engine.sources_changed().await;
        Ok(())
    }

    /// Handles that a source was pulled: of applications of this desktop, new ones may have been seen.
    pub(crate) async fn source_pulled(&self, source: SourceId) {
        let row = self.context.disk(move |r| r.source(source)).await;
        if row.is_ok_and(|row| applications(&row).is_some()) {
            self.context.events.update(|dirty| dirty.sync = true);
        }
    }

    /// Pauses or resumes a source.
    pub(crate) async fn pause_source(&self, source: SourceId, on: bool) -> Result<()> {
        let row = self.context.disk(move |r| r.source(source)).await?;
        if row.protocol == "kept" {
            return Err(Error::invalid(self.context.settings_strings().only_kept));
        }
        let change = SourceChange { paused: Some(on), ..SourceChange::default() };
        self.context.disk(move |r| r.change_source(source, change)).await?;
        self.engine.sources_changed().await;
        Ok(())
    }

    /// Removes a source and its token, which is taken back at its service if it was granted by a sign-in; `keep` leaves
    /// its items in the inbox. Removing them may take minutes; if the program ends before, the next start finishes it.
    /// Returns a sentence about such a token.
    pub(crate) async fn remove_source(&self, source: SourceId, keep: bool) -> Result<Option<String>> {
        let row = self.context.disk(move |r| r.source(source)).await?;
        if row.own {
            return Err(Error::invalid(self.context.settings_strings().own_not_removable));
        }
        self.context
            .disk(move |r| {
                presets::remove(r, source)?;
                r.begin_removal(source, keep)
            })
            .await?;
        let (tokens, owned) = (self.tokens.store().clone(), row.clone());
        // A locked keyring may ask the user first; the source is not pulled meanwhile.
        let removal = tokio::task::spawn_blocking(move || (tokens.grant(&owned), tokens.remove(&owned)));
        self.engine.sources_changed().await;
        let (grant, removed) = removal.await.unwrap_or((None, Ok(())));
        if let Err(error) = removed {
            tracing::warn!(%error, "the token of a removed source could not be removed");
        }
        let removing = async {
            if !keep {
                self.source_files.remove_files_of(source).await;
            }
            self.context.disk(move |r| r.finish_removal(keep)).await?;
            self.source_files.remove_unneeded_copies().await;
            Ok::<(), Error>(())
        };
        let (removed, text) = tokio::join!(removing, self.sign_ins.take_back(&row, grant));
        removed.map(|()| text)
    }

    /// Pulls one source at once.
    pub(crate) async fn try_source(&self, source: SourceId) -> Result<()> {
        self.context.disk(move |r| r.source(source)).await?;
        if let Some(engine) = self.engine.get()
            && let Err(error) = engine.pull_one(source).await
        {
            tracing::warn!(%error, "a source could not be tried");
        }
        Ok(())
    }

    /// Puts the sources into this order.
    pub(crate) async fn order_sources(&self, ids: Vec<SourceId>) -> Result<()> {
        let done = self.context.disk(move |r| r.order_sources(ids)).await;
        self.context.with_sync_update(done)
    }

    /// The wanted name if it is free; without one the suggested name, with a number if that is in use.
    async fn free_name(&self, wanted: Option<String>, suggested: &str) -> Result<String> {
        let sources = self.context.disk(tidings_replica::Replica::sources).await?;
        match wanted {
            Some(name) if sources.iter().all(|source| source.name != name) => Ok(name),
            Some(name) => Err(Error::invalid((self.context.settings_strings().name_taken)(&name))),
            None => Ok(unused_name(suggested, &sources)),
        }
    }
}
