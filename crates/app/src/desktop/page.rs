//! The page's start: the data for its first paint.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tidings_ipc::{Bootstrap, FirstRun, Place, ProtocolView, ThreadQuery};

use super::places::Places;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::inbox::search::Searches;
use crate::inbox::threads::Reading;
use crate::settings::ReaderSettings;
use crate::sources::engine::RunningEngine;
use crate::state::own_server::{PublishAddress, ServerState};

/// Rows of the first page.
const FIRST_PAGE_ROWS: u32 = 100;
/// The longest wait of the first-run page for the own server's start.
const SERVER_START_TIMEOUT: Duration = Duration::from_secs(3);

part! {
    /// Gives the page what it starts with.
    pub(crate) struct PageData {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        server_state: Arc<ServerState>,
        settings: Arc<ReaderSettings>,
        searches: Arc<Searches>,
        reading: Arc<Reading>,
        places: Arc<Places>;
        /// The number of the replica's changes when the page's data was read.
        read_at: AtomicU64 = AtomicU64::new(0),
    }
}

impl PageData {
    /// Handles that the page has its first paint: background work may start.
    pub(crate) fn first_paint(&self) {
        self.context.events.first_paint();
    }

    /// The status of all sources, and the counts beside the places.
    #[cfg(test)]
    pub(crate) async fn sync_and_places(&self) -> Result<(tidings_ipc::Sync, tidings_ipc::Places)> {
        self.places.sync_and_places().await
    }

    /// All data for the page's first paint. Events are sent from now on.
    pub(crate) async fn bootstrap(&self) -> Result<Bootstrap> {
        let open = self.context.events.bootstrapped();
        let mut all = self.read().await?;
        all.first_run.publish_url = self.publish_url(all.first_run.show).await;
        all.open = open.as_ref().map(|open| open.thread);
        all.open_action = open.as_ref().and_then(|open| open.action.clone());
        all.open_item = open.and_then(|open| open.item).map(|item| item.0);
        Ok(all)
    }

    /// The same data for a document that is about to be read in, as JSON that may stand in its HTML. `None` if it is the
    /// first run, whose page waits for the own server.
    pub(crate) async fn document_data(&self) -> Result<Option<String>> {
        self.context.events.embedding();
        let mut all = self.read().await?;
        if all.first_run.show {
            return Ok(None);
        }
        all.first_run.publish_url = self.publish_url(false).await;
        let json = serde_json::to_string(&all).map_err(|error| Error::Write(error.into()))?;
        // Within a string, this is the same character; no end of an element and no comment can stand there.
        Ok(Some(json.replace('<', "\\u003c")))
    }

    /// Handles that the page shows what its document brought. Events are sent from now on, at first the thread that it
    /// is to open.
    pub(crate) fn listen(&self) {
        if let Some(open) = self.context.events.embedded() {
            self.context.events.send(open.event());
        }
    }

    /// Whether the inbox changed since the page's data was read. Nobody tells the page of changes before the start.
    pub(crate) fn is_behind(&self) -> bool {
        self.read_at.load(Ordering::Relaxed) != self.context.replica.changes()
    }

    /// All data for the page's first paint, without what is to be opened and the own server's address.
    async fn read(&self) -> Result<Bootstrap> {
        let group = self.settings.current_settings().group;
        let first = ThreadQuery { limit: FIRST_PAGE_ROWS, group, ..ThreadQuery::top(Place::Inbox) };
        let inbox = self.reading.threads(first).await?;
        self.read_at.store(inbox.as_of, Ordering::Relaxed);
        self.searches.request_counts();
        let (sync, places) = self.places.sync_and_places().await?;
        let has_items =
            self.context.disk(|r| Ok(r.counts()?.sources.iter().any(|source| source.items > 0))).await?;
        let settings = self.settings.current_settings();
        let show = !has_items && !settings.welcome_closed && places.sources.iter().all(|source| source.own);
        let first_run = FirstRun { show, publish_url: None, autostart: self.context.ports.autostart.is_on() };
        Ok(Bootstrap {
            version: self.context.version.clone(),
            time_locale: self.context.time_locale.clone(),
            font: self.context.font.clone(),
            notices: self.context.notices.all(self.context.lang()),
            settings,
            places,
            sync,
            inbox,
            first_run,
            open: None,
            open_action: None,
            open_item: None,
            protocols: ProtocolView::all(),
            uploads: self.engine.upload_views(),
        })
    }

    /// The address at which the own server takes publications. With `wait`, as the first-run page needs it, waits at
    /// most three seconds for the server's start, and lets that start begin before the first paint.
    async fn publish_url(&self, wait: bool) -> Option<String> {
        let mut publishing = self.server_state.publishing();
        if wait {
            self.context.events.first_paint();
            let started = publishing.wait_for(|now| *now != PublishAddress::Starting);
            let _ = tokio::time::timeout(SERVER_START_TIMEOUT, started).await;
        }
        let now = publishing.borrow().clone();
        if let PublishAddress::At(url) = now { Some(url) } else { None }
    }
}
