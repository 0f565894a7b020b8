//! The server of the random history. It runs in this process under a manual clock; or the real program runs under the
//! system clock, alone or as two on one PostgreSQL database. Every stop of it is a crash.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use support::{client::Client, server::ServerProcess, wait};
use tempfile::TempDir;
use tidings_model::{Clock, Stamp, SystemClock, wire::Scope};
use tidings_server::{Server, ServerConfig};
use tidings_testkit::{clock::ManualClock, postgres::Database, server::RunningServer, wrong_clock};
use tokio::runtime::Runtime;

use super::in_thread::{InThread, ServerBounds, folder};

/// A server that crashes and starts again with its data, maybe at another address.
pub(crate) enum Host {
    /// In this thread.
    InThread(Box<InThread>),
    /// In this process, on threads of its own.
    Inside(Box<Inside>),
    /// The program `tidings serve`.
    Program(Box<ServerProcess>),
    /// Two of them on one database.
    Nodes(Box<Nodes>),
}

/// Two nodes, to which requests go by turns.
pub(crate) struct Nodes {
    each: [ServerProcess; 2],
    turn: AtomicUsize,
    /// The node that crashed.
    crashed: Option<usize>,
    /// The node whose clock is wrong. It is not ready, so that no requests go to it.
    wrong: Option<usize>,
    database: Database,
}

impl Nodes {
    /// The node whose turn it is.
    fn next(&self) -> usize {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % self.each.len();
        if self.wrong == Some(turn) { (turn + 1) % self.each.len() } else { turn }
    }

    /// Has the clock of the second node be so many seconds ahead from its next start on, which is now.
    async fn restart_second(&mut self, ahead: i64) {
        let node = &mut self.each[1];
        node.kill();
        let (is_wrong, wrong) = (ahead != 0, wrong_clock::ahead_by(ahead));
        node.restart_with_env(if is_wrong { &wrong } else { &[] });
        self.wrong = is_wrong.then_some(1);
        let admin = node.admin();
        let status = if is_wrong { 503_u16 } else { 200 };
        wait::until_equal("its readiness", status, || async {
            admin.get("health/ready").await.status.as_u16()
        })
        .await;
        if is_wrong {
            // Nobody gets this, which the comparison at the end shows.
            let post = admin.post("announcements", json!({"title": "of a wrong clock"}));
            assert_eq!(post.await.status, 503, "it hands out no stamps");
        }
    }
}

pub(crate) struct Inside {
    dir: TempDir,
    bounds: ServerBounds,
    clock: ManualClock,
    running: Option<Runtime>,
    url: String,
    admin: String,
}

impl Host {
    /// A server in this process, which has these bounds.
    pub(crate) async fn inside(bounds: &ServerBounds) -> Self {
        let mut inside = Inside {
            dir: folder("tidings-server."),
            bounds: *bounds,
            clock: ManualClock::at("2026-11-20T06:00:00Z".parse().unwrap()),
            running: None,
            url: String::new(),
            admin: String::new(),
        };
        let server = Server::open(inside.config(), inside.clock()).await.unwrap();
        inside.admin = server.owner("admin", "admin", "story", &[Scope::Admin]).await.unwrap().token;
        drop(server);
        inside.start().await;
        Self::Inside(Box::new(inside))
    }

    pub(crate) async fn in_thread() -> Self {
        Self::InThread(Box::new(InThread::new().await))
    }

    pub(crate) fn program() -> Self {
        Self::Program(Box::new(ServerProcess::start()))
    }

    pub(crate) fn nodes() -> Self {
        let database = Database::empty();
        let first = ServerProcess::on_database(&database.url);
        let each = [first.beside(), first];
        Self::Nodes(Box::new(Nodes { each, turn: AtomicUsize::new(0), crashed: None, wrong: None, database }))
    }

    /// The server, if it is in this thread.
    pub(crate) fn thread(&self) -> Option<&InThread> {
        match self {
            Self::InThread(server) => Some(server),
            _ => None,
        }
    }

    /// The same, to change it.
    pub(crate) fn thread_mut(&mut self) -> Option<&mut InThread> {
        match self {
            Self::InThread(server) => Some(server),
            _ => None,
        }
    }

    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        match self {
            Self::InThread(server) => Arc::new(server.clock.clone()),
            Self::Inside(inside) => inside.clock(),
            Self::Program(_) | Self::Nodes(_) => Arc::new(SystemClock),
        }
    }

    /// The clock, if a test can set it.
    pub(crate) fn manual_clock(&self) -> Option<ManualClock> {
        match self {
            Self::InThread(server) => Some(server.clock.clone()),
            Self::Inside(inside) => Some(inside.clock.clone()),
            Self::Program(_) | Self::Nodes(_) => None,
        }
    }

    /// Has the clock of one of two nodes be so many seconds ahead.
    pub(crate) async fn set_clock_of_one(&mut self, ahead: i64) {
        if let Self::Nodes(of) = self {
            of.restart_second(ahead).await;
        }
    }

    /// Waits until a time, which the manual clock is set to.
    pub(crate) async fn wait_until(&self, time: Stamp) {
        let clock = self.manual_clock();
        let left =
            time.as_micros() - clock.as_ref().map_or_else(|| SystemClock.now(), Clock::now).as_micros();
        if let Some(clock) = clock {
            clock.advance_micros(left.max(0));
        } else {
            let left = std::time::Duration::from_micros(u64::try_from(left).unwrap_or(0));
            tokio::time::sleep(left).await;
        }
    }

    pub(crate) fn url(&self) -> String {
        match self {
            Self::InThread(server) => server.url(),
            Self::Inside(inside) => inside.url.clone(),
            Self::Program(program) => program.url(),
            Self::Nodes(of) => of.each[of.next()].url(),
        }
    }

    pub(crate) fn admin(&self) -> Client {
        match self {
            Self::InThread(server) => Client::new(&server.url(), &server.admin),
            Self::Inside(inside) => Client::new(&inside.url, &inside.admin),
            Self::Program(program) => program.admin(),
            Self::Nodes(of) => of.each[0].admin(),
        }
    }

    /// Crashes the server, or one of two: all its tasks are dropped where they are, or the process is killed.
    pub(crate) async fn crash(&mut self) {
        match self {
            Self::InThread(server) => server.crash().await,
            Self::Inside(inside) => inside.crash().await,
            Self::Program(program) => program.kill(),
            Self::Nodes(of) => {
                let node = of.next();
                of.each[node].kill();
                of.crashed = Some(node);
            }
        }
    }

    pub(crate) async fn start(&mut self) {
        match self {
            Self::InThread(server) => server.start().await,
            Self::Inside(inside) => inside.start().await,
            Self::Program(program) => program.restart(),
            Self::Nodes(of) => {
                if let Some(node) = of.crashed.take() {
                    of.each[node].restart();
                }
            }
        }
    }

    /// Another handle on the server's data.
    async fn beside(&self) -> Server {
        let config = match self {
            Self::InThread(server) => return server.server(),
            Self::Inside(inside) => inside.config(),
            Self::Program(program) => ServerConfig::new(program.data_dir()),
            Self::Nodes(of) => {
                let mut config = ServerConfig::new(of.each[0].data_dir());
                config.store = of.database.url.parse().unwrap();
                config
            }
        };
        Server::open(config, self.clock()).await.unwrap()
    }

    /// Waits until the removal of every user is finished.
    pub(crate) async fn wait_for_removals(&self) {
        let beside = self.beside().await;
        wait::until_equal("removals", false, || async { beside.has_removals().await.unwrap() }).await;
    }

    /// The differences that the server's own check finds.
    pub(crate) async fn check(&self) -> Vec<String> {
        self.beside().await.check().await.unwrap().iter().map(ToString::to_string).collect()
    }
}

impl Inside {
    fn config(&self) -> ServerConfig {
        self.bounds.config(self.dir.path())
    }

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::new(self.clock.clone())
    }

    async fn start(&mut self) {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (config, clock) = (self.config(), self.clock());
        let starting = runtime.spawn(async move { RunningServer::start(config, clock).await.url });
        self.url = starting.await.unwrap();
        self.running = Some(runtime);
    }

    async fn crash(&mut self) {
        let Some(runtime) = self.running.take() else { return };
        // The runtime has ended when this returns, as the next server opens the same files.
        tokio::task::spawn_blocking(move || drop(runtime)).await.unwrap();
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        if let Some(runtime) = self.running.take() {
            runtime.shutdown_background();
        }
    }
}
