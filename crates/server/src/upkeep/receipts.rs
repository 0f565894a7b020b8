//! The archive of receipts that are too old: JSON lines, compressed with gzip, in a folder beside the database. A receipt is
//! durable there before it is deleted, so a crash between the two archives it twice.
//!
//! A portion of old receipts is read, appended to a file of this process as one member of gzip, synced, and only
//! then deleted by its keys. What can't be appended stays, and with it the messages that it is about.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use parking_lot::Mutex;
use tidings_model::{Clock as _, Stamp};
use tidings_server_core::server::Server;
use tidings_store::{Error, OldReceipt};

use super::PRUNE_BATCH_ROWS;

/// The name of the folder, in the data folder.
const FOLDER: &str = "receipts";

/// The archive of a data folder. Each process writes files of its own, one a month.
pub(super) struct ReceiptArchive {
    folder: PathBuf,
    file: Mutex<Option<Written>>,
}

/// The file that is written at present.
struct Written {
    month: String,
    path: PathBuf,
    /// Its length: what has another one was changed by somebody else.
    end: u64,
}

impl ReceiptArchive {
    /// The archive of a server, if it has one.
    pub(super) fn of(server: &Server) -> Option<Arc<Self>> {
        let folder = server.config.data_dir.join(FOLDER);
        server.config.archive_receipts.then(|| Arc::new(Self { folder, file: Mutex::default() }))
    }

    /// Like [`RetentionStore::prune`](tidings_store::RetentionStore::prune), but receipts are archived before they go.
    /// Once they can't be, `can_archive` is false: they stay, and so does what they are about.
    pub(super) async fn prune(
        self: &Arc<Self>,
        server: &Server,
        before: Option<Stamp>,
        can_archive: &mut bool,
    ) -> Result<bool, Error> {
        let store = &*server.store;
        if *can_archive && store.take_lease("prune").await? {
            let old = store.old_receipts(before, PRUNE_BATCH_ROWS).await?;
            let keys: Vec<_> = old.iter().map(|receipt| receipt.key).collect();
            if !keys.is_empty() {
                let (archive, month) = (Arc::clone(self), server.clock.now().to_datetime().format("%Y-%m"));
                let month = month.to_string();
                let appended = tokio::task::spawn_blocking(move || archive.append(&month, &old)).await;
                if let Err(error) = appended.map_err(io::Error::other).flatten() {
                    *can_archive = false;
                    let folder = self.folder.display();
                    tracing::warn!(%error, %folder, "old receipts could not be archived: they stay, and so does what is as old");
                } else {
                    store.forget_receipts(keys).await?;
                    return Ok(true);
                }
            }
        }
        store.prune_but_receipts(before.filter(|_| *can_archive), PRUNE_BATCH_ROWS).await
    }

    /// Adds receipts to the file of a month, and waits until they are durable.
    fn append(&self, month: &str, receipts: &[OldReceipt]) -> io::Result<()> {
        let mut member = GzEncoder::new(Vec::new(), Compression::default());
        for receipt in receipts {
            serde_json::to_writer(&mut member, receipt)?;
            member.write_all(b"\n")?;
        }
        let member = member.finish()?;
        let mut current = self.file.lock();
        let reopened = current.take().filter(|written| written.month == month).and_then(Written::reopen);
        let (mut written, mut file) = reopened.map_or_else(|| self.create(month), Ok)?;
        match file.write_all(&member).and_then(|()| file.sync_all()) {
            Ok(()) => {
                written.end += member.len() as u64;
                *current = Some(written);
                Ok(())
            }
            Err(error) => {
                // Nothing that comes after a part of a member could be read.
                if written.end == 0 {
                    let _ = fs::remove_file(&written.path);
                } else if file.set_len(written.end).is_ok() {
                    *current = Some(written);
                }
                Err(error)
            }
        }
    }

    /// Creates the next file of a month. One that is there already may end within a member, after a crash.
    fn create(&self, month: &str) -> io::Result<(Written, File)> {
        tidings_sqlite::create_folder(&self.folder)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut number = 1;
        loop {
            let name = if number == 1 { month.to_owned() } else { format!("{month}-{number}") };
            let path = self.folder.join(format!("{name}.jsonl.gz"));
            match options.open(&path) {
                Ok(file) => {
                    sync_folder(&self.folder)?;
                    return Ok((Written { month: month.to_owned(), path, end: 0 }, file));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }
}

impl Written {
    /// Opens the file at its end; `None` if it was moved or changed.
    fn reopen(self) -> Option<(Self, File)> {
        let mut file = OpenOptions::new().write(true).open(&self.path).ok()?;
        (file.seek(SeekFrom::End(0)).ok()? == self.end).then_some((self, file))
    }
}

/// Makes the names in a folder durable.
fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::MultiGzDecoder;
    use tidings_model::MsgId;

    use super::*;
    use tidings_store::UserKey;

    fn archive(data_dir: &Path) -> ReceiptArchive {
        ReceiptArchive { folder: data_dir.join(FOLDER), file: Mutex::default() }
    }

    fn receipt(reader: &str) -> OldReceipt {
        let (msgid, conversation) = (Some(MsgId("m".into())), Some("group:crew".to_owned()));
        let (key, at) = ((UserKey(1), Stamp::ZERO), Stamp::from_secs(1));
        let (sender, sent_at, reader) = ("ana".to_owned(), Stamp::ZERO, reader.to_owned());
        OldReceipt { key, msgid, conversation, sender, sent_at, reader, at }
    }

    /// The readers that a file names, up to where it is torn.
    fn readers(file: &Path) -> Vec<String> {
        let mut text = Vec::new();
        let _ = MultiGzDecoder::new(File::open(file).unwrap()).read_to_end(&mut text);
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let reader = |line| serde_json::from_slice::<serde_json::Value>(line).unwrap()["reader"].clone();
        lines.map(|line| reader(line).as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_month_has_one_file_for_its_owner_alone_and_what_is_not_as_it_was_left_is_not_added_to() {
        let dir = tempfile::tempdir().unwrap();
        let (archive, again) = (archive(dir.path()), archive(dir.path()));
        let file = |name: &str| dir.path().join(FOLDER).join(name);
        archive.append("2026-11", &[receipt("bo"), receipt("cy")]).unwrap();
        archive.append("2026-11", &[receipt("di")]).unwrap();
        archive.append("2026-12", &[receipt("ed")]).unwrap();
        assert_eq!(readers(&file("2026-11.jsonl.gz")), ["bo", "cy", "di"]);
        assert_eq!(readers(&file("2026-12.jsonl.gz")), ["ed"]);
        #[cfg(unix)]
        for (path, mode) in [(file("2026-11.jsonl.gz"), 0o600), (dir.path().join(FOLDER), 0o700)] {
            let of = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions());
            assert_eq!(of & 0o777, mode);
        }
        // A crash tore its last member.
        let torn = OpenOptions::new().write(true).open(file("2026-12.jsonl.gz")).unwrap();
        torn.set_len(torn.metadata().unwrap().len() - 9).unwrap();
        archive.append("2026-12", &[receipt("fay")]).unwrap();
        again.append("2026-12", &[receipt("gil")]).unwrap();
        assert_eq!(readers(&file("2026-12-2.jsonl.gz")), ["fay"]);
        assert_eq!(readers(&file("2026-12-3.jsonl.gz")), ["gil"]);
        // It was moved elsewhere.
        fs::rename(file("2026-12-2.jsonl.gz"), dir.path().join("elsewhere")).unwrap();
        archive.append("2026-12", &[receipt("hal")]).unwrap();
        assert_eq!(readers(&dir.path().join("elsewhere")), ["fay"]);
        assert_eq!(readers(&file("2026-12-2.jsonl.gz")), ["hal"]);
    }
}
