//! Secrets that are of no source, by name: in the desktop's keyring, else in `secrets.json`, which only its owner can
//! read.

mod keyring;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

pub use self::keyring::Keyring;
use crate::private_files;

/// The place where a token or another secret was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredIn {
    /// In the desktop's keyring.
    Keyring,
    /// In a file of the data folder, mode 0600: this desktop has no keyring, or it is locked.
    File,
}

/// The secrets of one data folder. Has no `Debug`.
#[derive(Clone)]
pub struct NamedSecrets {
    folder: PathBuf,
    keyring: Option<Keyring>,
}

/// The secrets of the file, by name.
type Secrets = BTreeMap<String, String>;

impl NamedSecrets {
    /// The secrets of a data folder; without a keyring they are in the file alone.
    pub fn new(folder: &Path, keyring: Option<Keyring>) -> Self {
        Self { folder: folder.to_owned(), keyring }
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self) -> PathBuf {
        self.folder.join("secrets.json")
    }

    fn file(&self) -> io::Result<Secrets> {
        match fs::read(self.path()) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Secrets::new()),
            Err(error) => Err(error),
        }
    }

    /// The secret of a name; `None` if there is none, or the keyring stays locked.
    pub fn get(&self, name: &str) -> Option<String> {
        let in_file = self.file().ok().and_then(|mut secrets| secrets.remove(name));
        in_file.or_else(|| self.keyring.as_ref()?.get(name))
    }

    /// Stores a secret in place of one before.
    pub fn set(&self, name: &str, secret: &str) -> io::Result<StoredIn> {
        if self.keyring.as_ref().is_some_and(|keyring| keyring.set(name, secret.to_owned())) {
            self.change(|secrets| drop(secrets.remove(name)))?;
            return Ok(StoredIn::Keyring);
        }
        self.change(|secrets| drop(secrets.insert(name.to_owned(), secret.to_owned())))?;
        Ok(StoredIn::File)
    }

    /// Removes a secret from file and keyring.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        self.change(|secrets| drop(secrets.remove(name)))?;
        if let Some(keyring) = &self.keyring {
            keyring.remove(name);
        }
        Ok(())
    }

    fn change(&self, change: impl FnOnce(&mut Secrets)) -> io::Result<()> {
        let mut options = private_files::options();
        let lock = options.create(true).truncate(false).open(self.folder.join("secrets.lock"))?;
        lock.lock()?;
        let before = self.file()?;
        let mut after = before.clone();
        change(&mut after);
        if after == before {
            Ok(())
        } else {
            private_files::write(&self.path(), &serde_json::to_vec(&after)?)
        }
    }
}
