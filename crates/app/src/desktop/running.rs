//! Starts and supervises what runs beside the window: the own server, the sync engine, timers, retention, and the tasks
//! that forward what they bring.

use std::sync::Arc;
use std::time::Duration;

use tidings_replica::Changed;
use tidings_sync::{BackoffConfig, Engine, EngineConfig, EngineEvent, Wakes, supervise};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};

use crate::app::App;
use crate::desktop::ports::DesktopRequest;
use crate::sources::own_server::OwnServer;

/// How the app is connected.
pub struct Connections {
    /// Its own server; none leaves it out.
    pub server: Option<Arc<dyn OwnServer>>,
    /// When connections can't be trusted any more.
    pub wakes: Wakes,
    /// How long the engine waits for what.
    pub backoff: BackoffConfig,
}

/// Events of the engine that may wait to be handled.
const EVENTS: usize = 64;
/// How often what is kept long enough is taken off.
const TAKE_OFF: Duration = Duration::from_secs(6 * 60 * 60);
/// A window is on screen within this, on any machine that does not have worse troubles.
const FIRST: Duration = Duration::from_secs(1);
/// How long the clock is trusted to run straight: a computer may sleep.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

impl App {
    /// Leaves the machine to a window that is being built, until it is on screen: what runs beside it comes after.
    pub async fn let_window_go_first(&self) {
        self.inner.events.wait_for_first_paint(FIRST).await;
    }

    /// Does what the desktop asks for as long as the program runs, one after the other. Needs a tokio runtime. The
    /// receiver outlives a fault: the request that it came with is lost, and the next one is handled.
    pub fn follow(&self, requests: mpsc::UnboundedReceiver<DesktopRequest>) {
        let (app, requests) = (self.clone(), Arc::new(tokio::sync::Mutex::new(requests)));
        supervise::keep("what the desktop asks", move || app.clone().handle_requests(Arc::clone(&requests)));
    }

    async fn handle_requests(
        self,
        requests: Arc<tokio::sync::Mutex<mpsc::UnboundedReceiver<DesktopRequest>>>,
    ) {
        loop {
            let action = requests.lock().await.recv().await;
            let Some(action) = action else { return };
            self.handle_request(action).await;
        }
    }

    /// Starts everything that runs beside the window; returns when the engine runs. Needs a tokio runtime.
    pub async fn start(&self, connections: Connections) {
        self.keep_running();
        self.inner.events.note(|dirty| dirty.numbers = true);
        self.adopt_tokens().await;
        self.remove_orphaned_files().await;
        if let Some(server) = connections.server {
            self.inner.server.set_server(Arc::clone(&server));
            self.start_server(server.as_ref()).await;
        }
        self.inner.server.start_ended();
        let (events, received) = mpsc::channel(EVENTS);
        let (app, received) = (self.clone(), Arc::new(tokio::sync::Mutex::new(received)));
        supervise::keep("engine events", move || app.clone().handle_engine_events(Arc::clone(&received)));
        let config = EngineConfig {
            replica: self.inner.replica.clone(),
            tokens: Arc::new(self.inner.keys.clone()),
            clock: Arc::clone(&self.inner.clock),
            wakes: connections.wakes,
            backoff: connections.backoff,
            events: Some(events),
        };
        match Engine::start(config).await {
            Ok(engine) => {
                let (app, followed) = (self.clone(), engine.clone());
                supervise::keep("the sources' states", move || app.clone().watch_engine(followed.clone()));
                let _ = self.inner.engine.set(engine);
                self.inner.events.note(|dirty| dirty.sync = true);
            }
            Err(error) => tracing::error!(%error, "the sources cannot be pulled"),
        }
    }

    /// Starts what runs for as long as the program does; what panics is begun again.
    fn keep_running(&self) {
        let app = self.clone();
        supervise::keep("telling the window", move || app.clone().run_updates());
        // Subscribed before anything can change; what was missed by one that began again is looked at anew.
        let (app, mut first) = (self.clone(), Some(self.inner.replica.subscribe()));
        supervise::keep("changes", move || {
            let changes = first.take().unwrap_or_else(|| {
                app.inner.events.note(|dirty| dirty.refetch = true);
                app.inner.replica.subscribe()
            });
            app.clone().forward_changes(changes)
        });
        let (app, mut first) = (self.clone(), Some(self.inner.replica.subscribe()));
        supervise::keep("kept searches", move || {
            let changes = first.take().unwrap_or_else(|| app.inner.replica.subscribe());
            app.clone().run_search_counts(changes)
        });
        let app = self.clone();
        supervise::keep("the clock", move || app.clone().run_timers());
        let app = self.clone();
        supervise::keep("what is kept", move || app.clone().run_retention());
    }

    pub(crate) async fn forward_changes(self, mut changes: broadcast::Receiver<Arc<Changed>>) {
        loop {
            match changes.recv().await {
                Ok(changed) => self.inner.events.changed(&changed),
                Err(RecvError::Lagged(_)) => self.inner.events.note(|dirty| dirty.refetch = true),
                Err(RecvError::Closed) => return,
            }
        }
    }

    async fn watch_engine(self, engine: Engine) {
        let mut states = engine.statuses();
        loop {
            let now = states.borrow_and_update().clone();
            self.states_changed(&now);
            if states.changed().await.is_err() {
                return;
            }
        }
    }

    /// Handles them one at a time. The receiver outlives a panic, so only the event that caused it is lost.
    async fn handle_engine_events(self, received: Arc<tokio::sync::Mutex<mpsc::Receiver<EngineEvent>>>) {
        loop {
            let event = received.lock().await.recv().await;
            let Some(event) = event else { return };
            self.handle_engine_event(event).await;
        }
    }

    /// Takes off this computer what is kept long enough: at the start, a few times a day, and when that was changed.
    async fn run_retention(self) {
        loop {
            match self.apply_retention().await {
                Ok(0) => {}
                Ok(items) => tracing::info!(items, "archived items were taken off this computer"),
                Err(error) => tracing::warn!(%error, "archived items could not be taken off this computer"),
            }
            tokio::select! {
                () = tokio::time::sleep(TAKE_OFF) => {}
                () = self.inner.retention_changed.notified() => {}
            }
        }
    }

    /// Wakes what was put to sleep, and ends a pause, when it is time.
    pub(crate) async fn run_timers(self) {
        // A silence may have ended while the program did not run.
        if let Err(error) = self.end_silence().await {
            tracing::error!(%error, "what came in a silence could not be told");
        }
        loop {
            let next = self.next_timer().await.unwrap_or_else(|error| {
                tracing::error!(%error, "the next moment is not known");
                None
            });
            let now = self.now();
            let wait = next.map_or(LOOK_AGAIN, |at| {
                let micros = at.as_micros().saturating_sub(now.as_micros()).max(0);
                Duration::from_micros(u64::try_from(micros).unwrap_or(0)).min(LOOK_AGAIN)
            });
            // Sleep is cut short by whatever changes when something wakes.
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.inner.timers_changed.notified() => continue,
            }
            if next.is_some_and(|at| at <= self.now())
                && let Err(error) = self.run_due_timers().await
            {
                tracing::error!(%error, "what is due could not wake");
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        }
    }
}
