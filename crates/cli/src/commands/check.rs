//! `check`: verifies both databases and recounts every counter. It creates no missing database and repairs nothing.

use std::sync::Arc;

use serde::Serialize;
use tidings_app::home::Home;
use tidings_model::SystemClock;
use tidings_replica::Replica;
use tidings_server::Server;
use tidings_sqlite::is_present;
use tidings_sync::outgoing_files;

use crate::{
    args::Store,
    error::{Error, Result},
    inbox::{replica_file, server_file},
    output::{Output, clean},
};

/// The result: one line for each difference, by database; `None` for a database that does not exist.
#[derive(Serialize)]
struct CheckResult {
    server: Option<Vec<String>>,
    replica: Option<Vec<String>>,
}

/// Runs `tidings check`.
pub(crate) async fn run(store: Store, home: &Home, out: Output) -> Result<()> {
    let config = store.config(home)?;
    let server = if !config.store.is_local() || is_present(&server_file(home)) {
        let server = Server::open(config, Arc::new(SystemClock)).await?;
        Some(server.check().await?.iter().map(ToString::to_string).collect())
    } else {
        None
    };
    let replica = if is_present(&replica_file(home)) {
        let replica = Replica::open(home.dir(), Arc::new(SystemClock))?;
        let mut differences: Vec<String> = replica.check()?.iter().map(ToString::to_string).collect();
        differences.extend(outgoing_files::missing(&replica)?);
        Some(differences)
    } else {
        None
    };
    let checked = CheckResult { server, replica };
    let parts = [("server", &checked.server), ("inbox", &checked.replica)];
    out.print(&checked, |to| {
        for (name, differences) in parts {
            match differences {
                None => writeln!(to, "{name}: none here")?,
                Some(none) if none.is_empty() => writeln!(to, "{name}: all is well")?,
                Some(differences) => {
                    for difference in differences {
                        writeln!(to, "{name}: {}", clean(difference))?;
                    }
                }
            }
        }
        Ok(())
    })?;
    let consistent = parts.iter().all(|(_, differences)| differences.as_ref().is_none_or(Vec::is_empty));
    if consistent { Ok(()) } else { Err(Error::Reported) }
}
