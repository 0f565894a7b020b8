//! Finds the candidates of fan-in: new and revised notifications that an inbox may have to take, oldest first. Queries
//! start from the smaller side: the new notifications or the user's subscriptions.

mod reminders;

use rusqlite::{Connection, Row, Rows, params};
use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::{Bounds, Error};

use self::reminders::{NOT_OWN, reminders};
use crate::sql;

/// The user of an inbox, with the position up to which fan-in is done.
pub(crate) struct InboxOwner {
    pub(crate) key: UserKey,
    pub(crate) id: String,
    pub(crate) fanned_in_to: Stamp,
}

/// A notification that the inbox may have to take.
pub(crate) struct Candidate {
    /// The time of its creation, or of its last revision.
    pub(crate) at: Stamp,
    pub(crate) created_at: Stamp,
    pub(crate) kind: CandidateKind,
}

pub(crate) enum CandidateKind {
    Announcement,
    Reminder {
        action: String,
        view: String,
    },
    GroupMessage {
        view: String,
    },
    /// What the inbox has was revised, cleared or deleted.
    Changed,
    /// A reminder got new content, and the inbox would get it as a new publication, whether it has it or not.
    Revised {
        action: String,
        view: String,
    },
}

pub(crate) fn owner(conn: &Connection, user: UserKey) -> Result<InboxOwner, Error> {
    // Data that retention removes counts as passed, even if its deletion is not finished.
    let sql =
        "SELECT u.id, max(u.fanned_in_to, h.forgotten_before - 1) FROM users u CROSS JOIN meta h ON h.one = 1
         WHERE u.key = ?1 AND u.id < '~'";
    sql::first(conn, sql, [user.0], |r| {
        Ok(InboxOwner { key: user, id: r.get(0)?, fanned_in_to: Stamp::from_micros(r.get(1)?) })
    })?
    .ok_or_else(|| Error::not_found("user"))
}

/// The candidates after the last position, oldest first, and the number of rows that were examined one by one.
pub(crate) fn candidates(
    conn: &Connection,
    owner: &InboxOwner,
    limit: usize,
    bounds: &Bounds,
) -> Result<Candidates, Error> {
    let mut candidates = announcements(conn, owner, limit)?;
    let (contents, changes) = (new_contents(conn, owner, bounds)?, changes(conn, owner, bounds)?);
    let mut examined = contents.examined + changes.examined;
    let mut horizon = contents.horizon.into_iter().chain(changes.horizon).min();
    candidates.extend(contents.found);
    candidates.extend(changes.found);
    let new_rows = rows(bounds.new_rows);
    let horizons =
        [horizon, reminders_horizon(conn, owner, new_rows)?, messages_horizon(conn, owner, new_rows)?];
    horizon = horizons.into_iter().flatten().min();
    let upto = horizon.unwrap_or(Stamp::MAX);
    for (found, rows_examined) in
        [group_messages(conn, owner, upto, limit, bounds)?, reminders(conn, owner, upto, limit, bounds)?]
    {
        candidates.extend(found);
        examined += rows_examined;
    }
    candidates.retain(|c| c.at <= upto);
    candidates.sort_by_key(|c| c.at);
    candidates.truncate(limit);
    let is_worth_writing =
        !candidates.is_empty() || examined > rows(bounds.worth_a_write) || horizon.is_some();
    Ok(Candidates { found: candidates, examined, horizon, is_worth_writing })
}

fn rows(bound: usize) -> i64 {
    i64::try_from(bound).unwrap_or(i64::MAX)
}

/// The result of a search for candidates.
pub(crate) struct Candidates {
    /// The candidates, oldest first.
    pub(crate) found: Vec<Candidate>,
    /// The number of reminders, messages and revisions that were examined one by one.
    pub(crate) examined: i64,
    /// The time up to which the search went; `None` if it covered everything.
    pub(crate) horizon: Option<Stamp>,
    /// Whether the position is worth moving.
    pub(crate) is_worth_writing: bool,
}

/// The last reminder to consider, if there are more new ones than one transaction should examine.
fn reminders_horizon(conn: &Connection, owner: &InboxOwner, most: i64) -> Result<Option<Stamp>, Error> {
    let sql = "SELECT created_at FROM notifications WHERE kind = 2 AND created_at > ?1 ORDER BY created_at
         LIMIT 1 OFFSET ?2";
    nth(conn, sql, owner, most)
}

/// The last group message to consider, likewise.
fn messages_horizon(conn: &Connection, owner: &InboxOwner, most: i64) -> Result<Option<Stamp>, Error> {
    let sql =
        "SELECT created_at FROM group_messages WHERE created_at > ?1 ORDER BY created_at LIMIT 1 OFFSET ?2";
    nth(conn, sql, owner, most)
}

fn nth(conn: &Connection, sql: &str, owner: &InboxOwner, most: i64) -> Result<Option<Stamp>, Error> {
    let at: Option<i64> = sql::first(conn, sql, [owner.fanned_in_to.as_micros(), most], |r| Ok(r.get(0)?))?;
    Ok(at.map(Stamp::from_micros))
}

fn announcements(conn: &Connection, owner: &InboxOwner, limit: usize) -> Result<Vec<Candidate>, Error> {
    let sql = "SELECT created_at FROM notifications WHERE kind = 1 AND created_at > ?1 ORDER BY created_at LIMIT ?2";
    sql::all(conn, sql, params![owner.fanned_in_to.as_micros(), limit], |r| {
        let at = Stamp::from_micros(r.get(0)?);
        Ok(Candidate { at, created_at: at, kind: CandidateKind::Announcement })
    })
}

/// New messages of the user's groups, and the number examined one by one. Few new messages are tested each; with many,
/// the query goes from the user's groups to their messages.
fn group_messages(
    conn: &Connection,
    owner: &InboxOwner,
    upto: Stamp,
    limit: usize,
    bounds: &Bounds,
) -> Result<(Vec<Candidate>, i64), Error> {
    let tested_rows = rows(bounds.tested_rows);
    let sql = "SELECT count(*) FROM (SELECT 1 FROM group_messages WHERE created_at > ?1 LIMIT ?2)";
    let new_rows: i64 =
        sql::one(conn, sql, [owner.fanned_in_to.as_micros(), tested_rows + 1], |r| Ok(r.get(0)?))?;
    if new_rows == 0 {
        return Ok((Vec::new(), 0));
    }
    let (sql, examined) = if new_rows <= tested_rows {
        let by_message =
            "SELECT m.created_at, g.id FROM group_messages m CROSS JOIN groups g ON g.key = m.group_key
             WHERE m.created_at > ?2 AND m.created_at <= ?4 AND m.sender <> ?1
                 AND EXISTS (SELECT 1 FROM memberships s WHERE s.group_key = m.group_key AND s.user = ?1
                     AND s.joined_at < m.created_at AND (s.left_at = 0 OR s.left_at > m.created_at))
             ORDER BY m.created_at LIMIT ?3";
        (by_message, new_rows)
    } else {
        let by_group = "SELECT m.created_at, g.id FROM memberships s
             CROSS JOIN group_messages m ON m.group_key = s.group_key AND m.created_at > max(s.joined_at, ?2)
                 AND m.created_at <= ?4 AND (s.left_at = 0 OR m.created_at < s.left_at)
             CROSS JOIN groups g ON g.key = s.group_key
             WHERE s.user = ?1 AND (s.left_at = 0 OR s.left_at > ?2) AND m.sender <> ?1
             ORDER BY m.created_at LIMIT ?3";
        (by_group, 0)
    };
    let mut rows = conn.prepare_cached(sql)?;
    let values = params![owner.key.0, owner.fanned_in_to.as_micros(), limit, upto.as_micros()];
    let found = rows
        .query_map(values, |r| {
            let at = Stamp::from_micros(r.get(0)?);
            let view = format!("group:{}", r.get::<_, String>(1)?);
            Ok(Candidate { at, created_at: at, kind: CandidateKind::GroupMessage { view } })
        })?
        .collect::<Result<_, _>>()?;
    Ok((found, examined))
}

/// New content since the last position that this inbox has to take: of what it has, and of reminders that it would get as
/// new publications. At most the bound of revisions is examined; the horizon is the last of them.
fn new_contents(conn: &Connection, owner: &InboxOwner, bounds: &Bounds) -> Result<Candidates, Error> {
    let sql = format!(
        "SELECT n.content_revised_at, n.created_at, n.action, n.target_type, n.target_id,
             n.kind = 2 AND {NOT_OWN} AND (EXISTS (SELECT 1 FROM subscriptions s WHERE s.user = ?1
                     AND s.target_type = n.target_type AND s.target_id = n.target_id AND s.action = n.action
                     AND s.created_at < n.content_revised_at)
                 OR EXISTS (SELECT 1 FROM follows f WHERE f.user = ?1 AND f.actor = n.actor_id
                     AND f.created_at < n.content_revised_at)),
             EXISTS (SELECT 1 FROM items i WHERE i.user = ?1 AND i.created_at = n.created_at)
         FROM notifications n INDEXED BY content_revisions
         WHERE n.content_revised_at > 0 AND n.content_revised_at > ?2 ORDER BY n.content_revised_at LIMIT ?4"
    );
    let mut revised = conn.prepare_cached(&sql)?;
    let values = params![owner.key.0, owner.fanned_in_to.as_micros(), owner.id, bounds.revisions];
    examine(revised.query(values)?, bounds, |row| {
        let (is_entitled, has_item): (bool, bool) = (row.get(5)?, row.get(6)?);
        if is_entitled {
            let (kind, id): (String, String) = (row.get(3)?, row.get(4)?);
            return Ok(Some(CandidateKind::Revised { action: row.get(2)?, view: format!("{kind}:{id}") }));
        }
        Ok(has_item.then_some(CandidateKind::Changed))
    })
}

/// What was cleared or deleted since the last position and is in this inbox, examined likewise.
fn changes(conn: &Connection, owner: &InboxOwner, bounds: &Bounds) -> Result<Candidates, Error> {
    let mut changed = conn.prepare_cached(
        "SELECT n.revised_at, n.created_at,
             EXISTS (SELECT 1 FROM items i WHERE i.user = ?1 AND i.created_at = n.created_at)
         FROM notifications n INDEXED BY withdrawals
         WHERE n.revision > 1 AND n.revised_at > ?2 ORDER BY n.revised_at LIMIT ?3",
    )?;
    let values = params![owner.key.0, owner.fanned_in_to.as_micros(), bounds.revisions];
    examine(changed.query(values)?, bounds, |row| {
        let is_candidate: bool = row.get(2)?;
        Ok(is_candidate.then_some(CandidateKind::Changed))
    })
}

/// The candidates of rows with a time and a creation time.
fn examine(
    mut rows: Rows<'_>,
    bounds: &Bounds,
    kind_of: impl Fn(&Row<'_>) -> rusqlite::Result<Option<CandidateKind>>,
) -> Result<Candidates, Error> {
    let (mut found, mut examined, mut last) = (Vec::new(), 0_usize, None);
    while let Some(row) = rows.next()? {
        let (at, created_at) = (Stamp::from_micros(row.get(0)?), Stamp::from_micros(row.get(1)?));
        (examined, last) = (examined + 1, Some(at));
        if let Some(kind) = kind_of(row)? {
            found.push(Candidate { at, created_at, kind });
        }
    }
    let horizon = last.filter(|_| examined >= bounds.revisions);
    let examined = i64::try_from(examined).unwrap_or(i64::MAX);
    Ok(Candidates { found, examined, horizon, is_worth_writing: false })
}
