//! Migrations: bring a file to this program's schema. A file of a newer version is refused before anything is
//! written.

use rusqlite::{Connection, TransactionBehavior};

use crate::Error;

/// One migration.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// The value of `user_version` after this migration: 1, 2, 3 and so on.
    pub version: i64,
    /// The name of the migration in the log.
    pub name: &'static str,
    /// The SQL statements of the migration.
    pub sql: &'static str,
}

/// The newest version that these migrations lead to.
pub(crate) fn known(migrations: &[Migration]) -> i64 {
    migrations.iter().map(|m| m.version).max().unwrap_or(0)
}

/// The file's version; 0 for a new file.
pub(crate) fn found(conn: &Connection) -> Result<i64, Error> {
    Ok(conn.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Refuses a file of a newer version with [`Error::Newer`].
pub(crate) fn refuse_newer(conn: &Connection, migrations: &[Migration]) -> Result<(), Error> {
    let (found, known) = (found(conn)?, known(migrations));
    if found > known { Err(Error::Newer { found, known }) } else { Ok(()) }
}

/// Applies missing migrations, each in a transaction of its own. If the file is new, all are in one: it has nothing that a
/// step between them could keep. The version is read again under the write lock, because another process may
/// migrate at the same time.
pub(crate) fn run(conn: &mut Connection, migrations: &[Migration]) -> Result<(), Error> {
    let at_once = if found(conn)? == 0 { migrations.len() } else { 1 };
    for steps in migrations.chunks(at_once.max(1)) {
        if steps.last().is_some_and(|last| found(conn).is_ok_and(|version| version >= last.version)) {
            continue;
        }
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for step in steps {
            if found(&tx)? < step.version {
                tx.execute_batch(step.sql)?;
                tx.pragma_update(None, "user_version", step.version)?;
                tracing::debug!(version = step.version, name = step.name, "migrated");
            }
        }
        tx.commit()?;
    }
    Ok(())
}
