//! The replica as the terminal uses it, beside a running app if need be. Refuses to pull; that is `pull`.

use std::{path::PathBuf, sync::Arc};

pub(crate) use tidings_app::export::{SourceNames, source_name};
use tidings_app::{
    home::Home,
    socket::{self, Request},
};
use tidings_model::SystemClock;
use tidings_replica::{Replica, Source};
use tidings_sync::{Keys, Vault};
use tokio::runtime::Handle;

use crate::{
    endpoint,
    error::{Error, Result},
    output::note,
};

/// Opens the replica of the data folder; makes it where it is missing.
pub(crate) fn open(home: &Home) -> Result<Replica> {
    prepare(home)?;
    Ok(Replica::open(home.dir(), Arc::new(SystemClock))?)
}

/// Which token a source of the inbox may have. What a former version kept by the sources' numbers is taken over first.
pub(crate) fn keys(home: &Home, replica: &Replica) -> Result<Keys> {
    let vault = Vault::new(home.dir());
    let lost = vault.adopt(&replica.sources()?)?;
    if lost > 0 {
        note(&format!(
            "this inbox was restored from a backup, so it is not known for which addresses its tokens were kept: \
             they are forgotten; sign in again to {lost} of its sources"
        ));
    }
    let (home, runtime) = (home.clone(), Handle::current());
    Ok(Keys::new(vault, move |at| runtime.block_on(endpoint::runs_at(&home, at))))
}

/// Where the replica is.
pub(crate) fn replica_file(home: &Home) -> PathBuf {
    home.dir().join(tidings_replica::FILE)
}

/// Where the server's data is.
pub(crate) fn server_file(home: &Home) -> PathBuf {
    home.dir().join("server.db")
}

/// Makes the data folder where it is missing.
pub(crate) fn prepare(home: &Home) -> Result<()> {
    home.prepare().map_err(|error| {
        Error::failed(format!("the data folder {} can't be written: {error}", home.dir().display()))
    })
}

/// Tells a running app that the replica was changed under it. What it can't be told now it finds with its next pull.
pub(crate) async fn tell_app(home: &Home) {
    match socket::ask(&home.socket(), &Request::Changed).await {
        Ok(Some(Err(why))) => note(&format!("the running app did not take note: {why}")),
        Err(error) => note(&format!("the running app did not take note: {error}")),
        Ok(_) => {}
    }
}

/// The source with this name or address.
pub(crate) fn find(replica: &Replica, name: &str) -> Result<Source> {
    let mut sources = replica.sources()?;
    let at =
        sources.iter().position(|s| s.name == name).or_else(|| sources.iter().position(|s| s.url == name));
    at.map(|at| sources.swap_remove(at)).ok_or_else(|| Error::failed(format!("there is no source `{name}`")))
}
