//! A real server on a free port under a manual clock, and its log.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tidings_model::wire::Scope;
use tidings_server::{Server, ServerConfig};
pub(crate) use tidings_testkit::client::{Answer, Client, unique};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::server::{RunningServer, config_of};
pub(crate) use tidings_testkit::wait::{TEST_TIMEOUT, until, within_timeout};

/// The bound of a server's end. It ends within five seconds whatever is still open; the rest is for a busy machine. A
/// stalled reader alone would keep it open for longer than this.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(7);

/// Stops the thread that writes the database when it asks for the time, which it does at the beginning of a change.
#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    opened: Condvar,
}

#[derive(Default)]
struct GateState {
    /// The number of changes that still pass; `None` if all do.
    passes_left: Option<usize>,
    has_waiter: bool,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        if let Some(left @ 1..) = &mut state.passes_left {
            *left -= 1;
            return;
        }
        while state.passes_left.is_some() {
            state.has_waiter = true;
            state = self.opened.wait(state).unwrap();
        }
        state.has_waiter = false;
    }
}

/// Holds the writer; dropping it lets all changes pass.
pub(crate) struct BlockedWriter(Arc<Gate>);

impl BlockedWriter {
    /// Waits until a change is being held.
    pub(crate) async fn wait_for_write(&self) {
        until("something is to be written", || async { self.0.state.lock().unwrap().has_waiter }).await;
    }
}

impl Drop for BlockedWriter {
    fn drop(&mut self) {
        self.0.state.lock().unwrap().passes_left = None;
        self.0.opened.notify_all();
    }
}

/// A server under a manual clock, with its admin's client.
pub(crate) struct Running {
    inner: RunningServer,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) dir: Arc<TempDir>,
    pub(crate) admin: Client,
}

pub(crate) async fn start() -> Running {
    start_with(|_| {}).await
}

pub(crate) async fn start_with(configure: impl FnOnce(&mut ServerConfig)) -> Running {
    let clock = Arc::new(ManualClock::running());
    start_in(Arc::new(tempfile::tempdir().unwrap()), clock, configure).await
}

pub(crate) async fn start_in(
    dir: Arc<TempDir>,
    clock: Arc<ManualClock>,
    configure: impl FnOnce(&mut ServerConfig),
) -> Running {
    let mut config = config_of(dir.path());
    configure(&mut config);
    let server = Server::open(config, clock.clone()).await.unwrap();
    if let Some(owner) = server.config().standalone_owner.clone() {
        server.owner(&owner, "Owner", "test", &[Scope::Inbox]).await.unwrap();
    }
    let running = RunningServer::serve(server).await;
    let admin = running.owner("root", "Root", &[Scope::Admin]).await;
    Running { inner: running, clock, dir, admin }
}

impl Deref for Running {
    type Target = RunningServer;

    fn deref(&self) -> &RunningServer {
        &self.inner
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut RunningServer {
        &mut self.inner
    }
}

impl Running {
    /// Stops the server, closes its files, and returns its folder and clock.
    pub(crate) async fn stop(self) -> (Arc<TempDir>, Arc<ManualClock>) {
        self.stop_within(TEST_TIMEOUT).await
    }

    /// Stops serving within `bound`, even if open readers keep the server's files open.
    pub(crate) async fn stop_within(mut self, bound: Duration) -> (Arc<TempDir>, Arc<ManualClock>) {
        self.inner.end(bound).await;
        (self.dir, self.clock)
    }

    /// Creates a user and returns a client with the inbox scope.
    pub(crate) async fn user(&self, id: &str) -> Client {
        self.server.create_user(id, &id.to_uppercase()).await.unwrap();
        self.token(id, &[Scope::Inbox]).await
    }

    /// Creates the user `press` and returns a client with the publish scope.
    pub(crate) async fn publisher(&self) -> Client {
        self.server.create_user("press", "Press").await.unwrap();
        self.token("press", &[Scope::Publish]).await
    }

    /// Whether anything is left of a removed user.
    pub(crate) async fn server_has_removals(&self) -> bool {
        self.server.has_removals().await.unwrap()
    }

    /// Holds the thread that writes the database after the next `after` changes.
    pub(crate) fn block_writer(&self, after: usize) -> BlockedWriter {
        let gate = Arc::new(Gate::default());
        gate.state.lock().unwrap().passes_left = Some(after);
        let blocked_writer = BlockedWriter(gate.clone());
        self.clock.before_each_reading(move || {
            if std::thread::current().name() == Some("sqlite-writer") {
                gate.pass();
            }
        });
        blocked_writer
    }

    /// Makes the next call of the clock on this thread panic, once. The returned flag becomes true when that has
    /// happened.
    pub(crate) fn clock_fails_once(&self) -> Arc<AtomicBool> {
        let (test_thread, failed) = (std::thread::current().id(), Arc::new(AtomicBool::new(false)));
        let done = failed.clone();
        self.clock.before_each_reading(move || {
            let fails = std::thread::current().id() == test_thread && !done.swap(true, Ordering::SeqCst);
            assert!(!fails, "the clock fails");
        });
        failed
    }
}

/// The msgids of these items.
pub(crate) fn msgids(items: &[Value]) -> Vec<String> {
    items.iter().map(|i| i["msgid"].as_str().unwrap().to_owned()).collect()
}

/// The log of this process's servers, recorded from the first call on.
pub(crate) fn logged() -> String {
    static LOG: std::sync::OnceLock<Log> = std::sync::OnceLock::new();
    let log = LOG.get_or_init(|| {
        let log = Log::default();
        let writer_log = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::DEBUG)
            .with_ansi(false)
            .with_writer(move || writer_log.clone());
        // The subscriber is global to the process; it is set only here.
        subscriber.try_init().unwrap();
        log
    });
    String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned()
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
