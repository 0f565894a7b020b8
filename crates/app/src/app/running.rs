//! What the host asks of the app: its start with the tasks that run beside the window, its requests, and its end.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tidings_net::supervise;
use tidings_ports::{DesktopRequest, OwnServer};
use tidings_replica::Changed;
use tidings_sources::Bounds;
use tidings_sync::{BackoffConfig, Engine, EngineConfig, EngineEvent, Wakes};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};

use super::App;
use crate::context::Context;
use crate::desktop::desktop_search::FoundThread;
use crate::desktop::engine_states;
use crate::desktop::requests::Requests;
use crate::desktop::socket::Request;
use crate::events::Sink;

/// The inputs of [`App::start`].
pub struct StartConfig {
    /// The own server; `None` runs the app without one.
    pub server: Option<Arc<dyn OwnServer>>,
    /// Signs that open connections may be dead.
    pub wakes: Wakes,
    /// The engine's waits between tries.
    pub backoff: BackoffConfig,
}

/// Capacity of the queue of engine events.
const ENGINE_EVENT_CAPACITY: usize = 4;
/// The longest time that the start waits for the window's first paint.
const FIRST_PAINT_TIMEOUT: Duration = Duration::from_secs(1);

impl App {
    /// The folder of this session's files: the data folder, or the temporary folder that stands in for it.
    pub fn folder(&self) -> &Path {
        self.context.data.path()
    }

    /// Registers the page's event sink, in place of the one before.
    pub fn listen(&self, sink: Sink) {
        self.context.events.listen(sink);
    }

    /// The data that the page's document brings, as JSON that may stand in its HTML, so that the page shows its list without
    /// asking for it. `None` if the page has to ask.
    pub async fn document_data(&self) -> Option<String> {
        let read = self.page.document_data().await;
        read.inspect_err(|error| tracing::warn!(%error, "the page has to ask for its data")).ok().flatten()
    }

    /// Takes the own server's port, so that it is found from the first moment, though it starts after the window. Blocks
    /// for one read of the replica.
    pub fn reserve_port(&self, server: &dyn OwnServer) {
        self.server.reserve_port(server);
    }

    /// Whether the program goes on when its window is closed.
    pub fn keeps_running(&self) -> bool {
        self.background.keeps_running()
    }

    /// Handles that the window was closed and the program goes on: without a tray icon, which would open it again, a toast
    /// says once how to come back.
    pub async fn went_to_background(&self) {
        self.background.went_to_background().await;
    }

    /// Handles that the window was destroyed, and its page with it: acknowledges batched reads and detaches the events.
    pub fn window_closed(&self) {
        self.engine.flush_read_marks(None);
        self.toasts.watch(None);
        self.composer_files.window_closed();
        self.sign_ins.window_closed();
        self.context.events.detach();
    }

    /// Handles that the page's process ended and the page is about to be read in again. It then shows the thread that was
    /// open, unless that would read one to which its reader had not turned.
    pub fn page_ended(&self) {
        let watched = self.toasts.watched();
        self.window_closed();
        if let Some(thread) = self.reading.shown_thread(watched) {
            self.links.open_thread(thread);
        }
    }

    /// Ends the engine after its writes were committed, removes `endpoint.json` and a temporary folder.
    pub async fn shutdown(&self) {
        self.server_state.withdraw_endpoint(&self.context.data.home().endpoint());
        if let Some(engine) = self.engine.get() {
            engine.shutdown().await;
        }
        self.context.data.remove_temporary();
    }

    /// Waits until the window has its first paint, at most one second, so that background work does not delay it.
    pub async fn wait_for_first_paint(&self) {
        self.context.events.wait_for_first_paint(FIRST_PAINT_TIMEOUT).await;
    }

    /// Spawns the task that handles the desktop's requests, one at a time, for as long as the program runs. Needs a
    /// tokio runtime. The receiver outlives a panic: the request that caused it is lost, and the next one is handled.
    pub fn spawn_request_handler(&self, requests: mpsc::UnboundedReceiver<DesktopRequest>) {
        let (handler, requests) = (Arc::clone(&self.requests), Arc::new(tokio::sync::Mutex::new(requests)));
        supervise::keep("what the desktop asks", move || {
            handle_requests(Arc::clone(&handler), Arc::clone(&requests))
        });
    }

    /// Answers a request over the app's socket.
    ///
    /// # Errors
    /// A sentence that says why the request failed: in English for a pull, else in the reader's language.
    pub async fn answer(&self, request: Request) -> Result<(), String> {
        self.socket_requests.answer(request).await
    }

    /// The threads that the desktop's search may list for these words, at most ten; none unless the reader allowed it.
    pub async fn found_by_desktop(&self, words: &str) -> Vec<FoundThread> {
        self.desktop_search.found(words).await
    }

    /// What was found before under these links, in their order; none unless the reader allows it.
    pub fn described_to_desktop(&self, links: &[String]) -> Vec<FoundThread> {
        self.desktop_search.described(links)
    }

    /// Starts everything that runs beside the window; returns when the engine runs or failed to start. Needs a tokio
    /// runtime.
    pub async fn start(&self, start: StartConfig) {
        self.spawn_tasks();
        let behind = self.page.is_behind();
        self.context.events.update(|dirty| {
            dirty.counts = true;
            dirty.refetch |= behind;
        });
        self.global_keys.take_stored_keys().await;
        self.tokens.migrate_tokens().await;
        self.proxy.load_proxy().await;
        self.source_files.remove_orphaned_files().await;
        self.source_files.remove_unneeded_copies().await;
        if let Some(server) = start.server {
            self.server_state.set_server(Arc::clone(&server));
            self.server.start_server(server.as_ref()).await;
        }
        self.server_state.start_ended();
        let (events, receiver) = mpsc::channel(ENGINE_EVENT_CAPACITY);
        let (app, receiver) = (self.clone(), Arc::new(tokio::sync::Mutex::new(receiver)));
        supervise::keep("engine events", move || app.clone().handle_engine_events(Arc::clone(&receiver)));
        let config = EngineConfig {
            replica: self.context.replica.clone(),
            tokens: Arc::new(self.tokens.stored()),
            clock: Arc::clone(&self.context.clock),
            wakes: start.wakes,
            backoff: start.backoff,
            events: Some(events),
            bounds: Bounds::default(),
        };
        match Engine::start(config).await {
            Ok(engine) => {
                let (context, watched) = (Arc::clone(&self.context), engine.clone());
                supervise::keep("the sources' states", move || {
                    engine_states::watch_statuses(Arc::clone(&context), watched.clone())
                });
                let (outages, watched) = (Arc::clone(&self.outages), engine.clone());
                supervise::keep("sources out of reach", move || {
                    outages.clone().watch_outages(watched.clone())
                });
                let (context, watched) = (Arc::clone(&self.context), engine.clone());
                supervise::keep("uploads of files", move || {
                    engine_states::watch_uploads(Arc::clone(&context), watched.clone())
                });
                self.engine.set(engine);
                self.context.events.update(|dirty| dirty.sync = true);
            }
            Err(error) => tracing::error!(%error, "the sources cannot be pulled"),
        }
    }

    /// Spawns the tasks that run as long as the program; one that panics is restarted.
    fn spawn_tasks(&self) {
        let updates = Arc::clone(&self.updates);
        supervise::keep("window updates", move || updates.clone().run_updates());
        // Subscribed before anything can change; after a restart everything is fetched again, since changes were
        // missed.
        let (context, mut first) = (Arc::clone(&self.context), Some(self.context.replica.subscribe()));
        supervise::keep("replica changes", move || {
            let changes = first.take().unwrap_or_else(|| {
                context.events.update(|dirty| dirty.refetch = true);
                context.replica.subscribe()
            });
            forward_changes(Arc::clone(&context), changes)
        });
        let (context, searches) = (Arc::clone(&self.context), Arc::clone(&self.searches));
        let mut first = Some(self.context.replica.subscribe());
        supervise::keep("saved search counts", move || {
            let changes = first.take().unwrap_or_else(|| context.replica.subscribe());
            searches.clone().run_search_counts(changes)
        });
        let silence = Arc::clone(&self.silence);
        supervise::keep("timers", move || silence.clone().run_timers());
        let retention = Arc::clone(&self.retention);
        supervise::keep("retention", move || retention.clone().run_retention());
        let calendars = Arc::clone(&self.calendars);
        supervise::keep("calendars", move || calendars.clone().run_calendars());
        let release_watch = Arc::clone(&self.release_watch);
        supervise::keep("releases", move || release_watch.clone().run_checks());
    }

    /// Handles engine events one at a time. The receiver outlives a panic, so only the event that caused it is lost.
    async fn handle_engine_events(self, receiver: Arc<tokio::sync::Mutex<mpsc::Receiver<EngineEvent>>>) {
        loop {
            let event = receiver.lock().await.recv().await;
            let Some(event) = event else { return };
            self.handle_engine_event(event).await;
        }
    }

    pub(crate) async fn handle_engine_event(&self, event: EngineEvent) {
        let pulled = if let EngineEvent::CaughtUp { source, .. } = &event { Some(*source) } else { None };
        self.toasts.handle_engine_event(event).await;
        if let Some(source) = pulled {
            self.sources.source_pulled(source).await;
        }
    }
}

/// Handles the desktop's requests one at a time.
async fn handle_requests(
    handler: Arc<Requests>,
    requests: Arc<tokio::sync::Mutex<mpsc::UnboundedReceiver<DesktopRequest>>>,
) {
    loop {
        let request = requests.lock().await.recv().await;
        let Some(request) = request else { return };
        handler.handle_request(request).await;
    }
}

/// Hands the changes of the replica to the page's events, for as long as the replica is open.
pub(crate) async fn forward_changes(context: Arc<Context>, mut changes: broadcast::Receiver<Arc<Changed>>) {
    loop {
        match changes.recv().await {
            Ok(changed) => context.events.changed(&changed),
            Err(RecvError::Lagged(_)) => context.events.update(|dirty| dirty.refetch = true),
            Err(RecvError::Closed) => return,
        }
    }
}
