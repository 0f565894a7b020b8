//! What an error of the database means for a request.

use std::sync::Arc;

use tidings_model::Code;

use crate::error::Error;

impl From<tokio_postgres::Error> for Error {
    fn from(e: tokio_postgres::Error) -> Self {
        let Some(database) = e.as_db_error() else {
            return if e.is_closed() || is_io(&e) {
                Self::interrupted("the connection to the database was lost")
            } else {
                Self::Store { source: Arc::new(e), permanent: true }
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
            "22021" => Self::refused(Code::Invalid, "a text has the character U+0000, which can't be stored"),
            code if code.starts_with("08") => Self::interrupted(why),
            _ => Self::Store { source: Arc::new(e), permanent: true },
        }
    }
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
pub(super) fn broken(why: &str) -> Error {
    let source = Box::<dyn std::error::Error + Send + Sync>::from(why);
    Error::Store { source: Arc::from(source), permanent: true }
}
