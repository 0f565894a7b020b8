//! The replica as the terminal uses it, beside a running app if need be. Refuses to pull; that is `pull`.

use std::{path::PathBuf, sync::Arc};

pub(crate) use tidings_app::export::{Names, name_of};
use tidings_app::{
    home::Home,
    socket::{self, Request},
};
use tidings_model::SystemClock;
use tidings_replica::{Replica, Source};

use crate::{
    error::{Error, Result},
    output::note,
};

/// Opens the replica of the data folder; makes it where it is missing.
pub(crate) fn open(home: &Home) -> Result<Replica> {
    prepare(home)?;
    Ok(Replica::open(home.dir(), Arc::new(SystemClock))?)
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
