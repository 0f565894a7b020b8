//! The status of the sources and the counts beside the places, as the page shows them.

use std::sync::Arc;

use tidings_ipc::{self as ipc, SyncState, UnreadCount};
use tidings_model::{Lang, Stamp, text};
use tidings_replica::{Counts, Replica, Source};
use tidings_sources::topics;
use tidings_strings::strings;
use tidings_sync::{SourceStatus, Trouble};
use tidings_toasts::quiet;

use crate::context::{Context, part};
use crate::error::Result;
use crate::inbox::search::Searches;
use crate::notify::silence::Silence;
use crate::sources::engine::RunningEngine;
use crate::sources::passed_by::PassedBy;

/// The most archived items whose threads are counted for an empty inbox.
const MAX_DONE_TODAY: usize = 1_000;

part! {
    /// Counts the places, and reads the status of the sources.
    pub(crate) struct Places {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        silence: Arc<Silence>,
        searches: Arc<Searches>,
        passed_by: Arc<PassedBy>,
    }
}

impl Places {
    /// The status of all sources, and the counts beside the places.
    pub(crate) async fn sync_and_places(&self) -> Result<(ipc::Sync, ipc::Places)> {
        let lang = self.context.lang();
        let statuses = self.engine.statuses();
        let today = quiet::start_of_day(self.context.zone.as_ref(), self.context.now());
        let (counts, sources, done_today) = self
            .context
            .disk(move |replica| {
                let counts = replica.counts()?;
                let done_today = done_today(replica, &counts, today)?;
                Ok((counts, replica.sources()?, done_today))
            })
            .await?;
        self.passed_by.update_passed_by(&sources);
        let rows: Vec<ipc::SourceRow> = sources
            .iter()
            .map(|source| ipc::SourceRow {
                id: source.id,
                // A name may come from a backup or from an imported settings file.
                name: text::line(&source.name).into_owned(),
                protocol: text::line(&source.protocol).into_owned(),
                own: source.own,
                url: text::line(&source.url).into_owned(),
                count: counts.sources.iter().find(|n| n.source == source.id).map_or_else(
                    UnreadCount::default,
                    |n| UnreadCount { unread: n.unread, counted: n.badge },
                ),
                state: sync_state(source, statuses.get(&source.id), lang),
                notify: source.notify,
                muted_until: source.muted_until.map(Stamp::as_millis),
                show_icons: source.show_icons,
                skipped: Some(source.skipped).filter(|skipped| *skipped > 0),
                malformed: (source.malformed > 0).then(|| ipc::MalformedItems {
                    items: source.malformed,
                    // A msgid comes from the source.
                    msgids: source.malformed_msgids.iter().map(|id| text::line(id).into_owned()).collect(),
                }),
                topics: Some(topics(source)).filter(|topics| !topics.is_empty()),
                applications: applications(source),
            })
            .collect();
        let (settings, now) = (self.context.settings.get(), self.context.now());
        let paused_until = settings.pause_end(now).and(settings.paused_until);
        let for_everything = quiet::for_everything(&settings.notify.quiet);
        let quiet = quiet::in_force(&for_everything, self.context.zone.as_ref(), now);
        let quiet_until = quiet.map(|quiet| quiet.until.as_millis());
        let active = || rows.iter().filter(|row| !matches!(row.state, SyncState::Paused { .. }));
        let sync = ipc::Sync {
            up_to_date: rows
                .iter()
                .all(|row| matches!(row.state, SyncState::Idle | SyncState::Live | SyncState::Paused { .. })),
            offline: active().count() > 0 && active().all(|row| is_retrying(&row.state)),
            last_pull: sources.iter().filter_map(|s| s.last_pull).max().map(Stamp::as_millis),
            waiting: counts.waiting,
            waiting_messages: counts.waiting_messages,
            paused_until,
            quiet_until,
            do_not_disturb: self.silence.do_not_disturb(),
        };
        let counted = counts.badge_by_kind;
        let count = |unread, counted| UnreadCount { unread, counted };
        let places = ipc::Places {
            inbox: count(counts.total, counts.badge),
            pinned: counts.places.pinned,
            snoozed: counts.places.snoozed,
            done_today,
            announcement: count(counts.announcement, counted.announcement),
            reminder: count(counts.reminder, counted.reminder),
            message: count(counts.message, counted.message),
            sources: rows,
            saved: self.searches.saved_searches().await?,
        };
        Ok((sync, places))
    }
}

/// What was archived since the beginning of today, if the inbox is empty: nothing else says it.
fn done_today(
    replica: &Replica,
    counts: &Counts,
    today: Stamp,
) -> tidings_replica::Result<Option<ipc::DoneToday>> {
    if counts.places.inbox > 0 {
        return Ok(None);
    }
    let done = replica.archived_since(today, MAX_DONE_TODAY)?;
    Ok(Some(ipc::DoneToday { since: today.as_millis(), threads: done.threads, at_least: done.at_least }))
}

/// The applications of a source that keeps the notifications of this desktop's applications.
fn applications(source: &Source) -> Option<Vec<ipc::DesktopApplication>> {
    let all = tidings_sources::applications(source)?.into_iter();
    Some(all.map(|one| ipc::DesktopApplication { name: one.name, kept: one.kept }).collect())
}

fn is_retrying(state: &SyncState) -> bool {
    matches!(state, SyncState::Retrying { .. })
}

fn sync_state(source: &Source, state: Option<&SourceStatus>, lang: Lang) -> SyncState {
    let paused = || SyncState::Paused { since: source.paused_at.map(Stamp::as_millis) };
    if source.paused {
        return paused();
    }
    match state.copied().unwrap_or_default() {
        SourceStatus::Idle => SyncState::Idle,
        SourceStatus::Paused => paused(),
        SourceStatus::Pulling { done, of } => SyncState::Pulling { done, of },
        SourceStatus::Live => SyncState::Live,
        SourceStatus::Retrying { at, trouble: trouble @ Trouble::PullEnded(_) } => {
            SyncState::Ended { at: at.as_millis(), why: strings(lang).trouble(trouble) }
        }
        SourceStatus::Retrying { at, trouble } => SyncState::Retrying {
            at: at.as_millis(),
            why: strings(lang).trouble(trouble),
            offline: trouble.is_offline(),
        },
        SourceStatus::NeedsSignIn { since } => SyncState::NeedsSignIn { since: since.as_millis() },
    }
}
