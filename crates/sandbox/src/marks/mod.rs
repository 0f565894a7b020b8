//! Which inputs from outside are being read, so that what ended a process is not read a second time.
//!
//! Before an input is read, a mark is written: a file that is locked while its process lives, and removed after the
//! input was read. A start that finds a mark without a lock knows that a process ended at that input. It puts the input
//! on the list of those that are passed by. So does a parser that failed in a child. An input leaves the list if the
//! reader offers it again, and with the next version of the program, whose parser may be mended. Nothing of the input
//! itself is kept.
//!
//! Marks answer the end of a process, not that of the machine, so they are not forced to the disk.

mod list;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use list::List;
pub use list::PassedBy;

/// The folder of the marks within a data folder.
pub const FOLDER: &str = "parsing";
/// The end of the names of marks.
const MARK: &str = "mark";
/// The most marks that a start looks at.
const MAX_MARKS: usize = 1_000;
/// The number of characters of a digest.
const DIGEST_CHARS: usize = 32;

static OF_PROCESS: OnceLock<Marks> = OnceLock::new();

/// The kind of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An answer of a source.
    Page,
    /// A mail.
    Mail,
    /// The payload of a webhook.
    Hook,
    /// A file of another program.
    Import,
}

/// The input that a mark is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Marked {
    kind: Kind,
    of: String,
    digest: String,
    version: String,
}

/// The marks of a data folder.
#[derive(Debug)]
pub struct Marks {
    folder: PathBuf,
    version: String,
    list: List,
}

/// The mark of an input that is being read. It is removed when this is dropped.
#[derive(Debug)]
#[must_use = "the input is marked while this lives"]
pub struct Mark<'m> {
    marks: &'m Marks,
    marked: Marked,
    /// The file, which is locked while it is open; `None` if it could not be written.
    file: Option<(File, PathBuf)>,
}

/// Keeps the marks of this process in a data folder, from now on. Later calls change nothing.
///
/// # Errors
/// If the folder can't be made or read. Nothing is marked then.
pub fn keep_in(data_folder: &Path, version: &str) -> io::Result<()> {
    if OF_PROCESS.get().is_none() {
        drop(OF_PROCESS.set(Marks::open(data_folder, version)?));
    }
    Ok(())
}

/// The marks of this process; `None` before [`keep_in`].
pub fn of_process() -> Option<&'static Marks> {
    OF_PROCESS.get()
}

/// A short text that differs if the parts of an input differ.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    parts.into_iter().for_each(|part| hasher.update(part));
    let mut text = data_encoding::HEXLOWER.encode(&hasher.finalize());
    text.truncate(DIGEST_CHARS);
    text
}

impl Marks {
    /// The marks of a data folder. Inputs at which a process ended are put on the list, and what another version of the
    /// program has put there is forgotten.
    ///
    /// # Errors
    /// If the folder can't be made or read.
    pub fn open(data_folder: &Path, version: &str) -> io::Result<Self> {
        let folder = data_folder.join(FOLDER);
        let list = List::open(&folder, version)?;
        let marks = Self { folder, version: version.to_owned(), list };
        marks.take_over()?;
        Ok(marks)
    }

    /// Marks an input. `of` names where it is from: the id of a source, or a topic.
    ///
    /// If the mark can't be written, for lack of room for example, the input is read without one.
    ///
    /// # Errors
    /// The entry of the list if the input is passed by.
    pub fn begin(&self, kind: Kind, of: &str, digest: &str) -> Result<Mark<'_>, PassedBy> {
        if let Some(passed_by) = self.list.get(kind, digest) {
            return Err(passed_by);
        }
        let (of, digest, version) = (of.to_owned(), digest.to_owned(), self.version.clone());
        let marked = Marked { kind, of, digest, version };
        let file = self.write(&marked);
        if let Err(error) = &file {
            tracing::warn!(%error, "what is read could not be marked");
        }
        Ok(Mark { marks: self, marked, file: file.ok() })
    }

    /// Whether an input is passed by.
    pub fn is_passed_by(&self, kind: Kind, digest: &str) -> bool {
        self.list.get(kind, digest).is_some()
    }

    /// The inputs that are passed by, the latest first.
    pub fn passed_by(&self) -> Vec<PassedBy> {
        self.list.all()
    }

    /// Has an input read again, by its [`PassedBy::id`]. Whether it was on the list.
    ///
    /// # Errors
    /// If the entry can't be removed.
    pub fn offer_again(&self, id: &str) -> io::Result<bool> {
        self.list.remove(id)
    }

    /// Writes a mark under a name that other starts don't look at until it is locked.
    fn write(&self, marked: &Marked) -> io::Result<(File, PathBuf)> {
        let name = format!("{:032x}", rand::random::<u128>());
        let (new, path) =
            (self.folder.join(format!("{name}.new")), self.folder.join(&name).with_extension(MARK));
        let mut file = create_private(&new)?;
        let written = file
            .lock()
            .and_then(|()| file.write_all(&serde_json::to_vec(marked)?))
            .and_then(|()| fs::rename(&new, &path));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written.map(|()| (file, path))
    }

    /// Puts the inputs of marks whose process has ended on the list.
    fn take_over(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)?.flatten().take(MAX_MARKS) {
            let path = entry.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if !matches!(extension, Some(MARK | "new")) {
                continue;
            }
            let Ok(file) = File::open(&path) else { continue };
            if file.try_lock().is_err() {
                continue;
            }
            if extension == Some(MARK) {
                let marked =
                    fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Marked>(&text).ok());
                // Another version may be able to read it.
                if let Some(marked) = marked.filter(|marked| marked.version == self.version) {
                    self.list.add(&marked)?;
                }
            }
            fs::remove_file(&path)?;
        }
        Ok(())
    }
}

impl Mark<'_> {
    /// Puts the input on the list of those that are passed by, because its parser failed. If it can't be written there, it
    /// will be tried again.
    pub fn pass_by(self) {
        if let Err(error) = self.marks.list.add(&self.marked) {
            tracing::warn!(%error, "what can't be read could not be put on the list");
        }
    }
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        if let Some((file, path)) = self.file.take() {
            // If it stays, the next start passes the input by, and says so.
            let _ = fs::remove_file(path);
            drop(file);
        }
    }
}

/// Creates a file that only its owner reads.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests;
