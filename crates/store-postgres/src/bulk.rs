//! A database as a whole, for a migration and for mending its stamps: one connection beside the pools, without limits of time, in one transaction.

use std::sync::Arc;
use std::time::Duration;

use tidings_model::{Clock, Code, Stamp};
use tidings_store::Error;
use tidings_store::failure::broken;
use tokio::time::{Instant, sleep};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::address::{self, Address};
use super::{PostgresOptions, PostgresStore, StoreAddress, pool, schema};

/// What the database shows as the name of the program, so that a migration can be distinguished from servers.
const PROGRAM: &str = "tidings migrate";

/// Reading and writing everything takes as long as it takes; if nothing is heard for long, the other end is gone.
const LIMITS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s';
    SET LOCAL idle_in_transaction_session_timeout = '10min'";

/// How long the connections of a server that has ended are waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// A connection to a database.
pub struct Bulk {
    client: Client,
    /// What the database shows as the name of the program for servers at this address.
    servers: String,
}

fn address_of(address: &StoreAddress) -> Result<Address, Error> {
    Address::parse(address.postgres().unwrap_or_default())
}

impl Bulk {
    /// Connects to a database; nothing is changed in it.
    pub async fn open(address: &StoreAddress) -> Result<Self, Error> {
        let address = address_of(address)?;
        let servers = address.program().to_owned();
        Ok(Self { client: pool::open(&address.named(PROGRAM)).await?, servers })
    }

    /// The store in a database, by connections that can be distinguished from those of servers.
    pub async fn store(address: &StoreAddress, clock: Arc<dyn Clock>) -> Result<PostgresStore, Error> {
        PostgresStore::at(&address_of(address)?.named(PROGRAM), clock, PostgresOptions::default()).await
    }

    /// The connection, for rows.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The first of these tables that is there.
    async fn first_table(&self, names: &[&str]) -> Result<Option<String>, Error> {
        let sql = "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname::text = ANY($1)
            ORDER BY 1 LIMIT 1";
        let found = self.client.query_typed(sql, &[(&names, Type::TEXT_ARRAY)]).await?;
        Ok(found.first().map(|row| row.try_get(0)).transpose()?)
    }

    /// Whether any of these tables is there.
    pub async fn has_tables(&self, names: &[&str]) -> Result<bool, Error> {
        Ok(self.first_table(names).await?.is_some())
    }

    /// Refuses a database in which any of these tables is there.
    ///
    /// # Errors
    /// `conflict`, with the table's name.
    pub async fn require_no_tables(&self, names: &[&str]) -> Result<(), Error> {
        let Some(table) = self.first_table(names).await? else { return Ok(()) };
        Err(Error::refused(
            Code::Conflict,
            format!(
                "the database is not empty, it has the table `{table}`: name a new one (createdb); nothing has changed"
            ),
        ))
    }

    /// Refuses a database to which servers are connected. The connections of one that has just ended may take a moment.
    ///
    /// # Errors
    /// `conflict`, with the number of connections.
    pub async fn require_nobody(&self) -> Result<(), Error> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let connections = self.connections_of_servers().await?;
            if connections == 0 {
                return Ok(());
            }
            if Instant::now() >= deadline {
                return Err(Error::refused(
                    Code::Conflict,
                    format!(
                        "servers are connected to the database ({connections} connections): stop them first; nothing has \
                         changed"
                    ),
                ));
            }
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Whether servers are connected to the database.
    pub async fn has_servers(&self) -> Result<bool, Error> {
        Ok(self.connections_of_servers().await? > 0)
    }

    async fn connections_of_servers(&self) -> Result<i64, Error> {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
            AND pid <> pg_backend_pid() AND application_name = ANY($1)";
        let servers = [address::PROGRAM, &self.servers];
        let found = self.client.query_typed(sql, &[(&servers.as_slice(), Type::TEXT_ARRAY)]).await?;
        found.first().map_or(Ok(0), |row| Ok(row.try_get(0)?))
    }

    /// The newest stamp of all orders, and the database's clock.
    pub async fn newest_stamp(&self) -> Result<(Stamp, Stamp), Error> {
        let sql = concat!(
            "SELECT greatest(l.last, (SELECT max(last) FROM inboxes)), ",
            super::clock::now_micros!(),
            " FROM log l"
        );
        let found = self.client.query_typed(sql, &[]).await?;
        let row = found.first().ok_or_else(|| broken("it holds no server"))?;
        Ok((Stamp::from_micros(row.try_get(0)?), Stamp::from_micros(row.try_get(1)?)))
    }

    /// Begins a transaction, behind the lock with which tables are created.
    pub async fn begin(&mut self) -> Result<(), Error> {
        self.client.batch_execute(&format!("BEGIN; {LIMITS}")).await?;
        schema::lock(&self.client).await
    }

    /// Begins a transaction that sees one moment and changes nothing.
    pub async fn begin_snapshot(&mut self) -> Result<(), Error> {
        let sql = format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {LIMITS}");
        Ok(self.client.batch_execute(&sql).await?)
    }

    /// Creates the tables of a server without rows, with partitions for every month since `oldest`.
    pub async fn create_tables(&self, oldest: Option<Stamp>, now: Stamp) -> Result<(), Error> {
        schema::create(&self.client, oldest.unwrap_or(now), now).await
    }

    /// Commits, and lets the planner count what has come.
    pub async fn commit(&mut self) -> Result<(), Error> {
        self.client.batch_execute("COMMIT").await?;
        // What it can't count now is counted by the database itself, later.
        if let Err(error) = self.client.batch_execute("SET statement_timeout = 0; ANALYZE").await {
            tracing::warn!(%error, "the tables were not analyzed");
        }
        Ok(())
    }
}
