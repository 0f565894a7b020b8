//! What is here, read. Refuses to change any of it.

use tidings_model::MsgId;

use super::Replica;
use crate::{
    Counts, Item, ItemFilter, ItemPage, Result, SearchFilter, SourceId, Thread, ThreadId, ThreadPage,
    ThreadQuery, counts, items, threads,
};

impl Replica {
    /// Every item that was not deleted, oldest first, in batches; stops when `each` says `false`.
    pub fn export(&self, each: &mut dyn FnMut(Vec<Item>) -> bool) -> Result<()> {
        self.database.read(|conn| items::export(conn, each))
    }

    /// Every number, from the counters.
    pub fn counts(&self) -> Result<Counts> {
        self.database.read(counts::read)
    }

    /// A page of threads of a place, or of threads found, newest first.
    pub fn threads(&self, query: &ThreadQuery) -> Result<ThreadPage> {
        self.database.read(|conn| threads::page(conn, query))
    }

    /// Rows by id, in the order asked for; those that are gone are left out.
    pub fn threads_by_id(&self, ids: &[ThreadId]) -> Result<Vec<Thread>> {
        self.database.read(|conn| threads::by_id(conn, ids))
    }

    /// The thread with this key in this source.
    pub fn thread_by_key(&self, source: SourceId, key: &str) -> Result<Option<Thread>> {
        self.database.read(|conn| threads::by_key(conn, source, key))
    }

    /// A page of a thread's items: those before `before`, or the newest.
    pub fn items_of(&self, thread: ThreadId, before: Option<&MsgId>, limit: usize) -> Result<ItemPage> {
        self.database.read(|conn| items::of_thread(conn, thread, before, limit))
    }

    /// Items of all threads, newest first.
    pub fn items(&self, filter: &ItemFilter, limit: usize) -> Result<Vec<Item>> {
        self.database.read(|conn| items::list(conn, filter, limit))
    }

    /// Items by name; without a source in whatever source has them. Those that are gone are left out.
    pub fn items_by_msgid(&self, source: Option<SourceId>, ids: &[MsgId]) -> Result<Vec<Item>> {
        self.database.read(|conn| items::by_msgid(conn, source, ids))
    }

    /// Items that meet what is asked, newest first. Words stand in title, body, actor or target.
    pub fn search(&self, filter: &SearchFilter, limit: usize) -> Result<Vec<Item>> {
        self.database.read(|conn| crate::seek::items(conn, filter, limit))
    }

    /// How many unread threads a query finds, counted up to `most`.
    pub fn unread_of(&self, filter: &SearchFilter, most: u64) -> Result<u64> {
        let mut filter = filter.clone();
        filter.states.push(crate::StateFilter::Unread);
        self.database.read(|conn| threads::count(conn, &filter, most))
    }
}
