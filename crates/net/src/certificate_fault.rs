//! Why a secure connection could not be made because of a certificate, of the server or of this side.

use std::{error::Error as StdError, io};

use rustls::{AlertDescription as Alert, CertificateError};

/// What is wrong with a certificate: a closed list, with a string in each language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum CertificateFault {
    /// Nobody whom this machine trusts, or who was added for the origin, has signed the server's certificate.
    #[error("The server's certificate is signed by an authority that this computer doesn't know")]
    UnknownAuthority,
    /// The server's certificate has expired, or is not valid yet.
    #[error("The server's certificate has expired, or is not valid yet by this computer's clock")]
    NotValidNow,
    /// The server's certificate is not for the name in the address.
    #[error("The server's certificate is for another name")]
    OtherName,
    /// The server's certificate can't be trusted for another reason.
    #[error("The server's certificate is not trusted")]
    Untrusted,
    /// The server asks for a client certificate, and got none or one that it does not take.
    #[error("The server requires a client certificate that it knows")]
    ClientWanted,
    /// There is a client certificate for the origin, and its key can't be read.
    #[error("The key of the client certificate can't be read from the keyring")]
    ClientKey,
}

/// The fault of a certificate in an error of a connection or request; `None` if it failed for another reason.
pub(crate) fn certificate_fault(error: &(dyn StdError + 'static)) -> Option<CertificateFault> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(fault) = error.downcast_ref::<rustls::Error>().and_then(of_tls) {
            return Some(fault);
        }
        // The source of such an error is that of the error that it wraps.
        cause = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}

fn of_tls(error: &rustls::Error) -> Option<CertificateFault> {
    match error {
        rustls::Error::InvalidCertificate(why) => Some(of_server(why)),
        rustls::Error::NoCertificatesPresented => Some(CertificateFault::Untrusted),
        rustls::Error::AlertReceived(alert) => of_alert(*alert),
        _ => None,
    }
}

fn of_server(why: &CertificateError) -> CertificateFault {
    match why {
        CertificateError::UnknownIssuer => CertificateFault::UnknownAuthority,
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => CertificateFault::NotValidNow,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            CertificateFault::OtherName
        }
        _ => CertificateFault::Untrusted,
    }
}

/// What a server says of the certificate that it was shown, or was not shown.
fn of_alert(alert: Alert) -> Option<CertificateFault> {
    let is_of_client = matches!(
        alert,
        Alert::CertificateRequired
            | Alert::BadCertificate
            | Alert::CertificateUnknown
            | Alert::CertificateExpired
            | Alert::CertificateRevoked
            | Alert::UnsupportedCertificate
            | Alert::UnknownCA
            | Alert::AccessDenied
    );
    is_of_client.then_some(CertificateFault::ClientWanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_found_however_deep_it_is_wrapped() {
        let unknown = || rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        let wrapped = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, unknown()));
        assert_eq!(certificate_fault(&wrapped), Some(CertificateFault::UnknownAuthority));
        assert_eq!(certificate_fault(&unknown()), Some(CertificateFault::UnknownAuthority));
        let wanted = rustls::Error::AlertReceived(Alert::CertificateRequired);
        assert_eq!(certificate_fault(&io::Error::other(wanted)), Some(CertificateFault::ClientWanted));
        for other in [
            io::Error::other(rustls::Error::AlertReceived(Alert::ProtocolVersion)),
            io::Error::other(rustls::Error::General("certificate".to_owned())),
            io::ErrorKind::ConnectionRefused.into(),
        ] {
            assert_eq!(certificate_fault(&other), None, "{other:?}");
        }
    }
}
