//! Texts about sources, the own server, storage and files.

use tidings_net::CertificateFault;
use tidings_net::certificates::CertificateError;

pub use crate::generated::{SettingsStrings, settings_strings};

impl SettingsStrings {
    /// Why a certificate is in the way, and what to do.
    pub fn certificate(&self, fault: CertificateFault, host: &str) -> String {
        let text = match fault {
            CertificateFault::UnknownAuthority => self.certificate_unknown_authority,
            CertificateFault::NotValidNow => self.certificate_not_valid_now,
            CertificateFault::OtherName => self.certificate_other_name,
            CertificateFault::Untrusted => self.certificate_untrusted,
            CertificateFault::ClientWanted => self.certificate_client_wanted,
            CertificateFault::ClientKey => self.certificate_client_key,
        };
        text(host)
    }

    /// Why a certificate was not added.
    pub fn certificate_refused(&self, file: &str, error: &CertificateError) -> String {
        let text = match error {
            CertificateError::Address(text) => return (self.certificate_no_address)(text),
            CertificateError::TooLarge => self.certificate_file_too_large,
            CertificateError::NoCertificate => self.certificate_file_empty,
            CertificateError::Unreadable => self.certificate_file_unreadable,
            CertificateError::Pkcs12 => self.certificate_file_pkcs12,
            CertificateError::EncryptedKey => self.certificate_file_encrypted_key,
            CertificateError::NoKey => self.certificate_file_no_key,
            CertificateError::KeyKind => self.certificate_file_key_kind,
            CertificateError::KeyMismatch => self.certificate_file_key_mismatch,
            CertificateError::TooMany => self.certificate_file_too_many,
            CertificateError::Disk(error) => return (self.certificates_not_kept)(&error.to_string()),
        };
        text(file)
    }

    /// Settings were imported, and so many of each were added.
    pub fn settings_read(&self, rules: usize, searches: usize, sources: usize) -> String {
        let added =
            [(rules, self.rules_added), (searches, self.searches_added), (sources, self.sources_added)];
        let added = added.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = added.map(|(count, text)| text(count as u64)).collect();
        (self.settings_added)(&parts)
    }
}

/// A size in decimal units: `1.2 GB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];
    let (mut integer, mut tenths, mut unit) = (n, 0, 0);
    while integer >= 1_000 && unit + 1 < UNITS.len() {
        tenths = integer % 1_000 / 100;
        integer /= 1_000;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or_default();
    if unit == 0 || integer >= 100 || tenths == 0 {
        format!("{integer} {name}")
    } else {
        format!("{integer}.{tenths} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_at_a_glance() {
        for (n, text) in
            [(0, "0 B"), (999, "999 B"), (1_000, "1 KB"), (1_234_567, "1.2 MB"), (123_456_789_000, "123 GB")]
        {
            assert_eq!(bytes(n), text);
        }
    }
}
