//! Which token a source may have, and where tokens are kept: in the desktop's keyring, else in a file that only its
//! owner can read. The one rule: a token goes only to the origin that it was stored for, and to the user that it was
//! stored for where the source has one. No type here has a `Debug` that prints a token.

mod file;
mod keyring;
mod owner;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tidings_replica::{Source as Row, SourceId};
use url::Url;

use self::file::{Entry, TokenFile};
use self::keyring::Keyring;
use self::owner::Owner;
use crate::{Error, Result};

/// Gives the engine the token of a source.
pub trait Tokens: Send + Sync + 'static {
    /// [`Error::SignIn`] where there is none for this source as it stands now, [`Error::Unreachable`] where the own
    /// server does not run. May block.
    fn token(&self, source: &Row) -> Result<String>;
}

impl<F: Fn(SourceId) -> Option<String> + Send + Sync + 'static> Tokens for F {
    fn token(&self, source: &Row) -> Result<String> {
        self(source.id).ok_or(Error::SignIn)
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
    file: TokenFile,
    keyring: Option<Keyring>,
    /// Tokens that are good for as long as the program runs, wherever else they are kept.
    held: Arc<Mutex<BTreeMap<SourceId, Entry>>>,
}

impl Vault {
    /// The vault of a data folder. `TIDINGS_NO_KEYRING` (set to anything) keeps it to the file.
    pub fn new(data_dir: &Path) -> Self {
        // One keyring may hold the tokens of several data folders: the folder is part of the name.
        let folder = fs::canonicalize(data_dir).unwrap_or_else(|_| data_dir.to_owned());
        let keyring = std::env::var_os("TIDINGS_NO_KEYRING").is_none().then(|| Keyring::new(&folder));
        Self { file: TokenFile::new(&folder), keyring, held: Arc::default() }
    }

    /// The same, without asking any keyring.
    pub fn without_keyring(data_dir: &Path) -> Self {
        Self { keyring: None, ..Self::new(data_dir) }
    }

    /// Takes over what a former version kept by the sources' numbers, once: each token stays with the address that the
    /// source of its number has now. Must be called before the inbox is replaced by a backup. Where a former version
    /// has replaced it already, it can't be known for which address a token was stored: those are forgotten. Gives how
    /// many sources of `rows` have to be signed in again for that.
    pub fn adopt(&self, rows: &[Row]) -> io::Result<usize> {
        self.file.adopt(rows)
    }

    /// The token of a source as it stands now; none where there is none for its address and user, or the keyring stays
    /// locked.
    pub fn get(&self, source: &Row) -> Option<String> {
        let asks = Owner::of(source)?;
        if let Some(entry) = self.held().get(&source.id).filter(|entry| entry.is_of(source.id, &asks)) {
            return Some(entry.token.clone());
        }
        let kept = self.file.read().ok()?;
        if let Some(entry) = kept.tokens.iter().find(|entry| entry.is_of(source.id, &asks)) {
            return Some(entry.token.clone());
        }
        let keyring = self.keyring.as_ref()?;
        if let Some(entry) = keyring.get(source.id, &asks) {
            return entry.is_of(source.id, &asks).then_some(entry.token);
        }
        // What a former version kept there by the number alone.
        let was = kept.former.get(&source.id).filter(|was| was.may_be(&asks))?;
        let token = keyring.former(source.id)?;
        if keyring.set(&Entry { source: source.id, owner: was.clone(), token: token.clone() }) {
            keyring.forget_former(source.id);
        }
        Some(token)
    }

    /// Holds a token in memory alone, in place of whatever is kept: at once, whether the keyring answers or not. It
    /// lasts until the token is set or removed, or the program ends.
    pub fn hold(&self, source: &Row, token: &str) {
        if let Some(owner) = Owner::of(source) {
            let entry = Entry { source: source.id, owner, token: token.to_owned() };
            self.held().insert(source.id, entry);
        }
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<SourceId, Entry>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a token for a source as it stands now, in place of an older one.
    pub fn set(&self, source: &Row, token: &str) -> io::Result<Kept> {
        let owner = Owner::of(source)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the address makes no sense"))?;
        let entry = Entry { source: source.id, owner, token: token.to_owned() };
        if let Some(held) = self.held().get_mut(&source.id) {
            *held = entry.clone();
        }
        if self.keyring.as_ref().is_some_and(|keyring| keyring.set(&entry)) {
            self.file.forget(source.id)?;
            return Ok(Kept::Keyring);
        }
        self.file.set(entry)?;
        Ok(Kept::File)
    }

    /// Forgets the token of a source wherever it is.
    pub fn remove(&self, source: &Row) -> io::Result<()> {
        self.held().remove(&source.id);
        self.file.forget(source.id)?;
        if let (Some(keyring), Some(owner)) = (&self.keyring, Owner::of(source)) {
            keyring.remove(source.id, &owner);
            keyring.forget_former(source.id);
        }
        Ok(())
    }

    /// The inbox was replaced by a backup: a source that is in it now keeps the token of the one with the same address
    /// and user that was there before, and all other tokens are forgotten.
    pub fn carry_over(&self, before: &[Row], after: &[Row]) -> io::Result<()> {
        let same =
            |a: &Row, b: &Row| (a.own && b.own) || (!a.own && !b.own && a.url == b.url && a.user == b.user);
        let given: Vec<(&Row, Option<String>)> = after
            .iter()
            .map(|row| (row, before.iter().find(|was| same(was, row)).and_then(|was| self.get(was))))
            .collect();
        for row in before.iter().chain(after) {
            self.remove(row)?;
        }
        for (row, token) in given {
            // The own server's address is what this computer says, not what the file says.
            if let Some(token) = token.filter(|_| !row.own) {
                self.set(row, &token)?;
            }
        }
        Ok(())
    }
}

/// Gives tokens to sources, by the rule, in every program. The own server's goes only to the server that this computer
/// runs, whatever address its source has.
#[derive(Clone)]
pub struct Keys {
    vault: Vault,
    runs_at: Arc<dyn Fn(&Url) -> bool + Send + Sync>,
}

impl Keys {
    /// With the tokens of a data folder; `runs_at` says whether the own server answers at an address, and may block.
    pub fn new(vault: Vault, runs_at: impl Fn(&Url) -> bool + Send + Sync + 'static) -> Self {
        Self { vault, runs_at: Arc::new(runs_at) }
    }

    /// Where they are kept.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }
}

impl Tokens for Keys {
    fn token(&self, source: &Row) -> Result<String> {
        if source.own {
            let at = source.url.parse::<Url>().map_err(|_| Error::Unreachable)?;
            if !(self.runs_at)(&at) {
                return Err(Error::Unreachable);
            }
        }
        self.vault.get(source).ok_or(Error::SignIn)
    }
}

#[cfg(test)]
mod tests;
