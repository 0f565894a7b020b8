//! Writes server and inbox to a backup, and restores one. Data is replaced only once the backup is known to be valid.
//!
//! A backup is a tar file with `server.db` and `replica.db`. Tokens of sources, uploaded files and files that wait to
//! be sent are not in it. After a restore in the same folder what is still there is found again, and anything else is
//! forgotten. A waiting message without its file is refused with the reason. A restore checks the backup (exactly our
//! schema, undamaged, sane sizes) before anything changes, and begins a new epoch inside the new file. A process that
//! has a database open shares `<file>.lock`; one that replaces it holds the lock alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tidings_home::StagingDir;
use tidings_home::archive::{self, REPLICA, SERVER, UnpackError};
use tidings_home::user_file::Access;
use tidings_ipc::FileResult;
use tidings_model::text;
use tidings_replica::{Replica, Source, is_present};
use tidings_strings::grouped;
use tidings_strings::settings::bytes;

use super::file_result;
use super::reload::Reload;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::saved_files::SavedFiles;
use crate::sources::engine::RunningEngine;
use crate::sources::own_server::Server;
use crate::sources::tokens::Tokens;
use crate::state::own_server::ServerState;

part! {
    /// Writes backups, and restores them.
    pub(crate) struct Backups {
        context: Arc<Context>,
        saved_files: Arc<SavedFiles>,
        engine: Arc<RunningEngine>,
        tokens: Arc<Tokens>,
        server: Arc<Server>,
        server_state: Arc<ServerState>,
        reload: Arc<Reload>,
    }
}

impl Backups {
    /// Writes a backup of server and inbox to a file that the reader chooses.
    pub(crate) async fn backup(&self) -> Result<Option<FileResult>> {
        let table = self.context.settings_strings();
        self.context.require_data_folder()?;
        let Some(path) = self.saved_files.save_dialog(table.title_backup, "tar").await else {
            return Ok(None);
        };
        let failed = |why: String| Error::storage((table.not_written)(&why));
        let folder = self.context.data.home().dir().to_owned();
        let staging = StagingDir::for_backup(&folder).map_err(|error| failed(error.to_string()))?;
        let mut parts = Vec::new();
        if let Some(server) = self.server_state.server().filter(|_| is_present(&folder.join(SERVER))) {
            server.backup(&staging.path().join(SERVER)).await.map_err(failed)?;
            parts.push(SERVER);
        }
        let to = staging.path().join(REPLICA);
        self.context.disk(move |r| r.backup(&to)).await?;
        parts.push(REPLICA);
        let size = self
            .saved_files
            .write_file(&path, Access::OwnerOnly, move |temp| {
                archive::write(temp, staging.path(), &parts)?;
                Ok(temp.metadata()?.len())
            })
            .await?;
        let shown = path.display().to_string();
        Ok(Some(file_result(&path, (table.backed_up)(text::line(&shown).as_ref(), &bytes(size)))))
    }

    /// Replaces server and inbox by a backup. The former inbox is kept beside the new one as `replica.db.before`.
    pub(crate) async fn restore(&self) -> Result<Option<FileResult>> {
        let table = self.context.settings_strings();
        self.context.require_data_folder()?;
        let chosen = self.context.ports.files.open_dialog(table.title_restore, "tar").await;
        let Some(path) = chosen else { return Ok(None) };
        let failed = |why: String| Error::storage((table.not_restored)(&why));
        let staging = StagingDir::for_restore(self.context.data.home().dir());
        let staging = Arc::new(staging.map_err(|error| failed(error.to_string()))?);
        let parts = self.unpack_checked(&path, &staging).await?;
        self.engine.while_stopped(self.replace_databases(&staging, &parts), failed).await?;
        self.reload.reload_after_restore().await?;
        let items: u64 =
            self.context.disk(Replica::counts).await?.sources.iter().map(|source| source.items).sum();
        Ok(Some(file_result(&path, (table.restored)(&grouped(items)))))
    }

    /// Unpacks a backup and validates its inbox.
    async fn unpack_checked(&self, path: &Path, staging: &Arc<StagingDir>) -> Result<Vec<&'static str>> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let (from, staging) = (path.to_owned(), Arc::clone(staging));
        let work = move || {
            let parts = archive::unpack(&from, staging.path())?;
            if parts.contains(&REPLICA) {
                Replica::vet(&staging.path().join(REPLICA)).map_err(|error| match error {
                    // A newer program could read it, so it is not called foreign.
                    newer if newer.is_newer() => UnpackError::Io(std::io::Error::other(newer)),
                    other => UnpackError::NotABackup(other.to_string()),
                })?;
            }
            Ok(parts)
        };
        let table = self.context.settings_strings();
        let parts = tokio::task::spawn_blocking(work).await.map_err(|_| Error::Ending)?;
        parts.map_err(|refused| match refused {
            UnpackError::NotABackup(why) => {
                tracing::info!(why, "a file was refused as a backup");
                Error::invalid((table.not_backup)(&name))
            }
            UnpackError::NoSpace { needed, free } => {
                Error::storage((table.restore_no_room)(&bytes(needed), &bytes(free)))
            }
            UnpackError::Io(error) => Error::storage((table.not_restored)(&error.to_string())),
        })
    }

    /// Replaces the databases, the server first, because it validates its backup before it changes anything. If the
    /// inbox cannot be replaced afterwards, the former server is restored.
    async fn replace_databases(&self, staging: &StagingDir, parts: &[&str]) -> Result<()> {
        let failed = |why: String| Error::storage((self.context.settings_strings().not_restored)(&why));
        let before = if parts.contains(&REPLICA) { Some(self.copy_inbox(staging).await?) } else { None };
        let mut port = None;
        let server = self.server_state.server().filter(|_| parts.contains(&SERVER));
        if let Some(server) = server {
            port = Some(server.restore(&staging.path().join(SERVER)).await.map_err(failed)?);
        }
        if let Some((copy, before)) = before {
            // Only now, so that a backup that the server refuses leaves the copy of an earlier restore.
            let (former_inbox, earlier) = (
                self.context.data.home().dir().join(format!("{REPLICA}.before")),
                staging.path().join("earlier.db"),
            );
            let had_earlier = std::fs::rename(&former_inbox, &earlier).is_ok();
            std::fs::rename(copy, &former_inbox)?;
            let from = staging.path().join(REPLICA);
            if let Err(error) = self.context.disk(move |r| r.restore(&from)).await {
                if had_earlier {
                    std::fs::rename(&earlier, &former_inbox)?;
                }
                if let Some(server) = server {
                    let former = self.context.data.home().dir().join(format!("{SERVER}.before"));
                    server.restore(&former).await.map_err(failed)?;
                }
                return Err(failed(error.to_string()));
            }
            self.carry_tokens_over(before).await?;
        }
        if let Some(server) = self.server_state.server() {
            let listen = self.server.listen_config().await;
            if let Some(port) = port.or_else(|| self.server.server_port()) {
                self.server.handle_listening(server.as_ref(), &listen, Ok(port)).await;
            } else {
                tracing::debug!("the own server does not run");
            }
        }
        Ok(())
    }

    /// Copies the inbox into the staging folder, and returns its sources.
    async fn copy_inbox(&self, staging: &StagingDir) -> Result<(PathBuf, Vec<Source>)> {
        let copy = staging.path().join("before.db");
        let to = copy.clone();
        self.context.disk(move |r| r.copy_as_it_is(&to)).await?;
        Ok((copy, self.context.disk(Replica::sources).await?))
    }

    /// Carries tokens over to the restored sources: each gets the token of the same user at the same address, if there
    /// is one.
    async fn carry_tokens_over(&self, before: Vec<Source>) -> Result<()> {
        let after = self.context.disk(Replica::sources).await?;
        let tokens = self.tokens.store().clone();
        let work = move || tokens.carry_over(&before, &after);
        tokio::task::spawn_blocking(work).await.map_err(|_| Error::Ending)?.map_err(Error::Write)
    }
}
