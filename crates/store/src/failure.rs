//! What an error of PostgreSQL means for a request.

use std::sync::Arc;

use rustls::CertificateError;
use tidings_model::Code;

use crate::Error;

impl From<tokio_postgres::Error> for Error {
    fn from(e: tokio_postgres::Error) -> Self {
        let Some(database) = e.as_db_error() else {
            if let Some(why) = refused_certificate(&e) {
                return Self::unavailable(why);
            }
            return if e.is_closed() || is_io(&e) {
                Self::interrupted("the connection to the database was lost")
            } else {
                broken(&with_cause(&e))
            };
        };
        let why = format!("{} ({})", database.message(), database.code().code());
        match database.code().code() {
            // A conflict with another transaction, or a deadlock; the database shuts down, starts, or is a standby now; a
            // transaction said nothing for too long.
            "40001" | "40P01" | "57P01" | "57P02" | "57P03" | "25006" | "25P03" => Self::interrupted(why),
            // A lock or a statement took too long; too many connections; no memory.
            "55P03" | "57014" | "53300" | "53200" => Self::unavailable(why),
            "53100" => Self::DiskFull,
            "58030" => Self::DiskFails(format!("the disk fails: {why}").into()),
            "22021" => Self::refused(Code::Invalid, "a text has the character U+0000, which can't be stored"),
            code if code.starts_with("08") => Self::interrupted(why),
            _ => broken(&why),
        }
    }
}

/// The text of an error of the library, which leaves its cause out.
fn with_cause(e: &tokio_postgres::Error) -> String {
    match std::error::Error::source(e) {
        Some(cause) => format!("{e}: {cause}"),
        None => e.to_string(),
    }
}

/// Why the certificate of the database was refused, if that is what went wrong.
fn refused_certificate(e: &tokio_postgres::Error) -> Option<String> {
    let cause = std::error::Error::source(e)?.downcast_ref::<std::io::Error>()?;
    let why = cause.get_ref()?.downcast_ref::<rustls::Error>()?;
    let rustls::Error::InvalidCertificate(why) = why else {
        return Some(format!("the database and this server did not agree on TLS: {why}"));
    };
    Some(match why {
        CertificateError::UnknownIssuer => {
            "the certificate of the database is from an authority that is not trusted \
             here; sslrootcert=FILE in the address names a file with the authorities to trust"
                .to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the certificate of the database is for another name than that of the address".to_owned()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the certificate of the database has expired".to_owned()
        }
        other => format!("the certificate of the database is not accepted: {other}"),
    })
}

/// Whether the operating system refused, or the other side went away.
fn is_io(e: &tokio_postgres::Error) -> bool {
    let mut source = std::error::Error::source(e);
    while let Some(cause) = source {
        if cause.is::<std::io::Error>() {
            return true;
        }
        source = cause.source();
    }
    false
}

/// The database holds what this program does not write.
pub fn broken(why: &str) -> Error {
    let source = Box::<dyn std::error::Error + Send + Sync>::from(why);
    Error::Store { source: Arc::from(source), permanent: true }
}
