//! Stores the tokens of sources: in the desktop's keyring, else in `tokens.json`, which only its owner can read. A
//! token is returned only for the origin for which it was stored, and only for the same user if the source has one.
//! No type here prints a token with `Debug`.

mod file;
mod keyring;
mod owner;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tidings_replica::{Source as Row, SourceId};
use url::Url;

use self::file::{Entry, TokenFile};
use self::keyring::Keyring;
use self::owner::Owner;
use crate::{Error, Result};

/// Provides the engine with the tokens of sources.
pub trait Tokens: Send + Sync + 'static {
    /// The token of a source. May block.
    ///
    /// # Errors
    /// [`Error::SignIn`] if there is none for its address and user, [`Error::Unreachable`] if it is the own server
    /// and that is not running.
    fn token(&self, source: &Row) -> Result<String>;
}

impl<F: Fn(SourceId) -> Option<String> + Send + Sync + 'static> Tokens for F {
    fn token(&self, source: &Row) -> Result<String> {
        self(source.id).ok_or(Error::SignIn)
    }
}

/// The place where a token was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredIn {
    /// In the desktop's keyring.
    Keyring,
    /// In `tokens.json` in the data folder, mode 0600: this desktop has no keyring, or it is locked.
    File,
}

/// The stored tokens of one data folder. All methods may block, up to 20 s while the keyring asks for its password.
#[derive(Clone)]
pub struct TokenStore {
    file: TokenFile,
    keyring: Option<Keyring>,
    /// Tokens in memory, which take precedence over stored ones.
    in_memory: Arc<Mutex<BTreeMap<SourceId, Entry>>>,
}

impl TokenStore {
    /// The store of a data folder. If the environment variable `TIDINGS_NO_KEYRING` is set, only the file is used.
    pub fn new(data_dir: &Path) -> Self {
        // One keyring may have the tokens of several data folders, so the folder is part of the entry's name.
        let folder = fs::canonicalize(data_dir).unwrap_or_else(|_| data_dir.to_owned());
        let keyring = std::env::var_os("TIDINGS_NO_KEYRING").is_none().then(|| Keyring::new(&folder));
        Self { file: TokenFile::new(&folder), keyring, in_memory: Arc::default() }
    }

    /// Like [`TokenStore::new`], with the file only.
    ///
    /// ```no_run
    /// # fn sign_in(dir: &std::path::Path, source: &tidings_replica::Source) -> std::io::Result<()> {
    /// let store = tidings_sync::TokenStore::without_keyring(dir);
    /// store.set(source, "tdg_secret")?;
    /// assert_eq!(store.get(source).as_deref(), Some("tdg_secret"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn without_keyring(data_dir: &Path) -> Self {
        Self { keyring: None, ..Self::new(data_dir) }
    }

    /// Migrates the tokens that an earlier version stored by the source's id alone, once: each is bound to the
    /// address that its source has now. Must be called before a backup replaces the inbox. If an earlier version has
    /// restored a backup, the addresses of the tokens are unknown and the tokens are dropped; returns the number of
    /// sources of `rows` that need a new sign-in for that reason.
    ///
    /// # Errors
    /// `tokens.json` can't be read or written.
    pub fn migrate_legacy(&self, rows: &[Row]) -> io::Result<usize> {
        self.file.migrate_legacy(rows)
    }

    /// The token of a source; `None` if none was stored for its address and user, or the keyring stays locked.
    pub fn get(&self, source: &Row) -> Option<String> {
        let owner = Owner::of(source)?;
        if let Some(entry) = self.in_memory().get(&source.id).filter(|entry| entry.is_of(source.id, &owner)) {
            return Some(entry.token.clone());
        }
        let contents = self.file.read().ok()?;
        if let Some(entry) = contents.tokens.iter().find(|entry| entry.is_of(source.id, &owner)) {
            return Some(entry.token.clone());
        }
        let keyring = self.keyring.as_ref()?;
        if let Some(entry) = keyring.get(source.id, &owner) {
            return entry.is_of(source.id, &owner).then_some(entry.token);
        }
        // A token of an earlier version, stored by the id alone.
        let former_owner =
            contents.former.get(&source.id).filter(|former_owner| former_owner.matches(&owner))?;
        let token = keyring.legacy_token(source.id)?;
        if keyring.set(&Entry { source: source.id, owner: former_owner.clone(), token: token.clone() }) {
            keyring.forget_legacy(source.id);
        }
        Some(token)
    }

    /// Sets a token in memory only. It takes precedence over the stored one until it is set again or removed, or the
    /// program ends. Does not wait for the keyring.
    pub fn set_in_memory(&self, source: &Row, token: &str) {
        if let Some(owner) = Owner::of(source) {
            let entry = Entry { source: source.id, owner, token: token.to_owned() };
            self.in_memory().insert(source.id, entry);
        }
    }

    fn in_memory(&self) -> MutexGuard<'_, BTreeMap<SourceId, Entry>> {
        self.in_memory.lock()
    }

    /// Stores a token for a source's address and user, and replaces an older one.
    ///
    /// # Errors
    /// The address is invalid, or the file can't be written.
    pub fn set(&self, source: &Row, token: &str) -> io::Result<StoredIn> {
        let owner = Owner::of(source)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the address makes no sense"))?;
        let entry = Entry { source: source.id, owner, token: token.to_owned() };
        if let Some(entry_in_memory) = self.in_memory().get_mut(&source.id) {
            *entry_in_memory = entry.clone();
        }
        if self.keyring.as_ref().is_some_and(|keyring| keyring.set(&entry)) {
            self.file.forget(source.id)?;
            return Ok(StoredIn::Keyring);
        }
        self.file.set(entry)?;
        Ok(StoredIn::File)
    }

    /// Removes the token of a source from memory, file and keyring.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn remove(&self, source: &Row) -> io::Result<()> {
        self.in_memory().remove(&source.id);
        self.file.forget(source.id)?;
        if let (Some(keyring), Some(owner)) = (&self.keyring, Owner::of(source)) {
            keyring.remove(source.id, &owner);
            keyring.forget_legacy(source.id);
        }
        Ok(())
    }

    /// Assigns tokens after a backup replaced the inbox: each source gets the token of the previous source with the
    /// same address and user; all other tokens are removed.
    ///
    /// # Errors
    /// The file can't be read or written.
    pub fn carry_over(&self, before: &[Row], after: &[Row]) -> io::Result<()> {
        let is_same_source =
            |a: &Row, b: &Row| (a.own && b.own) || (!a.own && !b.own && a.url == b.url && a.user == b.user);
        let assignments: Vec<(&Row, Option<String>)> = after
            .iter()
            .map(|row| {
                (row, before.iter().find(|old| is_same_source(old, row)).and_then(|old| self.get(old)))
            })
            .collect();
        for row in before.iter().chain(after) {
            self.remove(row)?;
        }
        for (row, token) in assignments {
            // The own server's token belongs to this computer and is not taken from the backup's source.
            if let Some(token) = token.filter(|_| !row.own) {
                self.set(row, &token)?;
            }
        }
        Ok(())
    }
}

/// The [`Tokens`] of a program, from a [`TokenStore`]. The own server's token is returned only while that server runs
/// at the source's address.
#[derive(Clone)]
pub struct StoredTokens {
    store: TokenStore,
    runs_at: Arc<dyn Fn(&Url) -> bool + Send + Sync>,
}

impl StoredTokens {
    /// Uses the tokens of `store`. `runs_at` is true if the own server answers at an address; it may block.
    pub fn new(store: TokenStore, runs_at: impl Fn(&Url) -> bool + Send + Sync + 'static) -> Self {
        Self { store, runs_at: Arc::new(runs_at) }
    }

    /// The underlying store.
    pub fn store(&self) -> &TokenStore {
        &self.store
    }
}

impl Tokens for StoredTokens {
    fn token(&self, source: &Row) -> Result<String> {
        if source.own {
            let at = source.url.parse::<Url>().map_err(|_| Error::Unreachable)?;
            if !(self.runs_at)(&at) {
                return Err(Error::Unreachable);
            }
        }
        self.store.get(source).ok_or(Error::SignIn)
    }
}

#[cfg(test)]
mod tests;
