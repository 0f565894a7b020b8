//! The table `follows`.

use async_trait::async_trait;
use rusqlite::{Connection, params};
use tidings_store::{Error, Follow, FollowStore, ListPage, ListQuery, UserKey};

use crate::tables::users;
use crate::{SqliteStore, sql};

#[async_trait]
impl FollowStore for SqliteStore {
    async fn follow(&self, user: UserKey, actor: &str) -> Result<Follow, Error> {
        let actor = actor.to_owned();
        self.write(move |w| {
            users::id_of(w.tx, user)?;
            if let Some(existing) = get(w.tx, user, &actor)? {
                return Ok(existing);
            }
            let created_at = w.next_stamp();
            let sql = "INSERT INTO follows (user, actor, created_at) VALUES (?1, ?2, ?3)";
            sql::run(w.tx, sql, params![user.0, actor, created_at.as_micros()])?;
            Ok(Follow { user: actor, created_at })
        })
        .await
    }

    async fn unfollow(&self, user: UserKey, actor: &str) -> Result<(), Error> {
        let (actor, sql) = (actor.to_owned(), "DELETE FROM follows WHERE user = ?1 AND actor = ?2");
        self.write(move |w| sql::run(w.tx, sql, params![user.0, actor]).map(drop)).await
    }

    async fn follows(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error> {
        let sql = "SELECT actor, created_at FROM follows WHERE user = ?1 AND actor > ?2 ORDER BY actor";
        let after = page.after.unwrap_or_default();
        self.read_long(user, move |c| {
            sql::page(c, sql, params![user.0, after], page.limit, |r| Follow::from_row(r))
        })
        .await
    }

    async fn followed(&self, user: UserKey, actor: &str) -> Result<Option<Follow>, Error> {
        let actor = actor.to_owned();
        self.read(move |c| get(c, user, &actor)).await
    }
}

fn get(conn: &Connection, user: UserKey, actor: &str) -> Result<Option<Follow>, Error> {
    let sql = "SELECT actor, created_at FROM follows WHERE user = ?1 AND actor = ?2";
    sql::first(conn, sql, params![user.0, actor], |r| Follow::from_row(r))
}
