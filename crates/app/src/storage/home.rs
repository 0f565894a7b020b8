//! The data folder: where it is, and what each file in it is called.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tidings_sync::private_files;

use crate::storage::archive::StagingDir;

/// The variable that moves the whole folder.
pub const DATA_DIR_VARIABLE: &str = "TIDINGS_DATA_DIR";

/// The variable that names another port for the own server to begin with, for a second Tidings on one computer.
const PORT_VARIABLE: &str = "TIDINGS_PORT";
/// The port that programs on this computer publish to, unless something else was set.
const USUAL_PORT: u16 = 7878;

/// The port that the own server takes where none was set in the settings: the one that `TIDINGS_PORT` names, else 7878.
pub fn usual_port() -> u16 {
    let named = std::env::var(PORT_VARIABLE).ok().and_then(|port| port.parse().ok());
    named.filter(|port| *port != 0).unwrap_or(USUAL_PORT)
}

/// The data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    dir: PathBuf,
}

impl Home {
    /// The folder that `TIDINGS_DATA_DIR` names, else `tidings` in the platform's data folder, else here.
    pub fn find() -> Self {
        let named = std::env::var_os(DATA_DIR_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        let usual = || directories::BaseDirs::new().map(|base| base.data_dir().join("tidings"));
        Self::at(named.or_else(usual).unwrap_or_else(|| PathBuf::from("tidings")))
    }

    /// A given folder.
    ///
    /// ```
    /// let home = tidings_app::Home::at("/var/lib/tidings");
    /// assert_eq!(home.socket(), std::path::Path::new("/var/lib/tidings/app.sock"));
    /// ```
    ///
    /// A relative one is taken from the working directory now, so that it stays where it is.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        let dir = dir.into();
        Self { dir: std::path::absolute(&dir).unwrap_or(dir) }
    }

    /// The folder itself.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// `{url, token}` of the server that runs on this machine, for the terminal.
    pub fn endpoint(&self) -> PathBuf {
        self.dir.join("endpoint.json")
    }

    /// Where the running app listens for the terminal and for a second start.
    pub fn socket(&self) -> PathBuf {
        self.dir.join("app.sock")
    }

    /// Files that came with items, as far as they were fetched.
    pub fn attachments(&self) -> PathBuf {
        self.dir.join("attachments")
    }

    /// Log files.
    pub fn logs(&self) -> PathBuf {
        self.dir.join("logs")
    }

    /// Makes the folder for its owner alone, finds out whether it can be written, and removes what killed programs left.
    pub fn prepare(&self) -> io::Result<()> {
        private_files::create_dir(&self.dir)?;
        // A file without a name: nothing of it stays, whatever happens.
        tempfile::tempfile_in(&self.dir)?;
        StagingDir::tidy(&self.dir);
        private_files::remove_stale_drafts(&self.dir);
        Ok(())
    }
}

/// What `endpoint.json` holds.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// For example `http://127.0.0.1:7878`.
    pub url: String,
    /// A token of the server's owner that only publishes, new at each start.
    pub token: String,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Writes the file, readable by its owner alone, whole or not at all.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        private_files::write(path, &serde_json::to_vec(self)?)
    }

    /// Removes the file where it still holds this: the server has ended.
    pub fn withdraw(&self, path: &Path) {
        if Self::read(path).as_ref() == Some(self) {
            // One that can't be removed points nowhere, and its token is revoked.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Reads the file; none where there is none or it makes no sense.
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
