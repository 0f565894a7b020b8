//! Stores each publication once, however many users it reaches. Only messages are added to inboxes at once, those of the
//! direct recipient and of the sender; nothing is copied for each subscriber or group member.

mod batch;
mod delayed;
mod edit;
mod facts;
mod files;
mod names;
pub(super) mod questions;
pub(super) mod queue;
pub(super) mod recall;
mod request;
mod revisions;
mod rows;
mod statements;

use std::sync::Arc;

use async_trait::async_trait;
use tidings_model::{Catalog, Code, MsgId, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::{Audience, Draft, Post};
use tidings_store::{Error, Idempotency, ListPage, ListQuery, Outcome, PostedMessage, PublishingStore};

use self::request::{AnswerKey, PostAnswer, Request};
pub(super) use self::statements::EXPIRE_OF;
use super::PostgresStore;
use super::session::Columns;
use super::tx::{WriteTx, in_transaction, reading};
use super::users;

/// The kinds of the last revision of a notification, as stored in its row.
pub(super) mod revision {
    /// It has new content.
    pub(crate) const CONTENT: i16 = 1;
    /// It was marked as read for everyone.
    pub(crate) const CLEAR: i16 = 2;
    /// It was deleted for everyone.
    pub(crate) const DELETE: i16 = 3;
}

/// The column `target` of a delayed publication on a topic.
fn topic_target(topic: &str) -> String {
    format!("topic:{topic}")
}

/// The name that is locked for what is published under a name on a topic.
fn sequence_lock<'n>(topic: &'n str, name: &'n str) -> [&'n str; 3] {
    ["sequence", topic, name]
}

/// Publishes within a transaction that writes more; one that is refused does not keep the others from being published.
pub(super) async fn post_within(
    tx: &mut WriteTx<'_>,
    drafts: Vec<Draft>,
) -> Result<Vec<Result<Post, Error>>, Error> {
    let alone = |draft| Request { drafts: vec![draft], message: None, key: None };
    let requests: Vec<Request> = drafts.into_iter().map(alone).collect();
    let answers = batch::execute(tx, "", &requests, false).await?.answers();
    let posted = |answer| match answer {
        Ok(PostAnswer::Done(published)) => {
            published.posts.into_iter().next().ok_or_else(|| Error::unavailable("nothing was published"))
        }
        Ok(PostAnswer::Replayed(_)) => Err(Error::unavailable("nothing was published")),
        Err(e) => Err(e),
    };
    Ok(answers.into_iter().map(posted).collect())
}

fn only_members() -> Error {
    Error::refused(Code::Forbidden, "only members may post to a group")
}

/// Publishes a message of one of Gotify's applications.
pub(super) async fn post_message(
    store: &PostgresStore,
    user: UserKey,
    application: i64,
    draft: Draft,
    idempotency: Option<Idempotency<PostedMessage>>,
) -> Result<Outcome<PostedMessage>, Error> {
    let key = idempotency.map(|Idempotency { token, key, answer }| AnswerKey {
        token,
        key,
        answer: Box::new(move |published| match published.message() {
            Some(message) => answer(&message),
            None => {
                tidings_store::StoredResponse { status: 200, body: Vec::new(), token_salt: String::new() }
            }
        }),
    });
    let request = Request { drafts: vec![draft], message: Some((user, application)), key };
    match store.posts.submit(store, request).await? {
        PostAnswer::Done(published) => {
            let missing = || tidings_store::failure::broken("a message has no number");
            Ok(Outcome::Done(published.message().ok_or_else(missing)?))
        }
        PostAnswer::Replayed(answer) => Ok(Outcome::Replayed(answer)),
    }
}

#[async_trait]
impl PublishingStore for PostgresStore {
    async fn catalog(&self) -> Result<Arc<Catalog>, Error> {
        reading!(self, |s| self.catalog.current(s).await)
    }

    async fn set_catalog(&self, catalog: Catalog) -> Result<(), Error> {
        let text = serde_json::to_string(&catalog)?;
        let sql = "UPDATE meta SET catalog = $1, catalog_version = catalog_version + 1";
        in_transaction!(self, |tx| tx.execute(sql, &[&text]).await)?;
        Ok(())
    }

    async fn require_deliverable(&self, draft: &Draft) -> Result<(), Error> {
        if matches!(draft.audience, Audience::User(_) | Audience::Group(_)) {
            let sql = "SELECT 1 FROM former_users WHERE id = $1";
            if reading!(self, |s| s.exists(sql, &[&draft.actor]).await)? {
                return Err(Error::not_found("user"));
            }
        }
        match &draft.audience {
            Audience::Everyone | Audience::Subscribers => Ok(()),
            Audience::User(to) => {
                let found = reading!(self, |s| users::by_id(s, to).await)?;
                found.map(drop).ok_or_else(|| Error::not_found("user"))
            }
            Audience::Group(id) => {
                let sql = "SELECT EXISTS (SELECT 1 FROM memberships m JOIN users u ON u.key = m.user_key
                    WHERE m.group_key = g.key AND m.left_at = 0 AND u.id = $2 AND u.id < '~')
                FROM groups g WHERE g.id = $1 AND g.ended_at = 0";
                let row = reading!(self, |s| s.query_opt(sql, &[id, &draft.actor]).await)?;
                let row = row.ok_or_else(|| Error::not_found("group"))?;
                if row.at(0)? { Ok(()) } else { Err(only_members()) }
            }
        }
    }

    async fn post(
        &self,
        drafts: Vec<Draft>,
        idempotency: Option<Idempotency<Vec<Post>>>,
    ) -> Result<Outcome<Vec<Post>>, Error> {
        let key = idempotency.map(|Idempotency { token, key, answer }| AnswerKey {
            token,
            key,
            answer: Box::new(move |published| answer(&published.posts)),
        });
        match self.posts.submit(self, Request { drafts, message: None, key }).await? {
            PostAnswer::Done(published) => Ok(Outcome::Done(published.posts)),
            PostAnswer::Replayed(answer) => Ok(Outcome::Replayed(answer)),
        }
    }

    async fn schedule(
        &self,
        draft: Draft,
        deliver_at: Stamp,
        idempotency: Option<Idempotency<MsgId>>,
    ) -> Result<Outcome<MsgId>, Error> {
        delayed::schedule(self, draft, deliver_at, idempotency).await
    }

    async fn deliver_due(&self) -> Result<(Vec<Post>, Option<Stamp>), Error> {
        delayed::deliver_due(self).await
    }

    async fn scheduled_on(
        &self,
        topic: &str,
        publishers: &[Option<UserKey>],
    ) -> Result<Vec<(MsgId, Stamp, Draft)>, Error> {
        delayed::scheduled_on(self, topic, publishers).await
    }

    async fn scheduled_by(&self, publisher: UserKey, page: ListQuery) -> Result<ListPage, Error> {
        delayed::scheduled_by(self, publisher, page).await
    }

    async fn created_at(&self, msgid: &MsgId) -> Result<Option<Stamp>, Error> {
        let sql = "SELECT created_at FROM notifications WHERE msgid = $1 LIMIT 1";
        let row = reading!(self, |s| s.query_opt(sql, &[&msgid.as_str()]).await)?;
        row.map(|row| row.stamp(0)).transpose()
    }
}
