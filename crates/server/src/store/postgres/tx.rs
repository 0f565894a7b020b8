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

use std::ops::{ControlFlow, Deref};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tidings_model::{Catalog, Stamp};
use tokio::time::Instant;

use super::PostgresStore;
use super::address::{PLANNING, SESSION_LIMITS};
use super::clock::{DatabaseClock, NOW};
use super::names::{LOCK_NAMES, lock_numbers};
use super::redis::counts::UnreadStep;
use super::session::{Columns, Session, Values};
use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::request_time::{REQUEST_TIME, StoreWait};
use crate::store::sqlite::UserLocks;

/// No call waits longer than this for the database, its turn in this process included. A request may have several calls,
/// whose waits end with its time.
pub(super) const CALL_TIME: Duration = REQUEST_TIME;

/// How long a change of one user waits for those before it; the rest of its time is for the database.
const USER_TURN: Duration = Duration::from_secs(8);

/// A database that was silent for this long may be so on all connections.
const SUSPICIOUS_SILENCE: Duration = Duration::from_secs(3);

/// How often a transaction is tried that others interrupt.
const ATTEMPTS: u32 = 3;

/// Runs a transaction that writes: `in_transaction!(store, |tx| expression)`. The expression is a `Result<T, Error>` in
/// which `tx` is a `&mut WriteTx`, and in which `.await` and `?` may be used. The transaction is committed if it is
/// `Ok`, else rolled back. It runs again, up to three times in all, if another transaction or the loss of the
/// connection interrupts it. So the expression must not consume anything from outside. The macro evaluates to the
/// result.
macro_rules! in_transaction {
    ($store:expr, |$tx:ident| $job:expr) => {{
        let store: &$crate::store::postgres::PostgresStore = $store;
        let mut attempts = $crate::store::postgres::tx::Attempts::to_write(store);
        loop {
            let attempt = async {
                let mut transaction = store.begin().await?;
                let done: Result<_, $crate::error::Error> = {
                    let $tx = &mut transaction;
                    async { $job }.await
                };
                transaction.end(done).await
            };
            match attempts.run(attempt).await {
                ::std::ops::ControlFlow::Break(done) => break done,
                ::std::ops::ControlFlow::Continue(()) => {}
            }
        }
    }};
}

/// Reads in one snapshot: `in_snapshot!(store, |s| expression)`, as [`in_transaction!`], where `s` is a `&Snapshot` and
/// every statement sees the same moment.
macro_rules! in_snapshot {
    ($store:expr, |$snapshot:ident| $job:expr) => {{
        let store: &$crate::store::postgres::PostgresStore = $store;
        let mut attempts = $crate::store::postgres::tx::Attempts::to_read(store);
        loop {
            let attempt = async {
                let snapshot = store.snapshot().await?;
                let done: Result<_, $crate::error::Error> = {
                    let $snapshot = &snapshot;
                    async { $job }.await
                };
                snapshot.end(done).await
            };
            match attempts.run(attempt).await {
                ::std::ops::ControlFlow::Break(done) => break done,
                ::std::ops::ControlFlow::Continue(()) => {}
            }
        }
    }};
}

/// Reads with single statements, each of which sees its own moment: `reading!(store, |s| expression)`, as
/// [`in_snapshot!`], where `s` is a `&Session`.
macro_rules! reading {
    ($store:expr, |$session:ident| $job:expr) => {{
        let store: &$crate::store::postgres::PostgresStore = $store;
        let mut attempts = $crate::store::postgres::tx::Attempts::to_read(store);
        loop {
            let attempt = async {
                let session = store.reading_session().await?;
                let done: Result<_, $crate::error::Error> = {
                    let $session = &session;
                    async { $job }.await
                };
                session.end_reading().await;
                done
            };
            match attempts.run(attempt).await {
                ::std::ops::ControlFlow::Break(done) => break done,
                ::std::ops::ControlFlow::Continue(()) => {}
            }
        }
    }};
}

pub(super) use {in_snapshot, in_transaction, reading};

/// The attempts of one call.
pub(super) struct Attempts<'s> {
    store: &'s PostgresStore,
    left: u32,
    deadline: Instant,
    late: Error,
    _wait: StoreWait,
}

/// Why a call ends that ran out of time.
pub(super) const LATE: &str = "the database takes too long";

/// Runs a job after the others of a user in this process, which would else wait for each other on connections.
pub(super) async fn in_turn<T>(
    turns: &Arc<UserLocks>,
    user: UserKey,
    job: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let wait = StoreWait::begin();
    let turn = tokio::time::timeout_at(wait.end_within(USER_TURN), turns.lock(user)).await;
    drop(wait);
    let _turn = turn.map_err(|_| Error::unavailable("too many changes of one user wait to be stored"))?;
    job.await
}

impl<'s> Attempts<'s> {
    pub(super) fn to_read(store: &'s PostgresStore) -> Self {
        let wait = StoreWait::begin();
        let deadline = wait.end_within(CALL_TIME);
        Self { store, left: ATTEMPTS, deadline, late: Error::unavailable(LATE), _wait: wait }
    }

    /// One that ran out of time may have been committing.
    pub(super) fn to_write(store: &'s PostgresStore) -> Self {
        Self { late: Error::OutcomeUnknown(Arc::from(LATE)), ..Self::to_read(store) }
    }

    /// Like [`Attempts::to_write`], for a call that was begun earlier and has to end by then.
    pub(super) fn to_write_by(store: &'s PostgresStore, deadline: Instant) -> Self {
        Self { deadline, ..Self::to_write(store) }
    }

    /// Runs an attempt; `Continue` if another one is to be made.
    pub(super) async fn run<T>(
        &mut self,
        attempt: impl Future<Output = Result<T, Error>>,
    ) -> ControlFlow<Result<T, Error>> {
        let began = Instant::now();
        if began >= self.deadline {
            return ControlFlow::Break(Err(Error::unavailable(LATE)));
        }
        let done = if let Ok(done) = tokio::time::timeout_at(self.deadline, attempt).await {
            done
        } else {
            if began.elapsed() >= SUSPICIOUS_SILENCE {
                self.store.distrust_connections();
            }
            Err(self.late.clone())
        };
        self.left = self.left.saturating_sub(1);
        match done {
            Err(e) if e.is_retryable() && self.left > 0 => ControlFlow::Continue(()),
            done => ControlFlow::Break(done),
        }
    }
}

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
        Self { session, store, open: true, now, newest, catalog: None, unread_steps: Vec::new() }
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
        let sql = "UPDATE log SET last = greatest($1, last + 1, $2 + 1) + $3 - 1 RETURNING last - $3 + 1";
        let values: Values<'_> =
            &[&self.now.as_micros(), &top.as_micros(), &super::session::rows(count.max(1))];
        let first = self.query_one(sql, values).await?.stamp(0)?;
        self.note_stamps(first, count);
        Ok(first)
    }

    /// One stamp of the log.
    pub(super) async fn creation_stamp(&mut self) -> Result<Stamp, Error> {
        self.creation_stamps(1, Stamp::ZERO).await
    }

    /// Notes stamps that a statement of the caller has handed out.
    pub(super) fn note_stamps(&mut self, first: Stamp, count: usize) {
        let last = first.plus_micros(super::session::rows(count.saturating_sub(1)));
        self.newest = self.newest.max(last);
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
                Err(super::failure::broken("a statement failed in a transaction that was to be committed"))
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
        match self.session.flight_between("", statements, "COMMIT").await {
            Ok(_) => {
                self.open = false;
                self.store.newest_stamp.fetch_max(self.newest.as_micros(), Ordering::AcqRel);
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
        let now = session.flight_between(&begin, &[(NOW, &[])], "").await?;
        let mut tx = WriteTx::begun(self, session);
        if let Some(row) = now.first().and_then(|rows| rows.first()) {
            tx.read_clock(row.at(0)?);
        }
        Ok(tx)
    }
}
