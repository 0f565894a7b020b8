//! Reads a page of a pull.

use rusqlite::{Connection, params};
use tidings_model::Stamp;
use tidings_store::domain::account::UserKey;
use tidings_store::page::PullPage;
use tidings_store::pull_builder::PullBuilder;
use tidings_store::{Bounds, Error};

use super::row;
use crate::tables::{deliveries, groups, meta, users};

/// A page of a pull: items and read marks that are new or changed after a stamp, in stamp order. The marks of others
/// and the groups that changed come with it.
pub(crate) fn sync(
    conn: &Connection,
    user: UserKey,
    since: Stamp,
    limit: usize,
    bounds: &Bounds,
) -> Result<PullPage, Error> {
    let mut page = PullBuilder::new(since, limit, bounds);
    push_items(conn, user, since, &mut page)?;
    push_marks(conn, user, since, &mut page)?;
    push_peer_marks(conn, user, since, &mut page)?;
    push_closed(conn, user, since, &mut page)?;
    // Who pulls for the first time asks for each group as it comes.
    let groups = if since == Stamp::ZERO {
        Vec::new()
    } else {
        groups::changed(conn, user, (since, page.upto()), page.groups_wanted(), bounds.tested_rows)?
    };
    let mut page = page.finish(groups, meta::epoch(conn)?, meta::forgotten_before(conn)?);
    if let Some(newest) = page.delivered_to {
        page.delivered_to = deliveries::reached(conn, user, newest, page.more.then_some(page.next))?;
    }
    Ok(page)
}

fn push_items(conn: &Connection, user: UserKey, since: Stamp, page: &mut PullBuilder) -> Result<(), Error> {
    let mut rows = conn.prepare_cached(&format!(
        "SELECT {} FROM {} WHERE i.user = ?1 AND i.stamp > ?2 ORDER BY i.stamp",
        row::COLUMNS,
        row::FROM
    ))?;
    let mut rows = rows.query(params![user.0, since.as_micros()])?;
    while let Some(row) = rows.next()?
        && page.push_item(row)?
    {}
    Ok(())
}

/// The read marks that moved between the two stamps.
fn push_marks(conn: &Connection, user: UserKey, since: Stamp, page: &mut PullBuilder) -> Result<(), Error> {
    let mut rows = conn.prepare_cached(
        "SELECT kind, view, mark, stamp FROM read_marks WHERE user = ?1 AND stamp > ?2 AND stamp <= ?3 ORDER BY stamp",
    )?;
    let mut rows = rows.query(params![user.0, since.as_micros(), page.upto().as_micros()])?;
    while let Some(row) = rows.next()?
        && page.push_mark(row)?
    {}
    Ok(())
}

/// The conversations that were closed between the two stamps.
fn push_closed(conn: &Connection, user: UserKey, since: Stamp, page: &mut PullBuilder) -> Result<(), Error> {
    let mut rows = conn.prepare_cached(
        "SELECT view, name, stamp FROM closed_conversations INDEXED BY closed_conversations_by_stamp
         WHERE user = ?1 AND stamp > ?2 AND stamp <= ?3 ORDER BY stamp",
    )?;
    let mut rows = rows.query(params![user.0, since.as_micros(), page.upto().as_micros()])?;
    while let Some(row) = rows.next()?
        && page.push_closed(row)?
    {}
    Ok(())
}

/// How far the others read the user's conversations with one person, as far as that moved between the two stamps. The marks
/// are the others' own, on their view of this user.
fn push_peer_marks(
    conn: &Connection,
    user: UserKey,
    since: Stamp,
    page: &mut PullBuilder,
) -> Result<(), Error> {
    let view = format!("user:{}", users::id_of(conn, user)?);
    let mut rows = conn.prepare_cached(
        "SELECT u.id, m.mark, m.stamp FROM read_marks m INDEXED BY read_marks_of_peers CROSS JOIN users u ON u.key = m.user
         WHERE m.kind = 3 AND m.view = ?1 AND m.stamp > ?2 AND m.stamp <= ?3 AND m.user <> ?4 AND u.id < '~'
             AND EXISTS (SELECT 1 FROM conversations c WHERE c.user = ?4 AND c.view = 'user:' || u.id)
         ORDER BY m.stamp",
    )?;
    let mut rows = rows.query(params![view, since.as_micros(), page.upto().as_micros(), user.0])?;
    while let Some(row) = rows.next()?
        && page.push_peer_mark(row)?
    {}
    Ok(())
}
