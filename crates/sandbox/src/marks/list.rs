//! The list of inputs that are passed by: a file for each, which several processes may add and remove.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Kind, Marked, create_private};

/// The folder of the list within that of the marks.
const FOLDER: &str = "passed-by";
/// The most entries; the oldest make way.
const MAX_ENTRIES: usize = 1_000;

/// An input that is passed by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedBy {
    /// Names it in [`super::Marks::offer_again`].
    pub id: String,
    /// Its kind.
    pub kind: Kind,
    /// Where it is from: the id of a source, or a topic.
    pub of: String,
    /// The time at which it was put on the list, in seconds since 1970.
    pub at: i64,
}

/// The list in a folder.
#[derive(Debug)]
pub(super) struct List {
    folder: PathBuf,
}

impl List {
    /// The list within the folder of the marks. Entries of other versions are forgotten.
    pub(super) fn open(marks: &Path, version: &str) -> io::Result<Self> {
        let folder = marks.join(FOLDER);
        fs::create_dir_all(&folder)?;
        #[cfg(unix)]
        fs::set_permissions(marks, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        for entry in fs::read_dir(&folder)?.flatten() {
            let is_of_this = read(&entry.path()).is_some_and(|(marked, _)| marked.version == version);
            if !is_of_this {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(Self { folder })
    }

    pub(super) fn get(&self, kind: Kind, digest: &str) -> Option<PassedBy> {
        let id = id(kind, digest);
        // Almost always there is none.
        entry(&self.folder.join(&id), id)
    }

    pub(super) fn all(&self) -> Vec<PassedBy> {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let entries = files.filter_map(|file| entry(&file.path(), file.file_name().into_string().ok()?));
        let mut all: Vec<_> = entries.collect();
        all.sort_by(|a, b| (b.at, &a.id).cmp(&(a.at, &b.id)));
        all
    }

    pub(super) fn add(&self, marked: &Marked) -> io::Result<()> {
        let path = self.folder.join(id(marked.kind, &marked.digest));
        let mut file = match create_private(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
            created => created?,
        };
        let written = serde_json::to_vec(marked).map_err(io::Error::from);
        if let Err(error) = written.and_then(|text| file.write_all(&text)) {
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        for old in self.all().iter().skip(MAX_ENTRIES) {
            self.remove(&old.id)?;
        }
        Ok(())
    }

    pub(super) fn remove(&self, id: &str) -> io::Result<bool> {
        if !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') || id.is_empty() {
            return Ok(false);
        }
        match fs::remove_file(self.folder.join(id)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// The name of an entry.
fn id(kind: Kind, digest: &str) -> String {
    let kind = match kind {
        Kind::Page => "page",
        Kind::Mail => "mail",
        Kind::Hook => "hook",
        Kind::Import => "import",
    };
    format!("{kind}-{digest}")
}

fn entry(path: &Path, id: String) -> Option<PassedBy> {
    let (Marked { kind, of, .. }, at) = read(path)?;
    Some(PassedBy { id, kind, of, at })
}

fn read(path: &Path) -> Option<(Marked, i64)> {
    let text = fs::read(path).ok()?;
    let at = fs::metadata(path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let at =
        at.duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or_default());
    Some((serde_json::from_slice(&text).ok()?, at))
}
