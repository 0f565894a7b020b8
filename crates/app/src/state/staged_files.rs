//! The files that are attached in composers and not sent yet.

use std::sync::Arc;

use parking_lot::Mutex;
use tidings_ipc::{AttachedFile, ThreadId};
use tidings_sync::outgoing_files::StagedFile;

/// The most files that are attached in one conversation at the same time.
const MAX_FILES: usize = 10;
/// The most attached files in all, each of which is open.
const MAX_ALL_FILES: usize = 50;
/// All attached files.
#[derive(Default)]
pub(crate) struct StagedFiles(Mutex<Vec<Staged>>);

/// An attached file.
#[derive(Clone)]
pub(crate) struct Staged {
    thread: ThreadId,
    pub(crate) id: String,
    /// The size that the whole file will have, in bytes.
    pub(crate) size: u64,
    pub(crate) copy: Arc<Mutex<StagedFile>>,
}

impl Staged {
    fn new(thread: ThreadId, size: u64, copy: StagedFile) -> Self {
        Self { thread, id: copy.id().to_owned(), size, copy: Arc::new(Mutex::new(copy)) }
    }

    fn view(&self) -> AttachedFile {
        AttachedFile { id: self.id.clone(), name: self.copy.lock().file().name.clone(), size: self.size }
    }

    fn is_complete(&self) -> bool {
        self.copy.lock().file().size == self.size
    }
}

impl StagedFiles {
    /// The complete files of a conversation, in the order in which they were attached.
    pub(crate) fn of(&self, thread: ThreadId) -> Vec<AttachedFile> {
        let all = self.0.lock();
        all.iter().filter(|one| one.thread == thread && one.is_complete()).map(Staged::view).collect()
    }

    /// The limit that one more file in a conversation would exceed.
    pub(crate) fn exceeded(&self, thread: ThreadId) -> Option<usize> {
        let all = self.0.lock();
        let own = all.iter().filter(|one| one.thread == thread).count();
        match (own, all.len()) {
            (own, _) if own >= MAX_FILES => Some(MAX_FILES),
            (_, all) if all >= MAX_ALL_FILES => Some(MAX_ALL_FILES),
            _ => None,
        }
    }

    pub(crate) fn add(&self, thread: ThreadId, size: u64, copy: StagedFile) -> AttachedFile {
        let staged = Staged::new(thread, size, copy);
        let view = staged.view();
        self.0.lock().push(staged);
        view
    }

    pub(crate) fn find(&self, id: &str) -> Option<Staged> {
        self.0.lock().iter().find(|one| one.id == id).cloned()
    }

    pub(crate) fn remove(&self, id: &str) {
        self.0.lock().retain(|one| one.id != id);
    }

    /// Removes the files whose pieces come no more, because the page is gone.
    pub(crate) fn remove_incomplete(&self) {
        self.0.lock().retain(Staged::is_complete);
    }

    /// The complete files with these ids in a conversation; `None` if one of them is not there.
    pub(crate) fn all_of(&self, thread: ThreadId, ids: &[String]) -> Option<Vec<Staged>> {
        ids.iter().map(|id| self.find(id).filter(|one| one.thread == thread && one.is_complete())).collect()
    }
}
