//! The store in one SQLite file. Refuses to decide anything: what an operation does and when something is unread is
//! asked of the domain.

mod accounts;
mod catalog;
mod conversations;
mod counting;
#[cfg(test)]
mod fairness;
mod fan_in;
mod groups;
mod marking;
mod ops;
mod pending_groups;
#[cfg(test)]
mod plans;
mod portions;
mod posting;
#[cfg(test)]
mod proportion;
mod reading;
mod receipts;
mod recipients_query;
mod removal;
mod restore;
mod row;
mod sequences;
mod store;
mod subscriptions;
mod tidy;
mod upkeep;
mod write_context;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Connection, Transaction};
use tidings_model::Clock;
use tidings_sqlite::{Database, Durability, Migration, Options};
use tokio::sync::Semaphore;

use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::{Store, StoredResponse};
use crate::worker_pool::WorkerPool;
use catalog::{CatalogCache, VersionedCatalog};
use portions::{Monotonic, Stopwatch, UserLocks};
use write_context::WriteContext;

const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, name: "accounts", sql: include_str!("../../../migrations/0001_accounts.sql") },
    Migration {
        version: 2,
        name: "notifications",
        sql: include_str!("../../../migrations/0002_notifications.sql"),
    },
    Migration { version: 3, name: "inbox", sql: include_str!("../../../migrations/0003_inbox.sql") },
    Migration {
        version: 4,
        name: "subscriptions",
        sql: include_str!("../../../migrations/0004_subscriptions.sql"),
    },
    Migration { version: 5, name: "groups", sql: include_str!("../../../migrations/0005_groups.sql") },
    Migration { version: 6, name: "revised", sql: include_str!("../../../migrations/0006_revised.sql") },
    Migration {
        version: 7,
        name: "conversations",
        sql: include_str!("../../../migrations/0007_conversations.sql"),
    },
    Migration {
        version: 8,
        name: "proportion",
        sql: include_str!("../../../migrations/0008_proportion.sql"),
    },
    Migration { version: 9, name: "programs", sql: include_str!("../../../migrations/0009_programs.sql") },
    Migration { version: 10, name: "forgotten", sql: include_str!("../../../migrations/0010_forgotten.sql") },
    Migration { version: 11, name: "scheduled", sql: include_str!("../../../migrations/0011_scheduled.sql") },
    Migration { version: 12, name: "threads", sql: include_str!("../../../migrations/0012_threads.sql") },
    Migration { version: 13, name: "places", sql: include_str!("../../../migrations/0013_places.sql") },
];

pub(crate) use restore::ready;

/// Reads of each sort that run at the same time; more wait their turn.
const READ_CONCURRENCY: usize = 8;

const OPTIONS: Options =
    Options { durability: Durability::Full, readers: READ_CONCURRENCY, migrations: MIGRATIONS };

/// The server's data in a SQLite file.
#[derive(Clone)]
pub struct SqliteStore {
    db: Database,
    clock: Arc<dyn Clock>,
    catalog: Arc<CatalogCache>,
    readers: Arc<Semaphore>,
    /// Reads whose work is in proportion to somebody's data.
    long_reads: Arc<WorkerPool>,
    user_locks: Arc<UserLocks>,
    /// Units of work in a portion of a long change.
    units: usize,
    /// Measures how long a portion runs.
    watch: Arc<dyn Stopwatch>,
    /// Whether it was said that the disk is full.
    full: Arc<AtomicBool>,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.db.path()).finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Opens the file, creating it where it is missing, with the shipped catalog and an epoch of its own.
    pub fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        let db = Database::open(path, &OPTIONS)?;
        let now = clock.now();
        db.write_blocking(move |tx| upkeep::begin(tx, now))?;
        Ok(Self {
            db,
            clock,
            catalog: Arc::default(),
            readers: Arc::new(Semaphore::new(READ_CONCURRENCY)),
            long_reads: Arc::new(WorkerPool::new("reader of pages", READ_CONCURRENCY)),
            user_locks: Arc::default(),
            units: portions::UNITS,
            watch: Arc::new(Monotonic::default()),
            full: Arc::default(),
        })
    }

    /// The same with portions so small that little takes several.
    #[cfg(test)]
    pub(crate) fn with_small_portions(mut self) -> Self {
        self.units = 0;
        self
    }

    /// Runs a change on the writer thread, in one transaction that hands out stamps.
    async fn write<T, F>(&self, job: F) -> Result<T, Error>
    where
        F: FnOnce(&mut WriteContext<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let job = self.in_transaction(job);
        Ok(self.kept(self.db.write(job).await?))
    }

    /// A change as the writer runs it: what it answers, and the catalog that it read.
    fn in_transaction<T, F>(
        &self,
        job: F,
    ) -> impl FnOnce(&Transaction<'_>) -> Result<(T, Option<VersionedCatalog>), Error> + Send + use<T, F>
    where
        F: FnOnce(&mut WriteContext<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let clock = Arc::clone(&self.clock);
        let cache = Arc::clone(&self.catalog);
        move |tx| {
            let mut ctx = WriteContext::begin(tx, clock.now(), &cache)?;
            let done = job(&mut ctx)?;
            Ok((done, ctx.end()?))
        }
    }

    /// What a committed change answered; others may have the catalog that it read.
    fn kept<T>(&self, (done, catalog): (T, Option<VersionedCatalog>)) -> T {
        if let Some(read) = catalog {
            self.catalog.keep(read);
        }
        done
    }

    /// Lets a read go on where what it would have written found no room: what is there is shown. Said once, until there
    /// is room again.
    fn ok_if_disk_full<T>(&self, written: Result<T, Error>, instead: T) -> Result<T, Error> {
        match written {
            Err(Error::Full) => {
                if !self.full.swap(true, Ordering::Relaxed) {
                    tracing::error!("the disk is full: nothing new is stored, what is there can be read");
                }
                Ok(instead)
            }
            written => {
                if written.is_ok() && self.full.swap(false, Ordering::Relaxed) {
                    tracing::info!("there is room on the disk again");
                }
                written
            }
        }
    }

    /// The first answer to a request that was made before, where it is named so.
    async fn stored_response_of(
        &self,
        named: Option<(String, String)>,
    ) -> Result<Option<StoredResponse>, Error> {
        match named {
            Some((token, key)) => self.stored_response(&token, &key).await,
            None => Ok(None),
        }
    }

    /// The same for a change of some milliseconds or more: it has its commit to itself, and shorter changes go first.
    async fn write_long<T, F>(&self, job: F) -> Result<T, Error>
    where
        F: FnOnce(&mut WriteContext<'_>) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let job = self.in_transaction(job);
        Ok(self.kept(self.db.write_long(job).await?))
    }

    /// Runs a short read in one snapshot, off the threads that serve connections.
    async fn read<T, F>(&self, job: F) -> Result<T, Error>
    where
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let turn = Arc::clone(&self.readers).acquire_owned().await;
        let db = self.db.clone();
        let read = tokio::task::spawn_blocking(move || {
            let _lock = turn;
            db.read(job)
        });
        match read.await {
            Ok(result) => result,
            Err(_) => Err(tidings_sqlite::Error::Panicked.into()),
        }
    }

    /// Runs a read whose work is in proportion to a user's data, in one snapshot, on a thread of lower priority. Each
    /// user's reads wait in a line of their own.
    async fn read_long<T, F>(&self, user: UserKey, job: F) -> Result<T, Error>
    where
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
        T: Send + 'static,
    {
        let db = self.db.clone();
        let read = self.long_reads.run(user, move || db.read(job)).await;
        read.unwrap_or_else(|_| Err(tidings_sqlite::Error::Panicked.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::conformance::StandingClock;

    /// A store in a folder of its own.
    fn make(clock: Arc<StandingClock>) -> std::future::Ready<(Arc<dyn Store>, tempfile::TempDir)> {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&dir.path().join("server.db"), clock).unwrap();
        std::future::ready((Arc::new(store), dir))
    }

    crate::store_conformance!(make);

    /// Each of these changes one inbox behind the server's back.
    const WRONG: [(&str, &str); 8] = [
        ("unread mark", "UPDATE items SET unread = 0 WHERE kind = 2"),
        (
            "unread mark",
            "UPDATE items SET auto = 1, revised_at = created_at + 1000000000, unread = 0 WHERE kind = 2",
        ),
        ("class", "UPDATE items SET auto = 0 WHERE kind = 3"),
        ("kind", "UPDATE items SET kind = 2 WHERE kind = 1"),
        ("view", "UPDATE items SET view = 'topic:other' WHERE kind = 2"),
        ("thread", "UPDATE items SET action = 'other' WHERE kind = 2"),
        ("whether", "UPDATE items SET own = 1, unread = 0 WHERE kind = 1"),
        ("stamps beyond", "UPDATE views SET mark = mark + 1000000000"),
    ];

    #[tokio::test]
    async fn a_check_compares_more_than_counts() {
        use crate::store::{Audience, Draft, Outcome, Visit};
        use tidings_model::{Actor, Kind, Target, View};
        for (what, sql) in WRONG {
            let (store, dir) = make(Arc::default()).await;
            let Outcome::Done(user) = store.add_user("alice", "Alice", None).await.unwrap() else { panic!() };
            let by = || Actor { id: "bob".into(), name: "Bob".into() };
            let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, by());
            draft.action = "publish".into();
            draft.target = Some(Target { kind: "topic".into(), id: "t".into(), ..Target::default() });
            draft.subscribe = Some(user.key);
            let drafts = vec![
                draft,
                Draft::new(Kind::Announcement, Audience::Everyone, by()),
                Draft::new(Kind::Message, Audience::User("alice".into()), by()),
            ];
            store.post(drafts, None).await.unwrap();
            while store.fan_in(user.key).await.unwrap() {}
            store.visit(user.key, &View::Target("topic:t".into()), Visit::Now, 9).await.unwrap();
            assert_eq!(store.check().await.unwrap(), []);
            Connection::open(dir.path().join("server.db")).unwrap().execute_batch(sql).unwrap();
            let found = store.check().await.unwrap();
            assert!(found.iter().any(|d| d.what.starts_with(what)), "{sql}: {found:?}");
        }
    }

    /// A file as a version left it that did not know a step yet.
    fn before(step: &str, file: &Path) -> Database {
        let known = MIGRATIONS.iter().position(|known| known.name == step).unwrap();
        Database::open(file, &Options { migrations: &MIGRATIONS[..known], ..OPTIONS }).unwrap()
    }

    #[tokio::test]
    async fn a_token_that_a_former_version_left_for_its_programs_is_revoked_with_them() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("server.db");
        let db = before("programs", &file);
        db.write_blocking(|tx| {
            tx.execute("INSERT INTO users VALUES (1, 'alice', 'Alice', 1, 1, 0)", [])?;
            let labels =
                ["endpoint.json", "command on this computer", "terminal on this computer", "my phone"];
            for (n, label) in (1_u8..).zip(labels) {
                let (id, hash) = (format!("t{n}"), [n; 32]);
                let values = rusqlite::params![id, hash, label, i64::from(n)];
                tx.execute("INSERT INTO tokens VALUES (?1, 1, ?2, ?3, 'admin', ?4)", values)?;
            }
            Ok::<_, tidings_sqlite::Error>(())
        })
        .unwrap();
        drop(db);
        let store = SqliteStore::open(&file, Arc::new(StandingClock::default())).unwrap();
        store.revoke_program_tokens().await.unwrap();
        let mut left = Vec::new();
        for n in 1..=4 {
            left.extend(store.bearer([n; 32]).await.unwrap().map(|bearer| bearer.token));
        }
        assert_eq!(left, ["t4"]);
    }

    #[tokio::test]
    async fn a_delayed_publication_that_can_not_be_read_keeps_no_later_version_from_opening_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("server.db");
        let db = before("scheduled", &file);
        let kept = "INSERT INTO scheduled VALUES ('a', 1, 'none'), ('b', 2, '{}'),
            ('c', 3, '{\"target\": {\"type\": \"topic\", \"id\": \"t\"}}')";
        db.write_blocking(|tx| Ok::<_, tidings_sqlite::Error>(tx.execute(kept, [])?)).unwrap();
        drop(db);
        drop(SqliteStore::open(&file, Arc::new(StandingClock::default())).unwrap());
        let of_topic = "SELECT count(*), sum(target = 'topic:t'), min(bytes) FROM scheduled";
        let conn = Connection::open(&file).unwrap();
        let found: (i64, i64, i64) =
            conn.query_row(of_topic, [], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?))).unwrap();
        assert_eq!(found, (3, 1, 2));
    }
}
