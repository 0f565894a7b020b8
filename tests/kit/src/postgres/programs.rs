//! The programs of PostgreSQL, from the packages of the system, run by a user who may run a server.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The user `nobody`: PostgreSQL refuses to be run by root.
const UNPRIVILEGED: u32 = 65_534;

/// The name of the superuser in a server.
pub(super) const USER: &str = "tidings";

/// Ends the server in the folder `$1` and removes it when its lock was free for three seconds, however its users ended. It
/// moves the folder away first: a process that joins while files are removed finds none, and makes another.
const WATCHER: &str = r#"
cd /
idle=0
while [ -d "$1" ]; do
  sleep 1
  if flock -n -x "$1/users.lock" true; then idle=$((idle + 1)); else idle=0; fi
  [ "$idle" -ge 3 ] || continue
  flock -n -x "$1/users.lock" sh -c '
    pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
    if [ -n "$pid" ]; then
      kill -QUIT "$pid" 2>/dev/null
      while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    fi
    mv "$1" "$1.ended" && rm -rf "$1.ended"' sh "$1" && exit 0
  idle=0
done
"#;

/// The folder with the programs of one version.
pub(super) struct Programs(PathBuf);

impl Programs {
    /// The newest version, where Debian puts it or in `PATH`.
    pub(super) fn find() -> Self {
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
        Self(
            found.expect(
                "PostgreSQL is not installed: scripts/setup.sh test installs the package `postgresql`",
            ),
        )
    }

    /// The path of a program of this version.
    pub(super) fn path(&self, program: &str) -> PathBuf {
        self.0.join(program)
    }

    /// A program, one of this version if it has it, as a user who may run a server.
    pub(super) fn unprivileged(&self, program: &str) -> Command {
        let own = self.path(program);
        let mut command = Command::new(if own.exists() { own } else { PathBuf::from(program) });
        command.current_dir("/").env("LC_ALL", "C").stdin(Stdio::null());
        if is_root() {
            command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
        }
        command
    }

    /// Makes the data folder of a server without data, which lets everybody in: a copy of the one that the first process of a
    /// run makes. `data` is an empty folder.
    pub(super) fn initdb(&self, data: &Path) {
        static IN_USE: OnceLock<File> = OnceLock::new();
        let folder = run_folder("-empty");
        let _in_use = IN_USE.get_or_init(|| join(&folder));
        let (original, ready) = (folder.join("data"), folder.join("ready"));
        let making = lock_file(&folder.join("make.lock"));
        making.lock().unwrap();
        if !ready.exists() {
            empty_folder(&original);
            watch(&folder);
            self.make_empty(&original);
            fs::write(&ready, "").unwrap();
        }
        drop(making);
        let mut copy = self.unprivileged("cp");
        copy.arg("-a").arg(original.join(".")).arg(data);
        succeed(copy);
    }

    fn make_empty(&self, data: &Path) {
        let mut initdb = self.unprivileged("initdb");
        initdb.arg("-D").arg(data).args([
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
            // If a query leaves a column's order to the database, a test is to see it.
            initdb.args(["--locale-provider=icu", "--icu-locale=und"]);
        }
        succeed(initdb);
    }

    /// Whether `initdb` knows the locales of ICU, since version 15.
    fn sorts_by_language(&self) -> bool {
        let help = Command::new(self.path("initdb")).arg("--help").output().unwrap();
        String::from_utf8_lossy(&help.stdout).contains("--icu-locale")
    }

    /// A program that connects to a server as its superuser.
    pub(super) fn client(&self, program: &str, socket: &Path) -> Command {
        let mut command = Command::new(self.path(program));
        command.arg("-U").arg(USER).arg("-h").arg(socket);
        command.current_dir("/").env_remove("PGPORT").stdin(Stdio::null());
        command
    }

    /// Runs SQL at the server with this socket.
    pub(super) fn psql(&self, socket: &Path, database: &str, sql: &str) -> Command {
        let mut psql = self.client("psql", socket);
        psql.args(["-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", sql]);
        psql
    }

    /// What SQL prints, columns separated by `|`. Fails the test if it fails.
    pub(super) fn sql(&self, socket: &Path, database: &str, sql: &str) -> String {
        let done = self.psql(socket, database, sql).output().unwrap();
        assert!(done.status.success(), "{sql}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim_end().to_owned()
    }
}

/// Runs a program to its end; fails the test if it fails.
pub(super) fn succeed(mut command: Command) {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Makes an empty folder that the server's user owns; what was there is removed.
pub(super) fn empty_folder(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).unwrap();
    give_to_server(folder, 0o700);
}

/// Lets the server's user have a file or folder, with these permissions.
pub(super) fn give_to_server(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    if is_root() {
        std::os::unix::fs::chown(path, Some(UNPRIVILEGED), Some(UNPRIVILEGED)).unwrap();
    }
}

/// A folder that all test processes of a run share. Its name is short, since a socket's path has to be.
pub(super) fn run_folder(suffix: &str) -> PathBuf {
    let run = std::env::var("NEXTEST_RUN_ID").unwrap_or_else(|_| std::process::id().to_string());
    std::env::temp_dir().join(format!("tidings-postgres-{run}{suffix}"))
}

/// Creates a folder of a server if it is missing and holds its lock, so that the watcher leaves it.
pub(super) fn join(folder: &Path) -> File {
    loop {
        fs::create_dir_all(folder).unwrap();
        // The unprivileged user passes through it, whatever the mask of files.
        fs::set_permissions(folder, fs::Permissions::from_mode(0o711)).unwrap();
        let path = folder.join("users.lock");
        let file = lock_file(&path);
        file.lock_shared().unwrap();
        // If the watcher has removed the folder meanwhile, this is the lock of nothing.
        let same = fs::metadata(&path).is_ok_and(|now| now.ino() == file.metadata().unwrap().ino());
        if same {
            return file;
        }
    }
}

/// Starts to watch a folder whose lock is held: when nobody holds it any more, its server is ended and it is removed.
pub(super) fn watch(folder: &Path) {
    let watcher = Command::new("setsid")
        .args(["--fork", "sh", "-c", WATCHER, "watcher"])
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(watcher.is_ok_and(|status| status.success()), "setsid, of util-linux, starts the watcher");
}

pub(super) fn lock_file(path: &Path) -> File {
    let open = || OpenOptions::new().create(true).truncate(false).write(true).open(path);
    // The folder may have been removed just now.
    open().or_else(|_| fs::create_dir_all(path.parent().unwrap()).and_then(|()| open())).unwrap()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}
