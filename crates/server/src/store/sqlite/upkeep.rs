//! The first row of a new file, recounts, and what is forgotten after a while. Refuses to put anything right in
//! silence.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use tidings_model::{Catalog, Stamp};

use super::conversations;
use super::portions::{Budget, LongWrite};
use super::write_context::WriteContext;
use crate::domain::account::{UserKey, random_name};
use crate::error::Error;
use crate::store::{Difference, StoreMeta};

/// Begins a new file: an epoch, the shipped catalog, and no stamp handed out.
pub(super) fn begin(tx: &Transaction<'_>, _now: Stamp) -> Result<(), Error> {
    let begun = tx.query_row("SELECT 1 FROM head WHERE one = 1", [], |_| Ok(())).optional()?;
    if begun.is_none() {
        tx.execute(
            "INSERT INTO head (one, last_stamp, catalog_version, auth_version, epoch, catalog) VALUES (1, 0, 1, 1, ?1, ?2)",
            params![random_name(), serde_json::to_string(&Catalog::shipped())?],
        )?;
    }
    Ok(())
}

pub(super) fn meta(conn: &Connection) -> Result<StoreMeta, Error> {
    Ok(conn.prepare_cached("SELECT last_stamp, auth_version, users FROM head WHERE one = 1")?.query_row(
        [],
        |r| {
            Ok(StoreMeta {
                last_stamp: Stamp::from_micros(r.get(0)?),
                auth_version: r.get(1)?,
                users: r.get(2)?,
            })
        },
    )?)
}

pub(super) fn epoch(conn: &Connection) -> Result<String, Error> {
    Ok(conn.prepare_cached("SELECT epoch FROM head WHERE one = 1")?.query_row([], |r| r.get(0))?)
}

pub(super) fn new_epoch(ctx: &mut WriteContext<'_>) -> Result<String, Error> {
    let epoch = random_name();
    ctx.next_stamp();
    ctx.tx.execute("UPDATE head SET epoch = ?1 WHERE one = 1", [&epoch])?;
    Ok(epoch)
}

/// What an item's standing must be.
const STANDING: &str = "CASE WHEN i.own = 1 OR i.deleted = 1 OR i.read_at IS NOT NULL THEN 0
    WHEN i.auto = 1 AND max(i.created_at, i.revised_at) <= coalesce(v.mark, -1) THEN 0
    WHEN i.archived_at IS NOT NULL THEN 2 ELSE 1 END";

/// Differences that are told of one kind: more of them say nothing new.
const DIFFERENCES: usize = 1_000;

/// Queries that answer what, stored and counted for every disagreement.
fn recounts(whose: &str) -> String {
    format!(
        "SELECT 'unread mark of ' || n.msgid || ' for ' || u.id, i.unread, {STANDING} FROM items i
         JOIN users u ON u.key = i.user JOIN notifications n ON n.created_at = i.created_at
         LEFT JOIN views v ON v.user = i.user AND v.kind = i.kind AND v.view = i.view
         WHERE i.unread <> {STANDING} {whose} LIMIT {DIFFERENCES}"
    )
}

/// The conversations of a user whose newest item is another one than their row says; 0 for none at all.
const LISTED: &str = "SELECT 'newest item of ' || c.view || ' of ' || u.id, c.last_at, coalesce((SELECT i.created_at
         FROM items i INDEXED BY items_of_conversation WHERE i.user = c.user AND i.kind = 3 AND i.view = c.view
             AND i.deleted = 0 ORDER BY i.created_at DESC LIMIT 1), 0) AS newest
     FROM conversations c CROSS JOIN users u ON u.key = c.user WHERE c.user = ?1 AND c.last_at <> newest LIMIT 1000";

/// The conversations of a user that have items, and no row.
const UNLISTED: &str = "SELECT 'newest item of ' || i.view || ' of ' || u.id, 0, max(i.created_at)
     FROM items i INDEXED BY items_of_conversation CROSS JOIN users u ON u.key = i.user
     WHERE i.user = ?1 AND i.kind = 3 AND i.deleted = 0
         AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.user = i.user AND c.view = i.view)
     GROUP BY i.view LIMIT 1000";

const SHARED: &[&str] = &[
    "SELECT 'users', h.users, c.n FROM head h CROSS JOIN (SELECT count(*) AS n FROM users WHERE id < '~') c
         WHERE h.users <> c.n",
    "SELECT 'subscriptions of ' || u.id, u.subscriptions, c.n FROM users u CROSS JOIN (
         SELECT u2.key AS key, (SELECT count(*) FROM subscriptions s WHERE s.user = u2.key) AS n FROM users u2) c
         ON c.key = u.key WHERE u.id < '~' AND u.subscriptions <> c.n",
    "SELECT 'members of group ' || g.id, g.member_count, c.n FROM groups g CROSS JOIN (
         SELECT g2.key AS key, (SELECT count(*) FROM memberships m WHERE m.group_key = g2.key AND m.left_at = 0) AS n
         FROM groups g2) c ON c.key = g.key WHERE g.member_count <> c.n",
    "SELECT 'readers of ' || n.msgid, m.read_count, (SELECT count(DISTINCT s.user) FROM memberships s
             WHERE s.group_key = m.group_key AND s.user <> m.sender AND s.joined_at < m.created_at
                 AND (s.left_at = 0 OR s.left_at > m.created_at)
                 AND EXISTS (SELECT 1 FROM acks a WHERE a.group_key = m.group_key AND a.user = s.user
                     AND a.through >= m.created_at)) AS counted
         FROM group_messages m JOIN notifications n ON n.created_at = m.created_at WHERE m.read_count <> counted",
    "SELECT 'members who count for ' || n.msgid, m.members, (SELECT count(DISTINCT s.user) FROM memberships s
             WHERE s.group_key = m.group_key AND s.user <> m.sender AND s.joined_at < m.created_at
                 AND (s.left_at = 0 OR s.left_at > m.created_at)) AS counted
         FROM group_messages m JOIN notifications n ON n.created_at = m.created_at WHERE m.members <> counted",
    "SELECT 'items of ' || u.id || ' without a notification', count(*), 0 FROM items i JOIN users u ON u.key = i.user
         WHERE NOT EXISTS (SELECT 1 FROM notifications n WHERE n.created_at = i.created_at) GROUP BY u.id",
    "SELECT 'class of ' || n.msgid || ' for ' || u.id, i.auto, i.kind <> 2 FROM items i JOIN users u ON u.key = i.user
         JOIN notifications n ON n.created_at = i.created_at WHERE i.auto NOT IN (0, 1) OR (i.kind <> 2 AND i.auto = 0)",
    "SELECT 'kind of ' || n.msgid || ' for ' || u.id, i.kind, n.kind FROM items i JOIN users u ON u.key = i.user
         JOIN notifications n ON n.created_at = i.created_at WHERE i.kind <> n.kind",
    "SELECT 'view of ' || n.msgid || ' for ' || u.id || ' (' || i.view || ')', 0, 1 FROM items i
         JOIN users u ON u.key = i.user JOIN notifications n ON n.created_at = i.created_at
         WHERE NOT CASE i.kind WHEN 1 THEN i.view = 'all' WHEN 2 THEN i.view = n.target_type || ':' || n.target_id
             ELSE i.view LIKE 'user:_%' OR i.view LIKE 'group:_%' END",
    "SELECT 'thread of ' || n.msgid || ' for ' || u.id || ' (' || i.action || ')', 0, 1 FROM items i
         JOIN users u ON u.key = i.user JOIN notifications n ON n.created_at = i.created_at
         WHERE i.action <> CASE i.kind WHEN 2 THEN n.action ELSE '' END",
    "SELECT 'whether ' || n.msgid || ' is from ' || u.id, i.own, i.kind <> 2 AND n.actor_id = u.id FROM items i
         JOIN users u ON u.key = i.user JOIN notifications n ON n.created_at = i.created_at
         WHERE i.own <> (i.kind <> 2 AND n.actor_id = u.id) AND u.id < '~'",
    "SELECT 'revision of ' || n.msgid || ' for ' || u.id, i.revised_at, n.revised_at FROM items i
         JOIN users u ON u.key = i.user JOIN notifications n ON n.created_at = i.created_at
         WHERE i.revised_at > n.revised_at OR (i.revised_at > 0 AND i.revised_at <= i.created_at)",
    "SELECT 'newest item of ' || c.view || ' of ' || u.id, c.last_at, coalesce((SELECT max(i.created_at) FROM items i
             WHERE i.user = c.user AND i.kind = 3 AND i.view = c.view AND i.deleted = 0), 0) AS newest
         FROM conversations c JOIN users u ON u.key = c.user WHERE c.last_at <> newest",
    "SELECT 'conversations of ' || u.id || ' that are not listed', 0, count(DISTINCT i.view) FROM items i
         JOIN users u ON u.key = i.user WHERE i.kind = 3 AND i.deleted = 0 AND NOT EXISTS (
             SELECT 1 FROM conversations c WHERE c.user = i.user AND c.view = i.view) GROUP BY u.id",
    "SELECT 'views of no kind of ' || u.id, count(*), 0 FROM views v JOIN users u ON u.key = v.user
         WHERE v.kind NOT IN (1, 2, 3) OR (v.kind = 1 AND v.view <> 'all') GROUP BY u.id",
    "SELECT 'stamps of items and views of ' || u.id || ' that are the same', count(*), 0 FROM views v
         JOIN users u ON u.key = v.user JOIN items i ON i.user = v.user AND i.stamp = v.stamp GROUP BY u.id",
    "SELECT 'stamps beyond the newest one handed out', count(*), 0 FROM (
             SELECT stamp AS s FROM items UNION ALL SELECT created_at FROM notifications UNION ALL SELECT stamp FROM views
             UNION ALL SELECT mark FROM views UNION ALL SELECT revised_at FROM items
             UNION ALL SELECT revised_at FROM notifications UNION ALL SELECT pulled_to FROM users
             UNION ALL SELECT stamp FROM receipts) WHERE s > (SELECT last_stamp FROM head) HAVING count(*) > 0",
    "SELECT 'items of ' || u.id || ' at one stamp', count(*), 1 FROM items i JOIN users u ON u.key = i.user
         GROUP BY i.user, i.stamp HAVING count(*) > 1",
];

pub(super) fn check(conn: &Connection) -> Result<Vec<Difference>, Error> {
    let mut found = differences(conn, &recounts(""), &[])?;
    for sql in SHARED {
        found.extend(differences(conn, sql, &[])?);
    }
    Ok(found)
}

fn differences(
    conn: &Connection,
    sql: &str,
    values: &[&dyn rusqlite::ToSql],
) -> Result<Vec<Difference>, Error> {
    let mut rows = conn.prepare(sql)?;
    let found = rows
        .query_map(values, |r| {
            Ok(Difference {
                what: r.get(0)?,
                stored: r.get::<_, i64>(1)?.to_string(),
                counted: r.get::<_, i64>(2)?.to_string(),
            })
        })?
        .collect::<Result<_, _>>()?;
    Ok(found)
}

/// What disagrees for whom, and the last of the users that were considered.
type Recount = (Vec<(UserKey, Difference)>, Option<UserKey>);

/// Users who are asked at most whether their inbox changed lately, before the next batch.
const WINDOW: usize = 20_000;

/// Recounts for the next few users whose inbox changed after a stamp; what disagrees, and after whom to go on.
pub(super) fn recount(
    conn: &Connection,
    after: UserKey,
    since: Stamp,
    batch: usize,
) -> Result<Recount, Error> {
    // An inbox changes with an item or with the mark of a view; the newest of each is the end of an index.
    let mut rows = conn.prepare_cached(
        "SELECT u.key, coalesce((SELECT max(stamp) FROM items WHERE user = u.key), 0) > ?2
             OR coalesce((SELECT max(stamp) FROM views WHERE user = u.key), 0) > ?2
         FROM users u WHERE u.key > ?1 ORDER BY u.key LIMIT ?3",
    )?;
    let mut rows = rows.query(params![after.0, since.as_micros(), WINDOW])?;
    let (mut active, mut last) = (Vec::new(), None);
    while active.len() < batch
        && let Some(row) = rows.next()?
    {
        let user = UserKey(row.get(0)?);
        last = Some(user);
        if row.get(1)? {
            active.push(user);
        }
    }
    let mut found = Vec::new();
    for user in active {
        for sql in [recounts("AND i.user = ?1").as_str(), LISTED, UNLISTED] {
            let differing = differences(conn, sql, &[&user.0])?;
            found.extend(differing.into_iter().map(|d| (user, d)));
        }
    }
    Ok((found, last))
}

/// Puts right what disagrees in one inbox, a few rows at a time: its unread marks, then its list of conversations.
pub(super) struct Repair {
    user: UserKey,
    at: Stage,
}

/// How far a repair got.
enum Stage {
    /// The items after this one are next.
    Items(Stamp),
    /// The conversations after this one are next.
    Conversations(String),
    /// Then what is listed and has no items, after this one.
    Listed(String),
    Done,
}

impl Repair {
    pub(super) fn new(user: UserKey) -> Self {
        Self { user, at: Stage::Items(Stamp::ZERO) }
    }
}

impl LongWrite for Repair {
    fn portion(&mut self, ctx: &mut WriteContext<'_>, budget: &mut Budget) -> Result<bool, Error> {
        loop {
            let rows = budget.batch_rows();
            self.at = match &self.at {
                Stage::Items(after) => match repair_items(ctx, self.user, *after, rows)? {
                    Some(last) => Stage::Items(last),
                    None => Stage::Conversations(String::new()),
                },
                Stage::Conversations(after) => {
                    match conversations::repair_listed(ctx, self.user, after, rows)? {
                        Some(last) => Stage::Conversations(last),
                        None => Stage::Listed(String::new()),
                    }
                }
                Stage::Listed(after) => match conversations::repair_unlisted(ctx, self.user, after, rows)? {
                    Some(last) => Stage::Listed(last),
                    None => Stage::Done,
                },
                Stage::Done => return Ok(true),
            };
            budget.charge_writes(rows);
            if budget.is_spent() {
                return Ok(matches!(self.at, Stage::Done));
            }
        }
    }
}

/// Puts right what is wrong among the next items of a user after a time, at most `batch` of them looked at; answers
/// after which to go on, or none at the end.
fn repair_items(
    ctx: &mut WriteContext<'_>,
    user: UserKey,
    after: Stamp,
    batch: usize,
) -> Result<Option<Stamp>, Error> {
    let last: Option<i64> = ctx
        .tx
        .prepare_cached(
            "SELECT created_at FROM items WHERE user = ?1 AND created_at > ?2 ORDER BY created_at LIMIT 1 OFFSET ?3",
        )?
        .query_row(params![user.0, after.as_micros(), batch], |r| r.get(0))
        .optional()?;
    ctx.tx
        .prepare_cached(&format!(
            "UPDATE items AS o SET unread = (SELECT {STANDING} FROM items i LEFT JOIN views v
                 ON v.user = i.user AND v.kind = i.kind AND v.view = i.view
                 WHERE i.user = o.user AND i.created_at = o.created_at)
             WHERE o.user = ?1 AND o.created_at > ?2 AND o.created_at <= ?3"
        ))?
        .execute([user.0, after.as_micros(), last.unwrap_or(i64::MAX)])?;
    Ok(last.map(Stamp::from_micros))
}
