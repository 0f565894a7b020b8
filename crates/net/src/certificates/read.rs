//! Reads files of certificates and keys: PEM (RFC 7468) with any number of both, or one certificate as DER.

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use x509_parser::parse_x509_certificate;

use super::{CertificateError, MAX_AUTHORITIES, MAX_FILE_BYTES, Result};
use crate::trust::pem;

/// What begins a block of PEM.
const PEM_BEGIN: &str = "-----BEGIN ";

/// What a file has.
pub(super) struct PemFile {
    /// At least one.
    pub(super) certificates: Vec<CertificateDer<'static>>,
    pub(super) key: Option<PrivateKeyDer<'static>>,
}

/// Reads a file with certificates, and with a key if it has one.
pub(super) fn parse(bytes: &[u8]) -> Result<PemFile> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(CertificateError::TooLarge);
    }
    if !is_pem(bytes) {
        return of_der(bytes);
    }
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(bytes)
        .take(MAX_AUTHORITIES + 1)
        .collect::<Result<_, _>>()
        .map_err(|_| CertificateError::Unreadable)?;
    if certificates.len() > MAX_AUTHORITIES {
        return Err(CertificateError::TooMany);
    }
    if certificates.is_empty() {
        return Err(CertificateError::NoCertificate);
    }
    let key = match key(bytes) {
        Ok(key) => Some(key),
        Err(CertificateError::NoKey) => None,
        Err(error) => return Err(error),
    };
    Ok(PemFile { certificates, key })
}

/// Reads the first private key of a file: PKCS#8, PKCS#1 (RSA) or SEC 1 (elliptic curves).
pub(super) fn key(bytes: &[u8]) -> Result<PrivateKeyDer<'static>> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(CertificateError::TooLarge);
    }
    let text = String::from_utf8_lossy(bytes);
    // Two forms: a block of its own name, and a header in a block of the old one.
    if text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED") {
        return Err(CertificateError::EncryptedKey);
    }
    PrivateKeyDer::from_pem_slice(bytes)
        .map_err(|_| if is_pkcs12(bytes) { CertificateError::Pkcs12 } else { CertificateError::NoKey })
}

fn is_pem(bytes: &[u8]) -> bool {
    bytes.windows(PEM_BEGIN.len()).any(|window| window == PEM_BEGIN.as_bytes())
}

fn of_der(bytes: &[u8]) -> Result<PemFile> {
    match parse_x509_certificate(bytes) {
        Ok(([], _)) => Ok(PemFile { certificates: vec![CertificateDer::from(bytes.to_vec())], key: None }),
        _ if is_pkcs12(bytes) => Err(CertificateError::Pkcs12),
        _ => Err(CertificateError::NoCertificate),
    }
}

/// Whether a file is an archive of PKCS#12 (RFC 7292): a sequence that begins with the version 3.
fn is_pkcs12(bytes: &[u8]) -> bool {
    let beginning = bytes.get(..bytes.len().min(9)).unwrap_or_default();
    beginning.first() == Some(&0x30) && beginning.windows(3).any(|window| window == [2, 1, 3])
}

/// The chain of a client: the certificate to which the key belongs, then the others in their order.
pub(super) fn chain_of(
    mut certificates: Vec<CertificateDer<'static>>,
    key: &PrivateKeyDer<'static>,
) -> Result<Vec<CertificateDer<'static>>> {
    let provider = default_provider();
    let signs = provider.key_provider.load_private_key(key.clone_key());
    let signs = signs.map_err(|_| CertificateError::KeyKind)?;
    let belongs = |der: &CertificateDer<'static>| {
        CertifiedKey::new(vec![der.clone()], signs.clone()).keys_match().is_ok()
    };
    let at = certificates.iter().position(belongs).ok_or(CertificateError::KeyMismatch)?;
    let leaf = certificates.remove(at);
    certificates.insert(0, leaf);
    Ok(certificates)
}

/// A key as PEM.
pub(super) fn key_pem(key: &PrivateKeyDer<'_>) -> String {
    let label = match key {
        PrivateKeyDer::Pkcs1(_) => "RSA PRIVATE KEY",
        PrivateKeyDer::Sec1(_) => "EC PRIVATE KEY",
        _ => "PRIVATE KEY",
    };
    pem(label, key.secret_der())
}
