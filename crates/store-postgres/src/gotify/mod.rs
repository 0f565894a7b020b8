//! The implementation of [`GotifyStore`].

mod applications;
mod clients;
mod messages;

use async_trait::async_trait;
use tidings_model::gotify::APPLICATION_TARGET;
use tidings_store::domain::account::{Bearer, NewToken, User, UserKey};
use tidings_store::domain::draft::Draft;
use tidings_store::{
    Application, ApplicationFields, Client, Error, GotifyStore, Idempotency, Image, MessagePage,
    MessagePageSize, MessagePosition, Messages, Outcome, PostedMessage, TargetRef,
};

use super::session::Session;
use super::tx::{in_transaction, in_turn, reading};
use super::{PostgresStore, accounts, fan_in, publishing, read_state, subscriptions, users};

#[async_trait]
impl GotifyStore for PostgresStore {
    async fn add_application(
        &self,
        user: &str,
        fields: ApplicationFields,
        token: NewToken,
        idempotency: Option<Idempotency<Application>>,
    ) -> Result<Outcome<Application>, Error> {
        in_transaction!(self, |tx| {
            if let Some(answer) = tx.take_key(idempotency.as_ref()).await? {
                return Ok(Outcome::Replayed(answer));
            }
            let (key, token) = accounts::insert_token(tx, user, &token).await?;
            let most = self.bounds.user_applications;
            let application = applications::add(tx, key, &token.id, fields.clone(), most).await?;
            tx.keep_answer(idempotency.as_ref(), &application).await?;
            Ok(Outcome::Done(application))
        })
    }

    async fn application_of_token(&self, user: UserKey, token: &str) -> Result<Option<Application>, Error> {
        reading!(self, |s| applications::of_token(s, user, token).await)
    }

    async fn ensure_application(&self, user: UserKey, token: &str) -> Result<Application, Error> {
        if let Some(known) = self.application_of_token(user, token).await? {
            return Ok(known);
        }
        in_transaction!(self, |tx| {
            let id = users::id_of(tx, user).await.map_err(|_| Error::not_found("token"))?;
            // Of two who find it missing the second one finds it.
            tx.lock_inbox(user).await?;
            if let Some(known) = applications::of_token(tx, user, token).await? {
                return Ok(known);
            }
            let label = accounts::label(tx, user, token).await?.ok_or_else(|| Error::not_found("token"))?;
            let name = if label.trim().is_empty() { id } else { label };
            let fields = ApplicationFields { name, ..ApplicationFields::default() };
            applications::add(tx, user, token, fields, self.bounds.user_applications).await
        })
    }

    async fn application(&self, user: UserKey, id: i64) -> Result<Option<Application>, Error> {
        reading!(self, |s| applications::get(s, user, id).await)
    }

    async fn applications(&self, user: UserKey) -> Result<Vec<Application>, Error> {
        reading!(self, |s| applications::list(s, user).await)
    }

    async fn update_application(
        &self,
        user: UserKey,
        id: i64,
        fields: ApplicationFields,
    ) -> Result<Option<Application>, Error> {
        in_transaction!(self, |tx| {
            applications::update(tx, user, id, &fields).await?;
            applications::get(tx, user, id).await
        })
    }

    async fn remove_application(&self, by: &Bearer, id: i64) -> Result<bool, Error> {
        let user = by.user;
        let job = async {
            // Nothing is published by it from here on.
            let found: Option<(String, String)> = in_transaction!(self, |tx| {
                let Some((token, target)) = applications::begin_removal(tx, user, id).await? else {
                    return Ok(None);
                };
                // If it was revoked before, there is none.
                accounts::revoke_within(tx, &token, Some(by)).await?;
                Ok(Some((token, target)))
            })?;
            let Some((token, target)) = found else { return Ok(false) };
            accounts::delete_descendants(self, &token).await?;
            // What it published comes into the inbox while its subscription is there.
            while fan_in::fan_in(self, user).await? {}
            while in_transaction!(self, |tx| messages::delete_of_application(
                tx,
                id,
                self.bounds.short_write_rows
            )
            .await)?
                > 0
            {}
            let target = TargetRef { kind: APPLICATION_TARGET.to_owned(), id: target };
            in_transaction!(self, |tx| {
                // With the inbox locked nothing is brought in meanwhile; a subscription that still has something to bring
                // stays.
                let pulled_to = tx.lock_inbox(user).await?;
                if !has_pending(tx, &target, pulled_to.as_micros()).await? {
                    subscriptions::delete(tx, user, &target, None).await?;
                }
                applications::delete(tx, user, id).await
            })?;
            Ok(true)
        };
        in_turn(&self.user_locks, user, job).await
    }

    async fn set_image(
        &self,
        user: UserKey,
        id: i64,
        image: Image,
        idempotency: Option<Idempotency<Application>>,
    ) -> Result<Outcome<Application>, Error> {
        in_transaction!(self, |tx| {
            if let Some(answer) = tx.take_key(idempotency.as_ref()).await? {
                return Ok(Outcome::Replayed(answer));
            }
            // Pictures of one user are added one after the other, so that their bytes are bounded.
            tx.lock_inbox(user).await?;
            let found = applications::get(tx, user, id).await?;
            let found = found.ok_or_else(|| Error::not_found("application"))?;
            applications::set_image(tx, user, id, &image).await?;
            let application = Application { image: Some(image.name.clone()), ..found };
            tx.keep_answer(idempotency.as_ref(), &application).await?;
            Ok(Outcome::Done(application))
        })
    }

    async fn remove_image(&self, user: UserKey, id: i64) -> Result<Option<Application>, Error> {
        in_transaction!(self, |tx| {
            tx.lock_inbox(user).await?;
            if applications::get(tx, user, id).await?.is_some() {
                applications::delete_image(tx, id).await?;
            }
            applications::get(tx, user, id).await
        })
    }

    async fn image(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        reading!(self, |s| applications::image(s, name).await)
    }

    async fn add_client(
        &self,
        user: &str,
        token: NewToken,
        idempotency: Option<Idempotency<Client>>,
    ) -> Result<Outcome<Client>, Error> {
        in_transaction!(self, |tx| {
            if let Some(answer) = tx.take_key(idempotency.as_ref()).await? {
                return Ok(Outcome::Replayed(answer));
            }
            let (key, token) = accounts::insert_token(tx, user, &token).await?;
            let client = clients::add(tx, key, token, self.bounds.user_clients).await?;
            tx.keep_answer(idempotency.as_ref(), &client).await?;
            Ok(Outcome::Done(client))
        })
    }

    async fn clients(&self, user: UserKey) -> Result<Vec<Client>, Error> {
        reading!(self, |s| clients::list(s, user).await)
    }

    async fn client_of_token(&self, user: UserKey, token: &str) -> Result<Option<Client>, Error> {
        reading!(self, |s| clients::of_token(s, user, token).await)
    }

    async fn client_used(&self, user: UserKey, token: &str) -> Result<(), Error> {
        if self.client_of_token(user, token).await?.is_none() {
            return Ok(());
        }
        in_transaction!(self, |tx| clients::used(tx, user, token).await)
    }

    async fn rename_client(&self, user: UserKey, id: i64, name: &str) -> Result<Option<Client>, Error> {
        in_transaction!(self, |tx| {
            if let Some(token) = clients::token_of(tx, user, id).await? {
                accounts::set_label(tx, &token, name).await?;
            }
            clients::get(tx, user, id).await
        })
    }

    async fn remove_client(&self, by: &Bearer, id: i64) -> Result<bool, Error> {
        let revoked: Option<String> = in_transaction!(self, |tx| {
            let Some(token) = clients::token_of(tx, by.user, id).await? else { return Ok(None) };
            let was_there = accounts::revoke_within(tx, &token, Some(by)).await?;
            Ok(was_there.then_some(token))
        })?;
        let Some(token) = revoked else { return Ok(false) };
        accounts::delete_descendants(self, &token).await?;
        Ok(true)
    }

    async fn post_message(
        &self,
        user: UserKey,
        application: i64,
        draft: Draft,
        idempotency: Option<Idempotency<PostedMessage>>,
    ) -> Result<Outcome<PostedMessage>, Error> {
        publishing::post_message(self, user, application, draft, idempotency).await
    }

    async fn messages(
        &self,
        user: UserKey,
        which: Messages,
        position: MessagePosition,
        size: MessagePageSize,
    ) -> Result<MessagePage, Error> {
        reading!(self, |s| messages::page(s, user, which, position, size).await)
    }

    async fn newest_message(&self, user: UserKey) -> Result<i64, Error> {
        reading!(self, |s| messages::newest(s, user).await)
    }

    async fn archive_messages(&self, user: UserKey, which: Messages) -> Result<usize, Error> {
        let job = async {
            let through = self.newest_message(user).await?;
            // Each of them has its item then.
            while fan_in::fan_in(self, user).await? {}
            let (mut archived, most) = (0, self.bounds.archived_messages);
            loop {
                let batch = reading!(self, |s| messages::oldest(s, user, which, through, most).await)?;
                let (ids, created_at): (Vec<i64>, Vec<i64>) = batch.into_iter().unzip();
                // A repetition archives nothing twice, and finds the rest in the lists.
                read_state::archive(self, user, &created_at).await?;
                in_transaction!(self, |tx| messages::delete(tx, user, &ids).await)?;
                archived += ids.len();
                if ids.len() < most {
                    return Ok(archived);
                }
            }
        };
        in_turn(&self.user_locks, user, job).await
    }

    async fn users_by_key(&self, after: UserKey, limit: usize) -> Result<Vec<User>, Error> {
        users::users_by_key(self, after, limit).await
    }
}

/// Whether there is a reminder to a target, or a revision of one, after a position of fan-in.
async fn has_pending(session: &Session, target: &TargetRef, after: i64) -> Result<bool, Error> {
    let sql = "SELECT 1 FROM notifications WHERE kind = 2 AND target_type = $1 AND target_id = $2
        AND (created_at > $3 OR revised_at > $3) LIMIT 1";
    session.exists(sql, &[&target.kind, &target.id, &after]).await
}
