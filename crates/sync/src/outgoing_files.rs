//! The copies of files that are to be sent with messages: the folder `outgoing` beside the replica. A copy has the id of
//! its message as its name, so that the outbox survives the removal of the file itself.
//!
//! A copy whose message is not in the outbox yet is locked by the process that makes it. One that is neither locked nor
//! in the outbox is needed by nobody and removed.
//!
//! The page names no path: the program's dialog chooses a file, and the page passes the bytes of dropped and pasted
//! files in pieces. A file is copied at once, up to the server's limit. A copy stays until its message came back,
//! because a server with a new history may need it again.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tidings_model::wire;
use tidings_net::private_files;
use tidings_replica::{Outgoing, OutgoingFile, Replica, SourceId, create_private_folder};

/// The name of the folder in the data folder.
pub const FOLDER: &str = "outgoing";
/// The characters of an id: 128 bits in hexadecimal.
const ID_CHARS: usize = 32;
/// The bytes that are copied at once.
const COPY_BYTES: usize = 64 << 10;

/// A copy whose message is not written yet. Dropping it removes the copy.
#[derive(Debug)]
pub struct StagedFile {
    id: String,
    file: OutgoingFile,
    /// The open copy, which is locked.
    copy: File,
    path: PathBuf,
    max_bytes: u64,
    queued: bool,
}

impl StagedFile {
    /// An empty copy, to which [`StagedFile::write`] adds at most `max_bytes` bytes. `name` is what the message calls the
    /// file.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn create(replica: &Replica, name: String, max_bytes: u64) -> io::Result<Self> {
        let folder = replica.folder().join(FOLDER);
        create_private_folder(&folder)?;
        loop {
            let id = format!("{:032x}", rand::random::<u128>());
            let path = folder.join(&id);
            let copy = private_files::options().create_new(true).open(&path)?;
            copy.lock()?;
            // Until it was locked, `remove_unneeded` could remove it.
            if path.exists() {
                let file = OutgoingFile { name, size: 0 };
                return Ok(Self { id, file, copy, path, max_bytes, queued: false });
            }
        }
    }

    /// A copy of a file.
    ///
    /// # Errors
    /// `FileTooLarge` beyond `max_bytes`, `InvalidInput` for anything but a regular file, or the file system's error.
    pub fn copy_of(replica: &Replica, path: &Path, name: String, max_bytes: u64) -> io::Result<Self> {
        // Opening a pipe would wait for its other end.
        let metadata = fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        if metadata.len() > max_bytes {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut from = File::open(path)?;
        let mut staged = Self::create(replica, name, max_bytes)?;
        let mut buffer = vec![0; COPY_BYTES];
        loop {
            match from.read(&mut buffer)? {
                0 => return Ok(staged),
                read => staged.write(buffer.get(..read).unwrap_or_default())?,
            }
        }
    }

    /// Adds bytes at the end of the copy.
    ///
    /// # Errors
    /// `FileTooLarge` beyond the limit, or the file system's error.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let size = self.file.size + bytes.len() as u64;
        if size > self.max_bytes {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.copy.write_all(bytes)?;
        self.file.size = size;
        Ok(())
    }

    /// The id that its message will have.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name, and the size so far.
    pub const fn file(&self) -> &OutgoingFile {
        &self.file
    }

    /// Puts a message with this file into the outbox. The copy is durable by then, and stays.
    ///
    /// # Errors
    /// [`Disk`](tidings_net::Error::Disk) if the copy can't be synced, else the replica's error; nothing was queued.
    pub fn queue(
        &mut self,
        replica: &Replica,
        source: SourceId,
        conversation: &str,
        message: wire::NewMessage,
    ) -> crate::Result<()> {
        self.copy.sync_all().map_err(tidings_net::Error::Disk)?;
        self.path.parent().map_or(Ok(()), private_files::sync_folder).map_err(tidings_net::Error::Disk)?;
        replica.write_message_with_file(source, conversation, message, &self.id, self.file.clone())?;
        self.queued = true;
        Ok(())
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if !self.queued {
            // What can't be removed now is removed at the next start.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The path of the copy with this id, whether it is still there or not; `None` for what is no id.
pub fn path_of(replica: &Replica, id: &str) -> Option<PathBuf> {
    is_id(id).then(|| replica.folder().join(FOLDER).join(id))
}

/// Opens the copy of a message's file.
///
/// # Errors
/// It is missing, or not as long as it was.
pub(crate) fn open(replica: &Replica, message: &Outgoing, file: &OutgoingFile) -> io::Result<File> {
    let copy = File::open(replica.folder().join(FOLDER).join(&message.id))?;
    if copy.metadata()?.len() != file.size {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the copy has another size"));
    }
    Ok(copy)
}

/// Removes the copies that nobody needs: after their message came back or was discarded, and those of a killed program.
///
/// # Errors
/// The outbox can't be read.
pub fn remove_unneeded(replica: &Replica) -> tidings_replica::Result<()> {
    for entry in fs::read_dir(replica.folder().join(FOLDER)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(id) = name.to_str().filter(|name| is_id(name)) else { continue };
        // It is locked before the outbox is read: a process that unlocks it has written its message.
        let Ok(copy) = File::open(entry.path()) else { continue };
        if copy.try_lock().is_ok()
            && !replica.is_outgoing(id)?
            && let Err(error) = fs::remove_file(entry.path())
        {
            tracing::warn!(%error, "the copy of a file that was sent could not be removed");
        }
    }
    Ok(())
}

/// The messages of the outbox whose copy is missing, one line for each: they will be refused when they are sent.
///
/// # Errors
/// The outbox can't be read.
pub fn missing(replica: &Replica) -> tidings_replica::Result<Vec<String>> {
    let mut missing = Vec::new();
    for source in replica.sources()? {
        for message in replica.outgoing(source.id)? {
            let Some(file) = message.file.as_ref().filter(|_| message.posted.is_none()) else { continue };
            if open(replica, &message, file).is_err() {
                missing.push(format!("the file of the waiting message {} is missing", message.id));
            }
        }
    }
    Ok(missing)
}

fn is_id(name: &str) -> bool {
    name.len() == ID_CHARS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tidings_model::SystemClock;
    use tidings_replica::NewSource;

    use super::*;

    fn inbox() -> (tempfile::TempDir, Replica, SourceId) {
        let dir = tempfile::tempdir().unwrap();
        let replica = Replica::open(dir.path(), Arc::new(SystemClock)).unwrap();
        let new = NewSource {
            name: "Work".into(),
            protocol: "tidings".into(),
            url: "http://127.0.0.1:1".into(),
            user: None,
            own: false,
        };
        let source = replica.add_source(new).unwrap();
        (dir, replica, source)
    }

    fn copies(replica: &Replica) -> Vec<PathBuf> {
        let entries = fs::read_dir(replica.folder().join(FOLDER)).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }

    #[test]
    fn a_copy_stays_as_long_as_its_message_and_one_without_a_message_goes() {
        let (_dir, replica, source) = inbox();
        let mut staged = StagedFile::create(&replica, "a.txt".into(), 10).unwrap();
        staged.write(b"hello").unwrap();
        remove_unneeded(&replica).unwrap();
        assert_eq!(copies(&replica).len(), 1, "its message is still being written");
        staged.queue(&replica, source, "user:bo", wire::NewMessage::default()).unwrap();
        let id = staged.id().to_owned();
        drop(staged);
        remove_unneeded(&replica).unwrap();
        assert_eq!(fs::read(&copies(&replica)[0]).unwrap(), b"hello");
        assert!(missing(&replica).unwrap().is_empty());
        drop(StagedFile::create(&replica, "b.txt".into(), 10).unwrap());
        assert_eq!(copies(&replica).len(), 1, "what is taken away again leaves nothing");
        replica.message_done(&id).unwrap();
        remove_unneeded(&replica).unwrap();
        assert!(copies(&replica).is_empty());
    }

    #[test]
    fn a_killed_program_leaves_no_copy_for_good() {
        let (dir, replica, source) = inbox();
        let folder = dir.path().join(FOLDER);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("0".repeat(ID_CHARS)), "half").unwrap();
        fs::write(folder.join("mine.txt"), "no copy").unwrap();
        remove_unneeded(&replica).unwrap();
        assert_eq!(copies(&replica), [folder.join("mine.txt")]);

        let mut staged = StagedFile::create(&replica, "a.txt".into(), 10).unwrap();
        staged.queue(&replica, source, "user:bo", wire::NewMessage::default()).unwrap();
        fs::remove_file(folder.join(staged.id())).unwrap();
        assert_eq!(missing(&replica).unwrap().len(), 1);
    }

    #[test]
    fn a_copy_is_its_owner_s_alone_and_never_larger_than_the_limit() {
        let (dir, replica, _) = inbox();
        let path = dir.path().join("plan.txt");
        fs::write(&path, "0123456789").unwrap();
        let staged = StagedFile::copy_of(&replica, &path, "plan.txt".into(), 10).unwrap();
        assert_eq!(staged.file(), &OutgoingFile { name: "plan.txt".into(), size: 10 });
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&copies(&replica)[0]).unwrap().permissions().mode() & 0o777, 0o600);
        }
        drop(staged);
        let too_large = StagedFile::copy_of(&replica, &path, "plan.txt".into(), 9).unwrap_err();
        assert_eq!(too_large.kind(), io::ErrorKind::FileTooLarge);
        let mut growing = StagedFile::create(&replica, "plan.txt".into(), 9).unwrap();
        assert_eq!(growing.write(b"0123456789").unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(StagedFile::copy_of(&replica, dir.path(), "folder".into(), 9).is_err());
        drop(growing);
        assert!(copies(&replica).is_empty());
    }
}
