//! One file with the server and the inbox, and the way back. Refuses to overwrite a backup, and to restore under a
//! running server or app. Tokens are not in it: they stay in the keyring.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::json;
use tidings_app::{
    home::Home,
    socket::{self, Request},
};
use tidings_model::SystemClock;
use tidings_replica::Replica;
use tidings_server::{Server, ServerConfig};
use tidings_sqlite::DataDir;

use crate::{
    error::{Error, Result},
    inbox::{self, replica_file, server_file},
    output::Output,
};

/// The files in a backup, in this order.
const SERVER: &str = "server.db";
const REPLICA: &str = tidings_replica::FILE;

/// A folder for half-made files inside the data folder, so that moving them is one step; gone at the end.
struct Bench(PathBuf);

impl Bench {
    fn in_folder(home: &Home, what: &str) -> Result<Self> {
        let dir = home.dir().join(format!(".{what}-{}", std::process::id()));
        fs::create_dir_all(&dir)?;
        Ok(Self(dir))
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // What can't be removed is only room lost.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// `tidings backup`
pub(crate) async fn backup(to: &Path, home: &Home, out: Output) -> Result<()> {
    if to.exists() {
        return Err(Error::failed(format!("{} is there already", to.display())));
    }
    inbox::prepare(home)?;
    let bench = Bench::in_folder(home, "backup")?;
    let mut parts = Vec::new();
    if server_file(home).exists() {
        let server = Server::open(ServerConfig::new(home.dir()), Arc::new(SystemClock)).await?;
        server.backup(&bench.0.join(SERVER)).await?;
        parts.push(SERVER);
    }
    if replica_file(home).exists() {
        Replica::open(home.dir(), Arc::new(SystemClock))?.backup(&bench.0.join(REPLICA))?;
        parts.push(REPLICA);
    }
    if parts.is_empty() {
        return Err(Error::failed(format!("there is nothing to back up in {}", home.dir().display())));
    }
    // Beside its place first: half a backup never has a backup's name.
    let draft = to.with_extension(format!("part-{}", std::process::id()));
    let written = pack(&draft, &bench.0, &parts).and_then(|()| Ok(fs::rename(&draft, to)?));
    if let Err(error) = written {
        let _ = fs::remove_file(&draft);
        return Err(error);
    }
    out.give(&json!({ "file": to, "parts": parts }), |o| writeln!(o, "wrote {}", to.display()))
}

fn pack(to: &Path, from: &Path, parts: &[&str]) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut archive = tar::Builder::new(options.open(to)?);
    for part in parts {
        archive.append_path_with_name(from.join(part), part)?;
    }
    archive.into_inner()?.sync_all()?;
    Ok(())
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
    let bench = Bench::in_folder(home, "restore")?;
    let parts = unpack(from, &bench.0)?;
    // All of it must open before any of it is put in place.
    if parts.contains(&REPLICA) {
        Replica::open(&bench.0, Arc::new(SystemClock))?;
    }
    if parts.contains(&SERVER) {
        Server::restore(home.dir(), &bench.0.join(SERVER), Arc::new(SystemClock)).await?;
    }
    if parts.contains(&REPLICA) {
        put_replica(&bench.0.join(REPLICA), home)?;
    }
    out.give(&json!({ "restored": parts }), |to| writeln!(to, "restored {}", parts.join(" and ")))
}

/// The parts of a backup, unpacked; nothing else that may be in the file.
fn unpack(from: &Path, to: &Path) -> Result<Vec<&'static str>> {
    let unreadable =
        |error: std::io::Error| Error::failed(format!("{} can't be read: {error}", from.display()));
    let mut archive = tar::Archive::new(File::open(from).map_err(unreadable)?);
    let mut parts = Vec::new();
    for entry in archive.entries().map_err(unreadable)? {
        let mut entry = entry.map_err(unreadable)?;
        let name = entry.path().map_err(unreadable)?.into_owned();
        let Some(part) = [SERVER, REPLICA].into_iter().find(|part| name == Path::new(part)) else { continue };
        let mut file = File::create(to.join(part))?;
        std::io::copy(&mut entry, &mut file).map_err(unreadable)?;
        parts.push(part);
    }
    if parts.is_empty() {
        return Err(Error::failed(format!("{} is no backup of this program", from.display())));
    }
    Ok(parts)
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
