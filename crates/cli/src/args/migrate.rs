//! Arguments of `migrate`.

use clap::Args;
use tidings_server::store::migrate::Place;

use crate::error::{Error, Result};
use crate::server::env_value;

#[derive(Debug, Args)]
pub(crate) struct Migrate {
    /// The server to move: a data folder, or postgres://user:password@host:port/name. Other users of the
    /// machine can see arguments; if an address is left out, that of `TIDINGS_STORE` is used.
    #[arg(long, value_name = "PLACE")]
    from: Option<String>,
    /// Where it goes: a database without our tables, or a folder without a server.
    #[arg(long, value_name = "PLACE")]
    to: Option<String>,
}

impl Migrate {
    /// The two places.
    pub(crate) fn places(self) -> Result<(Place, Place)> {
        let missing = || Error::Usage("give what to move as --from, and its new place as --to".to_owned());
        let other = || env_value("TIDINGS_STORE").ok_or_else(missing);
        let (from, to) = match (self.from, self.to) {
            (Some(from), Some(to)) => (from, to),
            (Some(from), None) => (from, other()?),
            (None, Some(to)) => (other()?, to),
            (None, None) => return Err(missing()),
        };
        match (place(&from)?, place(&to)?) {
            (Place::Folder(_), Place::Folder(_)) | (Place::Database(_), Place::Database(_)) => {
                Err(Error::Usage(
                    "give a data folder and a database (postgres://…) as --from and --to".to_owned(),
                ))
            }
            places => Ok(places),
        }
    }
}

/// Reads a place. It is not read by the parser of arguments, which shows what it can't read, and so a password.
fn place(text: &str) -> Result<Place> {
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        let address = text.parse().map_err(|error: tidings_server::Error| Error::Usage(error.to_string()))?;
        return Ok(Place::Database(address));
    }
    if text.contains("://") {
        return Err(Error::Usage("give a data folder or postgres://…".to_owned()));
    }
    Ok(Place::Folder(text.into()))
}
