//! Stores the tokens of sources: in the desktop's keyring, else in `tokens.json`, which only its owner can read. A
//! token is returned only for the origin for which it was stored, and only for the same user if the source has one.
//! No type here prints a token with `Debug`.

mod file;
mod grant;
mod owner;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};
use tidings_model::{Clock, Stamp};
use tidings_net::certificates::CertificateStore;
use tidings_net::proxies::ProxyStore;
use tidings_net::secrets::{Keyring, NamedSecrets, StoredIn};
use tidings_net::{Error, Result};
use tidings_replica::{Replica, Source as Row, SourceId};

use self::file::{TokenEntry, TokenFile};
pub use self::grant::{Grant, GrantedTo, Renewal};
use self::owner::Owner;
use crate::waits;

/// Provides the engine with the tokens of sources.
#[async_trait]
pub trait Tokens: Send + Sync + 'static {
    /// The token of a source. May block.
    ///
    /// # Errors
    /// [`Error::SignIn`] if there is none for its address and user, [`Error::Unreachable`] if it is the own server
    /// and that is not running. A source that can be asked without a token has an empty one then.
    fn token(&self, source: &Row) -> Result<String>;

    /// The time from which the token of a source is to be renewed; `None` if it does not expire. May block.
    fn renewal_due(&self, _source: &Row) -> Option<Stamp> {
        None
    }

    /// Renews the token of a source if it is about to expire or was refused; `refused` is the token that its service
    /// did not take. Whether there is another one than before.
    ///
    /// # Errors
    /// [`Error::SignIn`] if only the reader can help, else why the service could not be asked.
    async fn renew(&self, _source: &Row, _refused: Option<&str>, _clock: &Arc<dyn Clock>) -> Result<bool> {
        Ok(false)
    }
}

/// The token of a source and the time of its next renewal; it is renewed first if that is due.
///
/// # Errors
/// Those of [`Tokens::token`] and [`Tokens::renew`], and [`Error::Waiting`] if a renewal is due while the server asks
/// to be left alone.
pub async fn valid_token(
    replica: &Replica,
    tokens: &Arc<dyn Tokens>,
    source: &Row,
    clock: &Arc<dyn Clock>,
) -> crate::Result<(String, Option<Stamp>)> {
    let stored = || {
        let (tokens, source) = (tokens.clone(), source.clone());
        let read = tokio::task::spawn_blocking(move || {
            // In this order: if another process renews in between, the token is the newer of the two.
            let due = tokens.renewal_due(&source);
            Ok::<_, Error>((tokens.token(&source)?, due))
        });
        async move { read.await.map_err(|error| Error::from_task(&error))? }
    };
    let (token, due) = stored().await?;
    if due.is_some_and(|due| due <= clock.now()) {
        // Another process may have been faster: the stored token counts by now, whichever process renewed it.
        renew(replica, tokens, source, None, clock).await?;
        return Ok(stored().await?);
    }
    Ok((token, due))
}

/// Renews the token of a source as [`Tokens::renew`] does, unless its server asks to be left alone.
///
/// # Errors
/// Those of [`Tokens::renew`], and [`Error::Waiting`].
pub async fn renew(
    replica: &Replica,
    tokens: &Arc<dyn Tokens>,
    source: &Row,
    refused: Option<&str>,
    clock: &Arc<dyn Clock>,
) -> crate::Result<bool> {
    waits::keep_to(replica, source.id, tokens.renew(source, refused, clock)).await
}

impl<F: Fn(SourceId) -> Option<String> + Send + Sync + 'static> Tokens for F {
    fn token(&self, source: &Row) -> Result<String> {
        self(source.id).ok_or(Error::SignIn)
    }
}

/// The stored tokens of one data folder. All methods may block, up to 20 s while the keyring asks for its password.
#[derive(Clone)]
pub struct TokenStore {
    file: TokenFile,
    keyring: Option<Keyring>,
    /// What is of no source.
    secrets: NamedSecrets,
    /// Tokens in memory, which take precedence over stored ones.
    in_memory: Arc<Mutex<BTreeMap<SourceId, TokenEntry>>>,
}

impl TokenStore {
    /// The store of a data folder. If the environment variable `TIDINGS_NO_KEYRING` is set, only the file is used.
    pub fn new(data_dir: &Path) -> Self {
        let folder = fs::canonicalize(data_dir).unwrap_or_else(|_| data_dir.to_owned());
        let keyring = std::env::var_os("TIDINGS_NO_KEYRING").is_none().then(|| Keyring::new(&folder));
        let secrets = NamedSecrets::new(&folder, keyring.clone());
        Self { file: TokenFile::new(&folder), keyring, secrets, in_memory: Arc::default() }
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
        let known = Self::new(data_dir);
        let secrets = NamedSecrets::new(known.secrets.folder(), None);
        Self { keyring: None, secrets, ..known }
    }

    /// The certificates of the same data folder, whose keys are where the tokens are.
    pub fn certificates(&self) -> CertificateStore {
        CertificateStore::new(self.secrets.clone())
    }

    /// The proxy that was chosen for the same data folder, whose password is where the tokens are.
    pub fn proxy(&self) -> ProxyStore {
        ProxyStore::new(self.secrets.clone())
    }

    /// Migrates the tokens that an earlier version stored by the source's id alone, once: each is bound to the address
    /// that its source has now. Must be called before a backup replaces the inbox. If an earlier version has restored a
    /// backup, the addresses of the tokens are unknown and the tokens are dropped. It returns the number of sources of
    /// `rows` that need a new sign-in for that reason.
    ///
    /// # Errors
    /// `tokens.json` can't be read or written.
    pub fn migrate_legacy(&self, rows: &[Row]) -> io::Result<usize> {
        self.file.migrate_legacy(rows)
    }

    /// The token of a source; `None` if none was stored for its address and user, or the keyring stays locked.
    pub fn get(&self, source: &Row) -> Option<String> {
        self.grant(source).map(|grant| grant.token)
    }

    /// The token of a source with what renews it; `None` as for [`TokenStore::get`].
    pub fn grant(&self, source: &Row) -> Option<Grant> {
        let owner = Owner::of(source)?;
        if let Some(entry) = self.in_memory().get(&source.id).filter(|entry| entry.is_of(source.id, &owner)) {
            return Some(entry.grant.clone());
        }
        let contents = self.file.read().ok()?;
        if let Some(entry) = contents.tokens.iter().find(|entry| entry.is_of(source.id, &owner)) {
            return Some(entry.grant.clone());
        }
        let keyring = self.keyring.as_ref()?;
        if let Some(text) = keyring.get(&TokenEntry::name(source.id, &owner))
            && let Ok(entry) = serde_json::from_str::<TokenEntry>(&text)
        {
            return entry.is_of(source.id, &owner).then_some(entry.grant);
        }
        // A token of an earlier version, stored by the id alone.
        let former_owner =
            contents.former.get(&source.id).filter(|former_owner| former_owner.matches(&owner))?;
        let legacy_name = source.id.to_string();
        let grant = Grant::of_token(keyring.get(&legacy_name)?);
        let entry = TokenEntry { source: source.id, owner: former_owner.clone(), grant: grant.clone() };
        if self.set_in_keyring(&entry) {
            keyring.remove(&legacy_name);
        }
        Some(grant)
    }

    /// Sets a token in memory only. It takes precedence over the stored one until it is set again or removed, or the
    /// program ends. Does not wait for the keyring.
    pub fn set_in_memory(&self, source: &Row, token: &str) {
        if let Some(owner) = Owner::of(source) {
            let entry = TokenEntry { source: source.id, owner, grant: Grant::of_token(token) };
            self.in_memory().insert(source.id, entry);
        }
    }

    fn in_memory(&self) -> MutexGuard<'_, BTreeMap<SourceId, TokenEntry>> {
        self.in_memory.lock()
    }

    /// Stores a token for a source's address and user, and replaces an older one.
    ///
    /// # Errors
    /// The address is invalid, or the file can't be written.
    pub fn set(&self, source: &Row, token: &str) -> io::Result<StoredIn> {
        self.set_grant(source, Grant::of_token(token))
    }

    /// Stores a token with what renews it, like [`TokenStore::set`].
    ///
    /// # Errors
    /// Those of [`TokenStore::set`].
    pub fn set_grant(&self, source: &Row, grant: Grant) -> io::Result<StoredIn> {
        let owner = Owner::of(source)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the address makes no sense"))?;
        let entry = TokenEntry { source: source.id, owner, grant };
        if let Some(entry_in_memory) = self.in_memory().get_mut(&source.id) {
            *entry_in_memory = entry.clone();
        }
        if self.set_in_keyring(&entry) {
            self.file.forget(source.id)?;
            return Ok(StoredIn::Keyring);
        }
        self.file.set(entry)?;
        Ok(StoredIn::File)
    }

    /// Stores an entry in the keyring; `false` if that failed.
    fn set_in_keyring(&self, entry: &TokenEntry) -> bool {
        let Some((keyring, text)) = self.keyring.as_ref().zip(serde_json::to_string(entry).ok()) else {
            return false;
        };
        keyring.set(&TokenEntry::name(entry.source, &entry.owner), text)
    }

    /// Locks out other renewals of tokens, of this and of other processes, until the result is dropped.
    pub(crate) fn lock_renewal(&self) -> io::Result<fs::File> {
        self.file.lock("renewal.lock")
    }

    /// Removes the token of a source from memory, file and keyring.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn remove(&self, source: &Row) -> io::Result<()> {
        self.in_memory().remove(&source.id);
        self.file.forget(source.id)?;
        if let (Some(keyring), Some(owner)) = (&self.keyring, Owner::of(source)) {
            keyring.remove(&TokenEntry::name(source.id, &owner));
            keyring.remove(&source.id.to_string());
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
        let assignments: Vec<(&Row, Option<Grant>)> = after
            .iter()
            .map(|row| {
                (row, before.iter().find(|old| is_same_source(old, row)).and_then(|old| self.grant(old)))
            })
            .collect();
        for row in before.iter().chain(after) {
            self.remove(row)?;
        }
        for (row, grant) in assignments {
            // The own server's token belongs to this computer and is not taken from the backup's source.
            if let Some(grant) = grant.filter(|_| !row.own) {
                self.set_grant(row, grant)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
