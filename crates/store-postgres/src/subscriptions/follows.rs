//! The table `follows`.

use async_trait::async_trait;
use tidings_store::domain::account::UserKey;
use tidings_store::page::ListPage;
use tidings_store::{Error, Follow, FollowStore, ListQuery};

use crate::PostgresStore;
use crate::session::{Session, rows};
use crate::tx::{in_transaction, reading};

async fn get(session: &Session, user: UserKey, actor: &str) -> Result<Option<Follow>, Error> {
    let sql = "SELECT actor, created_at FROM follows WHERE user_key = $1 AND actor = $2";
    session.query_opt(sql, &[&user.0, &actor]).await?.as_ref().map(Follow::from_row).transpose()
}

#[async_trait]
impl FollowStore for PostgresStore {
    async fn follow(&self, user: UserKey, actor: &str) -> Result<Follow, Error> {
        in_transaction!(self, |tx| {
            tx.lock_inbox(user).await?;
            if let Some(existing) = get(tx, user, actor).await? {
                return Ok(existing);
            }
            let created_at = tx.creation_stamp().await?;
            let sql = "INSERT INTO follows (user_key, actor, created_at) VALUES ($1, $2, $3)";
            tx.execute(sql, &[&user.0, &actor, &created_at.as_micros()]).await?;
            Ok(Follow { user: actor.to_owned(), created_at })
        })
    }

    async fn unfollow(&self, user: UserKey, actor: &str) -> Result<(), Error> {
        let sql = "DELETE FROM follows WHERE user_key = $1 AND actor = $2";
        in_transaction!(self, |tx| tx.execute(sql, &[&user.0, &actor]).await)?;
        Ok(())
    }

    async fn follows(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error> {
        let sql = "SELECT actor, created_at FROM follows WHERE user_key = $1 AND actor > $2 ORDER BY actor LIMIT $3";
        let after = page.after.as_deref().unwrap_or_default();
        let found = reading!(self, |s| s.query(sql, &[&user.0, &after, &rows(page.limit)]).await)?;
        ListPage::of(page.limit, found.iter().map(Follow::from_row))
    }

    async fn followed(&self, user: UserKey, actor: &str) -> Result<Option<Follow>, Error> {
        reading!(self, |s| get(s, user, actor).await)
    }
}
