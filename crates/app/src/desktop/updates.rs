//! Turns changes into updates of badge, tray, launcher and page, in rounds.

use std::sync::Arc;
use std::time::Instant;

use tidings_ipc::{IpcEvent, UnreadCount};
use tidings_model::Language;
use tidings_render::contexts::RenderContexts;
use tidings_render::row::{RowText, row_text};
use tidings_replica::{Counts, Place, Replica, Thread, ThreadId, ThreadQuery};
use tidings_strings::grouped;
use tidings_toasts::quiet;

use super::pacing::Pacing;
use super::places::Places;
use crate::context::{Context, part};
use crate::error::Result;
use crate::events::Dirty;
use crate::notify::toasts::Toasts;
use crate::notify::tray::{self, MAX_MENU_THREADS, TraySilence, TrayState};
use crate::settings::ReaderSettings;
use crate::sources::engine::RunningEngine;
use crate::tray_and_badge::TrayAndBadge;

/// The most characters of a thread's line in the tray's menu.
const MAX_MENU_LINE_CHARS: usize = 60;

part! {
    /// Shows on the desktop and the page what changed.
    pub(crate) struct Updates {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        toasts: Arc<Toasts>,
        settings: Arc<ReaderSettings>,
        places: Arc<Places>;
        tray_and_badge: TrayAndBadge = TrayAndBadge::default(),
    }
}

impl Updates {
    /// Sends updates to desktop and page for as long as the program runs.
    pub(crate) async fn run_updates(self: Arc<Self>) {
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

    /// Tells the page first, whose reader looks at it; tray and toasts read more of the inbox than it does.
    async fn send_updates(&self, dirty: Dirty) -> Result<()> {
        let counted = dirty.counts || dirty.refetch || dirty.settings;
        let listens = self.context.events.has_listener();
        let told = if listens { self.tell_page(dirty, counted).await } else { Ok(()) };
        if counted {
            self.show_counts().await?;
        }
        told
    }

    async fn tell_page(&self, dirty: Dirty, counted: bool) -> Result<()> {
        let send = |event| self.context.events.send(event);
        if dirty.settings {
            send(IpcEvent::Settings { settings: self.settings.current_settings() });
        }
        if counted {
            self.send_threads(&dirty).await?;
        } else if dirty.sync {
            let (sync, places) = self.places.sync_and_places().await?;
            send(IpcEvent::Sync { sync, sources: places.sources });
        }
        if dirty.notices || dirty.settings {
            send(IpcEvent::Notices { notices: self.context.notices.all(self.context.lang()) });
        }
        if let Some(open) = dirty.open {
            send(open.event());
        }
        if dirty.new_conversation {
            send(IpcEvent::NewConversation);
        }
        if let Some(query) = dirty.search {
            send(IpcEvent::Search { query });
        }
        for ((thread, msgid), file) in dirty.files {
            send(IpcEvent::File { thread, msgid, file });
        }
        if dirty.uploads {
            send(IpcEvent::Uploads { uploads: self.engine.upload_views() });
        }
        if let Some(text) = dirty.announcement {
            send(IpcEvent::Announce { text });
        }
        Ok(())
    }

    /// Sends the changed rows with the counts, and the status of the sources, which depends on them.
    async fn send_threads(&self, dirty: &Dirty) -> Result<()> {
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
        let (sync, places) = self.places.sync_and_places().await?;
        let sources = places.sources.clone();
        self.context.events.send(IpcEvent::Threads { rows, gone, refetch, places, as_of });
        self.context.events.send(IpcEvent::Sync { sync, sources });
        Ok(())
    }

    /// Updates badge, tray and title, and the toasts whose items changed.
    async fn show_counts(&self) -> Result<()> {
        let (lang, language) = (self.context.lang(), self.context.language());
        let (counts, next) = self.context.disk(move |replica| next_unread(replica, &language)).await?;
        let unread = UnreadCount { unread: counts.total, counted: counts.badge };
        let state = TrayState { unread, unseen: counts.unseen, silence: self.silence() };
        let view = tray::tray(lang, &state, &next);
        let urgent = counts.badge > 0 && self.toasts.has_critical();
        self.tray_and_badge.show_launcher(&self.context.ports, counts.badge, urgent);
        let title = match counts.badge {
            0 => "Tidings".to_owned(),
            n => format!("Tidings ({})", grouped(n)),
        };
        self.tray_and_badge.show_tray(&self.context.ports, view, &title);
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
    tidings_render::plain::line(
        &format!("{}: {what}", row.who),
        tidings_model::Format::Plain,
        MAX_MENU_LINE_CHARS,
    )
}
