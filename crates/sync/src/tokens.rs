//! Where the sources' tokens are kept: in the desktop's keyring, else in a file that only its owner can read.
//! Refuses to show one to a log: nothing here has a `Debug` that prints it.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    time::Duration,
};

use tidings_replica::SourceId;

use crate::private;

/// Gives the engine the token of a source.
pub trait Tokens: Send + Sync + 'static {
    /// None where there is none. May block.
    fn token(&self, source: SourceId) -> Option<String>;
}

impl<F: Fn(SourceId) -> Option<String> + Send + Sync + 'static> Tokens for F {
    fn token(&self, source: SourceId) -> Option<String> {
        self(source)
    }
}

/// Where a token was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// In the desktop's keyring.
    Keyring,
    /// In `tokens.json` in the data folder, mode 0600: this desktop has no keyring, or it is locked.
    File,
}

/// The tokens of one data folder. All methods may block, for as long as the keyring asks its owner to unlock it.
#[derive(Clone)]
pub struct Vault {
    folder: PathBuf,
    keyring: bool,
    /// Tokens that are good for as long as the program runs, wherever else they are kept.
    held: Arc<Mutex<BTreeMap<SourceId, String>>>,
}

/// The keyring's name for this program.
const SERVICE: &str = "tidings";
/// How long a keyring may take, including its question for a password.
const PATIENCE: Duration = Duration::from_secs(20);

impl Vault {
    /// The vault of a data folder. `TIDINGS_NO_KEYRING` (set to anything) keeps it to the file.
    pub fn new(data_dir: &Path) -> Self {
        let keyring = std::env::var_os("TIDINGS_NO_KEYRING").is_none();
        // One keyring may hold the tokens of several data folders: the folder is part of the name.
        let folder = fs::canonicalize(data_dir).unwrap_or_else(|_| data_dir.to_owned());
        Self { folder, keyring, held: Arc::default() }
    }

    /// The same, without asking any keyring.
    pub fn without_keyring(data_dir: &Path) -> Self {
        Self { keyring: false, ..Self::new(data_dir) }
    }

    /// The token of a source; none where there is none, or the keyring stays locked.
    pub fn get(&self, source: SourceId) -> Option<String> {
        if let Some(token) = self.held().get(&source) {
            return Some(token.clone());
        }
        if let Some(token) = self.read_file().ok()?.remove(&source) {
            return Some(token);
        }
        self.in_keyring(source, keyring::Entry::get_password)
    }

    /// Holds a token in memory alone, in place of whatever is kept: at once, whether the keyring answers or not. It
    /// lasts until the token is set or removed, or the program ends.
    pub fn hold(&self, source: SourceId, token: &str) {
        self.held().insert(source, token.to_owned());
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<SourceId, String>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a token, in place of an older one.
    pub fn set(&self, source: SourceId, token: &str) -> io::Result<Kept> {
        if let Some(held) = self.held().get_mut(&source) {
            token.clone_into(held);
        }
        let secret = token.to_owned();
        if self.in_keyring(source, move |entry: &keyring::Entry| entry.set_password(&secret)).is_some() {
            self.change_file(|tokens| tokens.remove(&source))?;
            return Ok(Kept::Keyring);
        }
        self.change_file(|tokens| tokens.insert(source, token.to_owned()))?;
        Ok(Kept::File)
    }

    /// Forgets a token wherever it is.
    pub fn remove(&self, source: SourceId) -> io::Result<()> {
        self.held().remove(&source);
        self.change_file(|tokens| tokens.remove(&source))?;
        self.in_keyring(source, keyring::Entry::delete_credential);
        Ok(())
    }

    /// Asks the keyring on a thread of its own, so that one that never answers holds nobody up for ever.
    fn in_keyring<T: Send + 'static>(
        &self,
        source: SourceId,
        ask: impl FnOnce(&keyring::Entry) -> keyring::Result<T> + Send + 'static,
    ) -> Option<T> {
        if !self.keyring {
            return None;
        }
        let name = format!("{}#{source}", self.folder.display());
        let (answer, answered) = mpsc::channel();
        let asked = std::thread::Builder::new().name("keyring".into()).spawn(move || {
            let _ = answer.send(keyring::Entry::new(SERVICE, &name).and_then(|entry| ask(&entry)));
        });
        asked.ok()?;
        match answered.recv_timeout(PATIENCE) {
            Ok(Ok(done)) => Some(done),
            Ok(Err(keyring::Error::NoEntry)) => None,
            Ok(Err(error)) => {
                tracing::debug!(%error, "no keyring");
                None
            }
            Err(_) => {
                tracing::warn!("the keyring does not answer");
                None
            }
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.join("tokens.json")
    }

    fn read_file(&self) -> io::Result<BTreeMap<SourceId, String>> {
        match fs::read(self.file()) {
            Ok(text) => serde_json::from_slice(&text).map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error),
        }
    }

    fn change_file(
        &self,
        change: impl FnOnce(&mut BTreeMap<SourceId, String>) -> Option<String>,
    ) -> io::Result<()> {
        let before = self.read_file()?;
        let mut tokens = before.clone();
        change(&mut tokens);
        if tokens == before {
            return Ok(());
        }
        private::write(&self.file(), &serde_json::to_vec(&tokens)?)
    }
}

impl Tokens for Vault {
    fn token(&self, source: SourceId) -> Option<String> {
        self.get(source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_keyring_a_token_is_in_a_file_that_only_its_owner_reads() {
        let folder = tempfile::tempdir().unwrap();
        let vault = Vault::without_keyring(folder.path());
        assert_eq!(vault.get(1), None);
        assert_eq!(vault.set(1, "tdg_one").unwrap(), Kept::File);
        vault.set(2, "tdg_two").unwrap();
        assert_eq!(vault.get(1).as_deref(), Some("tdg_one"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(folder.path().join("tokens.json")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        vault.hold(1, "tdg_held");
        assert_eq!(vault.clone().get(1).as_deref(), Some("tdg_held"));
        vault.set(1, "tdg_three").unwrap();
        assert_eq!(vault.get(1).as_deref(), Some("tdg_three"));
        vault.remove(1).unwrap();
        assert_eq!(vault.get(1), None);
        assert_eq!(Vault::without_keyring(folder.path()).get(2).as_deref(), Some("tdg_two"));
    }
}
