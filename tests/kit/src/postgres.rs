//! A PostgreSQL of the tests' own, from the packages of the system: never one that happens to run.
//!
//! All test processes of a run share one server in a temporary folder, reached by a socket there; each test has a database
//! of its own, copied from a template. A process holds a lock for as long as it lives; when nobody holds one for three
//! seconds, however they ended, a watcher ends the server and removes the folder.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The user `nobody`: PostgreSQL refuses to be run by root.
const UNPRIVILEGED: u32 = 65_534;

/// The name of the superuser in the server.
const USER: &str = "tidings";

/// How long the server may take to start, on a machine of any speed.
const START: Duration = Duration::from_secs(120);

/// Ends the server in the folder `$1` and removes it when its lock was free for three seconds.
const WATCHER: &str = r#"
cd /
idle=0
while :; do
  sleep 1
  if flock -n -x "$1/users.lock" true; then idle=$((idle + 1)); else idle=0; fi
  [ "$idle" -ge 3 ] || continue
  flock -n -x "$1/users.lock" sh -c '
    pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
    if [ -n "$pid" ]; then
      kill -QUIT "$pid" 2>/dev/null
      while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    fi
    rm -rf "$1"' sh "$1" && exit 0
  idle=0
done
"#;

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
        server.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE {template}"));
        Self { url: server.url(&name), name }
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

    /// Ends every connection to this database and admits no other one, as where its server is gone.
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
    programs: PathBuf,
    /// Held to the end of the process.
    _in_use: File,
}

impl Server {
    fn shared() -> &'static Self {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(Self::start_or_join)
    }

    fn start_or_join() -> Self {
        let run = std::env::var("NEXTEST_RUN_ID").unwrap_or_else(|_| std::process::id().to_string());
        let folder = std::env::temp_dir().join(format!("tidings-postgres-{run}"));
        let programs = programs();
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
        for folder in [&data, &socket] {
            let _ = fs::remove_dir_all(folder);
            fs::create_dir_all(folder).unwrap();
            if is_root() {
                std::os::unix::fs::chown(folder, Some(UNPRIVILEGED), Some(UNPRIVILEGED)).unwrap();
            }
        }
        let watcher = Command::new("setsid")
            .args(["--fork", "sh", "-c", WATCHER, "watcher"])
            .arg(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(watcher.is_ok_and(|status| status.success()), "setsid, of util-linux, starts the watcher");
        let mut initdb = self.unprivileged("initdb");
        initdb.arg("-D").arg(&data).args([
            "-U",
            USER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        ]);
        if self.sorts_by_language() {
            // Where a column's order was left to the database, a test is to see it.
            initdb.args(["--locale-provider=icu", "--icu-locale=und"]);
        }
        let made = initdb.output().unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let log = File::create(self.folder.join("server.log")).unwrap();
        let mut server = self.unprivileged("setsid");
        server.arg("--fork").arg(self.programs.join("postgres")).arg("-D").arg(&data).arg("-k").arg(&socket);
        for setting in [
            "listen_addresses=",
            "fsync=off",
            "synchronous_commit=off",
            "full_page_writes=off",
            "max_connections=300",
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

    fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    fn url(&self, database: &str) -> String {
        format!("postgres:///{database}?host={}&user={USER}", self.socket().display())
    }

    /// Whether `initdb` knows the locales of ICU, since version 15.
    fn sorts_by_language(&self) -> bool {
        let help = Command::new(self.programs.join("initdb")).arg("--help").output().unwrap();
        String::from_utf8_lossy(&help.stdout).contains("--icu-locale")
    }

    /// A program, one of the server's where it has it, as a user who may run the server.
    fn unprivileged(&self, program: &str) -> Command {
        let own = self.programs.join(program);
        let mut command = Command::new(if own.exists() { own } else { PathBuf::from(program) });
        command.current_dir("/").env("LC_ALL", "C").stdin(Stdio::null());
        if is_root() {
            command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
        }
        command
    }

    fn psql(&self, database: &str, sql: &str) -> Command {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-U", USER, "-d", database, "-c", sql]);
        psql.arg("-h").arg(self.socket()).current_dir("/").env_remove("PGPORT").stdin(Stdio::null());
        psql
    }

    fn sql(&self, database: &str, sql: &str) -> String {
        let done = self.psql(database, sql).output().unwrap();
        assert!(done.status.success(), "{sql}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim_end().to_owned()
    }
}

/// Creates the folder where it is missing and holds its lock, so that the watcher leaves it.
fn join(folder: &Path) -> File {
    loop {
        fs::create_dir_all(folder).unwrap();
        // The unprivileged user passes through it, whatever the mask of files.
        fs::set_permissions(folder, fs::Permissions::from_mode(0o711)).unwrap();
        let path = folder.join("users.lock");
        let file = lock_file(&path);
        file.lock_shared().unwrap();
        // Where the watcher has removed the folder meanwhile, this is the lock of nothing.
        let same = fs::metadata(&path).is_ok_and(|now| now.ino() == file.metadata().unwrap().ino());
        if same {
            return file;
        }
    }
}

fn lock_file(path: &Path) -> File {
    let open = || OpenOptions::new().create(true).truncate(false).write(true).open(path);
    // The folder may have been removed just now.
    open().or_else(|_| fs::create_dir_all(path.parent().unwrap()).and_then(|()| open())).unwrap()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// The folder with the newest version of the server's programs, where Debian puts them or in `PATH`.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    found.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = found.into_iter().rev().map(|(_, bin)| bin).chain(std::env::split_paths(&path));
    let complete =
        |bin: &PathBuf| ["initdb", "postgres", "psql"].iter().all(|program| bin.join(program).exists());
    let found = folders.into_iter().find(complete);
    found.expect("PostgreSQL is not installed: scripts/setup.sh test installs the package `postgresql`")
}
