//! Users, and what those who were removed leave behind.

use async_trait::async_trait;
use rusqlite::{Connection, ToSql, params};
use tidings_model::{Code, Stamp};
use tidings_store::domain::account::{add_found, beginnings, taken_for_good};
use tidings_store::written::{COLUMNS, WrittenBuilder};
use tidings_store::{
    Error, Idempotency, ListPage, ListQuery, Outcome, User, UserKey, UserStore, WrittenContent, WrittenPage,
};

use crate::portions::{DeleteInBatches, LongWrite};
use crate::tables::users::{self, SELECT_USER};
use crate::tables::{former_users, meta};
use crate::upkeep::removal;
use crate::write_tx::WriteTx;
use crate::{SHARED_QUEUE, SqliteStore, sql};

/// Users whose id begins like a text, or their name, or its second word, or its last one.
const BEGINNING: [&str; 4] = [
    "SELECT key, id, name, created_at FROM users INDEXED BY users_by_folded_id
     WHERE lower(id) >= ?1 AND lower(id) < ?2 AND id < '~' ORDER BY lower(id) LIMIT ?3",
    "SELECT key, id, name, created_at FROM users INDEXED BY users_by_folded_name
     WHERE lower(name) >= ?1 AND lower(name) < ?2 AND id < '~' ORDER BY lower(name) LIMIT ?3",
    "SELECT key, id, name, created_at FROM users INDEXED BY users_by_second_word
     WHERE lower(substr(name, instr(name, ' ') + 1)) >= ?1 AND lower(substr(name, instr(name, ' ') + 1)) < ?2
         AND instr(name, ' ') > 0 AND id < '~'
     ORDER BY lower(substr(name, instr(name, ' ') + 1)) LIMIT ?3",
    "SELECT key, id, name, created_at FROM users INDEXED BY users_by_last_word
     WHERE lower(replace(name, rtrim(name, replace(name, ' ', '')), '')) >= ?1
         AND lower(replace(name, rtrim(name, replace(name, ' ', '')), '')) < ?2
         AND instr(name, ' ') > 0 AND id < '~'
     ORDER BY lower(replace(name, rtrim(name, replace(name, ' ', '')), '')) LIMIT ?3",
];

/// The creation times of the publications of a user's tokens, of those whose actor is the user, and of messages in the
/// user's name. They are after `?2`, and at most `?3`. The last condition of `ACTED` follows from the one before it; by it
/// SQLite knows that the index has all of them.
const PUBLISHED: &str = "SELECT created_at FROM notifications INDEXED BY notifications_by_publisher
    WHERE publisher = ?1 AND publisher > 0 AND created_at > ?2 ORDER BY created_at LIMIT ?3";
const ACTED: &str = "SELECT created_at FROM notifications INDEXED BY reminders_by_actor
    WHERE kind = 2 AND actor_id = ?1 AND created_at > ?2 AND NOT (target_type = 'topic' AND target_id = actor_id)
        AND NOT (action = 'publish' AND target_type = 'topic' AND target_id = actor_id)
    ORDER BY created_at LIMIT ?3";
const SENT: &str = "SELECT created_at FROM items
    WHERE user = ?1 AND created_at > ?2 AND own = 1 AND kind = 3 ORDER BY created_at LIMIT ?3";

#[async_trait]
impl UserStore for SqliteStore {
    async fn add_user(
        &self,
        id: &str,
        name: &str,
        idempotency: Option<Idempotency<User>>,
    ) -> Result<Outcome<User>, Error> {
        let (id, name) = (id.to_owned(), name.to_owned());
        self.write(move |w| {
            w.idempotent(idempotency, |w| {
                if users::by_id(w.tx, &id)?.is_some() {
                    return Err(Error::refused(Code::Conflict, format!("the user `{id}` already exists")));
                }
                if former_users::is_taken(w.tx, &id)? {
                    return Err(Error::refused(Code::Conflict, taken_for_good(&id)));
                }
                let created_at = w.next_stamp();
                let sql = "INSERT INTO users (id, name, created_at, fanned_in_to) VALUES (?1, ?2, ?3, ?3)";
                sql::run(w.tx, sql, params![id, name, created_at.as_micros()])?;
                let key = UserKey(w.tx.last_insert_rowid());
                meta::count_users(w, 1)?;
                Ok(User { key, id, name, created_at })
            })
        })
        .await
    }

    async fn rename_user(&self, id: &str, name: &str) -> Result<User, Error> {
        let (id, name) = (id.to_owned(), name.to_owned());
        self.write(move |w| {
            let user = users::by_id(w.tx, &id)?.ok_or_else(|| Error::not_found("user"))?;
            sql::run(w.tx, "UPDATE users SET name = ?2 WHERE key = ?1", params![user.key.0, name])?;
            meta::bump_auth_version(w)?;
            Ok(User { name, ..user })
        })
        .await
    }

    async fn remove_user(&self, id: &str, written: WrittenContent) -> Result<(), Error> {
        let id = id.to_owned();
        let budget = self.budget();
        self.write(move |w| {
            let user = users::remove(w, &id, written)?;
            let portion = match written {
                WrittenContent::Keep => removal::portion,
                WrittenContent::Delete => removal::first,
            };
            DeleteInBatches(move |w: &mut WriteTx<'_>, rows| portion(w, user, rows))
                .portion(w, &mut budget())?;
            Ok(())
        })
        .await
    }

    async fn removal_pending(&self) -> Result<bool, Error> {
        self.read(|c| sql::exists(c, "SELECT 1 FROM users WHERE id >= '~' LIMIT 1", [])).await
    }

    async fn written(
        &self,
        user: UserKey,
        id: &str,
        after: Stamp,
        limit: usize,
    ) -> Result<WrittenPage, Error> {
        let id = id.to_owned();
        self.read_long(user, move |c| written(c, user, &id, after, limit)).await
    }

    async fn to_recall(&self, limit: usize) -> Result<Option<(UserKey, WrittenPage)>, Error> {
        self.read_long(SHARED_QUEUE, move |c| {
            let Some(former) = former_users::next_recalled(c)? else { return Ok(None) };
            let page = written(c, former.key, &former.id, former.recalled_to, limit)?;
            Ok(Some((former.key, page)))
        })
        .await
    }

    async fn recalled(&self, user: UserKey, through: Stamp, all: bool) -> Result<(), Error> {
        let sql = "UPDATE former_users SET recalled_to = ?2, recalls = ?3 WHERE key = ?1";
        self.write(move |w| sql::run(w.tx, sql, params![user.0, through.as_micros(), !all]).map(drop)).await
    }

    async fn user(&self, id: &str) -> Result<Option<User>, Error> {
        let id = id.to_owned();
        self.read(move |c| users::by_id(c, &id)).await
    }

    async fn users(&self, page: ListQuery) -> Result<ListPage, Error> {
        let sql = format!("{SELECT_USER} WHERE id > ?1 AND id < '~' ORDER BY id");
        self.read_long(SHARED_QUEUE, move |c| {
            sql::page(c, &sql, [page.after.unwrap_or_default()], page.limit, |r| User::from_row(r))
        })
        .await
    }

    async fn users_beginning(&self, typed: &str, limit: usize) -> Result<Vec<User>, Error> {
        let ranges = beginnings(typed);
        self.read(move |c| {
            let mut found = Vec::new();
            for sql in BEGINNING {
                for (from, before) in &ranges {
                    let more = sql::all(c, sql, params![from, before, limit], |r| User::from_row(r))?;
                    if !add_found(&mut found, more, limit) {
                        return Ok(found);
                    }
                }
            }
            Ok(found)
        })
        .await
    }
}

/// What a user wrote after a time, at most `limit` publications.
fn written(
    conn: &Connection,
    user: UserKey,
    id: &str,
    after: Stamp,
    limit: usize,
) -> Result<WrittenPage, Error> {
    let mut found: Vec<i64> = Vec::new();
    let by: [(&str, &dyn ToSql); 3] = [(PUBLISHED, &user.0), (ACTED, &id), (SENT, &user.0)];
    for (sql, who) in by {
        let mut rows = conn.prepare_cached(sql)?;
        let times = rows.query_map(params![who, after.as_micros(), limit], |r| r.get(0))?;
        found.extend(times.collect::<Result<Vec<i64>, _>>()?);
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(limit);
    let upto = found.last().filter(|_| found.len() == limit).copied().map(Stamp::from_micros);
    let mut page = WrittenBuilder::new(after, limit);
    let mut read =
        conn.prepare_cached(&format!("SELECT {COLUMNS} FROM notifications n WHERE n.created_at = ?1"))?;
    for at in found {
        let mut rows = read.query([at])?;
        if let Some(row) = rows.next()?
            && !page.push(row)?
        {
            break;
        }
    }
    Ok(page.finish(upto))
}
