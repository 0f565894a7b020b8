//! Certificates that the reader adds for an origin: authorities that sign its server's certificate, and the client
//! certificate that is shown to it. Companies and homes have such authorities of their own. No other origin gets
//! anything of them.
//!
//! Certificates are public and are in `certificates.json` in the data folder. The key of a client certificate is a
//! secret: it is in the desktop's keyring, else in `secrets.json`, which only its owner can read. Neither is part of a
//! backup or a file of settings, so that nobody's file makes an authority trusted.

mod file;
mod known;
mod read;

use std::path::Path;
use std::{fs, io};

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use serde::{Deserialize, Serialize};
use tidings_model::web_url::web_url;
use url::Url;

use self::file::{CertificateEntry, Contents};
use self::known::fingerprint;
pub use self::known::{CertificateUse, KnownCertificate};
use self::read::{PemFile, parse};
use crate::address::has_scheme;
use crate::secrets::{NamedSecrets, StoredIn};
use crate::{private_files, trust};

/// The largest file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 20;
/// The most authorities of an origin.
const MAX_AUTHORITIES: usize = 200;
/// The most certificates of a client, with those that lead to its authority.
const MAX_CHAIN: usize = 10;
/// The most origins with certificates.
const MAX_ORIGINS: usize = 100;

/// Why a certificate can't be added. Holds nothing of a key.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The address is none of HTTPS.
    #[error("`{0}` does not begin with https://; only such an address can have certificates")]
    Address(String),
    /// The file is larger than [`MAX_FILE_BYTES`].
    #[error("the file is larger than 1 MiB")]
    TooLarge,
    /// The file has no certificate.
    #[error("the file has no certificate: choose a PEM file, which begins with -----BEGIN CERTIFICATE-----")]
    NoCertificate,
    /// What calls itself a certificate can't be read as one.
    #[error("a certificate in the file can't be read")]
    Unreadable,
    /// The file is an archive of PKCS#12.
    #[error(
        "the file is PKCS#12, which cannot be read: convert it with `openssl pkcs12 -in FILE -nodes -out FILE.pem`"
    )]
    Pkcs12,
    /// The key is protected by a password.
    #[error(
        "the key is protected by a password: remove it with `openssl pkey -in FILE -out FILE.pem`; the key is kept in \
         the keyring"
    )]
    EncryptedKey,
    /// There is no private key for the client certificate.
    #[error("there is no private key for the certificate")]
    NoKey,
    /// The key is of no kind that is supported.
    #[error("the key is neither RSA nor of a known elliptic curve")]
    KeyKind,
    /// The key is that of another certificate.
    #[error("the key belongs to another certificate")]
    KeyMismatch,
    /// There are too many certificates.
    #[error("there are too many certificates")]
    TooMany,
    /// The file of certificates, or that of keys, can't be read or written.
    #[error("the certificates can't be saved: {0}")]
    Disk(#[from] io::Error),
}

/// A result of this module.
pub type Result<T, E = CertificateError> = std::result::Result<T, E>;

/// The certificates of one data folder. All methods may block; those that use a key up to 20 s, while the keyring asks
/// for its password.
#[derive(Clone)]
pub struct CertificateStore {
    secrets: NamedSecrets,
}

/// A private key, with the certificate that it is of. Has no `Debug`.
#[derive(Serialize, Deserialize)]
struct Key {
    /// The SHA-256 of the certificate.
    certificate: String,
    /// The key as PEM.
    key: String,
}

/// The name of the key for an origin.
fn key_name(origin: &str) -> String {
    format!("certificate@{origin}")
}

impl CertificateStore {
    /// The certificates of the data folder of `secrets`, among which the keys are.
    pub fn new(secrets: NamedSecrets) -> Self {
        Self { secrets }
    }

    fn folder(&self) -> &Path {
        self.secrets.folder()
    }

    /// Puts the stored certificates in force in this process, in place of all before. Returns the origins for which
    /// something changed. Keys are read later, by [`CertificateStore::load_keys`] or with the token of a source.
    ///
    /// # Errors
    /// The file can't be read; what was in force stays.
    pub fn load(&self) -> io::Result<Vec<String>> {
        Ok(trust::install(Contents::read(self.folder())?.trusts()?))
    }

    /// Reads the keys of client certificates that are in force and have none yet.
    pub fn load_keys(&self) {
        self.read_keys(None);
    }

    /// Reads the key for the origin of an address, if it needs one.
    pub fn load_key(&self, url: &Url) {
        self.read_keys(Some(url));
    }

    /// The key of an origin, if it is that of this certificate.
    fn key(&self, origin: &str, certificate: &str) -> Option<String> {
        let known: Key = serde_json::from_str(&self.secrets.get(&key_name(origin))?).ok()?;
        (known.certificate == certificate).then_some(known.key)
    }

    fn read_keys(&self, of: Option<&Url>) {
        for (origin, leaf) in trust::without_key(of) {
            if let Some(key) = self.key(&origin, &fingerprint(&leaf)) {
                trust::set_key(&origin, &leaf, &key);
            }
        }
    }

    /// All certificates, by origin; of a client certificate only its own, without those that lead to its authority.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn list(&self) -> io::Result<Vec<KnownCertificate>> {
        let contents = Contents::read(self.folder())?;
        let mut known = Vec::new();
        for (origin, entry) in &contents.origins {
            let client = entry.chain()?.into_iter().take(1).map(|der| (CertificateUse::Client, der));
            let authorities = entry.authorities()?.into_iter().map(|der| (CertificateUse::Authority, der));
            let all = client.chain(authorities);
            known.extend(all.filter_map(|(used_as, der)| KnownCertificate::read(origin, used_as, &der)));
        }
        Ok(known)
    }

    /// Trusts the authorities in a file for the origin of an address, beside those of before. Returns those of the file.
    ///
    /// # Errors
    /// Why none was added.
    pub fn add_authorities(&self, address: &str, file: &[u8]) -> Result<Vec<KnownCertificate>> {
        let (origin, file) = (origin_of(address)?, parse(file)?);
        for der in &file.certificates {
            RootCertStore::empty().add(der.clone()).map_err(|_| CertificateError::Unreadable)?;
        }
        let added = known(&origin, CertificateUse::Authority, &file.certificates)?;
        self.change(&origin, |entry| entry.add_authorities(&file.certificates))?;
        Ok(added)
    }

    /// Shows the client certificate in a file to the origin of an address, in place of one before. Its key is in the same
    /// file, or in `key_file`. Returns it, and where its key was stored.
    ///
    /// # Errors
    /// Why it was not added; [`CertificateError::NoKey`] if neither file has a key.
    pub fn add_client(
        &self,
        address: &str,
        file: &[u8],
        key_file: Option<&[u8]>,
    ) -> Result<(KnownCertificate, StoredIn)> {
        let (origin, file) = (origin_of(address)?, parse(file)?);
        let PemFile { certificates, key } = file;
        let key = match (key, key_file) {
            (Some(key), _) => key,
            (None, Some(text)) => read::key(text)?,
            (None, None) => return Err(CertificateError::NoKey),
        };
        if certificates.len() > MAX_CHAIN {
            return Err(CertificateError::TooMany);
        }
        let chain = read::chain_of(certificates, &key)?;
        let leaf = chain.first().cloned().ok_or(CertificateError::NoCertificate)?;
        let added = known(&origin, CertificateUse::Client, std::slice::from_ref(&leaf))?;
        let added = added.into_iter().next().ok_or(CertificateError::Unreadable)?;
        // Whether there is room is known before the key of another certificate is replaced.
        Contents::read(self.folder())?.check_room(&origin)?;
        let key = read::key_pem(&key);
        let entry = Key { certificate: added.fingerprint.clone(), key: key.clone() };
        let text = serde_json::to_string(&entry).map_err(io::Error::from)?;
        let stored = self.secrets.set(&key_name(&origin), &text)?;
        self.change(&origin, |entry| {
            entry.set_chain(&chain);
            Ok(())
        })?;
        trust::set_key(&origin, &leaf, &key);
        Ok((added, stored))
    }

    /// Removes the certificate with this fingerprint, or all without one, for the origin of an address; a client
    /// certificate with its key. Whether there was any.
    ///
    /// # Errors
    /// The address is none, or the file can't be written.
    pub fn remove(&self, address: &str, fingerprint: Option<&str>) -> Result<bool> {
        let origin = origin_of(address)?;
        let (mut removed, mut has_client) = (false, false);
        self.change(&origin, |entry| {
            removed = entry.remove(fingerprint)?;
            has_client = !entry.chain()?.is_empty();
            Ok(())
        })?;
        if !has_client {
            self.secrets.remove(&key_name(&origin))?;
        }
        Ok(removed)
    }

    /// Locks out other changes, of this and of other processes, until the result is dropped.
    fn lock(&self) -> io::Result<fs::File> {
        let mut options = private_files::options();
        let file = options.create(true).truncate(false).open(self.folder().join("certificates.lock"))?;
        file.lock()?;
        Ok(file)
    }

    /// Changes what is stored for an origin, and puts it in force.
    fn change(&self, origin: &str, change: impl FnOnce(&mut CertificateEntry) -> Result<()>) -> Result<()> {
        let _one_at_a_time = self.lock()?;
        let mut contents = Contents::read(self.folder())?;
        contents.check_room(origin)?;
        let entry = contents.origins.entry(origin.to_owned()).or_default();
        change(entry)?;
        if entry.is_empty() {
            contents.origins.remove(origin);
        }
        contents.write(self.folder())?;
        trust::install(contents.trusts()?);
        Ok(())
    }
}

/// The origin of an address as it was typed; without a scheme it means https.
fn origin_of(address: &str) -> Result<String> {
    let address = address.trim();
    let full = if has_scheme(address) { address.to_owned() } else { format!("https://{address}") };
    let url = web_url(&full).filter(|url| url.scheme() == "https");
    let url = url.ok_or_else(|| CertificateError::Address(address.to_owned()))?;
    Ok(url.origin().ascii_serialization())
}

fn known(origin: &str, used_as: CertificateUse, all: &[CertificateDer<'_>]) -> Result<Vec<KnownCertificate>> {
    let read = |der: &CertificateDer<'_>| KnownCertificate::read(origin, used_as, der);
    all.iter().map(|der| read(der).ok_or(CertificateError::Unreadable)).collect()
}

#[cfg(test)]
mod tests;
