//! Storage: sizes on disk, compaction, retention, and exports. Files are replaced as a whole or not at all.

pub(crate) mod backup;
pub(crate) mod reload;
pub(crate) mod repair;
pub(crate) mod retention;

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tidings_home::archive::{REPLICA, SERVER};
use tidings_home::user_file::Access;
use tidings_ipc::{ExportFormat, FileResult, Folder, StorageView};
use tidings_render::export;
use tidings_replica::Replica;
use tidings_strings::grouped;
use tidings_strings::settings::bytes;
use tidings_sync::{PullLimit, outgoing_files};

use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::saved_files::SavedFiles;
use crate::state::age_hold::ClockWatch;
use crate::state::own_server::ServerState;

/// Bytes that must stay free besides a compacted copy.
const MIN_FREE_BYTES: u64 = 16 << 20;
/// The least and the most that can be chosen for one pull of a source, MiB.
const MIN_PULL_MEBIBYTES: u32 = 16;
const MAX_PULL_MEBIBYTES: u32 = 64 << 10;

part! {
    /// The sizes on disk, and exports of the inbox.
    pub(crate) struct Storage {
        context: Arc<Context>,
        saved_files: Arc<SavedFiles>,
        server_state: Arc<ServerState>,
        clock_watch: Arc<ClockWatch>,
    }
}

impl Storage {
    /// The sizes on disk.
    pub(crate) async fn storage(&self) -> Result<StorageView> {
        let (folder, logs) = (self.context.data.path().to_owned(), self.context.data.home().logs());
        let (spare, items, limit) =
            self.context.disk(|r| Ok((r.reclaimable_bytes()?, r.counts()?, PullLimit::stored(r)?))).await?;
        let spare_of_server = match self.server_state.server() {
            Some(server) => server.reclaimable_bytes().await,
            None => 0,
        };
        let attachments = self.context.data.home().attachments();
        let outgoing = folder.join(outgoing_files::FOLDER);
        let sizes = {
            let folder = folder.clone();
            tokio::task::spawn_blocking(move || {
                (
                    database_bytes(&folder.join(REPLICA)),
                    database_bytes(&folder.join(SERVER)),
                    folder_bytes(&attachments) + folder_bytes(&outgoing),
                )
            })
        };
        let (inbox, server, attachments) = sizes.await.map_err(|_| Error::Ending)?;
        Ok(StorageView {
            folder: folder.display().to_string(),
            logs: logs.display().to_string(),
            inbox,
            server,
            attachments,
            items: items.sources.iter().map(|source| source.items).sum(),
            spare: spare + spare_of_server,
            pull_mebibytes: (limit.bytes >> 20).try_into().unwrap_or(u32::MAX),
            hold_hours: self.clock_watch.left().as_secs().div_ceil(3_600),
        })
    }

    /// Sets the most that one pull of a source brings, in MiB; its pages grow with it.
    pub(crate) async fn set_pull_limit(&self, mebibytes: u32) -> Result<StorageView> {
        let mebibytes = mebibytes.clamp(MIN_PULL_MEBIBYTES, MAX_PULL_MEBIBYTES);
        let usual = PullLimit::default();
        let bytes = u64::from(mebibytes) << 20;
        let pages = u64::from(usual.pages) * bytes / usual.bytes;
        let limit = PullLimit { bytes, pages: pages.try_into().unwrap_or(u32::MAX), ..usual };
        self.context.disk(move |replica| limit.store(replica)).await?;
        self.storage().await
    }

    /// Compacts the databases of inbox and server. Refused if the disk has too little free space.
    pub(crate) async fn compact(&self) -> Result<StorageView> {
        let before = self.storage().await?;
        // Space for the new file and its log besides the old one.
        let needed = 2 * before.inbox.max(before.server) + MIN_FREE_BYTES;
        if let Some(free) =
            self.context.ports.files.free_space(self.context.data.path()).filter(|free| *free < needed)
        {
            return Err(Error::storage((self.context.settings_strings().compact_no_room)(
                &bytes(needed),
                &bytes(free),
            )));
        }
        self.context.disk(Replica::compact).await?;
        if let Some(server) = self.server_state.server().filter(|_| before.server > 0) {
            server.compact().await.map_err(Error::storage)?;
        }
        self.storage().await
    }

    /// Exports the inbox to a file that the reader chooses.
    pub(crate) async fn export_inbox(&self, format: ExportFormat) -> Result<Option<FileResult>> {
        let table = self.context.settings_strings();
        let extension = match format {
            ExportFormat::Json => "json",
            ExportFormat::Csv => "csv",
            ExportFormat::Mbox => "mbox",
        };
        let Some(path) = self.saved_files.save_dialog(table.title_export, extension).await else {
            return Ok(None);
        };
        let language = self.context.language();
        let replica = self.context.replica.clone();
        let written = self
            .saved_files
            .write_file(&path, Access::OwnerOnly, move |temp| {
                let mut out = BufWriter::new(temp);
                let mut exporter = export::exporter(format, false, &mut out)?;
                let written = export::write_inbox::<Error>(&replica, &language, &mut *exporter)?;
                exporter.end()?;
                drop(exporter);
                out.flush()?;
                Ok(written)
            })
            .await?;
        Ok(Some(file_result(&path, (table.exported)(&grouped(written)))))
    }

    /// Shows a folder in the desktop's file manager.
    pub(crate) fn open_folder(&self, folder: Folder) -> Result<()> {
        let path = match folder {
            Folder::Data => self.context.data.path().to_owned(),
            Folder::Logs => self.context.data.home().logs(),
        };
        // The folder of the logs may not exist yet.
        let _ = std::fs::create_dir_all(&path);
        if self.context.ports.files.show(&path) { Ok(()) } else { Err(Error::Opener) }
    }
}

fn file_result(path: &Path, text: String) -> FileResult {
    FileResult { path: path.display().to_string(), text }
}

/// The size of a SQLite database with its side files, in bytes.
fn database_bytes(file: &Path) -> u64 {
    ["", "-wal", "-shm"]
        .iter()
        .map(|suffix| {
            let mut name = file.as_os_str().to_owned();
            name.push(suffix);
            std::fs::metadata(PathBuf::from(name)).map_or(0, |metadata| metadata.len())
        })
        .sum()
}

/// The size of all files under a folder, in bytes.
fn folder_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => folder_bytes(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}
