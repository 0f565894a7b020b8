//! A pooler of connections (`PgBouncer`) before a PostgreSQL of a test's own, which shares them by transaction.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use crate::postgres::Cluster;
use crate::wait;

/// A running pooler, reached by a socket. It ends with this value.
pub struct Pooler {
    folder: PathBuf,
    process: Child,
}

impl Pooler {
    /// Starts a pooler that has a few connections to the server.
    pub fn before(cluster: &Cluster) -> Self {
        let folder = cluster.folder_beside("pooler");
        let settings = format!(
            "[databases]\n* = host={} user=tidings\n\
             [pgbouncer]\nlisten_port = 6432\nunix_socket_dir = {}\nauth_type = any\npool_mode = transaction\n\
             default_pool_size = 5\nmax_client_conn = 200\n",
            cluster.socket().display(),
            folder.display(),
        );
        fs::write(folder.join("pgbouncer.ini"), settings).unwrap();
        let log = File::create(folder.join("log")).unwrap();
        let program =
            if PathBuf::from("/usr/sbin/pgbouncer").exists() { "/usr/sbin/pgbouncer" } else { "pgbouncer" };
        let process = cluster
            .unprivileged(program)
            .arg(folder.join("pgbouncer.ini"))
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("scripts/setup.sh test installs the package `pgbouncer`");
        let mut pooler = Self { folder, process };
        wait::until_blocking("the pooler listens", || {
            let ended = pooler.process.try_wait().unwrap();
            assert!(ended.is_none(), "it ended: {}", pooler.log());
            pooler.folder.join(".s.PGSQL.6432").exists()
        });
        pooler
    }

    /// The address of the database through it.
    pub fn url(&self) -> String {
        format!("postgres:///postgres?host={}&port=6432&user=tidings&prepare=false", self.folder.display())
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if std::thread::panicking() {
            eprintln!("—— PgBouncer ——\n{}", self.log());
        }
    }
}
