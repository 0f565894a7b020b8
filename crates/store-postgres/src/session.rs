//! A connection to the database, and the values and rows that go over it.

mod values;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use deadpool_postgres::{ClientWrapper, Object};
use futures_util::StreamExt;
use futures_util::future::{BoxFuture, join_all};
use tidings_store::Error;
use tidings_store::failure::broken;
use tidings_store::room::Room;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Row, RowStream};

pub(super) use self::values::{Columns, Value, Values, rows};

/// A connection that is taken from the pool and goes back to it.
pub(super) struct Session {
    /// `None` after the connection was given up.
    client: Option<Object>,
    prepares: bool,
    /// Whether its statements are within a transaction.
    in_transaction: bool,
    /// Whether a statement failed: a transaction in which that happened must not be committed.
    failed: AtomicBool,
    /// Whether nothing is going on any more, so that others may use the connection.
    settled: bool,
    /// What hears of it if a statement finds no room.
    room: Arc<Room>,
}

impl Drop for Session {
    fn drop(&mut self) {
        // If a call was given up, its statement may go on, or its connection may be dead without anybody knowing.
        if !self.settled {
            self.give_up();
        }
    }
}

/// A statement that both stores have, as this database takes it.
pub(super) fn shared(sql: &str) -> String {
    let mut parts = sql.split(" INDEXED BY ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(part.trim_start_matches(|c: char| c == '_' || c.is_alphanumeric()));
    }
    text.replace("CROSS JOIN", "JOIN")
}

/// More statements than the library polls in their order.
const PIPELINED_STATEMENTS: usize = 30;

impl Session {
    pub(super) fn new(client: Object, prepares: bool, room: Arc<Room>) -> Self {
        Self {
            client: Some(client),
            prepares,
            in_transaction: false,
            failed: AtomicBool::new(false),
            settled: false,
            room,
        }
    }

    fn client(&self) -> Result<&ClientWrapper, Error> {
        match &self.client {
            Some(client) => Ok(client),
            None => Err(Error::interrupted("the connection to the database was given up")),
        }
    }

    /// The session once a transaction has begun on it, or is about to by its next statement.
    pub(super) fn in_transaction(mut self) -> Self {
        self.in_transaction = true;
        self
    }

    pub(super) fn prepares(&self) -> bool {
        self.prepares
    }

    /// Whether a statement has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Ends what [`PostgresStore::reading_session`](super::PostgresStore::reading_session) began.
    pub(super) async fn end_reading(mut self) {
        if self.prepares || self.batch("ROLLBACK").await.is_ok() {
            self.settle();
        }
    }

    /// Says that what it was taken for has ended, so that the connection goes back to the pool.
    pub(super) fn settle(&mut self) {
        self.settled = true;
    }

    /// Closes the connection instead of giving it back: what it was doing ends in the database, too.
    fn give_up(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }

    fn noting<T>(&self, result: Result<T, tokio_postgres::Error>) -> Result<T, Error> {
        let result = result.map_err(Error::from);
        if let Err(e) = &result {
            self.failed.store(true, Ordering::Relaxed);
            if e.is_of_disk() {
                self.room.note_lack(e);
            }
        }
        result
    }

    /// Runs a statement; gives its rows one by one as they come. What is not read is discarded.
    pub(super) async fn stream(&self, sql: &str, values: Values<'_>) -> Result<RowStream, Error> {
        let client = self.client()?;
        let result = if self.prepares {
            let kinds: Vec<Type> = values.iter().map(|v| v.kind()).collect();
            let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|v| v.sql()).collect();
            match client.prepare_typed_cached(sql, &kinds).await {
                Ok(statement) => client.query_raw(&statement, values).await,
                Err(e) => Err(e),
            }
        } else {
            let values: Vec<(&(dyn ToSql + Sync), Type)> =
                values.iter().map(|v| (v.sql(), v.kind())).collect();
            client.query_typed_raw(sql, values).await
        };
        self.noting(result)
    }

    /// Runs a statement; gives all of its rows.
    pub(super) async fn query(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, Error> {
        let mut stream = std::pin::pin!(self.stream(sql, values).await?);
        let mut rows = Vec::new();
        while let Some(row) = stream.next().await {
            rows.push(self.noting(row)?);
        }
        Ok(rows)
    }

    /// Runs a statement; gives its first row, if any.
    pub(super) async fn query_opt(&self, sql: &str, values: Values<'_>) -> Result<Option<Row>, Error> {
        Ok(self.query(sql, values).await?.into_iter().next())
    }

    /// Runs a statement that always has a row.
    pub(super) async fn query_one(&self, sql: &str, values: Values<'_>) -> Result<Row, Error> {
        self.query_opt(sql, values).await?.ok_or_else(|| broken("a row that has to be there is missing"))
    }

    /// Whether a statement has a row.
    pub(super) async fn exists(&self, sql: &str, values: Values<'_>) -> Result<bool, Error> {
        Ok(self.query_opt(sql, values).await?.is_some())
    }

    /// Runs a statement; gives the number of rows that it changed.
    pub(super) async fn execute(&self, sql: &str, values: Values<'_>) -> Result<u64, Error> {
        let mut stream = std::pin::pin!(self.stream(sql, values).await?);
        while let Some(row) = stream.next().await {
            self.noting(row)?;
        }
        Ok(stream.rows_affected().unwrap_or_default())
    }

    /// Runs statements without values, separated by semicolons.
    pub(super) async fn batch(&self, sql: &str) -> Result<(), Error> {
        let result = self.client()?.batch_execute(sql).await;
        self.noting(result)
    }

    /// Runs statements in one round trip, in their order and each in a snapshot of its own. They run between `first`
    /// and `last`, which have no values and may be empty. Gives the rows of each, or the error of the first that
    /// failed.
    ///
    /// Fewer than 30 statements in all.
    pub(super) async fn pipeline_between(
        &self,
        first: &str,
        statements: &[(&str, Values<'_>)],
        last: &str,
    ) -> Result<Vec<Vec<Row>>, Error> {
        debug_assert!(statements.len() + 2 < PIPELINED_STATEMENTS);
        let client = self.client()?;
        if self.prepares {
            // Beforehand: a statement that had to be prepared now would be overtaken by those after it.
            for (sql, values) in statements {
                let kinds: Vec<Type> = values.iter().map(|v| v.kind()).collect();
                let prepared = client.prepare_typed_cached(sql, &kinds).await;
                self.noting(prepared)?;
            }
        }
        // Each sends its message when it is polled first, which happens in this order.
        let mut running: Vec<BoxFuture<'_, Result<Vec<Row>, Error>>> =
            Vec::with_capacity(statements.len() + 2);
        running.push(Box::pin(self.batch_unless_empty(first)));
        for (sql, values) in statements {
            running.push(Box::pin(self.query(sql, values)));
        }
        running.push(Box::pin(self.batch_unless_empty(last)));
        let mut results: Vec<Vec<Row>> = join_all(running).await.into_iter().collect::<Result<_, _>>()?;
        results.truncate(statements.len() + 1);
        results.drain(..1);
        Ok(results)
    }

    async fn batch_unless_empty(&self, sql: &str) -> Result<Vec<Row>, Error> {
        if !sql.is_empty() {
            self.batch(sql).await?;
        }
        Ok(Vec::new())
    }

    /// Runs statements in one round trip, as [`Session::pipeline_between`].
    pub(super) async fn pipeline(&self, statements: &[(&str, Values<'_>)]) -> Result<Vec<Vec<Row>>, Error> {
        self.pipeline_between("", statements, "").await
    }

    /// Runs statements that take the first rows in the order of an index, in one round trip. Sorting all rows may look as
    /// cheap, because an average inbox has few of them, and takes as long as the largest one is large.
    pub(super) async fn pipeline_in_order(
        &self,
        statements: &[(&str, Values<'_>)],
    ) -> Result<Vec<Vec<Row>>, Error> {
        // Never beyond a transaction: behind a pooler the next statement may be of somebody else.
        let (first, last) = if self.in_transaction {
            ("SET LOCAL enable_sort = off", "SET LOCAL enable_sort = on")
        } else {
            ("BEGIN READ ONLY; SET LOCAL enable_sort = off", "COMMIT")
        };
        self.pipeline_between(first, statements, last).await
    }

    /// Runs a statement as [`Session::pipeline_in_order`]; gives all of its rows.
    pub(super) async fn query_in_order(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, Error> {
        Ok(self.pipeline_in_order(&[(sql, values)]).await?.pop().unwrap_or_default())
    }
}
