//! A PostgreSQL server of one test's own, which may be killed, followed by a standby, and reached over TLS.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use super::programs::{Programs, USER, empty_folder, give_to_server, join, succeed, watch};
use crate::tls::Issued;
use crate::{port, wait};

/// Settings of every server. What it has acknowledged survives the end of its processes, not that of the machine.
const SETTINGS: [&str; 6] = [
    "fsync=off",
    "synchronous_commit=on",
    "full_page_writes=off",
    "max_connections=100",
    "shared_buffers=32MB",
    "wal_keep_size=64MB",
];

/// The port of PostgreSQL, which names its socket; without TLS nothing listens there.
const SOCKET_PORT: u16 = 5432;

/// The database that tests use.
const DATABASE: &str = "postgres";

/// A server with an empty database, in a folder of its own. It is ended and removed with this value.
pub struct Cluster {
    folder: PathBuf,
    programs: Programs,
    settings: Vec<String>,
    /// The port of the loopback where it listens besides its socket, for TLS alone.
    port: Option<u16>,
    process: Option<Child>,
    /// Held as long as this value, so that a watcher leaves the server.
    _in_use: File,
}

impl Cluster {
    /// Starts a server that is reached by its socket.
    pub fn start() -> Self {
        let mut cluster = Self::prepared();
        cluster.programs.initdb(&cluster.data());
        cluster.restart();
        cluster
    }

    /// Starts a server with further settings, which go before those of every server.
    pub fn with_settings(settings: &[&str]) -> Self {
        let mut cluster = Self::prepared();
        cluster.programs.initdb(&cluster.data());
        cluster.settings.extend(settings.iter().map(|setting| (*setting).to_owned()));
        cluster.restart();
        cluster
    }

    /// The id of the process whose children are all others of the server. It runs.
    pub fn pid(&self) -> u32 {
        self.process.as_ref().expect("it runs").id()
    }

    /// Starts a server that also takes connections over TCP, with this certificate.
    pub fn with_tls(certificate: &Issued) -> Self {
        let mut cluster = Self::prepared();
        cluster.programs.initdb(&cluster.data());
        cluster.write_certificate(certificate);
        cluster.port = Some(port::free());
        cluster.settings.push("ssl=on".to_owned());
        cluster.restart();
        cluster
    }

    /// Shows another certificate to connections from now on, and ends those of the program that it serves.
    pub fn change_certificate(&self, certificate: &Issued) {
        self.write_certificate(certificate);
        // Its processes begin with what it has read by then.
        let loaded = self.sql("SELECT pg_conf_load_time()");
        self.sql("SELECT pg_reload_conf()");
        wait::until_blocking("it reads the certificate", || self.sql("SELECT pg_conf_load_time()") != loaded);
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tidings'");
    }

    fn write_certificate(&self, certificate: &Issued) {
        for (name, text) in [("server.crt", &certificate.certificate), ("server.key", &certificate.key)] {
            let file = self.data().join(name);
            fs::write(&file, text).unwrap();
            give_to_server(&file, 0o600);
        }
    }

    /// Starts a standby that follows this server and lags behind it as far as the network and its load let it.
    #[must_use]
    pub fn standby(&self) -> Self {
        let mut standby = Self::prepared();
        let mut copy = self.programs.unprivileged("pg_basebackup");
        copy.arg("-D").arg(standby.data()).arg("-h").arg(self.socket());
        // With what it needs to follow, at once, and not written through to the disk.
        copy.args(["-U", USER, "-R", "-X", "stream", "-c", "fast", "--no-sync"]);
        succeed(copy);
        standby.restart();
        standby
    }

    /// The folder of a server that was not started yet.
    fn prepared() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("tidings-pg-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::SeqCst));
        let folder = std::env::temp_dir().join(name);
        let in_use = join(&folder);
        let cluster = Self {
            folder,
            programs: Programs::find(),
            settings: SETTINGS.map(str::to_owned).to_vec(),
            port: None,
            process: None,
            _in_use: in_use,
        };
        empty_folder(&cluster.data());
        empty_folder(&cluster.socket());
        watch(&cluster.folder);
        cluster
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// The folder of its socket.
    pub fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// The path of its socket.
    pub fn socket_file(&self) -> PathBuf {
        self.socket().join(format!(".s.PGSQL.{}", self.port.unwrap_or(SOCKET_PORT)))
    }

    /// The port of the loopback where it speaks TLS.
    pub fn tls_port(&self) -> u16 {
        self.port.expect("it was started with a certificate")
    }

    /// The address of its database.
    pub fn url(&self) -> String {
        let port = self.port.map(|port| format!("&port={port}")).unwrap_or_default();
        format!("postgres:///{DATABASE}?host={}&user={USER}{port}", self.socket().display())
    }

    /// The address of its database, for a program that goes on with a standby after its promotion.
    pub fn url_with(&self, standby: &Self) -> String {
        format!("{}&host={}", self.url(), standby.socket().display())
    }

    /// The address of its database through something else that takes connections at a port of the loopback.
    pub fn url_through(&self, port: u16) -> String {
        format!("postgres://{USER}@127.0.0.1:{port}/{DATABASE}")
    }

    /// Starts the server, again after [`Cluster::kill`], and waits until it answers.
    pub fn restart(&mut self) {
        let mut server = self.programs.unprivileged("postgres");
        server.arg("-D").arg(self.data()).arg("-k").arg(self.socket());
        let address = if self.port.is_some() { "127.0.0.1" } else { "" };
        let port = self.port.unwrap_or(SOCKET_PORT);
        server.args(["-c", &format!("listen_addresses={address}"), "-c", &format!("port={port}")]);
        for setting in &self.settings {
            server.args(["-c", setting]);
        }
        let log = File::options().create(true).append(true).open(self.folder.join("server.log")).unwrap();
        let mut process = server.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        wait::until_blocking("PostgreSQL answers", || {
            let ended = process.try_wait().unwrap();
            assert!(ended.is_none(), "PostgreSQL ended: {}", self.log());
            self.psql("SELECT 1").output().unwrap().status.success()
        });
        self.process = Some(process);
    }

    /// Kills every process of the server at once, as the end of its machine does. It has no time to end connections.
    pub fn kill(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        // Stopped first, so that it starts no process while they are counted.
        signal("STOP", &[process.id()]);
        let mut all = children(process.id());
        all.push(process.id());
        signal("KILL", &all);
        process.wait().unwrap();
        // A server that starts while one of them uses its memory would end.
        wait::until_blocking("its processes are gone", || all.iter().all(|pid| is_gone(*pid)));
    }

    /// Ends the recovery of a standby, which begins a new timeline and takes changes.
    pub fn promote(&self) {
        assert_eq!(self.sql("SELECT pg_promote(true, 60)"), "t");
    }

    /// Waits until a standby has applied all that this server has written so far.
    pub fn wait_for(&self, standby: &Self) {
        let written = self.sql("SELECT pg_current_wal_flush_lsn()");
        wait::until_blocking("the standby has everything", || {
            standby.sql(&format!("SELECT pg_last_wal_replay_lsn() >= '{written}'::pg_lsn")) == "t"
        });
    }

    /// From now on a commit is acknowledged only when a standby has it.
    pub fn wait_for_standbys(&self) {
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.sql("SELECT pg_reload_conf()");
        wait::until_blocking("it knows of its standby", || {
            self.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"
        });
    }

    /// The names of the programs whose transaction has taken a stamp of the log and that say nothing. As long as that
    /// transaction goes on, everybody else who creates something waits.
    pub fn silent_holders_of_the_log(&self) -> Vec<String> {
        let sql = "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE l.relation = 'log'::regclass AND l.mode = 'RowExclusiveLock' AND l.granted
                AND a.state = 'idle in transaction'";
        self.sql(sql).lines().map(str::to_owned).collect()
    }

    /// Runs SQL past everything else; gives what it prints, columns separated by `|`.
    pub fn sql(&self, sql: &str) -> String {
        let done = self.psql(sql).output().unwrap();
        assert!(done.status.success(), "{sql}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim_end().to_owned()
    }

    fn psql(&self, sql: &str) -> Command {
        let mut psql = self.programs.psql(&self.socket(), DATABASE, sql);
        psql.arg("-p").arg(self.port.unwrap_or(SOCKET_PORT).to_string());
        psql
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("server.log")).unwrap_or_default()
    }

    /// The programs of its version, for what else runs beside it.
    pub(crate) fn unprivileged(&self, program: &str) -> Command {
        self.programs.unprivileged(program)
    }

    /// A folder beside its data that the unprivileged user owns.
    pub(crate) fn folder_beside(&self, name: &str) -> PathBuf {
        let folder = self.folder.join(name);
        empty_folder(&folder);
        folder
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("—— PostgreSQL ——\n{}", self.log());
        }
        self.kill();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn signal(name: &str, pids: &[u32]) {
    let pids = pids.iter().map(u32::to_string);
    let _ = Command::new("kill").arg(format!("-{name}")).args(pids).stderr(Stdio::null()).status();
}

/// The processes that a process has started.
fn children(parent: u32) -> Vec<u32> {
    let pids = fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|(_, of)| of == parent)).collect()
}

fn is_gone(pid: u32) -> bool {
    stat(pid).is_none_or(|(state, _)| matches!(state, 'Z' | 'X'))
}

/// The state and the parent of a process.
fn stat(pid: u32) -> Option<(char, u32)> {
    let text = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    // The name before them is in parentheses and may have some of its own.
    let mut fields = text.get(text.rfind(')')? + 1..)?.split_ascii_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}
