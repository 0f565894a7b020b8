//! Arguments of `migrate`.

use clap::Args;
use tidings_server::migrate::Location;

use crate::error::{Error, Result};
use crate::server::env_value;

#[derive(Debug, Args)]
pub(crate) struct Migrate {
    /// The server to move: a data folder, or postgres://user:password@host:port/name. Other users of the
    /// machine can see arguments; if an address is left out, that of `TIDINGS_STORE` is used.
    #[arg(long, value_name = "PLACE")]
    from: Option<String>,
    /// The new place: a database without our tables, or a folder without a server.
    #[arg(long, value_name = "PLACE")]
    to: Option<String>,
}

impl Migrate {
    /// The two locations.
    pub(crate) fn locations(self) -> Result<(Location, Location)> {
        let missing =
            || Error::Usage("name what to move with --from, and its new place with --to".to_owned());
        let other = || env_value("TIDINGS_STORE").ok_or_else(missing);
        let (from, to) = match (self.from, self.to) {
            (Some(from), Some(to)) => (from, to),
            (Some(from), None) => (from, other()?),
            (None, Some(to)) => (other()?, to),
            (None, None) => return Err(missing()),
        };
        match (location(&from)?, location(&to)?) {
            (Location::Folder(_), Location::Folder(_)) | (Location::Database(_), Location::Database(_)) => {
                Err(Error::Usage(
                    "name a data folder and a database (postgres://…) with --from and --to".to_owned(),
                ))
            }
            locations => Ok(locations),
        }
    }
}

/// Reads a location. It is not read by the parser of arguments, which shows what it can't read, and so a password.
fn location(text: &str) -> Result<Location> {
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        let address = text.parse().map_err(|error: tidings_server::Error| Error::Usage(error.to_string()))?;
        return Ok(Location::Database(address));
    }
    if text.contains("://") {
        return Err(Error::Usage("name a data folder or postgres://…".to_owned()));
    }
    Ok(Location::Folder(text.into()))
}
