//! Transactions that write and hand out stamps.
//!
//! Locks are taken in one order everywhere: names ([`WriteTx::lock_names`]), inboxes by their keys, group rows by theirs,
//! counters, the log last. What is done after the log was locked should be few round trips, because everybody waits.
//!
//! Two counters hand out stamps: the row of `log` orders creations, for everyone, and a row of `inboxes` orders the
//! changes in one inbox. A transaction that takes a stamp keeps that row locked until the commit, so a snapshot that
//! holds a stamp holds every smaller one of its order. A pull goes by the stamps of its inbox alone. A read mark goes
//! at most to the newest stamp of the log, because what is created later may have a smaller stamp than the inbox. A
//! move of a read mark that needs the inboxes of senders finds out which, and begins again with all of them.
//!
//! Joins on what may be a large table are look-ups (`LATERAL … LIMIT 1`), so that no plan reads a whole table,
//! whatever the planner expects.

mod attempts;
mod macros;

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tidings_model::{AgeHold, Catalog, Stamp};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;

pub(super) use self::attempts::{Attempts, CALL_TIME, LATE, in_turn};
pub(super) use self::macros::{in_snapshot, in_transaction, reading};
use super::PostgresStore;
use super::address::{PLANNING, SESSION_LIMITS};
use super::clock::{DatabaseClock, NOW};
use super::names::{LOCK_NAMES, lock_numbers};
use super::redis::counts::UnreadStep;
use super::session::{Columns, Session, Values};

/// The statement that begins a transaction of a kind.
pub(super) fn begin_sql(kind: &str, prepares: bool) -> String {
    let begin = format!("BEGIN ISOLATION LEVEL {kind}");
    if prepares {
        return begin;
    }
    let settings = SESSION_LIMITS.iter().chain(&PLANNING);
    settings.fold(begin, |begin, (name, value)| format!("{begin}; SET LOCAL {name} = '{value}'"))
}

/// A write transaction in progress. Each of its statements sees what was committed before it (READ COMMITTED).
pub(super) struct WriteTx<'s> {
    session: Session,
    store: &'s PostgresStore,
    open: bool,
    /// The database's clock at its beginning.
    pub(super) now: Stamp,
    /// The newest stamp that it has handed out.
    newest: Stamp,
    /// The newest of the log among them.
    newest_created: Stamp,
    catalog: Option<Arc<Catalog>>,
    /// What the cache of unread counts hears after the commit.
    unread_steps: Vec<UnreadStep>,
}

impl Deref for WriteTx<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Drop for WriteTx<'_> {
    fn drop(&mut self) {
        if !self.open {
            self.session.settle();
        }
    }
}

impl<'s> WriteTx<'s> {
    /// A transaction on a session on which it has begun, or is about to by its next statement.
    pub(super) fn begun(store: &'s PostgresStore, session: Session) -> Self {
        let (now, newest) = (store.clock.now(), Stamp::ZERO);
        let session = session.in_transaction();
        let (newest_created, unread_steps) = (newest, Vec::new());
        Self { session, store, open: true, now, newest, newest_created, catalog: None, unread_steps }
    }

    /// Takes what a statement read of the database's clock as the time of this transaction.
    pub(super) fn read_clock(&mut self, micros: i64) {
        self.now = self.store.clock.read(micros);
    }

    /// The database's clock.
    pub(super) fn clock(&self) -> &DatabaseClock {
        &self.store.clock
    }

    /// Locks names until the end of the transaction, so that who else asks for one of them waits. A name is made of
    /// parts; the first says what it names. This comes before every other lock.
    pub(super) async fn lock_names(&self, names: &[&[&str]]) -> Result<(), Error> {
        let numbers = lock_numbers(names);
        if !numbers.is_empty() {
            self.execute(LOCK_NAMES, &[&numbers]).await?;
        }
        Ok(())
    }

    /// Locks the inbox of a user; gives how far fan-in is done in it.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    pub(super) async fn lock_inbox(&self, user: UserKey) -> Result<Stamp, Error> {
        let sql = "SELECT pulled_to FROM inboxes WHERE user_key = $1 FOR UPDATE";
        self.query_opt(sql, &[&user.0]).await?.ok_or_else(|| Error::not_found("user"))?.stamp(0)
    }

    /// The first of `count` consecutive stamps of the log, for what is created. All are later than every stamp of the
    /// log and than `top`, the newest of the inboxes that it goes into at once. Locks the log until the end of the
    /// transaction.
    pub(super) async fn creation_stamps(&mut self, count: usize, top: Stamp) -> Result<Stamp, Error> {
        // What this process has created tells it nearly always that the clock has not jumped.
        let known = Stamp::from_micros(self.store.newest_created.load(Ordering::Acquire));
        if self.age_hold(known).is_in_force() {
            Box::pin(self.keep_age_hold()).await?;
        }
        let sql = "UPDATE log SET last = greatest($1, last + 1, $2 + 1) + $3 - 1 RETURNING last - $3 + 1";
        let values: Values<'_> =
            &[&self.now.as_micros(), &top.as_micros(), &super::session::rows(count.max(1))];
        let first = self.query_one(sql, values).await?.stamp(0)?;
        self.note_stamps(first, count)?;
        self.newest_created = first;
        Ok(first)
    }

    /// What the next start would hold, if this was the newest stamp of the log.
    fn age_hold(&self, newest: Stamp) -> AgeHold {
        AgeHold::at_start(Duration::ZERO, newest, self.now)
    }

    /// Stores that the clock jumped, unless others have created something since: a stamp by it hides that from the next
    /// start.
    async fn keep_age_hold(&self) -> Result<(), Error> {
        let hold = self.age_hold(self.query_one("SELECT last FROM log", &[]).await?.stamp(0)?);
        if hold.is_in_force() {
            let secs = i64::try_from(hold.left().as_secs()).unwrap_or(i64::MAX);
            self.execute("UPDATE meta SET age_hold_secs = $1", &[&secs]).await?;
        }
        Ok(())
    }

    /// One stamp of the log.
    pub(super) async fn creation_stamp(&mut self) -> Result<Stamp, Error> {
        self.creation_stamps(1, Stamp::ZERO).await
    }

    /// Notes stamps that a statement of the caller has handed out. Every stamp is noted before it is committed.
    ///
    /// # Errors
    /// [`Error::Unavailable`] while this process may hand out none: the transaction is to be rolled back.
    pub(super) fn note_stamps(&mut self, first: Stamp, count: usize) -> Result<(), Error> {
        if self.store.withholds_stamps() {
            return Err(Error::unavailable("this server is not ready, so it hands out no stamps"));
        }
        let last = first.plus_micros(super::session::rows(count.saturating_sub(1)));
        self.newest = self.newest.max(last);
        Ok(())
    }

    /// Whether anybody wants to know what is added to unread counts.
    pub(super) fn has_unread_cache(&self) -> bool {
        self.store.unread_cache.is_some()
    }

    /// Notes what is added to unread counts, for the cache.
    pub(super) fn note_unread(&mut self, steps: Vec<UnreadStep>) {
        self.unread_steps.extend(steps);
    }

    /// The current catalog.
    pub(super) async fn catalog(&mut self) -> Result<Arc<Catalog>, Error> {
        if let Some(catalog) = &self.catalog {
            return Ok(Arc::clone(catalog));
        }
        let catalog = self.store.catalog.current(&self.session).await?;
        self.catalog = Some(Arc::clone(&catalog));
        Ok(catalog)
    }

    /// Commits if the job succeeded, else rolls back.
    pub(super) async fn end<T>(mut self, done: Result<T, Error>) -> Result<T, Error> {
        match done {
            Ok(done) if !self.session.has_failed() => {
                self.commit().await?;
                Ok(done)
            }
            Ok(_) => {
                self.roll_back().await;
                Err(tidings_store::failure::broken(
                    "a statement failed in a transaction that was to be committed",
                ))
            }
            Err(e) => {
                self.roll_back().await;
                Err(e)
            }
        }
    }

    /// Ends it without a trace.
    pub(super) async fn roll_back(&mut self) {
        // If that fails, the connection is closed, which does the same.
        if self.session.batch("ROLLBACK").await.is_ok() {
            self.open = false;
        }
    }

    /// Commits.
    ///
    /// # Errors
    /// [`Error::OutcomeUnknown`] if the connection was lost meanwhile.
    pub(super) async fn commit(&mut self) -> Result<(), Error> {
        self.commit_after(&[]).await
    }

    /// Runs statements and commits, in one round trip.
    ///
    /// # Errors
    /// Those of the statements; [`Error::OutcomeUnknown`] if the connection was lost meanwhile.
    pub(super) async fn commit_after(&mut self, statements: &[(&str, Values<'_>)]) -> Result<(), Error> {
        match self.session.pipeline_between("", statements, "COMMIT").await {
            Ok(_) => {
                self.open = false;
                self.store.newest_stamp.fetch_max(self.newest.as_micros(), Ordering::AcqRel);
                self.store.newest_created.fetch_max(self.newest_created.as_micros(), Ordering::AcqRel);
                if let Some(cache) = &self.store.unread_cache {
                    cache.step(std::mem::take(&mut self.unread_steps));
                }
                // What hands out no stamp is of no interest to those who listen.
                if self.newest > Stamp::ZERO {
                    self.store.room.note_room();
                    self.store.hints.changed();
                }
                Ok(())
            }
            Err(e) => Err(self.failed_commit(e).await),
        }
    }

    /// What it means that a commit failed. The error of a connection that still answers is true: the database has
    /// rolled back. One that ends may have ended after the commit, even if the database gave a reason, as at its
    /// shutdown.
    async fn failed_commit(&mut self, e: Error) -> Error {
        if self.session.batch("ROLLBACK").await.is_ok() {
            self.open = false;
            return e;
        }
        match e {
            Error::Interrupted(why) => Error::OutcomeUnknown(why),
            e => e,
        }
    }
}

impl PostgresStore {
    /// Begins a transaction; [`in_transaction!`] does so.
    pub(super) async fn begin(&self) -> Result<WriteTx<'_>, Error> {
        let session = self.session().await?;
        let begin = begin_sql("READ COMMITTED", session.prepares());
        let now = session.pipeline_between(&begin, &[(NOW, &[])], "").await?;
        let mut tx = WriteTx::begun(self, session);
        if let Some(row) = now.first().and_then(|rows| rows.first()) {
            tx.read_clock(row.at(0)?);
        }
        Ok(tx)
    }
}
