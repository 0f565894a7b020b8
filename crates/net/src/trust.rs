//! The certificates of this process by origin: authorities that are trusted for one origin beside those of this machine,
//! and the certificate that is shown to it. Each such origin has a client of its own, and no other origin gets anything
//! of it.
//!
//! WebSocket connections, uploads, downloads, probes and sign-ins at an origin use its client, too. Each program puts
//! the certificates in force as it starts, and again when it hears that they changed. A client for checked addresses
//! has the authorities and no identity.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use reqwest::{Certificate, Client, Identity};
use rustls::pki_types::CertificateDer;
use url::Url;

use crate::certificate_fault::CertificateFault;
use crate::{Error, Result};

/// What is trusted at an origin, and shown to it. Has no `Debug`, because of the key.
#[derive(Clone, Default)]
pub(crate) struct Trust {
    /// The authorities that are trusted for the origin.
    pub(crate) authorities: Vec<CertificateDer<'static>>,
    /// The certificate that is shown to the origin, with those that lead to its authority; empty for none.
    pub(crate) chain: Vec<CertificateDer<'static>>,
    /// Its private key as PEM; `None` until it was read.
    key: Option<Arc<str>>,
}

/// A [`Trust`] that is in force, with the client that was built of it.
struct InForce {
    trust: Arc<Trust>,
    client: Option<Client>,
}

static IN_FORCE: Mutex<BTreeMap<String, InForce>> = Mutex::new(BTreeMap::new());

impl Trust {
    pub(crate) fn new(
        authorities: Vec<CertificateDer<'static>>,
        chain: Vec<CertificateDer<'static>>,
    ) -> Self {
        Self { authorities, chain, key: None }
    }

    /// The authorities as a client takes them.
    pub(super) fn roots(&self) -> Result<Vec<Certificate>> {
        let root = |der: &CertificateDer<'_>| {
            Certificate::from_der(der).map_err(|error| Error::Setup(error.to_string()))
        };
        self.authorities.iter().map(root).collect()
    }

    /// The certificate that is shown, with its key.
    ///
    /// # Errors
    /// [`CertificateFault::ClientKey`] if the key was not read.
    pub(super) fn identity(&self) -> Result<Option<Identity>> {
        if self.chain.is_empty() {
            return Ok(None);
        }
        let key = self.key.as_ref().ok_or(Error::Certificate(CertificateFault::ClientKey))?;
        let chain = self.chain.iter().map(|der| pem("CERTIFICATE", der));
        let text: String = std::iter::once(key.to_string()).chain(chain).collect();
        // The error of the library says nothing of the key, and this says less.
        let identity = Identity::from_pem(text.as_bytes());
        identity.map(Some).map_err(|_| Error::Certificate(CertificateFault::ClientKey))
    }

    fn has_same_certificates(&self, other: &Self) -> bool {
        self.authorities == other.authorities && self.chain == other.chain
    }
}

/// A block of PEM (RFC 7468).
pub(crate) fn pem(label: &str, der: &[u8]) -> String {
    let text = data_encoding::BASE64.encode(der);
    let mut block = format!("-----BEGIN {label}-----\n");
    for line in text.as_bytes().chunks(64) {
        block.push_str(&String::from_utf8_lossy(line));
        block.push('\n');
    }
    block + &format!("-----END {label}-----\n")
}

fn origin(url: &Url) -> Option<String> {
    (url.scheme() == "https").then(|| url.origin().ascii_serialization())
}

/// Puts these certificates in force in place of all before; keys that were read stay with their certificate. Returns the
/// origins for which something changed.
pub(crate) fn install(mut trusts: BTreeMap<String, Trust>) -> Vec<String> {
    let mut in_force = IN_FORCE.lock();
    let mut changed = Vec::new();
    in_force.retain(|origin, known| match trusts.remove(origin) {
        Some(trust) if trust.has_same_certificates(&known.trust) => true,
        Some(mut trust) => {
            if trust.chain == known.trust.chain {
                trust.key.clone_from(&known.trust.key);
            }
            *known = InForce { trust: Arc::new(trust), client: None };
            changed.push(origin.clone());
            true
        }
        None => {
            changed.push(origin.clone());
            false
        }
    });
    for (origin, trust) in trusts {
        changed.push(origin.clone());
        in_force.insert(origin, InForce { trust: Arc::new(trust), client: None });
    }
    changed
}

/// The origins whose client certificate has no key yet, with that certificate: all, or that of an address.
pub(crate) fn without_key(of: Option<&Url>) -> Vec<(String, CertificateDer<'static>)> {
    let in_force = IN_FORCE.lock();
    let wanted = of.map(origin);
    let lacking = |(origin, known): (&String, &InForce)| {
        let is_wanted = wanted.as_ref().is_none_or(|wanted| wanted.as_ref() == Some(origin));
        let leaf = known.trust.chain.first().filter(|_| is_wanted && known.trust.key.is_none())?;
        Some((origin.clone(), leaf.clone()))
    };
    in_force.iter().filter_map(lacking).collect()
}

/// Sets the key of a client certificate, if that is still in force for its origin.
pub(crate) fn set_key(origin: &str, leaf: &CertificateDer<'_>, key: &str) {
    if let Some(known) = IN_FORCE.lock().get_mut(origin)
        && known.trust.chain.first() == Some(leaf)
    {
        let trust = Trust { key: Some(key.into()), ..(*known.trust).clone() };
        *known = InForce { trust: Arc::new(trust), client: None };
    }
}

/// What is in force for the origin of an address.
pub(super) fn of(url: &Url) -> Option<Arc<Trust>> {
    let in_force = IN_FORCE.lock();
    if in_force.is_empty() {
        return None;
    }
    in_force.get(&origin(url)?).map(|known| known.trust.clone())
}

/// The client of an origin with certificates of its own, which is built if there is none; `None` for all others.
pub(super) fn client(url: &Url, build: impl FnOnce(&Trust) -> Result<Client>) -> Option<Result<Client>> {
    let mut in_force = IN_FORCE.lock();
    if in_force.is_empty() {
        return None;
    }
    let known = in_force.get_mut(&origin(url)?)?;
    if let Some(client) = &known.client {
        return Some(Ok(client.clone()));
    }
    Some(build(&known.trust).inspect(|client| known.client = Some(client.clone())))
}

/// Drops the clients with their connections.
pub(super) fn reset_clients() {
    for known in IN_FORCE.lock().values_mut() {
        known.client = None;
    }
}
