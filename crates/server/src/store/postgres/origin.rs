//! The server and the timeline that an epoch belongs to. Where another one answers, a standby that was promoted or a copy
//! of the database, it may lack what was acknowledged, and hand out its stamps again: a new epoch begins.

use tokio_postgres::Client;

use crate::domain::account::random_name;

/// The system identifier and the timeline, the first eight characters of a WAL file's name; and what the epoch belongs to.
const ORIGINS: &str = "SELECT (SELECT system_identifier FROM pg_control_system())::text || ':'
    || left(pg_walfile_name(pg_current_wal_lsn()), 8), (SELECT origin FROM meta)";

/// What the server at the other end is.
pub(super) const ORIGIN: &str = "SELECT (SELECT system_identifier FROM pg_control_system())::text || ':'
    || left(pg_walfile_name(pg_current_wal_lsn()), 8)";

/// Begins a new epoch where the server is another one than that of the epoch. `lossless` says that a standby is promoted
/// only with everything that was acknowledged, so that another timeline of the same system continues the epoch.
pub(super) async fn bind(client: &Client, lossless: bool) -> Result<(), tokio_postgres::Error> {
    let Some((now, then)) = origins(client).await? else { return Ok(()) };
    if now == then {
        return Ok(());
    }
    let same_system =
        now.split_once(':').map(|(system, _)| system) == then.split_once(':').map(|(system, _)| system);
    let keep = lossless && same_system;
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
