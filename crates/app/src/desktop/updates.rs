//! Turns changes into updates of badge, tray, launcher and page, in rounds.

use std::time::Instant;

use tidings_model::{Lang, Language, Stamp, text};
use tidings_replica::{Counts, Place, Replica, Source, Thread, ThreadId, ThreadQuery};
use tidings_sync::source::topics;
use tidings_sync::{SourceStatus, SourceStatuses, Trouble, UploadProgress};

use super::pacing::Pacing;
use super::status_notices;
use crate::app::App;
use crate::error::Result;
use crate::ipc::events::Dirty;
use crate::ipc::{self, IpcEvent, SyncState, UnreadCount};
use crate::notify::tray::{self, MAX_MENU_THREADS, TraySilence, TrayState};
use crate::quiet;
use crate::render::contexts::RenderContexts;
use crate::render::row::{RowText, row_text};
use crate::strings::{grouped, strings};

/// The most archived items whose threads are counted for an empty inbox.
const MAX_DONE_TODAY: usize = 1_000;
/// The most characters of a thread's line in the tray's menu.
const MAX_MENU_LINE_CHARS: usize = 60;

impl App {
    /// Sends updates to desktop and page for as long as the program runs.
    pub(crate) async fn run_updates(self) {
        let mut pacing = Pacing::new(Instant::now());
        loop {
            let dirty = self.context.events.next().await;
            let start = Instant::now();
            if let Err(error) = self.send_updates(dirty).await {
                tracing::error!(%error, "the inbox could not be read");
            }
            tokio::time::sleep(pacing.pause(start, Instant::now())).await;
        }
    }

    async fn send_updates(&self, dirty: Dirty) -> Result<()> {
        let lang = self.context.lang();
        if dirty.counts || dirty.refetch || dirty.settings {
            self.show_counts().await?;
        }
        if !self.context.events.has_listener() {
            return Ok(());
        }
        let send = |event| self.context.events.send(event);
        if dirty.settings {
            send(IpcEvent::Settings { settings: self.settings.current_settings() });
        }
        if dirty.counts || dirty.refetch || dirty.settings {
            let threads = self.threads_event(&dirty).await?;
            send(threads);
        }
        if dirty.sync || dirty.settings || dirty.counts {
            let (sync, places) = self.sync_and_places().await?;
            send(IpcEvent::Sync { sync, sources: places.sources });
        }
        if dirty.notices || dirty.settings {
            send(IpcEvent::Notices { notices: self.context.notices.all(lang) });
        }
        if let Some(open) = dirty.open {
            let item = open.item.map(|item| item.0);
            send(IpcEvent::Open { thread: open.thread, item, action: open.action });
        }
        if dirty.new_conversation {
            send(IpcEvent::NewConversation);
        }
        for ((thread, msgid), file) in dirty.files {
            send(IpcEvent::File { thread, msgid, file });
        }
        if dirty.uploads {
            send(IpcEvent::Uploads { uploads: self.upload_views() });
        }
        if let Some(text) = dirty.announcement {
            send(IpcEvent::Announce { text });
        }
        Ok(())
    }

    /// The files that are being sent.
    pub(crate) fn upload_views(&self) -> Vec<ipc::Upload> {
        let view = |(id, progress): (String, UploadProgress)| ipc::Upload {
            id,
            done: progress.sent,
            of: progress.size,
        };
        self.engine.uploads().into_iter().map(view).collect()
    }

    async fn threads_event(&self, dirty: &Dirty) -> Result<IpcEvent> {
        let refetch = dirty.refetch || dirty.settings;
        let wanted: Vec<ThreadId> =
            if refetch { Vec::new() } else { dirty.threads.iter().copied().collect() };
        let language = self.context.language();
        let (as_of, rows) = self
            .context
            .disk(move |replica| {
                let as_of = replica.changes();
                let contexts = RenderContexts::load(replica, &language)?;
                Ok((as_of, contexts.changed_rows(replica, &wanted)?))
            })
            .await?;
        let gone = if refetch { Vec::new() } else { dirty.gone.iter().copied().collect() };
        let (_, places) = self.sync_and_places().await?;
        Ok(IpcEvent::Threads { rows, gone, refetch, places, as_of })
    }

    /// Updates badge, tray and title, and the toasts whose items changed.
    async fn show_counts(&self) -> Result<()> {
        let (lang, language) = (self.context.lang(), self.context.language());
        let (counts, next) = self.context.disk(move |replica| next_unread(replica, &language)).await?;
        let unread = UnreadCount { unread: counts.total, counted: counts.badge };
        let state = TrayState { unread, unseen: counts.unseen, silence: self.silence() };
        let view = tray::tray(lang, &state, &next);
        let urgent = counts.badge > 0 && self.toasts.has_critical();
        self.inner.tray_and_badge.show_launcher(&self.context.ports, counts.badge, urgent);
        let title = match counts.badge {
            0 => "Tidings".to_owned(),
            n => format!("Tidings ({})", grouped(n)),
        };
        self.inner.tray_and_badge.show_tray(&self.context.ports, view, &title);
        self.toasts.follow_toast_items().await
    }

    /// The silence in force, with the time as the tray shows it.
    fn silence(&self) -> TraySilence {
        let (settings, now, zone) =
            (self.context.settings.get(), self.context.now(), self.context.zone.as_ref());
        if settings.pause_end(now).is_some() {
            return TraySilence::Paused;
        }
        match quiet::in_force(&quiet::for_everything(&settings.notify.quiet), zone, now) {
            Some(quiet) => TraySilence::QuietHours(quiet::clock_time(zone, quiet.until)),
            None => TraySilence::None,
        }
    }

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

    pub(crate) fn statuses_changed(&self, statuses: &SourceStatuses) {
        status_notices::update(&self.context, statuses);
        self.context.events.update(|dirty| dirty.sync = true);
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
    let all = tidings_sync::source::applications(source)?.into_iter();
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
            SyncState::Ended { at: at.as_millis(), why: (strings(lang).trouble)(trouble) }
        }
        SourceStatus::Retrying { at, trouble } => SyncState::Retrying {
            at: at.as_millis(),
            why: (strings(lang).trouble)(trouble),
            offline: trouble.is_offline(),
        },
        SourceStatus::NeedsSignIn { since } => SyncState::NeedsSignIn { since: since.as_millis() },
    }
}

/// The counts, and the threads that the tray's menu offers: the newest of those that are counted on the badge.
fn next_unread(
    replica: &Replica,
    language: &Language,
) -> tidings_replica::Result<(Counts, Vec<(ThreadId, String)>)> {
    let counts = replica.counts()?;
    if counts.badge == 0 {
        return Ok((counts, Vec::new()));
    }
    let query = ThreadQuery::top(Place::Unread, MAX_MENU_THREADS * 4);
    let page = replica.threads(&query)?;
    let contexts = RenderContexts::load(replica, language)?;
    let line = |thread: &Thread| {
        let ctx = contexts.of(thread.source)?;
        thread
            .counts(ctx.source.notify, ctx.default_from_priority)
            .then(|| (thread.id, menu_line(&row_text(&ctx, thread))))
    };
    let lines = page.rows.iter().filter_map(line).take(MAX_MENU_THREADS).collect();
    Ok((counts, lines))
}

fn menu_line(row: &RowText) -> String {
    let what: String = row.what.iter().map(|span| span.text.as_str()).collect();
    crate::render::plain::line(
        &format!("{}: {what}", row.who),
        tidings_model::Format::Plain,
        MAX_MENU_LINE_CHARS,
    )
}
