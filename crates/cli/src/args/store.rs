//! The database that a command of the server works on.

use clap::Args;
use tidings_home::Home;
use tidings_server::ServerConfig;

use crate::error::{Error, Result};

#[derive(Debug, Clone, Args)]
pub(crate) struct Store {
    /// The server's database: sqlite, in the data folder, or postgres://user:password@host:port/name, which any number of
    /// servers may use at the same time. Set it in the environment to hide the password from other users of the machine.
    #[arg(
        long,
        global = true,
        env = "TIDINGS_STORE",
        hide_env_values = true,
        default_value = "sqlite",
        value_name = "STORE"
    )]
    store: String,
}

impl Store {
    /// The configuration of a server on this database.
    ///
    /// It is not read by the parser of arguments, which shows what it can't read, and so a password.
    pub(crate) fn config(&self, home: &Home) -> Result<ServerConfig> {
        let mut config = ServerConfig::new(home.dir());
        config.store =
            self.store.parse().map_err(|error: tidings_server::Error| Error::Usage(error.to_string()))?;
        Ok(config)
    }
}
