//! One file with the server and the inbox, and the way back. Refuses to overwrite a backup, and to restore under a
//! running server or app. Tokens are not in it: they stay in the keyring.

use std::{fs, path::Path, sync::Arc};

use serde_json::json;
use tidings_app::{
    archive::{self, Bench, REPLICA, SERVER},
    home::Home,
    socket::{self, Request},
};
use tidings_model::SystemClock;
use tidings_replica::{Replica, Source};
use tidings_server::{Server, ServerConfig};
use tidings_sqlite::DataDir;
use tidings_sync::Vault;

use crate::{
    error::{Error, Result},
    inbox::{self, replica_file, server_file},
    output::Output,
};

/// `tidings backup`
pub(crate) async fn backup(to: &Path, home: &Home, out: Output) -> Result<()> {
    if to.exists() {
        return Err(Error::failed(format!("{} is there already", to.display())));
    }
    inbox::prepare(home)?;
    let bench = Bench::in_folder(home.dir(), "backup")?;
    let mut parts = Vec::new();
    if server_file(home).exists() {
        let server = Server::open(ServerConfig::new(home.dir()), Arc::new(SystemClock)).await?;
        server.backup(&bench.path().join(SERVER)).await?;
        parts.push(SERVER);
    }
    if replica_file(home).exists() {
        Replica::open(home.dir(), Arc::new(SystemClock))?.backup(&bench.path().join(REPLICA))?;
        parts.push(REPLICA);
    }
    if parts.is_empty() {
        return Err(Error::failed(format!("there is nothing to back up in {}", home.dir().display())));
    }
    archive::pack(to, bench.path(), &parts)?;
    out.give(&json!({ "file": to, "parts": parts }), |o| writeln!(o, "wrote {}", to.display()))
}

/// `tidings restore`
pub(crate) async fn restore(from: &Path, home: &Home, out: Output) -> Result<()> {
    inbox::prepare(home)?;
    if socket::ask(&home.socket(), &Request::Changed).await?.is_some() {
        return Err(Error::failed("the app is running on this data folder: quit it first"));
    }
    // Held by a server that runs; `restore` takes it itself.
    drop(
        DataDir::lock(home.dir(), "server")
            .map_err(|_| Error::failed("a server is running on this data folder: stop it first"))?,
    );
    let bench = Bench::in_folder(home.dir(), "restore")?;
    let parts = unpack(from, bench.path())?;
    // All of it must open before any of it is put in place.
    if parts.contains(&REPLICA) {
        Replica::open(bench.path(), Arc::new(SystemClock))?;
    }
    if parts.contains(&SERVER) {
        Server::restore(home.dir(), &bench.path().join(SERVER), Arc::new(SystemClock)).await?;
    }
    if parts.contains(&REPLICA) {
        let tokens = TokensBefore::of(home)?;
        put_replica(&bench.path().join(REPLICA), home)?;
        tokens.carry_over(home)?;
    }
    out.give(&json!({ "restored": parts }), |to| writeln!(to, "restored {}", parts.join(" and ")))
}

/// The parts of a backup, unpacked; nothing else that may be in the file.
fn unpack(from: &Path, to: &Path) -> Result<Vec<&'static str>> {
    let parts = archive::unpack(from, to)
        .map_err(|error| Error::failed(format!("{} can't be read: {error}", from.display())))?;
    if parts.is_empty() {
        return Err(Error::failed(format!("{} is no backup of this program", from.display())));
    }
    Ok(parts)
}

/// The sources before a restore, and their tokens.
struct TokensBefore {
    vault: Vault,
    /// None where the inbox that is here can't be read.
    sources: Option<Vec<Source>>,
}

impl TokensBefore {
    fn of(home: &Home) -> Result<Self> {
        let vault = Vault::new(home.dir());
        let here = replica_file(home).exists();
        let replica = here.then(|| Replica::open(home.dir(), Arc::new(SystemClock)).ok()).flatten();
        let sources = replica.and_then(|replica| replica.sources().ok());
        // What a former version kept by number belongs to what is here now, and not to what comes.
        vault.adopt(sources.as_deref().unwrap_or_default())?;
        Ok(Self { vault, sources })
    }

    /// Each token stays with the source of the same address and user. Where it is not known what was here, those
    /// remain that were stored for just such a source; they are looked at again whenever they are used.
    fn carry_over(self, home: &Home) -> Result<()> {
        let Some(before) = self.sources else { return Ok(()) };
        let after = Replica::open(home.dir(), Arc::new(SystemClock))?.sources()?;
        Ok(self.vault.carry_over(&before, &after)?)
    }
}

fn put_replica(fresh: &Path, home: &Home) -> Result<()> {
    let place = replica_file(home);
    if place.exists() {
        // Opened and closed, so that nothing of it is left in its log.
        drop(Replica::open(home.dir(), Arc::new(SystemClock)));
        fs::rename(&place, place.with_extension("db.before"))?;
    }
    for rest in ["-wal", "-shm"] {
        let mut name = place.clone().into_os_string();
        name.push(rest);
        let _ = fs::remove_file(name);
    }
    Ok(fs::rename(fresh, place)?)
}
