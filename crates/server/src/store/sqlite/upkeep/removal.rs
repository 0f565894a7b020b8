//! Deletes the rows of removed users, in portions between which other writes go.

use rusqlite::params;

use crate::domain::account::UserKey;
use crate::error::Error;
use crate::store::sqlite::groups;
use crate::store::sqlite::tables::{
    applied_ops, files, follows, gotify, items, preferences, read_marks, receipts, stored_responses,
    subscriptions, tokens, users,
};
use crate::store::sqlite::write_tx::WriteTx;

/// The deletions of a user's rows, in their order: stored responses are found by the tokens, which go after them.
const DELETIONS: &[&str] = &[
    stored_responses::DELETE_OF_USER,
    tokens::DELETE_OF_USER,
    items::DELETE_OF_USER,
    read_marks::DELETE_OF_USER,
    applied_ops::DELETE_OF_USER,
    subscriptions::DELETE_OF_USER,
    follows::DELETE_OF_USER,
    preferences::DELETE_OF_USER,
    receipts::DELETE_OF_USER,
    gotify::messages::DELETE_OF_USER,
    gotify::images::DELETE_OF_USER,
    gotify::applications::DELETE_OF_USER,
    files::EXPIRE_OF_USER,
];

/// Deletes at most `batch` rows of a removed user; gives their number. Fewer than `batch` means that nothing is left.
pub(crate) fn portion(ctx: &mut WriteTx<'_>, user: UserKey, batch: usize) -> Result<usize, Error> {
    let mut left = batch - groups::leave_groups(ctx, user, batch)?;
    for sql in DELETIONS {
        if left == 0 {
            return Ok(batch);
        }
        left -= ctx.tx.prepare_cached(sql)?.execute(params![user.0, left])?.min(left);
    }
    if left == 0 {
        return Ok(batch);
    }
    users::delete_removed(ctx, user)?;
    Ok(batch - left)
}
