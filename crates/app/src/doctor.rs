//! Looks at this computer from the running app.

use std::sync::Arc;

use tidings_doctor::{Audience, Found, findings, report};
use tidings_home::usual_port;
use tidings_ipc::{Diagnosis, NoticeCode};
use tidings_replica::{Replica, Source};
use tidings_sync::{SourceStatus, Trouble};
use url::Url;

use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::sources::engine::RunningEngine;
use crate::sources::own_server::Server;
use crate::state::age_hold::ClockWatch;
use crate::state::own_server::ServerState;
use crate::state::release::KnownRelease;
use crate::state::settings::SettingsStore;

/// What is known of versions newer than this one, by what the feed of releases said last. `None` if it was never asked, or
/// if the reader does not want to be told.
///
/// # Errors
/// The replica cannot be read.
pub fn known_version(replica: &Replica, this: &str) -> tidings_replica::Result<Option<Found>> {
    let known = KnownRelease::read(replica)?;
    let Some(answers) = known.answers() else { return Ok(None) };
    if !SettingsStore::read(replica)?.get().behaviour.newer_version {
        return Ok(None);
    }
    Ok(Some(match known.newer_than(this) {
        Some(newer) => Found::NewerVersion(newer.clone()),
        None if answers => Found::NewestVersion,
        None => Found::NoReleases,
    }))
}

part! {
    /// Looks at every part of this computer.
    pub(crate) struct Doctor {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        server: Arc<Server>,
        server_state: Arc<ServerState>,
        clock_watch: Arc<ClockWatch>,
    }
}

impl Doctor {
    /// Looks at every part. May take some seconds.
    pub(crate) async fn diagnosis(&self) -> Result<Diagnosis> {
        let found = self.look_at_computer().await?;
        let lang = self.context.lang();
        let report = report(&found, &self.context.version, lang);
        Ok(Diagnosis { findings: findings(&found, lang, Audience::Reader), report })
    }

    async fn look_at_computer(&self) -> Result<Vec<Found>> {
        let mut found = tidings_doctor::desktop(&self.context.ports.desktop.offer().await);
        found.extend(self.context.ports.autostart.is_on().map(Found::Autostart));
        let wanted = self.server.listen_config().await.port.unwrap_or_else(usual_port);
        let runs_at = self.server_state.url().and_then(|url| url.parse::<Url>().ok()?.port());
        let (home, failure) = (self.context.data.home().clone(), self.server_state.trouble());
        let here = tokio::task::spawn_blocking(move || {
            let mut found = tidings_doctor::folder(&home);
            found.extend(tidings_doctor::databases(&home));
            found.push(failure.map_or_else(
                || tidings_doctor::port(wanted, runs_at),
                |why| tidings_doctor::server_failed(&why),
            ));
            found
        });
        found.extend(here.await.map_err(|_| Error::Ending)?);
        let version = self.context.version.clone();
        found.extend(self.context.disk(move |replica| known_version(replica, &version)).await?);
        if self.context.notices.has(NoticeCode::ClockAhead) {
            found.push(Found::StampsAhead);
        }
        found.extend(self.look_at_sources().await?);
        Ok(found)
    }

    async fn look_at_sources(&self) -> Result<Vec<Found>> {
        let rows: Vec<(Source, Option<i64>)> = self
            .context
            .disk(|replica| {
                let with_offset = |row: Source| {
                    let is_known = row.protocol == "tidings" && row.last_pull.is_some();
                    let offset = is_known.then(|| replica.clock_offset(row.id)).transpose()?;
                    Ok::<_, tidings_replica::Error>((row, offset))
                };
                replica.sources()?.into_iter().map(with_offset).collect()
            })
            .await?;
        let statuses = self.engine.statuses();
        let (mut offsets, mut sources) = (Vec::new(), Vec::new());
        for (row, offset) in rows {
            let trouble = statuses.get(&row.id).and_then(trouble_of);
            let Some(source) = tidings_doctor::source(&row, trouble) else { continue };
            offsets.extend(offset.map(|offset| (source.host.clone(), offset)));
            sources.push(Found::Source(source));
        }
        let mut found = tidings_doctor::clock(&offsets, self.clock_watch.left());
        found.extend(sources);
        Ok(found)
    }
}

/// Why a source is not up to date.
const fn trouble_of(status: &SourceStatus) -> Option<Trouble> {
    match status {
        SourceStatus::Retrying { trouble, .. } => Some(*trouble),
        SourceStatus::NeedsSignIn { .. } => Some(Trouble::SignIn),
        _ => None,
    }
}
