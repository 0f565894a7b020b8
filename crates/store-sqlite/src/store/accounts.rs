//! Users and tokens.

use async_trait::async_trait;
use tidings_model::Stamp;
use tidings_store::{
    Bearer, Error, Idempotency, ListPage, ListQuery, NewToken, Outcome, StoredResponse, Token, TokenStore,
    User, UserKey, UserStore, WrittenContent, WrittenPage,
};

use crate::portions::{DeleteInBatches, LongWrite};
use crate::publishing::written;
use crate::tables::{former_users, stored_responses, tokens, users};
use crate::upkeep::removal;
use crate::write_tx::WriteTx;
use crate::{SHARED_QUEUE, SqliteStore};

#[async_trait]
impl UserStore for SqliteStore {
    async fn add_user(
        &self,
        id: &str,
        name: &str,
        idempotency: Option<Idempotency<User>>,
    ) -> Result<Outcome<User>, Error> {
        let (id, name) = (id.to_owned(), name.to_owned());
        self.write(move |w| w.idempotent(idempotency, |w| users::add(w, &id, &name))).await
    }

    async fn rename_user(&self, id: &str, name: &str) -> Result<User, Error> {
        let (id, name) = (id.to_owned(), name.to_owned());
        self.write(move |w| users::rename(w, &id, &name)).await
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
        self.read(users::any_removed).await
    }

    async fn written(
        &self,
        user: UserKey,
        id: &str,
        after: Stamp,
        limit: usize,
    ) -> Result<WrittenPage, Error> {
        let id = id.to_owned();
        self.read_long(user, move |c| written::page(c, user, &id, after, limit)).await
    }

    async fn to_recall(&self, limit: usize) -> Result<Option<(UserKey, WrittenPage)>, Error> {
        self.read_long(SHARED_QUEUE, move |c| {
            let Some(former) = former_users::next_recalled(c)? else { return Ok(None) };
            let page = written::page(c, former.key, &former.id, former.recalled_to, limit)?;
            Ok(Some((former.key, page)))
        })
        .await
    }

    async fn recalled(&self, user: UserKey, through: Stamp, all: bool) -> Result<(), Error> {
        self.write(move |w| former_users::set_recalled(w, user, through, all)).await
    }

    async fn user(&self, id: &str) -> Result<Option<User>, Error> {
        let id = id.to_owned();
        self.read(move |c| users::by_id(c, &id)).await
    }

    async fn users(&self, page: ListQuery) -> Result<ListPage, Error> {
        self.read_long(SHARED_QUEUE, move |c| users::page(c, &page)).await
    }

    async fn users_beginning(&self, typed: &str, limit: usize) -> Result<Vec<User>, Error> {
        let typed = typed.to_owned();
        self.read(move |c| users::beginning(c, &typed, limit)).await
    }
}

#[async_trait]
impl TokenStore for SqliteStore {
    async fn add_token(
        &self,
        user: &str,
        token: NewToken,
        idempotency: Option<Idempotency<Token>>,
    ) -> Result<Outcome<Token>, Error> {
        let user = user.to_owned();
        self.write(move |w| w.idempotent(idempotency, |w| tokens::add(w, &user, token))).await
    }

    async fn tokens(&self, user: Option<UserKey>, page: ListQuery) -> Result<ListPage, Error> {
        self.read_long(SHARED_QUEUE, move |c| tokens::page(c, user, &page)).await
    }

    async fn revoke(&self, id: &str, by: Option<&Bearer>) -> Result<(), Error> {
        let (token, by) = (id.to_owned(), by.cloned());
        self.write(move |w| tokens::revoke(w, &token, by.as_ref())).await?;
        self.delete_descendants(id.to_owned()).await
    }

    async fn revoke_program_tokens(&self) -> Result<(), Error> {
        self.write(tokens::revoke_program_tokens).await
    }

    async fn bearer(&self, hash: [u8; 32]) -> Result<Option<Bearer>, Error> {
        self.read(move |c| tokens::bearer(c, &hash)).await
    }

    async fn stored_response(&self, token: &str, key: &str) -> Result<Option<StoredResponse>, Error> {
        let (token, key, now) = (token.to_owned(), key.to_owned(), self.clock.now());
        self.read(move |c| stored_responses::get(c, &token, &key, now)).await
    }
}
