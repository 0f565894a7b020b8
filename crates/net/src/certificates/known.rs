//! What is shown of a certificate.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use tidings_model::{Stamp, text};
use x509_parser::parse_x509_certificate;
use x509_parser::x509::X509Name;

/// The longest name that is shown, in bytes.
const MAX_NAME_BYTES: usize = 300;

/// The use of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificateUse {
    /// It signs certificates of the server.
    Authority,
    /// It is shown to the server.
    Client,
}

/// A certificate that was added for an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownCertificate {
    /// The origin, for example `https://tidings.example.org`.
    pub origin: String,
    /// What it is used for.
    pub used_as: CertificateUse,
    /// Its SHA-256 in hexadecimal digits.
    pub fingerprint: String,
    /// Whose it is, in one line.
    pub subject: String,
    /// Who signed it, in one line.
    pub issuer: String,
    /// From when it is valid.
    pub not_before: Stamp,
    /// Until when it is valid.
    pub not_after: Stamp,
}

impl KnownCertificate {
    /// Whether it is valid at a time.
    pub fn is_valid_at(&self, now: Stamp) -> bool {
        self.not_before <= now && now <= self.not_after
    }

    pub(super) fn read(origin: &str, used_as: CertificateUse, der: &[u8]) -> Option<Self> {
        let (_, certificate) = parse_x509_certificate(der).ok()?;
        let line = |name: &X509Name<'_>| {
            // The common name is what people know it by; a name without one is shown whole.
            let common = name.iter_common_name().find_map(|part| part.as_str().ok().map(str::to_owned));
            text::cut(&text::line(&common.unwrap_or_else(|| name.to_string())), MAX_NAME_BYTES).to_owned()
        };
        let validity = certificate.validity();
        Some(Self {
            origin: origin.to_owned(),
            used_as,
            fingerprint: fingerprint(der),
            subject: line(certificate.subject()),
            issuer: line(certificate.issuer()),
            not_before: Stamp::from_secs(validity.not_before.timestamp()),
            not_after: Stamp::from_secs(validity.not_after.timestamp()),
        })
    }
}

pub(super) fn fingerprint(der: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(der))
}
