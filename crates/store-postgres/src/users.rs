//! The rows of users, as everything that names one reads them.

use tidings_store::Error;
use tidings_store::domain::account::{User, UserKey, add_found, beginnings};

use super::PostgresStore;
use super::session::{Columns, Session, rows};
use super::tx::{WriteTx, reading};

/// The user with this id.
pub(super) async fn by_id(session: &Session, id: &str) -> Result<Option<User>, Error> {
    let sql = "SELECT key, id, name, created_at FROM users WHERE id = $1 AND id < '~'";
    session.query_opt(sql, &[&id]).await?.as_ref().map(User::from_row).transpose()
}

/// The id of a user; `not_found` if the user was removed.
pub(super) async fn id_of(session: &Session, key: UserKey) -> Result<String, Error> {
    let sql = "SELECT id FROM users WHERE key = $1 AND id < '~'";
    session.query_opt(sql, &[&key.0]).await?.ok_or_else(|| Error::not_found("user"))?.at(0)
}

/// Adds to the number of users, and counts a change of users or tokens, so that processes that cache them notice.
pub(super) async fn count(tx: &WriteTx<'_>, more_users: i64, auth_changed: bool) -> Result<(), Error> {
    let sql = "UPDATE counters SET user_count = user_count + $1, auth_version = auth_version + $2";
    tx.execute(sql, &[&more_users, &i64::from(auth_changed)]).await?;
    Ok(())
}

/// Users with keys greater than `after`, by their keys.
pub(super) async fn users_by_key(
    store: &PostgresStore,
    after: UserKey,
    limit: usize,
) -> Result<Vec<User>, Error> {
    let sql = "SELECT key, id, name, created_at FROM users WHERE key > $1 AND id < '~' ORDER BY key LIMIT $2";
    let found = reading!(store, |s| s.query(sql, &[&after.0, &rows(limit)]).await)?;
    found.iter().map(User::from_row).collect()
}

/// Users whose id begins like a text, or their name, or its second word, or its last one.
const BEGINNING: [&str; 4] = [
    "SELECT key, id, name, created_at FROM users
     WHERE lower(id) >= $1 AND lower(id) < $2 AND id < '~' ORDER BY lower(id) LIMIT $3",
    "SELECT key, id, name, created_at FROM users
     WHERE lower(name) >= $1 AND lower(name) < $2 AND id < '~' ORDER BY lower(name) LIMIT $3",
    "SELECT key, id, name, created_at FROM users
     WHERE lower(substr(name, strpos(name, ' ') + 1)) >= $1 AND lower(substr(name, strpos(name, ' ') + 1)) < $2
         AND strpos(name, ' ') > 0 AND id < '~'
     ORDER BY lower(substr(name, strpos(name, ' ') + 1)) LIMIT $3",
    "SELECT key, id, name, created_at FROM users
     WHERE lower(substring(name from '[^ ]*$')) >= $1 AND lower(substring(name from '[^ ]*$')) < $2
         AND strpos(name, ' ') > 0 AND id < '~'
     ORDER BY lower(substring(name from '[^ ]*$')) LIMIT $3",
];

/// At most `limit` users who are found by the beginning of a word.
pub(super) async fn beginning(session: &Session, typed: &str, limit: usize) -> Result<Vec<User>, Error> {
    let (mut found, ranges, most) = (Vec::new(), beginnings(typed), rows(limit));
    for sql in BEGINNING {
        for (from, before) in &ranges {
            let more = session.query(sql, &[from, before, &most]).await?;
            let more = more.iter().map(User::from_row).collect::<Result<_, _>>()?;
            if !add_found(&mut found, more, limit) {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// A removed user whose rows are not all deleted, and of whom nothing is to be recalled before.
pub(super) async fn next_removed(session: &Session) -> Result<Option<UserKey>, Error> {
    let sql = "SELECT key FROM users u WHERE u.id >= '~' AND NOT EXISTS (
            SELECT 1 FROM former_users f WHERE f.key = u.key AND f.recalls) ORDER BY u.id LIMIT 1";
    let row = session.query_opt(sql, &[]).await?;
    row.map(|row| Ok(UserKey(row.at(0)?))).transpose()
}
