//! The handle on the local inbox: what can be asked of it and done to it. Refuses to do it itself: each part of the
//! work has its own file.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;
use tidings_model::{Catalog, Clock, MsgId, Stamp, View, wire};
use tidings_sqlite::{Database, Durability, Migration, Options};
use tokio::sync::broadcast;

use crate::ledger::Ledger;
use crate::mark::{Before, Marking};
use crate::overlay::Act;
use crate::{
    Applied, Changed, Difference, Error, Find, Item, ItemFilter, ItemId, ItemPage, Looked, Mark, Marked,
    NewSource, Numbers, Outgoing, Page, Result, Source, SourceChange, SourceId, Targets, Thread, ThreadId,
    ThreadPage, ThreadQuery, Undo, apply, attic, check, items, numbers, outbox, row, sources, talk::touch,
    threads, views, wake,
};

/// The file in the data folder.
pub const FILE: &str = "replica.db";

const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, name: "inbox", sql: include_str!("../migrations/0001_inbox.sql") },
    Migration {
        version: 2,
        name: "conversations",
        sql: include_str!("../migrations/0002_conversations.sql"),
    },
    Migration { version: 3, name: "find", sql: include_str!("../migrations/0003_find.sql") },
    Migration { version: 4, name: "telling", sql: include_str!("../migrations/0004_telling.sql") },
];

const OPTIONS: Options = Options { durability: Durability::Normal, readers: 2, migrations: MIGRATIONS };

/// What a marking did.
type Done = (u64, Vec<Before>, Vec<ItemId>, Arc<Changed>);

/// Changes that a listener may fall behind.
const BEHIND: usize = 256;

/// The local inbox. Cheap to clone; every method blocks for as long as the database takes (writes wait for a commit),
/// so asynchronous callers go through `spawn_blocking`.
#[derive(Clone)]
pub struct Replica {
    database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    told: broadcast::Sender<Arc<Changed>>,
    /// The numbers told last; held while a change is written, so that changes are told in that order.
    last: Arc<Mutex<Numbers>>,
}

impl std::fmt::Debug for Replica {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replica").field("database", &self.database).finish_non_exhaustive()
    }
}

impl Replica {
    /// Opens or creates `replica.db` in the folder, and wakes what is due.
    pub fn open(data_dir: &Path, clock: Arc<dyn Clock>) -> Result<Self> {
        let replica = Self::with(Database::open(&data_dir.join(FILE), &OPTIONS)?, clock)?;
        let now = replica.clock.now();
        // On a full disk everything can still be read; what is due wakes later.
        if replica.next_wake()?.is_some_and(|due| due <= now)
            && let Err(error) = replica.wake(now)
        {
            tracing::warn!(%error, "what is due could not be woken");
        }
        replica.renew_search()?;
        Ok(replica)
    }

    /// Brings the search index of an older version up to date, beside everything else, in portions: others write
    /// between them, and what is left goes on at the next start.
    fn renew_search(&self) -> Result<()> {
        if self.database.read(crate::search::outdated)?.is_none() {
            return Ok(());
        }
        let replica = self.clone();
        let renew = move || {
            while matches!(replica.database.read(crate::search::outdated), Ok(Some(_))) {
                if let Err(error) = replica.database.write_blocking(|tx| crate::search::renew(tx)) {
                    tracing::warn!(%error, "the search index could not be brought up to date");
                    return;
                }
            }
        };
        if let Err(error) = std::thread::Builder::new().name("search-renewal".into()).spawn(renew) {
            tracing::warn!(%error, "the search index could not be brought up to date");
        }
        Ok(())
    }

    /// Opens a `replica.db` that cannot be written: everything can be read, every change is refused.
    pub fn open_read_only(data_dir: &Path, clock: Arc<dyn Clock>) -> Result<Self> {
        Self::with(Database::open_read_only(&data_dir.join(FILE), &OPTIONS)?, clock)
    }

    fn with(database: Database, clock: Arc<dyn Clock>) -> Result<Self> {
        let numbers = database.read(numbers::read)?;
        let last = Arc::new(Mutex::new(numbers));
        Ok(Self { database, clock, told: broadcast::Sender::new(BEHIND), last })
    }

    /// Checks the file and recounts every counter, thread and search row. Empty = all is well.
    pub fn check(&self) -> Result<Vec<Difference>> {
        let damaged = self.database.integrity_check()?;
        let mut found: Vec<Difference> = damaged
            .into_iter()
            .map(|line| Difference { what: "replica.db".into(), kept: line, counted: "ok".into() })
            .collect();
        found.extend(self.database.read(check::recount)?);
        Ok(found)
    }

    /// Copies the whole replica into a file while it is in use.
    pub fn backup(&self, to: &Path) -> Result<()> {
        Ok(self.database.backup(to)?)
    }

    /// Puts a copy of a replica, as [`Replica::backup`] made it, in the place of what is here, while this is in use.
    /// Nothing may be pulled meanwhile.
    ///
    /// # Errors
    /// What is no replica, is damaged or of a later version is refused, and what is here stays.
    pub fn restore(&self, from: &Path) -> Result<()> {
        self.database.take_in(from, &OPTIONS)?;
        // Told like any other change: everything is looked at anew.
        self.write(|_, ledger| {
            ledger.refetch = true;
            Ok(())
        })?;
        Ok(())
    }

    /// Bytes that [`Replica::compact`] would give back, about.
    pub fn spare(&self) -> Result<u64> {
        Ok(self.database.spare()?)
    }

    /// Writes the file anew without what it does not need; takes as much room again for as long as it lasts.
    pub fn compact(&self) -> Result<()> {
        Ok(self.database.compact()?)
    }

    /// Takes items off this computer that were archived before a time, at most so many, and gives how many there were.
    /// Those of pinned threads stay, and those with a change that waits to be sent. Nothing is said to any server: a
    /// later change there brings an item back.
    pub fn take_off(&self, archived_before: Stamp, most: usize) -> Result<usize> {
        let (taken, _) = self.write(move |tx, ledger| attic::take_off(tx, ledger, archived_before, most))?;
        Ok(taken)
    }

    /// Every item that was not deleted, oldest first, in batches; stops when `each` says `false`.
    pub fn export(&self, each: &mut dyn FnMut(Vec<Item>) -> bool) -> Result<()> {
        self.database.read(|conn| items::export(conn, each))
    }

    /// Hears of every change from now on. Whoever falls more than 256 changes behind gets `Lagged` and asks for
    /// everything anew.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Changed>> {
        self.told.subscribe()
    }

    /// Runs a job in one transaction and tells what changed.
    pub(crate) fn write<T, F>(&self, job: F) -> Result<(T, Arc<Changed>)>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Connection, &mut Ledger<'t>) -> Result<T> + Send + 'static,
    {
        self.commit(move |tx| {
            let mut ledger = Ledger::new(tx);
            let done = job(tx, &mut ledger)?;
            Ok((done, Arc::new(ledger.close(&|_| None)?)))
        })
    }

    /// Runs a query.
    pub(crate) fn read<T>(&self, query: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.database.read(query)
    }

    fn commit<T, F>(&self, job: F) -> Result<(T, Arc<Changed>)>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<(T, Arc<Changed>)> + Send + 'static,
    {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (done, changed) = self.database.write_blocking(move |tx| job(tx))?;
        if !changed.is_empty() || changed.numbers != *last {
            last.clone_from(&changed.numbers);
            // Nobody listening is no mistake.
            drop(self.told.send(changed.clone()));
        }
        Ok((done, changed))
    }

    // Sources

    /// All sources in their order.
    pub fn sources(&self) -> Result<Vec<Source>> {
        self.database.read(sources::all)
    }

    /// One source.
    pub fn source(&self, id: SourceId) -> Result<Source> {
        self.database.read(|conn| sources::one(conn, id))
    }

    /// Adds a source after the others. Its name must be free.
    pub fn add_source(&self, source: NewSource) -> Result<SourceId> {
        let (id, _) = self.write(move |tx, ledger| {
            ledger.refetch = true;
            sources::add(tx, &source)
        })?;
        Ok(id)
    }

    /// Changes a source.
    pub fn change_source(&self, id: SourceId, change: SourceChange) -> Result<()> {
        let now = self.clock.now();
        self.write(move |tx, ledger| {
            ledger.refetch = true;
            sources::change(tx, ledger, id, &change, now)
        })?;
        Ok(())
    }

    /// Puts the sources into this order; those that are not named follow in the order that they had.
    pub fn order_sources(&self, ids: Vec<SourceId>) -> Result<()> {
        self.write(move |tx, ledger| {
            ledger.refetch = true;
            sources::order(tx, &ids)
        })?;
        Ok(())
    }

    /// Removes a source with its outbox. With `keep` its items stay under its name as a paused source that cannot be
    /// pulled (its protocol becomes `kept`); else they are deleted here.
    pub fn remove_source(&self, id: SourceId, keep: bool) -> Result<()> {
        self.write(move |tx, ledger| {
            ledger.refetch = true;
            sources::remove(tx, id, keep)
        })?;
        Ok(())
    }

    /// The source's catalog; none until it was set.
    pub fn catalog(&self, id: SourceId) -> Result<Option<Catalog>> {
        self.database.read(|conn| sources::catalog(conn, id))
    }

    /// Keeps the source's catalog; items whose action changed its class are read by the new one.
    pub fn set_catalog(&self, id: SourceId, catalog: &Catalog) -> Result<()> {
        let (now, catalog) = (self.clock.now(), catalog.clone());
        self.write(move |tx, ledger| sources::set_catalog(tx, ledger, id, &catalog, now))?;
        Ok(())
    }

    // Pulling

    /// Writes a page and its cursor in one transaction. Items are deduped by `(source, msgid)`; versions that are older
    /// than or as old as what is here are passed over, so a page applied twice changes nothing.
    pub fn apply(&self, source: SourceId, page: Page) -> Result<Applied> {
        let now = self.clock.now();
        let (applied, _) = self.commit(move |tx| {
            let applied = apply::apply(tx, now, source, page)?;
            let changed = applied.changed.clone();
            Ok((applied, changed))
        })?;
        Ok(applied)
    }

    /// The server's unread numbers, shown in place of the source's own until its backlog is in. Passed over where it is.
    pub fn apply_counts(&self, source: SourceId, counts: &wire::UnreadCounts) -> Result<()> {
        let counts = counts.clone();
        self.write(move |tx, ledger| {
            ledger.refetch = numbers::said(tx, source, &counts)?;
            Ok(())
        })?;
        Ok(())
    }

    /// `410 resync`: the next pull starts from the beginning, whatever it brings is taken, and local marks, messages
    /// and what the server no longer has stay.
    pub fn resync(&self, source: SourceId) -> Result<()> {
        self.write(move |tx, _| sources::resync(tx, source))?;
        Ok(())
    }

    // Marks

    /// Runs a marking. Gives how many items changed, what to take back, and which items changed plainly.
    pub(crate) fn marked<F>(&self, now: Stamp, plainly: Option<Act>, job: F) -> Result<Done>
    where
        F: for<'a, 't> FnOnce(&mut Marking<'a, 't>) -> Result<()> + Send + 'static,
    {
        let ((items, before, plain), changed) = self.write(move |tx, ledger| {
            let mut marking = Marking::new(tx, ledger, now);
            marking.plainly = plainly;
            job(&mut marking)?;
            numbers::move_said(tx, &marking.unread)?;
            Ok((marking.items, marking.before, marking.plain))
        })?;
        Ok((items, before, plain, changed))
    }

    fn marking<F>(&self, job: F) -> Result<Marked>
    where
        F: for<'a, 't> FnOnce(&mut Marking<'a, 't>) -> Result<()> + Send + 'static,
    {
        let (items, before, _, changed) = self.marked(self.clock.now(), None, job)?;
        let mut undo = Undo::default();
        undo.add(before);
        Ok(Marked { items, changed, undo: Some(undo).filter(|undo| !undo.is_empty()) })
    }

    /// Puts a mark on items or threads: states, counters and the operations to be sent in one transaction.
    pub fn mark(&self, targets: Targets, mark: Mark) -> Result<Marked> {
        self.marking(move |marking| marking.put(&targets, mark))
    }

    /// Looks at a view: marks all that it holds up to `at` (`created_at` of the newest item shown; none = the newest
    /// that is here). Never moves a mark back.
    pub fn visit(&self, source: SourceId, view: &View, at: Option<Stamp>) -> Result<Marked> {
        let view = view.clone();
        self.marking(move |marking| marking.visit(source, &view, at))
    }

    /// Takes a mark back, as far as nothing else happened to its items since.
    pub fn undo(&self, undo: &Undo) -> Result<Marked> {
        let before = undo.before.clone();
        let mut marked = self.marking(move |marking| marking.undo(&before))?;
        for wide in undo.wide.iter().rev() {
            self.undo_wide(wide, &mut marked)?;
        }
        Ok(Marked { undo: None, ..marked })
    }

    /// A view's mark as it is in force here.
    pub fn looked(&self, source: SourceId, view: &View) -> Result<Looked> {
        let through = self.database.read(|conn| views::find(conn, source, view))?.and_then(|v| v.through);
        Ok(Looked { view: view.clone(), through })
    }

    /// When the next snoozed item wakes.
    pub fn next_wake(&self) -> Result<Option<Stamp>> {
        self.database.read(wake::next)
    }

    /// Wakes what is due by `now`. They are unread again; no operation is sent, every device does so by itself.
    pub fn wake(&self, now: Stamp) -> Result<Arc<Changed>> {
        let ((), changed) = self.write(move |tx, ledger| wake::wake(tx, ledger, now))?;
        Ok(changed)
    }

    // Outbox

    /// The oldest operations that wait, in their order, at most `limit` (a request takes 1,000), and remembers that
    /// they are on their way.
    pub fn pending(&self, source: SourceId, limit: usize) -> Result<Vec<wire::Op>> {
        let waits: bool = self.database.read(|conn| {
            Ok::<_, Error>(conn.query_row(
                "SELECT EXISTS (SELECT 1 FROM outbox WHERE source = ?1)",
                [source],
                |r| r.get(0),
            )?)
        })?;
        if !waits {
            return Ok(Vec::new());
        }
        let (ops, _) = self.write(move |tx, _| outbox::pending(tx, source, limit))?;
        Ok(ops)
    }

    /// The server's answers. What it applied is done; what it refused is dropped and what the server says of those
    /// items is in force again.
    pub fn acknowledge(&self, source: SourceId, results: &[wire::OpResult]) -> Result<Arc<Changed>> {
        let (now, results) = (self.clock.now(), results.to_vec());
        let ((), changed) =
            self.write(move |tx, ledger| outbox::acknowledge(tx, ledger, source, &results, now))?;
        Ok(changed)
    }

    /// Puts a message into the outbox and forgets the conversation's draft; `conversation` is `user:<peer>` or
    /// `group:<gid>`. Gives its id.
    pub fn write_message(
        &self,
        source: SourceId,
        conversation: &str,
        message: wire::NewMessage,
    ) -> Result<String> {
        if !tidings_model::view::is_conversation(conversation) {
            return Err(Error::Invalid(format!("`{conversation}` is not user:<id> or group:<id>")));
        }
        let (now, conversation) = (self.clock.now(), conversation.to_owned());
        let (id, _) = self.write(move |tx, ledger| {
            sources::one(tx, source)?;
            let id = outbox::new_id();
            tx.prepare_cached(
                "INSERT INTO outgoing (id, source, conversation, message, written_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![id, source, conversation, serde_json::to_string(&message)?, now.as_micros()])?;
            tx.prepare_cached("DELETE FROM drafts WHERE source = ?1 AND key = ?2")?
                .execute(params![source, conversation])?;
            touch(tx, ledger, source, &conversation)?;
            Ok(id)
        })?;
        Ok(id)
    }

    /// Messages of a source that wait or were refused, oldest first.
    pub fn outgoing(&self, source: SourceId) -> Result<Vec<Outgoing>> {
        self.database.read(|conn| outbox::outgoing(conn, source))
    }

    /// The message was posted (the pull brings it) or given up by its writer: it leaves the outbox.
    pub fn message_done(&self, id: &str) -> Result<()> {
        self.message(id, "DELETE FROM outgoing WHERE id = ?1 AND ?2 IS NULL", None)
    }

    /// The server will never take it: it stays with the reason until its writer tries again or gives it up.
    pub fn message_refused(&self, id: &str, why: &str) -> Result<()> {
        self.message(id, "UPDATE outgoing SET refused = ?2 WHERE id = ?1", Some(why.to_owned()))
    }

    /// Tries a refused message again.
    pub fn message_again(&self, id: &str) -> Result<()> {
        self.message(id, "UPDATE outgoing SET refused = ?2 WHERE id = ?1", None)
    }

    fn message(&self, id: &str, sql: &'static str, value: Option<String>) -> Result<()> {
        let id = id.to_owned();
        self.write(move |tx, ledger| {
            let known: Option<(SourceId, String)> = tx
                .prepare_cached("SELECT source, conversation FROM outgoing WHERE id = ?1")?
                .query_row([&id], |r| Ok((r.get(0)?, r.get(1)?)))
                .optional()?;
            tx.prepare_cached(sql)?.execute(params![id, value])?;
            known.map_or(Ok(()), |(source, conversation)| touch(tx, ledger, source, &conversation))
        })?;
        Ok(())
    }

    // Reading

    /// Every number, from the counters.
    pub fn numbers(&self) -> Result<Numbers> {
        self.database.read(numbers::read)
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
    pub fn search(&self, find: &Find, limit: usize) -> Result<Vec<Item>> {
        self.database.read(|conn| crate::seek::items(conn, find, limit))
    }

    /// How many unread threads a query finds, counted up to `most`.
    pub fn unread_of(&self, find: &Find, most: u64) -> Result<u64> {
        let mut find = find.clone();
        find.is.push(crate::Is::Unread);
        self.database.read(|conn| threads::count(conn, &find, most))
    }

    // Settings

    /// A setting, as it was set.
    pub fn setting(&self, key: &str) -> Result<Option<Value>> {
        self.database.read(|conn| {
            Ok(conn
                .prepare_cached("SELECT value FROM settings WHERE key = ?1")?
                .query_row([key], |r| row::json(r, 0))
                .optional()?)
        })
    }

    /// Keeps a setting; `Null` forgets it.
    pub fn set_setting(&self, key: &str, value: &Value) -> Result<()> {
        let (key, value) = (key.to_owned(), value.clone());
        self.write(move |tx, _| {
            if value.is_null() {
                tx.prepare_cached("DELETE FROM settings WHERE key = ?1")?.execute([&key])?;
            } else {
                tx.prepare_cached(
                    "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
                )?
                .execute(params![key, serde_json::to_string(&value)?])?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// All settings.
    pub fn settings(&self) -> Result<HashMap<String, Value>> {
        self.database.read(|conn| {
            let mut rows = conn.prepare_cached("SELECT key, value FROM settings")?;
            Ok(rows.query_map([], |r| Ok((r.get(0)?, row::json(r, 1)?)))?.collect::<Result<_, _>>()?)
        })
    }
}
