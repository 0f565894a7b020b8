//! Reads: several statements that see one moment, or single ones.

use std::ops::Deref;

use tidings_store::Error;

use super::PostgresStore;
use super::session::Session;
use super::tx::begin_sql;

/// Reads that all see one moment (REPEATABLE READ, READ ONLY).
pub(super) struct Snapshot {
    session: Session,
    open: bool,
}

impl Deref for Snapshot {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if !self.open {
            self.session.settle();
        }
    }
}

impl Snapshot {
    pub(super) fn begun(session: Session) -> Self {
        Self { session: session.in_transaction(), open: true }
    }

    /// Ends it; gives what was read.
    pub(super) async fn end<T>(mut self, done: Result<T, Error>) -> Result<T, Error> {
        if self.session.batch("ROLLBACK").await.is_ok() {
            self.open = false;
        }
        done
    }
}

impl PostgresStore {
    /// A session for `reading!`. Behind a pooler its statements are within a transaction, which alone has limits there.
    pub(super) async fn reading_session(&self) -> Result<Session, Error> {
        let session = self.session().await?;
        if session.prepares() {
            return Ok(session);
        }
        session.batch(&begin_sql("READ COMMITTED", false)).await?;
        Ok(session.in_transaction())
    }

    /// Begins a snapshot; `in_snapshot!` does so.
    pub(super) async fn snapshot(&self) -> Result<Snapshot, Error> {
        let session = self.session().await?;
        session.batch(&begin_sql("REPEATABLE READ READ ONLY", session.prepares())).await?;
        Ok(Snapshot::begun(session))
    }
}
