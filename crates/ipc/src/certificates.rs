//! The certificates that the reader added for origins.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The certificates, after one was added or removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CertificatesView {
    /// All of them, by origin; of each the client certificate first.
    pub rows: Vec<CertificateRow>,
    /// A sentence: what was done.
    pub text: String,
}

/// A certificate of an origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CertificateRow {
    /// The origin, for example `https://tidings.example.org`.
    pub origin: String,
    /// Whether it is shown to the server; else it is an authority that signs the server's certificate.
    pub client: bool,
    /// Its SHA-256, for `remove_certificate`.
    pub fingerprint: String,
    /// Whose it is.
    pub subject: String,
    /// Who signed it; null if it signed itself.
    pub issuer: Option<String>,
    /// Until when it is valid, milliseconds since 1970.
    pub until: i64,
    /// Whether it is valid now.
    pub valid: bool,
}
