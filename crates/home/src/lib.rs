//! The data folder: its location, and the names of the files in it. [`archive`] packs backups of it, and
//! [`user_file`] reads and writes the user's files elsewhere.
//!
//! Several programs share the folder. The app holds `app.lock` and listens on `app.sock`. A second start sends *show*
//! there (or *open*, with a link) and ends. `tidings pull` sends *pull*, and a mark made in the terminal sends
//! *changed*. The server holds `server.lock`, and the process that renews a token holds `renewal.lock`. `replica.db`
//! and `server.db` may be read, and marked in, by another process at any time.

pub mod archive;
mod staging_dir;
pub mod user_file;

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tidings_net::private_files;

pub use self::staging_dir::StagingDir;

/// The environment variable that sets the data folder.
pub const DATA_DIR_VARIABLE: &str = "TIDINGS_DATA_DIR";

/// The environment variable that sets the own server's usual port, for a second Tidings on one computer.
const PORT_VARIABLE: &str = "TIDINGS_PORT";
/// The usual port of the own server.
const USUAL_PORT: u16 = 7878;

/// The port that the own server takes if the settings have none: the one in `TIDINGS_PORT`, else 7878.
pub fn usual_port() -> u16 {
    let named = std::env::var(PORT_VARIABLE).ok().and_then(|port| port.parse().ok());
    named.filter(|port| *port != 0).unwrap_or(USUAL_PORT)
}

/// The location of the data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    dir: PathBuf,
}

impl Home {
    /// The folder in `TIDINGS_DATA_DIR`, else `tidings` in the platform's data folder, else `tidings` in the working
    /// folder.
    pub fn find() -> Self {
        let named = std::env::var_os(DATA_DIR_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        let usual = || directories::BaseDirs::new().map(|base| base.data_dir().join("tidings"));
        Self::at(named.or_else(usual).unwrap_or_else(|| PathBuf::from("tidings")))
    }

    /// The data folder at a path.
    ///
    /// ```
    /// let home = tidings_home::Home::at("/var/lib/tidings");
    /// assert_eq!(home.socket(), std::path::Path::new("/var/lib/tidings/app.sock"));
    /// ```
    ///
    /// A relative path is made absolute now, so that a later change of the working directory has no effect.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        let dir = dir.into();
        Self { dir: std::path::absolute(&dir).unwrap_or(dir) }
    }

    /// The path of the folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The file with address and token of the own server, for the terminal.
    pub fn endpoint(&self) -> PathBuf {
        self.dir.join("endpoint.json")
    }

    /// The socket on which the running app listens for the terminal and a second start.
    pub fn socket(&self) -> PathBuf {
        self.dir.join("app.sock")
    }

    /// The folder of downloaded attachments.
    pub fn attachments(&self) -> PathBuf {
        self.dir.join("attachments")
    }

    /// The folder of fetched icons of publishers.
    pub fn icons(&self) -> PathBuf {
        self.dir.join("icons")
    }

    /// The folder of the log files.
    pub fn logs(&self) -> PathBuf {
        self.dir.join("logs")
    }

    /// Creates the folder for its owner alone, checks that it can be written, and removes the leftovers of killed
    /// processes.
    ///
    /// # Errors
    /// The folder cannot be created or written.
    pub fn prepare(&self) -> io::Result<()> {
        tidings_replica::create_private_folder(&self.dir)?;
        // An unnamed file: nothing stays, also after a crash.
        match tempfile::tempfile_in(&self.dir) {
            // The data can be read all the same.
            Err(full) if matches!(full.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            }
            probe => drop(probe?),
        }
        StagingDir::remove_stale(&self.dir);
        private_files::remove_stale_temp_files(&self.dir);
        Ok(())
    }
}

/// The content of `endpoint.json`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// The address of the server, for example `http://127.0.0.1:7878`.
    pub url: String,
    /// A token of the server's owner that only publishes; replaced at each start.
    pub token: String,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Writes the file for its owner alone, atomically.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        private_files::write(path, &serde_json::to_vec(self)?)
    }

    /// Removes the file if it still has this content, because the server has ended.
    pub fn withdraw(&self, path: &Path) {
        if Self::read(path).as_ref() == Some(self) {
            // A file that cannot be removed does no harm: nothing listens there, and its token is revoked.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Reads the file; `None` if there is none or it cannot be parsed.
    pub fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_endpoint_is_for_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("new"));
        home.prepare().unwrap();
        let endpoint = Endpoint { url: "http://127.0.0.1:7878".into(), token: "tdg_x".into() };
        endpoint.write(&home.endpoint()).unwrap();
        let mode = std::fs::metadata(home.endpoint()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(Endpoint::read(&home.endpoint()), Some(endpoint.clone()));
        assert!(!format!("{endpoint:?}").contains("tdg_x"), "a token never ends in a log");
        assert_eq!(std::fs::read_dir(home.dir()).unwrap().count(), 1, "no probe and no half file stays");
    }
}
