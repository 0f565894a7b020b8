//! Starts and supervises the tasks that run beside the window: the own server, the sync engine, timers, retention, and
//! the forwarding of changes to the page.

use std::sync::Arc;
use std::time::Duration;

use tidings_replica::Changed;
use tidings_sync::{BackoffConfig, Engine, EngineConfig, EngineEvent, Wakes, supervise};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};

use super::engine_states;
use crate::app::App;
use crate::ports::DesktopRequest;
use crate::ports::OwnServer;

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
    /// Waits until the window has its first paint, at most one second, so that background work does not delay it.
    pub async fn wait_for_first_paint(&self) {
        self.context.events.wait_for_first_paint(FIRST_PAINT_TIMEOUT).await;
    }

    /// Spawns the task that handles the desktop's requests, one at a time, for as long as the program runs. Needs a
    /// tokio runtime. The receiver outlives a panic: the request that caused it is lost, and the next one is handled.
    pub fn spawn_request_handler(&self, requests: mpsc::UnboundedReceiver<DesktopRequest>) {
        let (app, requests) = (self.clone(), Arc::new(tokio::sync::Mutex::new(requests)));
        supervise::keep("what the desktop asks", move || app.clone().handle_requests(Arc::clone(&requests)));
    }

    async fn handle_requests(
        self,
        requests: Arc<tokio::sync::Mutex<mpsc::UnboundedReceiver<DesktopRequest>>>,
    ) {
        loop {
            let request = requests.lock().await.recv().await;
            let Some(request) = request else { return };
            self.handle_request(request).await;
        }
    }

    /// Starts everything that runs beside the window; returns when the engine runs or failed to start. Needs a tokio
    /// runtime.
    pub async fn start(&self, start: StartConfig) {
        self.spawn_tasks();
        self.context.events.update(|dirty| dirty.counts = true);
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
        let (app, mut first) = (self.clone(), Some(self.context.replica.subscribe()));
        supervise::keep("replica changes", move || {
            let changes = first.take().unwrap_or_else(|| {
                app.context.events.update(|dirty| dirty.refetch = true);
                app.context.replica.subscribe()
            });
            app.clone().forward_changes(changes)
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
    }

    pub(crate) async fn forward_changes(self, mut changes: broadcast::Receiver<Arc<Changed>>) {
        loop {
            match changes.recv().await {
                Ok(changed) => self.context.events.changed(&changed),
                Err(RecvError::Lagged(_)) => self.context.events.update(|dirty| dirty.refetch = true),
                Err(RecvError::Closed) => return,
            }
        }
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
