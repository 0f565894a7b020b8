//! The folder of uploaded files, beside the database. A file is written under a temporary name, renamed when it is
//! whole, and deleted when the store says so. The records of files are in the store.
//!
//! Once a file is durable it is renamed to the SHA-256 of its public name, which is 128 random bits. Its row is
//! committed with its publication, also with a delayed one. A publication is stored once, however many it reaches,
//! and so is its file. A publication that is deleted, revised or removed by retention lets its files expire, and a
//! user who is removed those that nobody else has. What one user deletes in their inbox stays for the others.

mod admission;
mod media;
mod tidy;
mod upload;
mod upload_error;

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use rand::RngExt;
use sha2::{Digest, Sha256};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::file::{FileQuota, FileUsage};
use tokio::sync::Notify;

pub(crate) use self::admission::Admission;
pub(crate) use self::media::Media;
pub use self::media::{is_inline, is_scriptable};
pub use self::tidy::{delete_expired, delete_strays, forget_missing};
pub use self::upload::Upload;
pub use self::upload_error::UploadError;
use crate::domain::limits;

/// The name of the folder in the data folder.
const FOLDER: &str = "files";
/// What the name of a file ends with until it is whole.
const TEMPORARY_SUFFIX: &str = ".part";
/// Characters of the random part of a public name: 128 bits in base64url.
const SECRET_CHARS: usize = 22;
/// Characters of the extension in a public name, at most.
const MAX_EXTENSION_CHARS: usize = 10;

/// The configured limits of uploaded files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimits {
    /// Bytes of one file; 0 if no files are taken.
    pub file_bytes: u64,
    /// Bytes of the files of one user's tokens, or of all programs without a token.
    pub user_bytes: u64,
    /// Bytes of all files.
    pub total_bytes: u64,
    /// How long a file is kept, unless its notification is removed before.
    pub keep: Duration,
    /// Bytes of the disk that uploads leave free, or 5 % of it if that is less.
    pub disk_reserve_bytes: u64,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self {
            file_bytes: limits::FILE_BYTES,
            user_bytes: limits::USER_FILES_BYTES,
            total_bytes: limits::ALL_FILES_BYTES,
            keep: Duration::from_secs(limits::FILE_DAYS * 24 * 3_600),
            disk_reserve_bytes: limits::DISK_RESERVE_BYTES,
        }
    }
}

impl FileLimits {
    /// The limits that the store checks.
    pub(crate) fn quota(&self) -> FileQuota {
        FileQuota { user_bytes: self.user_bytes, total_bytes: self.total_bytes }
    }
}

/// The folder of uploaded files, with the uploads in progress.
pub struct FileFolder {
    path: PathBuf,
    /// Whether other processes may write to it at the same time. It is then never created here: if it is missing, it is
    /// not mounted.
    is_shared: bool,
    uploads: Mutex<Uploads>,
    /// Wakes the deletion of expired files.
    pub expired: Notify,
}

/// The uploads in progress.
#[derive(Default)]
struct Uploads {
    /// The names in the folder of files that the store does not know yet.
    names: HashSet<String>,
    /// The number and the bytes of uploads, by uploader.
    by_uploader: HashMap<Option<UserKey>, InProgress>,
    all: InProgress,
}

#[derive(Default, Clone, Copy)]
struct InProgress {
    count: usize,
    bytes: u64,
}

impl Uploads {
    fn of(&self, uploader: Option<UserKey>) -> InProgress {
        self.by_uploader.get(&uploader).copied().unwrap_or_default()
    }
}

impl FileFolder {
    /// The folder of a data folder. It is created with the first file.
    pub(crate) fn new(data_dir: &Path) -> Self {
        Self::at(data_dir.join(FOLDER), false)
    }

    /// A folder that is there, and that several processes may share.
    pub(crate) fn shared(path: &Path) -> Self {
        Self::at(path.to_owned(), true)
    }

    fn at(path: PathBuf, is_shared: bool) -> Self {
        Self { path, is_shared, uploads: Mutex::default(), expired: Notify::new() }
    }

    /// Whether other processes may write to it at the same time.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Creates it if it is of one process; an error if it can't be used. It blocks.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        if !self.is_shared {
            return create_private(&self.path);
        }
        if fs::metadata(&self.path)?.is_dir() {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::NotADirectory, "the folder of uploaded files is not a folder"))
    }

    /// Admits an upload; `usage` is the size of its uploader's files, `bytes` its own size as far as it is known.
    ///
    /// # Errors
    /// [`UploadError::TooLarge`] if it can't fit into the limits, [`UploadError::Busy`] if too many are in progress.
    pub(crate) fn admit(
        self: &Arc<Self>,
        limits: &FileLimits,
        uploader: Option<UserKey>,
        usage: FileUsage,
        bytes: u64,
    ) -> Result<Admission, UploadError> {
        Admission::new(Arc::clone(self), *limits, uploader, usage, bytes)
    }

    /// Opens a file; `NotFound` also if its size is not this one.
    pub async fn open(&self, name: &str, bytes: u64) -> io::Result<tokio::fs::File> {
        let path = self.path_of(name)?;
        let file = tokio::fs::File::open(path).await?;
        if file.metadata().await?.len() != bytes {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(file)
    }

    /// The path of a stored file; `NotFound` for a text that can't be the name of one.
    fn path_of(&self, name: &str) -> io::Result<PathBuf> {
        if is_stored_name(name) { Ok(self.path.join(name)) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn is_uploading(&self, name: &str) -> bool {
        self.uploads.lock().names.contains(name)
    }
}

/// Creates the folder, accessible only to its owner; an error if something else has its name.
fn create_private(folder: &Path) -> io::Result<()> {
    tidings_sqlite::create_folder(folder)?;
    if fs::symlink_metadata(folder)?.is_dir() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::NotADirectory, "the folder of uploaded files is a link"))
}

/// A new public name: 128 random bits and an extension. Everybody who knows it may read the file.
fn mint_public_name(extension: &str) -> String {
    let secret = URL_SAFE_NO_PAD.encode(rand::rng().random::<[u8; 16]>());
    format!("{secret}.{extension}")
}

/// The name in the folder of the file with a public name; `None` for a text that can't be one. The folder's listing
/// does not reveal public names, because this is their hash.
pub fn stored_name(public_name: &str) -> Option<String> {
    let (secret, extension) = public_name.split_once('.')?;
    let is_secret = secret.len() == SECRET_CHARS
        && secret.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    (is_secret && is_extension(extension)).then(|| hex_hash(public_name))
}

fn is_extension(text: &str) -> bool {
    (1..=MAX_EXTENSION_CHARS).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

fn hex_hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Whether a text has the form of a name in the folder. Names from the database are checked before they are used,
/// because a backup may come from somebody else.
fn is_stored_name(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_name_leads_to_one_stored_name_and_no_path_out_of_the_folder() {
        let public = mint_public_name("png");
        let stored = stored_name(&public).unwrap();
        assert!(is_stored_name(&stored));
        assert!(!stored.contains(&public[..SECRET_CHARS]));
        assert_ne!(stored_name(&mint_public_name("png")), Some(stored.clone()));
        for odd in ["", "x.png", "../../../../etc/passwd.png", &stored, "aaaaaaaaaaaaaaaaaaaaaa.PNG"] {
            assert_eq!(stored_name(odd), None, "{odd}");
        }
        let folder = FileFolder::new(Path::new("/data"));
        assert_eq!(folder.path_of(&stored).unwrap(), Path::new("/data/files").join(&stored));
        for odd in ["", "..", "../server.db", &stored.to_ascii_uppercase(), &format!("{stored}.part")] {
            assert!(folder.path_of(odd).is_err(), "{odd}");
        }
    }
}
