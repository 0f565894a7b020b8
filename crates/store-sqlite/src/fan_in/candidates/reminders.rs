//! New reminders that subscriptions and follows bring into an inbox.

use rusqlite::{Connection, Row, params};
use tidings_model::Stamp;
use tidings_store::{Bounds, Error};

use super::{Candidate, CandidateKind, InboxOwner, rows};
use crate::sql;

/// Excludes the user's own actions. A topic is its own actor even if a user has the same id.
pub(super) const NOT_OWN: &str =
    "(n.actor_id <> ?3 OR (n.target_type = 'topic' AND n.target_id = n.actor_id))";

const COLUMNS: &str = "n.created_at, n.action, n.target_type, n.target_id";

/// New reminders, and the number examined one by one. Few are tested each; with many, the query goes from the user's
/// subscriptions and follows.
pub(super) fn reminders(
    conn: &Connection,
    owner: &InboxOwner,
    upto: Stamp,
    limit: usize,
    bounds: &Bounds,
) -> Result<(Vec<Candidate>, i64), Error> {
    let (tested_rows, most_rows) = (rows(bounds.tested_rows), rows(bounds.new_rows));
    let since = owner.fanned_in_to.as_micros();
    let count_new = |limit: i64| -> Result<i64, Error> {
        let sql =
            "SELECT count(*) FROM (SELECT 1 FROM notifications WHERE kind = 2 AND created_at > ?1 LIMIT ?2)";
        sql::one(conn, sql, [since, limit], |r| Ok(r.get(0)?))
    };
    let new_rows = count_new(tested_rows + 1)?;
    if new_rows == 0 {
        return Ok((Vec::new(), 0));
    }
    let examined_rows = if new_rows <= tested_rows {
        Some(new_rows)
    } else {
        let sql = "SELECT (SELECT count(*) FROM (SELECT 1 FROM subscriptions WHERE user = ?1 LIMIT ?2))
                      + (SELECT count(*) FROM (SELECT 1 FROM follows WHERE user = ?1 LIMIT ?2))";
        let sources: i64 = sql::one(conn, sql, [owner.key.0, most_rows + 1], |r| Ok(r.get(0)?))?;
        let counted = count_new(sources.min(most_rows) + 1)?;
        (counted <= sources).then_some(counted)
    };
    let found = match examined_rows {
        Some(_) => by_reminder(conn, owner, upto, limit)?,
        None => by_source(conn, owner, upto, limit)?,
    };
    Ok((found, examined_rows.unwrap_or(0)))
}

/// Tests each new reminder for a matching subscription or follow.
fn by_reminder(
    conn: &Connection,
    owner: &InboxOwner,
    upto: Stamp,
    limit: usize,
) -> Result<Vec<Candidate>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM notifications n WHERE n.kind = 2 AND n.created_at > ?2
             AND n.created_at <= ?5 AND {NOT_OWN}
             AND (EXISTS (SELECT 1 FROM subscriptions s WHERE s.user = ?1 AND s.target_type = n.target_type
                      AND s.target_id = n.target_id AND s.action = n.action AND s.created_at < n.created_at)
               OR EXISTS (SELECT 1 FROM follows f WHERE f.user = ?1 AND f.actor = n.actor_id
                      AND f.created_at < n.created_at))
         ORDER BY n.created_at LIMIT ?4"
    );
    collect(conn, &sql, owner, upto, limit)
}

/// Searches new reminders for each subscription and follow. The union has each reminder once. What a topic published is in
/// the index by target alone.
fn by_source(
    conn: &Connection,
    owner: &InboxOwner,
    upto: Stamp,
    limit: usize,
) -> Result<Vec<Candidate>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM subscriptions s
         CROSS JOIN notifications n INDEXED BY reminders_by_target ON n.kind = 2 AND n.target_type = s.target_type
             AND n.target_id = s.target_id AND n.action = s.action AND n.created_at > max(s.created_at, ?2)
             AND n.created_at <= ?5
         WHERE s.user = ?1 AND {NOT_OWN}
         UNION
         SELECT {COLUMNS} FROM follows f
         CROSS JOIN notifications n INDEXED BY reminders_by_actor ON n.kind = 2 AND n.actor_id = f.actor
             AND n.created_at > max(f.created_at, ?2) AND n.created_at <= ?5
             AND NOT (n.action = 'publish' AND n.target_type = 'topic' AND n.target_id = n.actor_id)
         WHERE f.user = ?1 AND {NOT_OWN}
         UNION
         SELECT {COLUMNS} FROM follows f
         CROSS JOIN notifications n INDEXED BY reminders_by_target ON n.kind = 2 AND n.target_type = 'topic'
             AND n.target_id = f.actor AND n.action = 'publish' AND n.created_at > max(f.created_at, ?2)
             AND n.created_at <= ?5
         WHERE f.user = ?1 AND n.actor_id = f.actor
         ORDER BY 1 LIMIT ?4"
    );
    collect(conn, &sql, owner, upto, limit)
}

fn collect(
    conn: &Connection,
    sql: &str,
    owner: &InboxOwner,
    upto: Stamp,
    limit: usize,
) -> Result<Vec<Candidate>, Error> {
    sql::all(
        conn,
        sql,
        params![owner.key.0, owner.fanned_in_to.as_micros(), owner.id, limit, upto.as_micros()],
        reminder,
    )
}

fn reminder(row: &Row<'_>) -> Result<Candidate, Error> {
    let at = Stamp::from_micros(row.get(0)?);
    let (kind, id): (String, String) = (row.get(2)?, row.get(3)?);
    Ok(Candidate {
        at,
        created_at: at,
        kind: CandidateKind::Reminder { action: row.get(1)?, view: format!("{kind}:{id}") },
    })
}
