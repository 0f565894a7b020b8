//! The implementation of [`GotifyStore`].

mod archiving;
mod removal;

use async_trait::async_trait;
use rusqlite::params;
use tidings_model::Code;
use tidings_store::domain::limits;
use tidings_store::{
    Application, ApplicationFields, Bearer, Client, Draft, Error, GotifyStore, Idempotency, Image,
    InboxStore, MessagePage, MessagePageSize, MessagePosition, Messages, NewToken, Outcome, PostedMessage,
    User, UserKey,
};

use self::archiving::ArchiveMessages;
use self::removal::RemoveApplication;
use super::in_time::in_time;
use super::publishing::{self, Sharing};
use super::tables::gotify::{applications, clients, messages};
use super::tables::tokens;
use super::tables::users::{self, SELECT_USER};
use super::write_tx::WriteTx;
use super::{SqliteStore, sql};

/// The key of a user, by the user's id.
fn key_of(ctx: &WriteTx<'_>, id: &str) -> Result<UserKey, Error> {
    Ok(users::by_id(ctx.tx, id)?.ok_or_else(|| Error::not_found("user"))?.key)
}

/// Gives an application a picture in place of the one that it has; `too_large` if the user's pictures would have
/// more than [`limits::USER_IMAGE_BYTES`].
fn set_image(ctx: &WriteTx<'_>, user: UserKey, application: i64, image: &Image) -> Result<(), Error> {
    let sql = "SELECT coalesce(sum(bytes), 0) FROM gotify_images WHERE user = ?1 AND application <> ?2";
    let others: usize = sql::one(ctx.tx, sql, [user.0, application], |r| Ok(r.get(0)?))?;
    if others.saturating_add(image.content.len()) > limits::USER_IMAGE_BYTES {
        let detail = format!("the pictures of a user may have {} bytes", limits::USER_IMAGE_BYTES);
        return Err(Error::refused(Code::TooLarge, detail));
    }
    ctx.tx.execute(
        "INSERT OR REPLACE INTO gotify_images (application, user, name, bytes, content) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![application, user.0, image.name, image.content.len(), image.content],
    )?;
    Ok(())
}

#[async_trait]
impl GotifyStore for SqliteStore {
    async fn add_application(
        &self,
        user: &str,
        fields: ApplicationFields,
        token: NewToken,
        idempotency: Option<Idempotency<Application>>,
    ) -> Result<Outcome<Application>, Error> {
        let (user, most) = (user.to_owned(), self.bounds.user_applications);
        self.write(move |w| {
            w.idempotent(idempotency, |w| {
                let key = key_of(w, &user)?;
                let token = tokens::add(w, &user, token)?;
                applications::add(w, key, &token.id, fields, most)
            })
        })
        .await
    }

    async fn application_of_token(&self, user: UserKey, token: &str) -> Result<Option<Application>, Error> {
        let token = token.to_owned();
        self.read(move |c| applications::of_token(c, user, &token)).await
    }

    async fn ensure_application(&self, user: UserKey, token: &str) -> Result<Application, Error> {
        let (token, most) = (token.to_owned(), self.bounds.user_applications);
        self.write(move |w| {
            if let Some(known) = applications::of_token(w.tx, user, &token)? {
                return Ok(known);
            }
            let label = tokens::label(w.tx, user, &token)?.ok_or_else(|| Error::not_found("token"))?;
            let name = if label.trim().is_empty() { users::id_of(w.tx, user)? } else { label };
            let fields = ApplicationFields { name, ..ApplicationFields::default() };
            applications::add(w, user, &token, fields, most)
        })
        .await
    }

    async fn application(&self, user: UserKey, id: i64) -> Result<Option<Application>, Error> {
        self.read(move |c| applications::get(c, user, id)).await
    }

    async fn applications(&self, user: UserKey) -> Result<Vec<Application>, Error> {
        self.read_long(user, move |c| applications::list(c, user)).await
    }

    async fn update_application(
        &self,
        user: UserKey,
        id: i64,
        fields: ApplicationFields,
    ) -> Result<Option<Application>, Error> {
        self.write(move |w| {
            applications::update(w, user, id, &fields)?;
            applications::get(w.tx, user, id)
        })
        .await
    }

    async fn remove_application(&self, by: &Bearer, id: i64) -> Result<bool, Error> {
        let (user, by) = (by.user, by.clone());
        let _lock = in_time(self.user_locks.lock(user)).await?;
        let Some((token, target)) = self.write(move |w| removal::begin(w, &by, id)).await? else {
            return Ok(false);
        };
        self.delete_descendants(token).await?;
        // What it published comes into the inbox while its subscription is there.
        while self.fan_in(user).await? {}
        self.in_portions(RemoveApplication::new(user, id, target)).await?;
        Ok(true)
    }

    async fn set_image(
        &self,
        user: UserKey,
        id: i64,
        image: Image,
        idempotency: Option<Idempotency<Application>>,
    ) -> Result<Outcome<Application>, Error> {
        self.write_long(move |w| {
            w.idempotent(idempotency, |w| {
                let found =
                    applications::get(w.tx, user, id)?.ok_or_else(|| Error::not_found("application"))?;
                set_image(w, user, id, &image)?;
                Ok(Application { image: Some(image.name), ..found })
            })
        })
        .await
    }

    async fn remove_image(&self, user: UserKey, id: i64) -> Result<Option<Application>, Error> {
        self.write(move |w| {
            if applications::get(w.tx, user, id)?.is_some() {
                sql::run(w.tx, "DELETE FROM gotify_images WHERE application = ?1", [id])?;
            }
            applications::get(w.tx, user, id)
        })
        .await
    }

    async fn image(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let (name, sql) = (name.to_owned(), "SELECT content FROM gotify_images WHERE name = ?1");
        self.read(move |c| sql::first(c, sql, [name], |r| Ok(r.get(0)?))).await
    }

    async fn add_client(
        &self,
        user: &str,
        token: NewToken,
        idempotency: Option<Idempotency<Client>>,
    ) -> Result<Outcome<Client>, Error> {
        let (user, most) = (user.to_owned(), self.bounds.user_clients);
        self.write(move |w| {
            w.idempotent(idempotency, |w| {
                let key = key_of(w, &user)?;
                let token = tokens::add(w, &user, token)?;
                clients::add(w, key, token, most)
            })
        })
        .await
    }

    async fn clients(&self, user: UserKey) -> Result<Vec<Client>, Error> {
        self.read_long(user, move |c| clients::list(c, user)).await
    }

    async fn client_of_token(&self, user: UserKey, token: &str) -> Result<Option<Client>, Error> {
        let token = token.to_owned();
        self.read(move |c| clients::of_token(c, user, &token)).await
    }

    async fn client_used(&self, user: UserKey, token: &str) -> Result<(), Error> {
        if self.client_of_token(user, token).await?.is_none() {
            return Ok(());
        }
        let token = token.to_owned();
        self.write(move |w| clients::used(w, user, &token)).await
    }

    async fn rename_client(&self, user: UserKey, id: i64, name: &str) -> Result<Option<Client>, Error> {
        let name = name.to_owned();
        self.write(move |w| {
            if let Some(token) = clients::token_of(w.tx, user, id)? {
                tokens::set_label(w, &token, &name)?;
            }
            clients::get(w.tx, user, id)
        })
        .await
    }

    async fn remove_client(&self, by: &Bearer, id: i64) -> Result<bool, Error> {
        let by = by.clone();
        let revoked = self.write(move |w| {
            let Some(token) = clients::token_of(w.tx, by.user, id)? else { return Ok(None) };
            tokens::revoke(w, &token, Some(&by))?;
            Ok(Some(token))
        });
        let Some(token) = revoked.await? else { return Ok(false) };
        self.delete_descendants(token).await?;
        Ok(true)
    }

    async fn post_message(
        &self,
        user: UserKey,
        application: i64,
        draft: Draft,
        idempotency: Option<Idempotency<PostedMessage>>,
    ) -> Result<Outcome<PostedMessage>, Error> {
        let sharing = Sharing::of(std::slice::from_ref(&draft), true);
        let post = move |w: &mut WriteTx<'_>| {
            w.idempotent(idempotency, |w| {
                users::id_of(w.tx, user)?;
                applications::used(w, user, application)?;
                let post = publishing::post(w, draft)?;
                let id = messages::insert(w, user, application, post.posted.stamp)?;
                Ok(PostedMessage { id, post })
            })
        };
        self.write_posts(1, sharing, post).await
    }

    async fn messages(
        &self,
        user: UserKey,
        which: Messages,
        position: MessagePosition,
        size: MessagePageSize,
    ) -> Result<MessagePage, Error> {
        self.read_long(user, move |c| messages::page(c, user, which, position, size)).await
    }

    async fn newest_message(&self, user: UserKey) -> Result<i64, Error> {
        let sql = "SELECT id FROM gotify_messages WHERE user = ?1 ORDER BY id DESC LIMIT 1";
        let newest = self.read(move |c| sql::first(c, sql, [user.0], |r| Ok(r.get(0)?))).await?;
        Ok(newest.unwrap_or_default())
    }

    async fn archive_messages(&self, user: UserKey, which: Messages) -> Result<usize, Error> {
        let _lock = in_time(self.user_locks.lock(user)).await?;
        let through = self.newest_message(user).await?;
        // Each of them has its item then.
        while self.fan_in(user).await? {}
        Ok(self.in_portions(ArchiveMessages::new(user, which, through)).await?.count())
    }

    async fn users_by_key(&self, after: UserKey, limit: usize) -> Result<Vec<User>, Error> {
        let sql = format!("{SELECT_USER} WHERE key > ?1 AND id < '~' ORDER BY key LIMIT ?2");
        self.read(move |c| sql::all(c, &sql, params![after.0, limit], |r| User::from_row(r))).await
    }
}
