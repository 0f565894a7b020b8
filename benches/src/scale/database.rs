//! The databases under the servers that are measured: users that are inserted past the servers, the size of the rows,
//! and the cost of the database's own processes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, params};
use tidings_testkit::postgres::Cluster;
use tokio_postgres::{Client, NoTls};

use crate::Result;
use crate::process_stats::ProcessStats;

/// The database of a deployment.
pub(crate) enum Database {
    Sqlite(PathBuf),
    Postgres(Postgres),
}

/// A database of a cluster, and a connection to it beside the servers'.
pub(crate) struct Postgres {
    pub(crate) url: String,
    pub(crate) client: Client,
    server: ProcessStats,
}

/// Users who were inserted: `u1`, `u2`…, whose keys follow each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Users {
    pub(crate) first_key: i64,
    pub(crate) count: i64,
}

/// Bytes that were written so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    /// The size of the database with its indexes.
    pub(crate) rows: u64,
    /// Of the write-ahead log; unknown for SQLite, which begins it again and again.
    pub(crate) log: Option<u64>,
}

/// The text of the token of the user `u<n>` that [`Database::insert_tokens`] adds.
pub(crate) fn token_of(n: i64) -> String {
    format!("tdg_scale{n}")
}

impl Postgres {
    /// Creates an empty database in a cluster.
    pub(crate) async fn create(cluster: &Cluster, name: &str) -> Result<Self> {
        cluster.sql(&format!("CREATE DATABASE {name}"));
        let url = cluster.url().replacen("/postgres?", &format!("/{name}?"), 1);
        let client = connect(&url).await?;
        Ok(Self { url, client, server: ProcessStats::new(cluster.pid()) })
    }

    async fn number(&self, sql: &str) -> Result<i64> {
        Ok(self.client.query_typed_one(sql, &[]).await?.try_get(0)?)
    }

    async fn insert_users(&self, count: i64) -> Result<Users> {
        let sql = format!(
            "WITH made AS (INSERT INTO users (id, name, created_at)
                 SELECT 'u' || n, 'User ' || n, (SELECT last FROM log) FROM generate_series(1, {count}) n RETURNING key)
             INSERT INTO inboxes (user_key, last, pulled_to) SELECT key, last, last FROM made, log;
             UPDATE counters SET user_count = user_count + {count}, auth_version = auth_version + 1"
        );
        self.client.batch_execute(&sql).await?;
        // What a server finds after the first night with this many users.
        self.client.batch_execute("VACUUM ANALYZE users").await?;
        self.client.batch_execute("VACUUM ANALYZE inboxes").await?;
        self.client.batch_execute("CHECKPOINT").await?;
        let first_key = self.number("SELECT min(key) FROM users WHERE id = 'u1'").await?;
        Ok(Users { first_key, count })
    }
}

impl Database {
    /// Inserts users without tokens, while the servers run.
    pub(crate) async fn insert_users(&self, count: i64) -> Result<Users> {
        match self {
            Self::Postgres(postgres) => postgres.insert_users(count).await,
            Self::Sqlite(file) => insert_users(file, count),
        }
    }

    /// Adds tokens with scope `inbox` to the first `count` users; their texts are [`token_of`], whose hashes PostgreSQL computes.
    pub(crate) async fn insert_tokens(&self, users: Users, count: i64) -> Result<()> {
        let sql = format!(
            "INSERT INTO tokens (id, user_key, hash, label, scopes, created_at)
                 SELECT 'scale' || n, {} + n - 1, sha256(convert_to('{}' || n, 'UTF8')), 'scale', 'inbox', last
                 FROM generate_series(1, {count}) n, log;
             UPDATE counters SET auth_version = auth_version + 1",
            users.first_key,
            token_of(0).trim_end_matches('0'),
        );
        Ok(self.postgres()?.client.batch_execute(&sql).await?)
    }

    /// The bytes of a user's row and of that of the inbox, with their indexes.
    pub(crate) async fn bytes_of_user(&self) -> Result<i64> {
        let sql = "SELECT (pg_total_relation_size('users') + pg_total_relation_size('inboxes')) / count(*) FROM users";
        self.postgres()?.number(sql).await
    }

    /// Subscribes users to `each` targets.
    pub(crate) async fn insert_subscriptions(&self, users: Users, each: i64) -> Result<()> {
        let sql = format!(
            "INSERT INTO subscriptions (user_key, target_type, target_id, action, reason, created_at)
                 SELECT {} + u, 'article', 'a' || (u * {each} + n), 'comment', '', last
                 FROM generate_series(0, {} - 1) u, generate_series(1, {each}) n, log",
            users.first_key, users.count,
        );
        Ok(self.postgres()?.client.batch_execute(&sql).await?)
    }

    fn postgres(&self) -> Result<&Postgres> {
        match self {
            Self::Postgres(postgres) => Ok(postgres),
            Self::Sqlite(_) => Err("this is measured with PostgreSQL alone".into()),
        }
    }

    /// What was written so far.
    pub(crate) async fn written(&self) -> Result<Written> {
        let unsigned = |bytes: i64| u64::try_from(bytes).unwrap_or_default();
        match self {
            Self::Sqlite(file) => {
                let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
                let bytes: i64 = open(file)?.query_row(sql, [], |row| row.get(0))?;
                Ok(Written { rows: unsigned(bytes), log: None })
            }
            Self::Postgres(postgres) => {
                let rows = postgres.number("SELECT pg_database_size(current_database())").await?;
                let log = postgres.number("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint").await?;
                Ok(Written { rows: unsigned(rows), log: Some(unsigned(log)) })
            }
        }
    }

    /// Processor time of the database's own processes; none for SQLite, which runs in the server.
    pub(crate) fn cpu(&self) -> Result<Option<Duration>> {
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(postgres) => Ok(Some(postgres.server.cpu_with_children()?)),
        }
    }
}

/// Connects to a database.
pub(crate) async fn connect(url: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    // It ends with the client.
    tokio::spawn(connection);
    Ok(client)
}

/// Opens a server's database file beside the server.
pub(crate) fn open(file: &Path) -> Result<Connection> {
    let conn = Connection::open(file)?;
    conn.busy_timeout(Duration::from_secs(10))?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    Ok(conn)
}

fn insert_users(file: &Path, count: i64) -> Result<Users> {
    let mut conn = open(file)?;
    let tx = conn.transaction()?;
    for n in 1..=count {
        tx.prepare_cached(
            "INSERT INTO users (id, name, created_at, fanned_in_to)
             SELECT ?1, ?2, newest, newest FROM (
                 SELECT max(last_stamp, coalesce((SELECT max(created_at) FROM notifications), 0)) AS newest FROM meta)",
        )?
        .execute(params![format!("u{n}"), format!("User {n}")])?;
    }
    tx.execute("UPDATE meta SET user_count = user_count + ?1, auth_version = auth_version + 1", [count])?;
    let first_key = tx.query_row("SELECT key FROM users WHERE id = 'u1'", [], |row| row.get(0))?;
    tx.commit()?;
    Ok(Users { first_key, count })
}
