//! Files that are attached in the composer of a conversation, until they are sent. The reader chooses them in the
//! desktop's dialog, drops them or pastes them. The page passes on the bytes of dropped and pasted files in pieces.
//! `WebKitGTK` keeps such files from the page, and the program takes them itself. Each is copied at once, so that what
//! happens to it afterwards does not matter. The page names no path: it can attach only what its reader gave it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tidings_ipc::{AttachedFile, Preview, ThreadId};
use tidings_ports::GivenFile;
use tidings_render::item::source_name;
use tidings_render::preview::{preview, safe_name};
use tidings_replica::Source;
use tidings_strings::settings::bytes;
use tidings_sync::Error as SyncError;
use tidings_sync::outgoing_files::{StagedFile, path_of};

use super::conversation::{Conversation, conversation_of, invalid, message};
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::state::staged_files::StagedFiles;

/// The largest piece of a file, in bytes.
const MAX_PIECE_BYTES: usize = 1 << 20;

part! {
    /// The files that are attached in composers.
    pub(crate) struct ComposerFiles {
        context: Arc<Context>;
        staged: StagedFiles = StagedFiles::default(),
    }
}

impl ComposerFiles {
    /// Lets the reader choose a file in the desktop's dialog, and attaches it; `None` if the dialog was cancelled.
    pub(crate) async fn choose_file(&self, thread: ThreadId) -> Result<Option<AttachedFile>> {
        let limit = self.check_room(thread).await?;
        let chosen =
            self.context.ports.files.choose_dialog(self.context.settings_strings().title_attach).await;
        let Some(path) = chosen else { return Ok(None) };
        self.attach(thread, limit, path).await.map(Some)
    }

    /// Attaches the next one of the files that the reader dropped on the window or pasted last; `None` if there is none.
    pub(crate) async fn given_file(&self, thread: ThreadId) -> Result<Option<AttachedFile>> {
        match self.context.ports.files.given().await {
            None => Ok(None),
            Some(GivenFile::Path(path)) => {
                let limit = self.check_room(thread).await?;
                self.attach(thread, limit, path).await.map(Some)
            }
            Some(GivenFile::Picture { name, bytes }) => {
                let begun = self.begin_file(thread, name, bytes.len() as u64).await?;
                self.write(&begun.id, bytes).await?;
                Ok(Some(begun))
            }
        }
    }

    async fn attach(&self, thread: ThreadId, limit: u64, path: PathBuf) -> Result<AttachedFile> {
        let name = safe_name(&path.file_name().unwrap_or_default().to_string_lossy());
        let copy = self.copy(limit, move |r| StagedFile::copy_of(r, &path, name, limit)).await?;
        let size = copy.file().size;
        Ok(self.staged.add(thread, size, copy))
    }

    /// Begins to attach a file of which the page has the bytes; they follow in [`ComposerFiles::add_piece`].
    pub(crate) async fn begin_file(&self, thread: ThreadId, name: &str, size: u64) -> Result<AttachedFile> {
        let limit = self.check_room(thread).await?;
        if size > limit {
            return Err(self.copy_error(limit, &io::ErrorKind::FileTooLarge.into()));
        }
        let name = safe_name(name);
        let copy = self.copy(limit, move |r| StagedFile::create(r, name, size)).await?;
        Ok(self.staged.add(thread, size, copy))
    }

    /// Adds the next piece of a file, in base64.
    pub(crate) async fn add_piece(&self, id: &str, data: &str) -> Result<()> {
        if data.len() > MAX_PIECE_BYTES.div_ceil(3) * 4 {
            return Err(invalid("the piece is too large"));
        }
        self.write(id, STANDARD.decode(data).map_err(|_| invalid("the piece is not base64"))?).await
    }

    /// Writes the next piece of a file; after an error the file is not attached any more.
    async fn write(&self, id: &str, piece: Vec<u8>) -> Result<()> {
        let staged = self.staged.find(id).ok_or(Error::NotFound)?;
        let size = staged.size;
        let written = self.copy(size, move |_| staged.copy.lock().write(&piece)).await;
        if written.is_err() {
            self.staged.remove(id);
        }
        written
    }

    /// Takes a file away again, also one whose pieces still come.
    pub(crate) fn remove_file(&self, id: &str) {
        self.staged.remove(id);
    }

    /// The complete files of a conversation, in the order in which they were attached.
    pub(super) fn of(&self, thread: ThreadId) -> Vec<AttachedFile> {
        self.staged.of(thread)
    }

    /// Handles that the window is gone: files whose pieces come no more are removed.
    pub(crate) fn window_closed(&self) {
        self.staged.remove_incomplete();
    }

    /// A preview of the file of a message in the outbox, by the id of the file.
    ///
    /// # Errors
    /// The code is `NotFound` if the server has the message by now.
    pub(crate) async fn preview_outgoing(&self, id: String) -> Result<Preview> {
        let look = move |r: &tidings_replica::Replica| Ok(path_of(r, &id).map(|path| preview(&path)));
        self.context.disk(look).await?.and_then(io::Result::ok).ok_or(Error::NotFound)
    }

    /// Puts a message for each file into the outbox; the first one has the text.
    pub(super) async fn send_files(
        &self,
        thread: ThreadId,
        to: Conversation,
        body: String,
        ids: &[String],
    ) -> Result<()> {
        let files = self.staged.all_of(thread, ids).ok_or(Error::NotFound)?;
        let (mut text, mut queued) = (body, 0);
        for staged in files {
            let id = staged.id.clone();
            let (to, body) = (to.clone(), std::mem::take(&mut text));
            let work = move |r: &tidings_replica::Replica| {
                let mut copy = staged.copy.lock();
                // A message needs a text. If the name stands for it, lists, toasts and searches show the name.
                let body = if body.is_empty() { copy.file().name.clone() } else { body };
                Ok(copy.queue(r, to.source, &to.key, message(body)))
            };
            match self.context.disk(work).await? {
                Ok(()) => self.staged.remove(&id),
                Err(error) if queued == 0 => return Err(self.queue_error(error)),
                // The text is in the outbox already; the other files are still attached.
                Err(error) => {
                    let text = self.queue_error(error).to_ipc(self.context.lang()).text;
                    self.context.events.update(|dirty| dirty.announcement = Some(text));
                    return Ok(());
                }
            }
            queued += 1;
        }
        Ok(())
    }

    /// The largest file that can be attached in a conversation now, in bytes.
    async fn check_room(&self, thread: ThreadId) -> Result<u64> {
        let conversation = conversation_of(&self.context, thread).await?;
        let source: Source = self.context.disk(move |r| r.source(conversation.source)).await?;
        let table = self.context.settings_strings();
        if let Some(most) = self.staged.exceeded(thread) {
            return Err(Error::invalid((table.attach_too_many)(most as u64)));
        }
        let no_files = || Error::invalid((table.attach_no_files)(&source_name(&source, self.context.lang())));
        source.attachment_bytes.ok_or_else(no_files)
    }

    /// Works on the copy of a file on a thread for blocking work; `limit` is the largest size that is taken.
    async fn copy<T: Send + 'static>(
        &self,
        limit: u64,
        work: impl FnOnce(&tidings_replica::Replica) -> io::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.context.disk(move |r| Ok(work(r))).await?.map_err(|error| self.copy_error(limit, &error))
    }

    fn copy_error(&self, limit: u64, error: &io::Error) -> Error {
        let table = self.context.settings_strings();
        match error.kind() {
            io::ErrorKind::FileTooLarge => Error::invalid((table.attach_too_large)(&bytes(limit))),
            io::ErrorKind::InvalidInput => Error::invalid(table.attach_no_file),
            _ => Error::storage((table.attach_failed)(&error.to_string())),
        }
    }

    fn queue_error(&self, error: SyncError) -> Error {
        match error {
            SyncError::Replica(error) => Error::Replica(error),
            error => Error::storage((self.context.settings_strings().attach_failed)(&error.to_string())),
        }
    }
}
