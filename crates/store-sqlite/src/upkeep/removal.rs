//! Deletes the rows of removed users, and what nobody can read any more, in portions between which other writes go.
//! Each portion finds the remaining rows by looking, so that it goes on after a crash.

use rusqlite::params;
use tidings_model::gotify::APPLICATION_TARGET;
use tidings_model::{Kind, MsgId, Stamp};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::limits::SHORT_WRITE_ROWS;
use tidings_store::statements::{DELETE_FIRST_OF_USER, DELETE_OF_USER};

use crate::groups;
use crate::sql;
use crate::tables::former_users::{self, FormerUser};
use crate::tables::{closed_conversations, files, items, notifications, revision_ids, sequences, users};
use crate::write_tx::WriteTx;

/// Deletes at most `batch` rows of a removed user; gives their number. Fewer than `batch` means that nothing is left.
pub(crate) fn portion(ctx: &mut WriteTx<'_>, user: UserKey, batch: usize) -> Result<usize, Error> {
    let mut left = batch - first(ctx, user, batch)?;
    // One of an earlier version has left no id.
    if let Some(former) = former_users::get(ctx.tx, user)?
        && left > 0
    {
        left -= published(ctx, &former, left)?;
    }
    if left > 0 {
        left -= items_of(ctx, user, left)?;
    }
    left -= run(ctx, DELETE_OF_USER, user, left)?;
    if left > 0 {
        users::delete_removed(ctx, user)?;
    }
    Ok(batch - left)
}

/// What is done at once also for a user of whom everything is recalled before the rest goes.
pub(crate) fn first(ctx: &mut WriteTx<'_>, user: UserKey, batch: usize) -> Result<usize, Error> {
    let left_groups = groups::leave_groups(ctx, user, batch)?;
    Ok(left_groups + run(ctx, DELETE_FIRST_OF_USER, user, batch - left_groups)?)
}

fn run(ctx: &WriteTx<'_>, deletions: &[&str], user: UserKey, batch: usize) -> Result<usize, Error> {
    let mut left = batch;
    for sql in deletions {
        if left == 0 {
            break;
        }
        left -= sql::run(ctx.tx, &sql::shared(sql), params![user.0, left])?.min(left);
    }
    Ok(batch - left)
}

/// Looks through what a user published: its names go, and files that nobody else can have. Gives the number of
/// publications.
fn published(ctx: &mut WriteTx<'_>, former: &FormerUser, batch: usize) -> Result<usize, Error> {
    let found = notifications::published_after(ctx.tx, former.key, former.published_to, batch)?;
    for publication in &found {
        sequences::delete_of(ctx, publication.created_at)?;
        if !is_for_others(ctx, former.key, publication.created_at)? {
            files::expire_of(ctx, &publication.msgid)?;
            if publication.target_type == APPLICATION_TARGET {
                forget(ctx, former.key, publication.created_at, &publication.msgid)?;
            }
        }
    }
    if let Some(last) = found.last() {
        former_users::set_published(ctx, former.key, last.created_at)?;
    }
    Ok(found.len())
}

/// Whether somebody else has a notification, or gets it with the next pull.
fn is_for_others(ctx: &WriteTx<'_>, user: UserKey, created_at: Stamp) -> Result<bool, Error> {
    if is_read_by_others(ctx, user, created_at)? {
        return Ok(true);
    }
    let sql = "SELECT n.kind = 1
                     OR (n.kind = 2 AND EXISTS (SELECT 1 FROM subscriptions s INDEXED BY subscriptions_by_target
                         WHERE s.target_type = n.target_type AND s.target_id = n.target_id AND s.action = n.action
                             AND s.user <> ?2 AND s.created_at < n.created_at))
                     OR (n.kind = 2 AND EXISTS (SELECT 1 FROM follows f INDEXED BY follows_by_actor
                         WHERE f.actor = n.actor_id AND f.user <> ?2 AND f.created_at < n.created_at))
                 FROM notifications n WHERE n.created_at = ?1";
    let is_wanted = sql::first(ctx.tx, sql, [created_at.as_micros(), user.0], |r| Ok(r.get(0)?))?;
    Ok(is_wanted.unwrap_or(false))
}

/// Whether another user can read a notification: it is in another inbox, or was posted to a group in which another user was.
fn is_read_by_others(ctx: &WriteTx<'_>, user: UserKey, created_at: Stamp) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM items i INDEXED BY items_by_age CROSS JOIN users u ON u.key = i.user
                     WHERE i.created_at = ?1 AND i.user <> ?2 AND i.deleted = 0 AND u.id < '~')
                 OR EXISTS (SELECT 1 FROM group_messages m
                     CROSS JOIN memberships s ON s.group_key = m.group_key CROSS JOIN users u ON u.key = s.user
                     WHERE m.created_at = ?1 AND s.user <> ?2 AND s.user <> m.sender AND s.joined_at < m.created_at
                         AND (s.left_at = 0 OR s.left_at > m.created_at) AND u.id < '~'
                         AND NOT EXISTS (SELECT 1 FROM items i WHERE i.user = s.user AND i.created_at = m.created_at))";
    sql::one(ctx.tx, sql, [created_at.as_micros(), user.0], |r| Ok(r.get(0)?))
}

/// Deletes a notification that nobody can read any more, with its files. If it was deleted in another inbox, only its
/// content goes.
fn forget(ctx: &WriteTx<'_>, user: UserKey, created_at: Stamp, msgid: &MsgId) -> Result<(), Error> {
    files::expire_of(ctx, msgid)?;
    let sql = "SELECT 1 FROM items INDEXED BY items_by_age WHERE created_at = ?1 AND user <> ?2";
    let is_held = sql::exists(ctx.tx, sql, [created_at.as_micros(), user.0])?;
    if is_held {
        return notifications::blank(ctx, created_at);
    }
    while revision_ids::delete_of(ctx, created_at, SHORT_WRITE_ROWS)? > 0 {}
    notifications::delete(ctx, created_at)
}

/// An item of a user who is being removed.
struct OwnItem {
    created_at: Stamp,
    kind: Kind,
    view: String,
    msgid: Option<MsgId>,
}

/// Deletes the next items of a user, in the order of their creation: conversations with others are closed, and what nobody
/// can read any more goes. Gives the number of items.
fn items_of(ctx: &mut WriteTx<'_>, user: UserKey, batch: usize) -> Result<usize, Error> {
    let former = former_users::get(ctx.tx, user)?;
    let found = own_items(ctx, user, batch)?;
    for item in &found {
        let peer = item.view.strip_prefix("user:").filter(|_| item.kind == Kind::Message);
        if let (Some(peer), Some(former)) = (peer, &former)
            && let Some(other) = users::by_id(ctx.tx, peer)?
        {
            closed_conversations::close(ctx, other.key, &format!("user:{}", former.id), &former.name)?;
        }
        let is_private =
            item.kind == Kind::Message || item.view.starts_with(&format!("{APPLICATION_TARGET}:"));
        if let Some(msgid) = item.msgid.as_ref().filter(|_| is_private)
            && !is_read_by_others(ctx, user, item.created_at)?
        {
            forget(ctx, user, item.created_at, msgid)?;
        }
    }
    if let Some(last) = found.last() {
        items::delete_through(ctx, user, last.created_at)?;
    }
    Ok(found.len())
}

fn own_items(ctx: &WriteTx<'_>, user: UserKey, batch: usize) -> Result<Vec<OwnItem>, Error> {
    use tidings_store::fields::Fields;
    let mut rows = ctx.tx.prepare_cached(
        "SELECT i.created_at, i.kind, i.view, n.msgid FROM items i
         LEFT JOIN notifications n ON n.created_at = i.created_at WHERE i.user = ?1 ORDER BY i.created_at LIMIT ?2",
    )?;
    let mut rows = rows.query(params![user.0, batch])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let msgid = row.text_or_null(3)?.map(|msgid| MsgId(msgid.to_owned()));
        found.push(OwnItem { created_at: row.stamp(0)?, kind: row.kind(1)?, view: row.string(2)?, msgid });
    }
    Ok(found)
}
