//! `certificates.json` in the data folder: the public certificates, by origin.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use data_encoding::BASE64;
use rustls::pki_types::CertificateDer;
use serde::{Deserialize, Serialize};

use super::{CertificateError, MAX_AUTHORITIES, MAX_ORIGINS, Result, fingerprint};
use crate::private_files;
use crate::trust::Trust;

/// The version of the file that this program writes.
const VERSION: u32 = 1;

/// The contents of the file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Contents {
    version: u32,
    pub(super) origins: BTreeMap<String, CertificateEntry>,
}

/// The certificates of one origin, each as Base64.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CertificateEntry {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    authorities: Vec<String>,
    /// The client certificate, and after it those that lead to its authority.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    client: Vec<String>,
}

fn path(folder: &Path) -> PathBuf {
    folder.join("certificates.json")
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "certificates.json is damaged, or of a newer version")
}

fn decode(texts: &[String]) -> io::Result<Vec<CertificateDer<'static>>> {
    let der = |text: &String| BASE64.decode(text.as_bytes()).map(CertificateDer::from).map_err(|_| damaged());
    texts.iter().map(der).collect()
}

impl Contents {
    /// Reads the file; empty if there is none.
    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        let bytes = match fs::read(path(folder)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { version: VERSION, origins: BTreeMap::new() });
            }
            Err(error) => return Err(error),
        };
        let contents: Self = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        if contents.version == VERSION { Ok(contents) } else { Err(damaged()) }
    }

    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        private_files::write(&path(folder), &serde_json::to_vec(self)?)
    }

    /// What is to be in force of it.
    pub(super) fn trusts(&self) -> io::Result<BTreeMap<String, Trust>> {
        let trust = |(origin, entry): (&String, &CertificateEntry)| {
            Ok((origin.clone(), Trust::new(entry.authorities()?, entry.chain()?)))
        };
        self.origins.iter().map(trust).collect()
    }

    /// Whether another origin may be added, if this one is not there.
    pub(super) fn check_room(&self, origin: &str) -> Result<()> {
        let has_room = self.origins.contains_key(origin) || self.origins.len() < MAX_ORIGINS;
        if has_room { Ok(()) } else { Err(CertificateError::TooMany) }
    }
}

impl CertificateEntry {
    pub(super) fn authorities(&self) -> io::Result<Vec<CertificateDer<'static>>> {
        decode(&self.authorities)
    }

    pub(super) fn chain(&self) -> io::Result<Vec<CertificateDer<'static>>> {
        decode(&self.client)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.authorities.is_empty() && self.client.is_empty()
    }

    /// Adds those that are not there.
    pub(super) fn add_authorities(&mut self, all: &[CertificateDer<'_>]) -> Result<()> {
        for der in all {
            let text = BASE64.encode(der);
            if !self.authorities.contains(&text) {
                self.authorities.push(text);
            }
        }
        if self.authorities.len() > MAX_AUTHORITIES { Err(CertificateError::TooMany) } else { Ok(()) }
    }

    pub(super) fn set_chain(&mut self, chain: &[CertificateDer<'_>]) {
        self.client = chain.iter().map(|der| BASE64.encode(der)).collect();
    }

    /// Removes the certificate with this fingerprint, or all without one. Whether there was any.
    pub(super) fn remove(&mut self, wanted: Option<&str>) -> Result<bool> {
        let before = self.clone();
        let Some(wanted) = wanted else {
            *self = Self::default();
            return Ok(before != *self);
        };
        let is_wanted = |der: &CertificateDer<'_>| fingerprint(der) == wanted;
        if self.chain()?.first().is_some_and(is_wanted) {
            self.client.clear();
        }
        let stay: Vec<_> = self.authorities()?.into_iter().filter(|der| !is_wanted(der)).collect();
        self.authorities = stay.iter().map(|der| BASE64.encode(der)).collect();
        Ok(before != *self)
    }
}
