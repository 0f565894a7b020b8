//! Methods of [`Replica`] that only read: lists, items, counts, searches.

use tidings_model::{MsgId, Stamp};
use tidings_replica_tables::aggregates::inbox_counts;
use tidings_replica_tables::items::name_icon;
use tidings_replica_tables::{done, threads};

use crate::conversations::group_changes;
use crate::handle::Replica;
use crate::lists::items;
use crate::{
    ArchivedCount, Counts, GroupChange, Item, ItemFilter, ItemId, ItemPage, ItemPosition, Result,
    SearchFilter, SourceId, StateFilter, Thread, ThreadId, ThreadPage, ThreadQuery, UnreadThreads, lists,
    search,
};

impl Replica {
    /// Passes every item that was not deleted to `each`, oldest first, in batches; stops when `each` returns `false`.
    pub fn export(&self, each: &mut dyn FnMut(Vec<Item>) -> bool) -> Result<()> {
        self.read(|conn| items::export(conn, each))
    }

    /// The counts of the inbox, from the counters.
    pub fn counts(&self) -> Result<Counts> {
        self.read(inbox_counts::read)
    }

    /// A page of threads of a place, or of those that a filter selects in it.
    ///
    /// ```no_run
    /// # use tidings_replica::{Place, Replica, Result, SearchFilter, ThreadQuery};
    /// # fn list(replica: &Replica) -> Result<()> {
    /// let inbox = replica.threads(&ThreadQuery::top(Place::Inbox, 50))?;
    /// let found = ThreadQuery { filter: SearchFilter::words("backup"), ..ThreadQuery::top(Place::Inbox, 50) };
    /// println!("{} of {}", replica.threads(&found)?.total, inbox.total);
    /// # Ok(())
    /// # }
    /// ```
    pub fn threads(&self, query: &ThreadQuery) -> Result<ThreadPage> {
        self.read(|conn| lists::page(conn, query))
    }

    /// Threads by id, in this order; missing ones are left out.
    pub fn threads_by_id(&self, ids: &[ThreadId]) -> Result<Vec<Thread>> {
        self.read(|conn| threads::by_id(conn, ids))
    }

    /// Of these threads those of which a part is archived, each as [`Place::Done`](crate::Place::Done) lists it: with what is
    /// archived, as if there were no other items.
    pub fn archived_in_part(&self, ids: &[ThreadId]) -> Result<Vec<Thread>> {
        self.database.read(|conn| done::archived_in_part(conn, ids))
    }

    /// The number of threads of which something was archived since a time, by at most `most` of the items.
    pub fn archived_since(&self, since: Stamp, most: usize) -> Result<ArchivedCount> {
        self.read(|conn| done::archived_since(conn, since, most))
    }

    /// The thread with this key in this source.
    pub fn thread_by_key(&self, source: SourceId, key: &str) -> Result<Option<Thread>> {
        self.read(|conn| threads::by_key(conn, source, key))
    }

    /// Who joined and left a group, and its new names, oldest first: the last 50 changes. `gid` is without `group:`.
    pub fn group_changes(&self, source: SourceId, gid: &str) -> Result<Vec<GroupChange>> {
        self.database.read(|conn| group_changes::of(conn, source, gid))
    }

    /// A page of a thread's items at a position.
    ///
    /// # Errors
    /// [`Error::NoThread`](crate::Error::NoThread); [`Error::NoItem`](crate::Error::NoItem) if the position names an item
    /// that is not in the thread.
    pub fn items_of(&self, thread: ThreadId, position: &ItemPosition, limit: usize) -> Result<ItemPage> {
        self.read(|conn| items::of_thread(conn, thread, position, limit))
    }

    /// The newest items of a thread whose question is open, oldest first.
    pub fn asking(&self, thread: ThreadId, limit: usize) -> Result<Vec<Item>> {
        self.read(|conn| items::asking(conn, thread, limit))
    }

    /// The unread items of a thread up to an item, which counts too; `None` if that is not in the thread.
    pub fn unread_through(
        &self,
        thread: ThreadId,
        through: &MsgId,
        limit: usize,
    ) -> Result<Option<Vec<ItemId>>> {
        self.read(|conn| items::unread_through(conn, thread, through, limit))
    }

    /// Items of all threads, newest first.
    pub fn items(&self, filter: &ItemFilter, limit: usize) -> Result<Vec<Item>> {
        self.read(|conn| items::list(conn, filter, limit))
    }

    /// The items that came after the one with this row id, whether or not that is still there, in the order in which they
    /// came.
    pub fn items_after(&self, id: ItemId, limit: usize) -> Result<Vec<Item>> {
        self.read(|conn| items::after(conn, id, limit))
    }

    /// The time of the oldest content.
    pub fn oldest(&self) -> Result<Option<Stamp>> {
        self.read(items::oldest)
    }

    /// The row id of the item that came last; 0 without items.
    pub fn last_item(&self) -> Result<ItemId> {
        self.read(items::last)
    }

    /// Items by msgid, in one source or with `None` in all. Missing ones are left out.
    pub fn items_by_msgid(&self, source: Option<SourceId>, ids: &[MsgId]) -> Result<Vec<Item>> {
        self.read(|conn| items::by_msgid(conn, source, ids))
    }

    /// Whether one of the newest items of a source names an icon that `is_meant` accepts; the newest 100,000 rows of all
    /// sources are examined.
    pub fn names_icon(&self, source: SourceId, is_meant: &dyn Fn(&str) -> bool) -> Result<bool> {
        self.read(|conn| name_icon(conn, source, is_meant))
    }

    /// Items that a filter selects, newest first. Words are searched in title, body, actor and target.
    ///
    /// ```no_run
    /// # use tidings_replica::{Replica, Result, SearchFilter};
    /// # fn find(replica: &Replica) -> Result<()> {
    /// for item in replica.search(&SearchFilter::words("backup fail"), 20)? {
    ///     println!("{}", item.notification.content.title);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn search(&self, filter: &SearchFilter, limit: usize) -> Result<Vec<Item>> {
        self.read(|conn| search::items::list(conn, filter, limit))
    }

    /// Whether a filter finds anything, as far as the newest items show that. It examines a thousand of those that have the
    /// words, or the times, of the filter. So the answer takes little time, and what it finds is there.
    pub fn finds(&self, filter: &SearchFilter) -> Result<bool> {
        self.read(|conn| search::existence::exists(conn, filter))
    }

    /// The unread threads that a filter selects, counted up to `most`.
    pub fn unread_of(&self, filter: &SearchFilter, most: u64) -> Result<UnreadThreads> {
        let mut filter = filter.clone();
        filter.states.push(StateFilter::Unread);
        let on_badge = SearchFilter { counted: true, ..filter.clone() };
        self.read(|conn| {
            let all = lists::count(conn, &filter, most)?;
            let counted = if all == 0 { 0 } else { lists::count(conn, &on_badge, most)? };
            Ok(UnreadThreads { counted, quiet: all.saturating_sub(counted) })
        })
    }
}
