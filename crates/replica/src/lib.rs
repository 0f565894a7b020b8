//! The local inbox: sources, threads, items, counters, views' marks, search, the outbox and settings in one SQLite
//! file. Refuses networks, words for people and the time of day: all three are handed in.
#![allow(unused_variables, unused_imports, clippy::unimplemented, dead_code)]

mod error;
mod words;

pub(crate) mod mark {
    /// How an item was before a mark.
    #[derive(Debug, Clone, PartialEq)]
    pub(crate) struct Before;
}

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

pub use error::{Error, Result};
use tidings_model::{Catalog, Clock, MsgId, Notification, Stamp, View, wire};
use tokio::sync::broadcast;
pub use words::*;

/// The local inbox. Cheap to clone; every method blocks for as long as the database takes (writes wait for a commit),
/// so asynchronous callers go through `spawn_blocking`.
#[derive(Clone)]
pub struct Replica {
    clock: Arc<dyn Clock>,
}

/// The file in the data folder.
pub const FILE: &str = "replica.db";

impl Replica {
    /// Opens or creates `replica.db` in the folder, and wakes what is due.
    pub fn open(data_dir: &Path, clock: Arc<dyn Clock>) -> Result<Self> {
        unimplemented!()
    }

    /// Checks the file and recounts every counter, thread and search row. Empty = all is well.
    pub fn check(&self) -> Result<Vec<Difference>> {
        unimplemented!()
    }

    /// Copies the whole replica into a file while it is in use.
    pub fn backup(&self, to: &Path) -> Result<()> {
        unimplemented!()
    }

    /// Every item that was not deleted, oldest first, in batches; stops when `each` says `false`.
    pub fn export(&self, each: &mut dyn FnMut(Vec<Item>) -> bool) -> Result<()> {
        unimplemented!()
    }

    /// Hears of every change from now on. Whoever falls more than 256 changes behind gets `Lagged` and asks for
    /// everything anew.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Changed>> {
        unimplemented!()
    }

    // Sources

    /// All sources in their order.
    pub fn sources(&self) -> Result<Vec<Source>> {
        unimplemented!()
    }

    /// One source.
    pub fn source(&self, id: SourceId) -> Result<Source> {
        unimplemented!()
    }

    /// Adds a source after the others. Its name must be free.
    pub fn add_source(&self, source: NewSource) -> Result<SourceId> {
        unimplemented!()
    }

    /// Changes a source.
    pub fn change_source(&self, id: SourceId, change: SourceChange) -> Result<()> {
        unimplemented!()
    }

    /// Removes a source with its outbox. With `keep` its items stay under its name as a paused source that cannot be
    /// pulled (its protocol becomes `kept`); else they are deleted here.
    pub fn remove_source(&self, id: SourceId, keep: bool) -> Result<()> {
        unimplemented!()
    }

    /// The source's catalog; none until it was set.
    pub fn catalog(&self, id: SourceId) -> Result<Option<Catalog>> {
        unimplemented!()
    }

    /// Keeps the source's catalog; items whose action changed its class are read by the new one.
    pub fn set_catalog(&self, id: SourceId, catalog: &Catalog) -> Result<()> {
        unimplemented!()
    }

    // Pulling

    /// Writes a page and its cursor in one transaction. Items are deduped by `(source, msgid)`; versions that are older
    /// than or as old as what is here are passed over, so a page applied twice changes nothing.
    pub fn apply(&self, source: SourceId, page: Page) -> Result<Applied> {
        unimplemented!()
    }

    /// The server's unread numbers, shown in place of the source's own until its backlog is in. Passed over where it is.
    pub fn apply_counts(&self, source: SourceId, counts: &wire::UnreadCounts) -> Result<()> {
        unimplemented!()
    }

    /// `410 resync`: the next pull starts from the beginning, whatever it brings is taken, and local marks, messages
    /// and what the server no longer has stay.
    pub fn resync(&self, source: SourceId) -> Result<()> {
        unimplemented!()
    }

    // Marks

    /// Puts a mark on items or threads: states, counters and the operations to be sent in one transaction.
    pub fn mark(&self, targets: Targets, mark: Mark) -> Result<Marked> {
        unimplemented!()
    }

    /// Looks at a view: marks all that it holds up to `at` (`created_at` of the newest item shown; none = the newest
    /// that is here). Never moves a mark back.
    pub fn visit(&self, source: SourceId, view: &View, at: Option<Stamp>) -> Result<Marked> {
        unimplemented!()
    }

    /// Takes a mark back, as far as nothing else happened to its items since.
    pub fn undo(&self, undo: &Undo) -> Result<Marked> {
        unimplemented!()
    }

    /// A view's mark as it is in force here.
    pub fn looked(&self, source: SourceId, view: &View) -> Result<Looked> {
        unimplemented!()
    }

    /// When the next snoozed item wakes.
    pub fn next_wake(&self) -> Result<Option<Stamp>> {
        unimplemented!()
    }

    /// Wakes what is due by `now`. They are unread again; no operation is sent, every device does so by itself.
    pub fn wake(&self, now: Stamp) -> Result<Arc<Changed>> {
        unimplemented!()
    }

    // Outbox

    /// The oldest operations that wait, in their order, at most `limit` (a request takes 1,000), and remembers that
    /// they are on their way.
    pub fn pending(&self, source: SourceId, limit: usize) -> Result<Vec<wire::Op>> {
        unimplemented!()
    }

    /// The server's answers. What it applied is done; what it refused is dropped and what the server says of those
    /// items is in force again.
    pub fn acknowledge(&self, source: SourceId, results: &[wire::OpResult]) -> Result<Arc<Changed>> {
        unimplemented!()
    }

    /// Puts a message into the outbox; `conversation` is `user:<peer>` or `group:<gid>`. Gives its id.
    pub fn write_message(
        &self,
        source: SourceId,
        conversation: &str,
        message: wire::NewMessage,
    ) -> Result<String> {
        unimplemented!()
    }

    /// Messages of a source that wait or were refused, oldest first.
    pub fn outgoing(&self, source: SourceId) -> Result<Vec<Outgoing>> {
        unimplemented!()
    }

    /// The message was posted (the pull brings it) or given up by its writer: it leaves the outbox.
    pub fn message_done(&self, id: &str) -> Result<()> {
        unimplemented!()
    }

    /// The server will never take it: it stays with the reason until its writer tries again or gives it up.
    pub fn message_refused(&self, id: &str, why: &str) -> Result<()> {
        unimplemented!()
    }

    /// Tries a refused message again.
    pub fn message_again(&self, id: &str) -> Result<()> {
        unimplemented!()
    }

    // Reading

    /// Every number, from the counters.
    pub fn numbers(&self) -> Result<Numbers> {
        unimplemented!()
    }

    /// A page of threads of a place, or of threads found, newest first.
    pub fn threads(&self, query: &ThreadQuery) -> Result<ThreadPage> {
        unimplemented!()
    }

    /// Rows by id, in the order asked for; those that are gone are left out.
    pub fn threads_by_id(&self, ids: &[ThreadId]) -> Result<Vec<Thread>> {
        unimplemented!()
    }

    /// The thread with this key in this source.
    pub fn thread_by_key(&self, source: SourceId, key: &str) -> Result<Option<Thread>> {
        unimplemented!()
    }

    /// A page of a thread's items: those before `before`, or the newest.
    pub fn items_of(&self, thread: ThreadId, before: Option<&MsgId>, limit: usize) -> Result<ItemPage> {
        unimplemented!()
    }

    /// Items of all threads, newest first.
    pub fn items(&self, filter: &ItemFilter, limit: usize) -> Result<Vec<Item>> {
        unimplemented!()
    }

    /// Items by name; without a source in whatever source has them. Those that are gone are left out.
    pub fn items_by_msgid(&self, source: Option<SourceId>, ids: &[MsgId]) -> Result<Vec<Item>> {
        unimplemented!()
    }

    /// Items whose title, body, actor or target holds every word (the last may be the beginning of one; words in
    /// double quotes stand together), newest first.
    pub fn search(&self, words: &str, filter: &ItemFilter, limit: usize) -> Result<Vec<Item>> {
        unimplemented!()
    }

    // Settings

    /// A setting, as it was set.
    pub fn setting(&self, key: &str) -> Result<Option<serde_json::Value>> {
        unimplemented!()
    }

    /// Keeps a setting; `Null` forgets it.
    pub fn set_setting(&self, key: &str, value: &serde_json::Value) -> Result<()> {
        unimplemented!()
    }

    /// All settings.
    pub fn settings(&self) -> Result<HashMap<String, serde_json::Value>> {
        unimplemented!()
    }
}
