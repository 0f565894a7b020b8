//! `backup` and `restore`: server and inbox as one tar file. An existing file is never overwritten, no restore
//! happens under a running server or app, and a backup does not contain the tokens of sources.

use std::{path::Path, sync::Arc};

use serde_json::json;
use tidings_app::socket::{self, Request};
use tidings_home::{
    Home, StagingDir,
    archive::{self, REPLICA, SERVER},
};
use tidings_model::{Clock, SystemClock};
use tidings_replica::{Replica, Source};
use tidings_server::{Server, mend_clock::FutureStamps};
use tidings_sqlite::{DataDir, Replacement, is_present};
use tidings_sync::TokenStore;

use crate::{
    args::Store,
    error::{Error, Result},
    inbox::{self, replica_file, server_file},
    output::{Output, Progress, warn},
};

const BACKED_UP_BY: &str = "a server in PostgreSQL is backed up by PostgreSQL's own tools while it is in use, as \
    `pg_dump --format=custom --file=tidings.dump DATABASE`";

const RESTORED_BY: &str = "a server in PostgreSQL is restored by PostgreSQL's own tools into a new database, as `createdb NEW` \
    and `pg_restore --dbname=NEW tidings.dump`, while no server uses it; the first one that starts on it begins a new epoch";

const INBOX_ALONE: &str = "`--store sqlite` means the inbox and the server in this data folder alone";

/// Runs `tidings backup`.
pub(crate) async fn backup(to: &Path, store: Store, home: &Home, out: Output) -> Result<()> {
    let config = store.config(home)?;
    if !config.store.is_local() {
        return Err(Error::failed(format!("{BACKED_UP_BY}; no file was written. {INBOX_ALONE}")));
    }
    if is_present(to) {
        return Err(Error::failed(format!("{} already exists", to.display())));
    }
    inbox::prepare(home)?;
    let staging = StagingDir::for_backup(home.dir())?;
    let progress = Progress::begin(out, "copying the server");
    let mut parts = Vec::new();
    if is_present(&server_file(home)) {
        let unwritten = |why: tidings_server::Error| {
            Error::failed(format!(
                "no backup was written: server.db: {why}. Earlier backups have not changed"
            ))
        };
        // A start may find the damage before the copy does.
        let opened = Server::open(config, Arc::new(SystemClock)).await;
        let server = opened.map_err(|why| {
            if matches!(why, tidings_server::Error::Damaged(_)) { unwritten(why) } else { why.into() }
        })?;
        server.backup(&staging.path().join(SERVER)).await.map_err(unwritten)?;
        parts.push(SERVER);
    }
    progress.step("copying the inbox");
    if is_present(&replica_file(home)) {
        Replica::open(home.dir(), Arc::new(SystemClock))?.backup(&staging.path().join(REPLICA))?;
        parts.push(REPLICA);
    }
    if parts.is_empty() {
        return Err(Error::failed(format!("there is nothing to back up in {}", home.dir().display())));
    }
    progress.step("writing the file");
    archive::pack_new(to, staging.path(), &parts)
        .map_err(|error| Error::failed(format!("{} can't be written: {error}", to.display())))?;
    drop(progress);
    out.print(&json!({ "file": to, "parts": parts }), |o| writeln!(o, "wrote {}", to.display()))
}

/// Runs `tidings restore`.
pub(crate) async fn restore(
    from: &Path,
    mends_clock: bool,
    store: Store,
    home: &Home,
    out: Output,
) -> Result<()> {
    if !store.config(home)?.store.is_local() {
        return Err(Error::failed(format!("{RESTORED_BY}; nothing has changed. {INBOX_ALONE}")));
    }
    inbox::prepare(home)?;
    if socket::ask(&home.socket(), &Request::Changed).await?.is_some() {
        return Err(Error::failed("the app is running on this data folder: quit it first"));
    }
    // A running server has this lock.
    let server = DataDir::lock(home.dir(), "server")
        .map_err(|_| Error::failed("a server is running on this data folder: stop it first"))?;
    let (from, home) = (from.to_owned(), home.clone());
    let progress = Progress::begin(out, "reading the backup");
    let restored = tokio::task::spawn_blocking(move || {
        let _server = server;
        let future = if mends_clock { FutureStamps::Mend } else { FutureStamps::Refuse };
        restore_files(&from, &home, future, &progress)
    });
    let parts = restored.await.map_err(|_| Error::failed("the restore ended unexpectedly"))??;
    out.print(&json!({ "restored": parts }), |to| writeln!(to, "restored {}", parts.join(" and ")))
}

/// Restores all parts of a backup. All of them are checked and prepared before the first is put in place.
fn restore_files(
    from: &Path,
    home: &Home,
    future: FutureStamps,
    progress: &Progress,
) -> Result<Vec<&'static str>> {
    let refused = |reason: &dyn std::fmt::Display| {
        Error::failed(format!("{} was not restored: {reason}; nothing has changed", from.display()))
    };
    let staging = StagingDir::for_restore(home.dir())?;
    let parts = archive::unpack(from, staging.path()).map_err(|error| refused(&error))?;
    // This opens the inbox; from here on no other process may have it open.
    let tokens = if parts.contains(&REPLICA) { Some(PreviousTokens::of(home)?) } else { None };
    let mut replacements = Vec::new();
    for part in &parts {
        progress.step(if *part == SERVER { "checking the server" } else { "checking the inbox" });
        let file = staging.path().join(part);
        let replacement = if *part == SERVER {
            let clock = Arc::new(SystemClock) as Arc<dyn Clock>;
            Server::prepare_restore(home.dir(), &file, &clock, future).map_err(|error| match error {
                tidings_server::Error::Store { source, .. } => refused(&source),
                other => refused(&other),
            })
        } else {
            Replica::prepare_restore(home.dir(), &file).map_err(|error| refused(&error))
        };
        replacements.push(replacement?);
    }
    progress.step("putting it in place");
    Replacement::put_in_place(&replacements).map_err(|error| refused(&error))?;
    drop(replacements);
    // The restore is done: a token that can't be carried over is asked for again.
    if let Some(Err(error)) = tokens.map(|tokens| tokens.carry_over(home)) {
        warn(&format!(
            "the tokens of sources could not be kept, so you may have to enter them again: {error}"
        ));
    }
    Ok(parts)
}

/// The sources before a restore, with the store of their tokens.
struct PreviousTokens {
    store: TokenStore,
    /// `None` if the present inbox can't be read.
    sources: Option<Vec<Source>>,
}

impl PreviousTokens {
    fn of(home: &Home) -> Result<Self> {
        let store = TokenStore::new(home.dir());
        let exists = is_present(&replica_file(home));
        let replica = exists.then(|| Replica::open(home.dir(), Arc::new(SystemClock)).ok()).flatten();
        let sources = replica.and_then(|replica| replica.sources().ok());
        // Tokens that an earlier version stored by source id belong to the present sources, not to the restored ones.
        store.migrate_legacy(sources.as_deref().unwrap_or_default())?;
        Ok(Self { store, sources })
    }

    /// Keeps each token with the source of the same address and user. If the previous sources are unknown, the stored
    /// tokens stay; their address and user are checked at each use.
    fn carry_over(self, home: &Home) -> Result<()> {
        let Some(before) = self.sources else { return Ok(()) };
        let after = Replica::open(home.dir(), Arc::new(SystemClock))?.sources()?;
        Ok(self.store.carry_over(&before, &after)?)
    }
}
