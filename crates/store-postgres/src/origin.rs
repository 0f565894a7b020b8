//! The server and the timeline that an epoch belongs to. Another one may answer: a standby that was promoted, or a copy
//! of the database. It may lack what was acknowledged, and hand out its stamps again, so a new epoch begins.
//!
//! Each new connection compares them. So a promoted standby serves nobody before it has a new epoch, or continues the
//! old one because `--failover lossless` says that it may.

use tidings_store::domain::account::random_name;
use tokio_postgres::Client;

/// What the server at the other end is, and which database on it. It has the system identifier, the timeline (the first
/// eight characters of a WAL file's name), and the oid of the table that holds the epoch. That is another one in every
/// copy that `pg_restore` makes, also on the same server.
macro_rules! origin {
    () => {
        "(SELECT system_identifier FROM pg_control_system())::text || ':' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
            || ':' || 'meta'::regclass::oid::text"
    };
}

/// The origin of the server, and that of the epoch.
const ORIGINS: &str = concat!("SELECT ", origin!(), ", (SELECT origin FROM meta)");

/// The origin of the server.
pub(super) const ORIGIN: &str = concat!("SELECT ", origin!());

/// The parts of an origin. One that was written by an earlier version names no table.
fn parts(origin: &str) -> (&str, Option<&str>, Option<&str>) {
    let mut parts = origin.split(':');
    (parts.next().unwrap_or_default(), parts.next(), parts.next())
}

/// Whether the history goes on: it is the same database, and its timeline the same one, or the next one of a standby that
/// has everything.
fn goes_on(then: &str, now: &str, lossless: bool) -> bool {
    let ((system, timeline, table), (system_now, timeline_now, table_now)) = (parts(then), parts(now));
    system == system_now && (table.is_none() || table == table_now) && (timeline == timeline_now || lossless)
}

/// Begins a new epoch if the server is another one than that of the epoch, or the database a copy. `lossless` says that a
/// standby is promoted only with everything that was acknowledged, so that another timeline of the same system continues
/// the epoch.
pub(super) async fn bind(client: &Client, lossless: bool) -> Result<(), tokio_postgres::Error> {
    let Some((now, then)) = origins(client).await? else { return Ok(()) };
    if now == then {
        return Ok(());
    }
    let keep = goes_on(&then, &now, lossless);
    let epoch = if keep { "epoch".to_owned() } else { format!("'{}'", random_name()) };
    // Names of letters, digits and a colon. Of several processes that see the change one makes it.
    client
        .batch_execute(&format!(
            "BEGIN; UPDATE meta SET epoch = {epoch}, origin = '{now}' WHERE origin = '{then}';
             UPDATE log SET last = last + 1; COMMIT"
        ))
        .await?;
    if !keep {
        tracing::warn!(
            "the database was promoted or copied: a new epoch begins, and clients pull from the beginning"
        );
    }
    Ok(())
}

/// The origin of the server and that of the epoch; `None` before there is one.
async fn origins(client: &Client) -> Result<Option<(String, String)>, tokio_postgres::Error> {
    let messages = client.simple_query(ORIGINS).await?;
    Ok(messages.iter().find_map(|message| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => {
            Some((row.get(0)?.to_owned(), row.get(1)?.to_owned()))
        }
        _ => None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_goes_on_in_the_same_database_and_on_a_standby_that_has_everything() {
        assert!(goes_on("7:00000001:16400", "7:00000001:16400", false));
        assert!(goes_on("7:00000001:16400", "7:00000002:16400", true));
        assert!(!goes_on("7:00000001:16400", "7:00000002:16400", false), "a standby that may lack something");
        assert!(!goes_on("7:00000001:16400", "7:00000001:16999", true), "a copy on the same server");
        assert!(!goes_on("7:00000001:16400", "8:00000001:16400", true), "a copy on another one");
        assert!(goes_on("7:00000001", "7:00000001:16400", false), "written by an earlier version");
    }
}
