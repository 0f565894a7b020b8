//! A PostgreSQL of the tests' own, from the packages of the system: never one that happens to run.
//!
//! All test processes of a run share one server in a temporary folder, reached by a socket there. Each test has a
//! database of its own, copied from a template. A process holds a lock for as long as it lives. When nobody holds one
//! for three seconds, however they ended, a watcher ends the server and removes the folder.

mod breakable;
mod programs;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

pub use self::breakable::Cluster;
use self::programs::{Programs, USER, empty_folder, join, lock_file, run_folder, succeed, watch};

/// How long the server may take to start, on a machine of any speed.
const START: Duration = Duration::from_secs(120);

/// A database of one test. It is dropped with this value.
pub struct Database {
    /// The address, `postgres:///name?host=…`.
    pub url: String,
    name: String,
}

impl Database {
    /// An empty database.
    pub fn empty() -> Self {
        Self::create("template0")
    }

    /// A copy of the template with this name. The first test of a run makes the template: `prepare` gets its address.
    pub async fn from_template<F: Future<Output = ()>>(
        template: &str,
        prepare: impl FnOnce(String) -> F,
    ) -> Self {
        let server = Server::shared();
        let ready = server.folder.join(format!("template-{template}.ready"));
        let lock = lock_file(&server.folder.join("template.lock"));
        lock.lock().unwrap();
        if !ready.exists() {
            server.sql("postgres", &format!("DROP DATABASE IF EXISTS {template}"));
            server.sql("postgres", &format!("CREATE DATABASE {template}"));
            prepare(server.url(template)).await;
            // A template is copied only while nobody is connected to it.
            let end = format!(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{template}'"
            );
            server.sql("postgres", &end);
            fs::write(&ready, "").unwrap();
        }
        drop(lock);
        Self::create(template)
    }

    fn create(template: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let server = Server::shared();
        let name = format!("t{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::SeqCst));
        let how = server.copying();
        server.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE {template}{how}"));
        Self { url: server.url(&name), name }
    }

    /// Writes a dump of this database to a file, as an administrator does while it is in use.
    pub fn dump(&self, to: &Path) {
        let mut dump = Server::shared().client("pg_dump");
        dump.args(["--format=custom", "--dbname", &self.name]).arg("--file").arg(to);
        succeed(dump);
    }

    /// A database of its own into which a dump was restored.
    pub fn restored(from: &Path) -> Self {
        let database = Self::empty();
        let mut restore = Server::shared().client("pg_restore");
        restore.args(["--exit-on-error", "--dbname", &database.name]).arg(from);
        succeed(restore);
        database
    }

    /// Runs SQL past everything else; gives what it prints, columns separated by `|`.
    pub fn sql(&self, sql: &str) -> String {
        Server::shared().sql(&self.name, sql)
    }

    /// Runs SQL in the database at an address of this server, as [`Database::sql`] does.
    pub fn sql_at(url: &str, sql: &str) -> String {
        let name = url.trim_start_matches("postgres:///").split('?').next().unwrap();
        Server::shared().sql(name, sql)
    }

    /// Ends every connection to this database and admits no other one, as if its server were gone.
    pub fn refuse_connections(&self) {
        let server = Server::shared();
        server.sql("postgres", &format!("ALTER DATABASE {} ALLOW_CONNECTIONS false", self.name));
        let end =
            format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'", self.name);
        server.sql("postgres", &end);
    }

    /// Admits connections again after [`Database::refuse_connections`].
    pub fn allow_connections(&self) {
        Server::shared().sql("postgres", &format!("ALTER DATABASE {} ALLOW_CONNECTIONS true", self.name));
    }

    /// Ends every connection to this database.
    pub fn cut_connections(&self) {
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid()";
        self.sql(sql);
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let server = Server::shared();
        // One that stays goes with the server.
        let _ = server.psql("postgres", &format!("DROP DATABASE {} WITH (FORCE)", self.name)).output();
    }
}

/// The server of this run.
struct Server {
    folder: PathBuf,
    programs: Programs,
    /// Held to the end of the process.
    _in_use: File,
}

impl Server {
    fn shared() -> &'static Self {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(Self::start_or_join)
    }

    fn start_or_join() -> Self {
        let folder = run_folder("");
        let programs = Programs::find();
        let in_use = join(&folder);
        let starting = lock_file(&folder.join("start.lock"));
        starting.lock().unwrap();
        let server = Self { folder, programs, _in_use: in_use };
        if !server.folder.join("ready").exists() {
            server.start();
            fs::write(server.folder.join("ready"), "").unwrap();
        }
        server
    }

    /// Creates a cluster and starts its server; of an attempt that was killed nothing is left.
    fn start(&self) {
        let (data, socket) = (self.folder.join("data"), self.socket());
        empty_folder(&data);
        empty_folder(&socket);
        watch(&self.folder);
        self.programs.initdb(&data);
        let log = File::create(self.folder.join("server.log")).unwrap();
        let mut server = self.programs.unprivileged("setsid");
        server.arg("--fork").arg(self.programs.path("postgres")).arg("-D").arg(&data).arg("-k").arg(&socket);
        for setting in [
            "listen_addresses=",
            "fsync=off",
            "synchronous_commit=off",
            "full_page_writes=off",
            "max_connections=600",
            "max_locks_per_transaction=256",
            "shared_buffers=64MB",
        ] {
            server.args(["-c", setting]);
        }
        assert!(server.stdout(Stdio::null()).stderr(log).status().unwrap().success());
        let deadline = Instant::now() + START;
        while !self.psql("postgres", "SELECT 1").output().unwrap().status.success() {
            assert!(
                Instant::now() < deadline,
                "{}",
                fs::read_to_string(self.folder.join("server.log")).unwrap()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// How a database is copied: its files, not each page by way of the log. The log is the default since version 15, which
    /// brought the choice.
    fn copying(&self) -> &'static str {
        let version = fs::read_to_string(self.folder.join("data/PG_VERSION")).unwrap();
        let has_choice = version.trim().parse::<u32>().is_ok_and(|version| version >= 15);
        if has_choice { " STRATEGY file_copy" } else { "" }
    }

    fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    fn url(&self, database: &str) -> String {
        format!("postgres:///{database}?host={}&user={USER}", self.socket().display())
    }

    /// A program that connects to the server.
    fn client(&self, program: &str) -> Command {
        self.programs.client(program, &self.socket())
    }

    fn psql(&self, database: &str, sql: &str) -> Command {
        self.programs.psql(&self.socket(), database, sql)
    }

    fn sql(&self, database: &str, sql: &str) -> String {
        self.programs.sql(&self.socket(), database, sql)
    }
}
