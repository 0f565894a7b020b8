//! A server in the thread of the test, on a database in memory: between two requests to it nothing happens there but what
//! the first one began. It is crashed only between requests; then what is in its files is left.

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use tempfile::TempDir;
use tidings_model::Clock;
use tidings_model::wire::Scope;
use tidings_server::mend_clock::FutureStamps;
use tidings_server::{AccessBounds, Bounds, FileBounds, HintBounds, Server, ServerConfig};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::server::RunningServer;

/// The database of a server.
const FILE: &str = "server.db";
/// A folder in memory on Linux.
const MEMORY: &str = "/dev/shm";

/// How much a server in this process takes and keeps.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ServerBounds {
    pub(crate) store: Bounds,
    pub(crate) file: FileBounds,
    pub(crate) access: AccessBounds,
    pub(crate) hints: HintBounds,
}

impl ServerBounds {
    pub(crate) fn config(&self, dir: &Path) -> ServerConfig {
        ServerConfig {
            bounds: self.store,
            file_bounds: self.file,
            access_bounds: self.access,
            hint_bounds: self.hints,
            ..ServerConfig::new(dir)
        }
    }
}

pub(crate) struct InThread {
    pub(crate) clock: ManualClock,
    pub(crate) admin: String,
    dir: TempDir,
    bounds: ServerBounds,
    running: Option<RunningServer>,
}

impl InThread {
    /// A new server, which runs.
    pub(crate) async fn new() -> Self {
        let clock = ManualClock::at("2026-11-20T06:00:00Z".parse().unwrap());
        let (admin, bounds) = (String::new(), ServerBounds::default());
        let mut this = Self { clock, admin, dir: folder("tidings-server."), bounds, running: None };
        this.start().await;
        let server = &this.running().server;
        this.admin = server.owner("admin", "admin", "story", &[Scope::Admin]).await.unwrap().token;
        this
    }

    /// Another server on a copy of the files, which runs with bounds of its own.
    pub(crate) async fn again(&self, bounds: &ServerBounds) -> Self {
        let (clock, admin) = (ManualClock::at(self.clock.now()), self.admin.clone());
        let mut again = Self { clock, admin, dir: self.copy(), bounds: *bounds, running: None };
        again.start().await;
        again
    }

    pub(crate) fn url(&self) -> String {
        self.running().url.clone()
    }

    /// The server that runs.
    pub(crate) fn server(&self) -> Server {
        self.running().server.clone()
    }

    pub(crate) async fn start(&mut self) {
        let config = self.bounds.config(self.dir.path());
        self.running = Some(RunningServer::start(config, Arc::new(self.clock.clone())).await);
    }

    pub(crate) async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
    }

    /// Stops it, and leaves what was in its files before.
    pub(crate) async fn crash(&mut self) {
        let left = self.copy();
        self.stop().await;
        self.dir = left;
    }

    /// Copies its database to a file.
    pub(crate) async fn backup(&self, file: &Path) {
        self.running().server.backup(file).await.unwrap();
    }

    /// Replaces its database by a backup.
    pub(crate) async fn restore(&mut self, backup: &Path) {
        self.stop().await;
        let clock = Arc::new(self.clock.clone());
        Server::restore(self.dir.path(), backup, clock, FutureStamps::Keep).await.unwrap();
        self.start().await;
    }

    fn running(&self) -> &RunningServer {
        self.running.as_ref().expect("the server runs")
    }

    fn copy(&self) -> TempDir {
        let copy = folder("tidings-server.");
        copy_database(self.dir.path(), copy.path(), FILE);
        copy
    }
}

/// A new folder, in memory if there is one.
pub(crate) fn folder(prefix: &str) -> TempDir {
    let mut name = tempfile::Builder::new();
    let name = name.prefix(prefix);
    let made = if Path::new(MEMORY).is_dir() { name.tempdir_in(MEMORY) } else { name.tempdir() };
    made.unwrap()
}

/// Copies a database, which may be open, as a loss of power would leave it now. A reader is open meanwhile. So what is
/// written between the copies of the log and of the file stays out of the file, and the log is not cut off.
pub(crate) fn copy_database(from: &Path, to: &Path, file: &str) {
    let reader = Connection::open(from.join(file)).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    reader.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0)).unwrap();
    for file in [format!("{file}-wal"), file.to_owned()] {
        let from = from.join(&file);
        if from.exists() {
            std::fs::copy(from, to.join(&file)).unwrap();
        }
    }
}
