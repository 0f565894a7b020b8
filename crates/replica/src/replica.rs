//! The handle on the local inbox: what can be asked of it and done to it. Refuses to do it itself: each part of the
//! work has its own file.

mod marking;
mod posting;
mod pulling;
mod reading;
mod settings;
mod sources;
mod upkeep;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tidings_model::Clock;
use tidings_sqlite::{Database, Durability, Migration, Options};
use tokio::sync::broadcast;

use crate::ledger::Ledger;
use crate::long::PORTION;
use crate::{Changed, Counts, Result, counts};

/// The file in the data folder.
pub const FILE: &str = "replica.db";

/// What each version of the file added to the one before, the first first.
pub const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, name: "inbox", sql: include_str!("../migrations/0001_inbox.sql") },
    Migration {
        version: 2,
        name: "conversations",
        sql: include_str!("../migrations/0002_conversations.sql"),
    },
    Migration { version: 3, name: "find", sql: include_str!("../migrations/0003_find.sql") },
    Migration { version: 4, name: "telling", sql: include_str!("../migrations/0004_telling.sql") },
    Migration { version: 5, name: "silence", sql: include_str!("../migrations/0005_silence.sql") },
    Migration { version: 6, name: "letters", sql: include_str!("../migrations/0006_letters.sql") },
    Migration { version: 7, name: "class", sql: include_str!("../migrations/0007_class.sql") },
    Migration { version: 8, name: "one own", sql: include_str!("../migrations/0008_one_own.sql") },
    Migration { version: 9, name: "bounds", sql: include_str!("../migrations/0009_bounds.sql") },
    Migration { version: 10, name: "portions", sql: include_str!("../migrations/0010_portions.sql") },
    Migration { version: 11, name: "plans", sql: include_str!("../migrations/0011_plans.sql") },
    Migration { version: 12, name: "going", sql: include_str!("../migrations/0012_going.sql") },
    Migration { version: 13, name: "unfinished", sql: include_str!("../migrations/0013_unfinished.sql") },
    Migration { version: 14, name: "assumed", sql: include_str!("../migrations/0014_assumed.sql") },
    Migration { version: 15, name: "answered", sql: include_str!("../migrations/0015_answered.sql") },
];

const OPTIONS: Options = Options { durability: Durability::Normal, readers: 2, migrations: MIGRATIONS };

/// Changes that a listener may fall behind.
const BEHIND: usize = 256;

/// The local inbox. Cheap to clone; every method blocks for as long as the database takes (writes wait for a commit),
/// so asynchronous callers go through `spawn_blocking`.
#[derive(Clone)]
pub struct Replica {
    database: Database,
    /// The data folder.
    pub(crate) folder: Arc<Path>,
    /// Rows that one transaction of a large mark writes.
    pub(crate) portion: usize,
    pub(crate) clock: Arc<dyn Clock>,
    told: broadcast::Sender<Arc<Changed>>,
    /// How many changes were told.
    changes: Arc<AtomicU64>,
    /// The numbers told last; held while a change is written, so that changes are told in that order.
    last: Arc<Mutex<Counts>>,
}

impl std::fmt::Debug for Replica {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replica").field("database", &self.database).finish_non_exhaustive()
    }
}

impl Replica {
    /// Opens or creates `replica.db` in the folder, and wakes what is due.
    pub fn open(data_dir: &Path, clock: Arc<dyn Clock>) -> Result<Self> {
        let replica = Self::with(data_dir, Database::open(&data_dir.join(FILE), &OPTIONS)?, clock)?;
        let now = replica.clock.now();
        // On a full disk everything can still be read; what is due wakes later.
        if replica.next_wake()?.is_some_and(|due| due <= now)
            && let Err(error) = replica.wake(now)
        {
            tracing::warn!(%error, "what is due could not be woken");
        }
        replica.renew_search()?;
        replica.go_on()?;
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

    /// Finishes what was interrupted, beside everything else; what is left goes on at the next start.
    fn go_on(&self) -> Result<()> {
        if !self.is_anything_unfinished()? {
            return Ok(());
        }
        let replica = self.clone();
        let finish = move || {
            if let Err(error) = replica.finish() {
                tracing::warn!(%error, "what was interrupted could not be finished");
            }
        };
        if let Err(error) = std::thread::Builder::new().name("unfinished".into()).spawn(finish) {
            tracing::warn!(%error, "what was interrupted could not be finished");
        }
        Ok(())
    }

    /// Whether something that takes several transactions was interrupted, or is under way.
    pub(crate) fn is_anything_unfinished(&self) -> Result<bool> {
        Ok(self.is_anything_going()?
            || self.is_own_unfinished()?
            || self.is_keeping_unfinished()?
            || self.is_an_answer_unfinished()?
            || self.is_a_mark_unfinished()?)
    }

    /// Does what is left of it.
    pub(crate) fn finish(&self) -> Result<()> {
        self.finish_removals()?;
        self.finish_own()?;
        self.finish_keeping()?;
        self.finish_answers()?;
        self.finish_marks()
    }

    /// Opens a `replica.db` that cannot be written: everything can be read, every change is refused.
    pub fn open_read_only(data_dir: &Path, clock: Arc<dyn Clock>) -> Result<Self> {
        Self::with(data_dir, Database::open_read_only(&data_dir.join(FILE), &OPTIONS)?, clock)
    }

    fn with(folder: &Path, database: Database, clock: Arc<dyn Clock>) -> Result<Self> {
        let counts = database.read(counts::read)?;
        let last = Arc::new(Mutex::new(counts));
        let changes = Arc::new(AtomicU64::new(0));
        Ok(Self {
            database,
            folder: folder.into(),
            portion: PORTION,
            clock,
            told: broadcast::Sender::new(BEHIND),
            changes,
            last,
        })
    }

    /// The same inbox, in which a mark on more than so many rows is a large one, done in portions of these (500 unless
    /// told otherwise): for tests that want large marks of few items.
    #[must_use]
    pub fn with_portions_of(self, rows: usize) -> Self {
        Self { portion: rows.max(1), ..self }
    }

    /// Hears of every change from now on. Whoever falls more than 256 changes behind gets `Lagged` and asks for
    /// everything anew.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Changed>> {
        self.told.subscribe()
    }

    /// How many changes were told since this was opened. What is read after asking includes at least these; a change
    /// is among them once the call that made it has returned.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
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
        if !changed.is_empty() || changed.counts != *last {
            last.clone_from(&changed.counts);
            self.changes.fetch_add(1, Ordering::Release);
            // Nobody listening is no mistake.
            drop(self.told.send(changed.clone()));
        }
        Ok((done, changed))
    }
}
