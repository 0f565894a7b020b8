//! Stores each publication once, however many users it reaches. Only messages are added to inboxes at once, those of
//! the direct recipient and of the sender; nothing is copied for each subscriber or group member.
//!
//! Announcements, reminders and group messages are brought in at each reader's pull. Counting for the wire stops at
//! the cap.

pub(super) mod delayed;
pub(super) mod named;
pub(super) mod questions;
pub(super) mod recall;
pub(super) mod recipients;
pub(super) mod revisions;

use std::sync::Arc;

use async_trait::async_trait;
use rusqlite::Connection;
use tidings_model::wire::Posted;
use tidings_model::{Catalog, MsgId, Stamp};
use tidings_store::domain::msgid;
use tidings_store::traces::of_delivery;
use tidings_store::{
    Audience, Draft, Error, Idempotency, ListPage, ListQuery, Outcome, Post, PublishingStore, Recipients,
    TargetRef, User, UserKey,
};

use super::groups;
use super::tables::{
    conversations, files, former_users, items, meta, notifications, scheduled, sequences, subscriptions,
    users,
};
use super::write_tx::WriteTx;
use super::{SHARED_QUEUE, SqliteStore};

#[async_trait]
impl PublishingStore for SqliteStore {
    async fn catalog(&self) -> Result<Arc<Catalog>, Error> {
        let cache = Arc::clone(&self.catalog_cache);
        self.read(move |c| cache.current(c)).await
    }

    async fn set_catalog(&self, catalog: Catalog) -> Result<(), Error> {
        self.write(move |w| meta::replace_catalog(w, &catalog)).await
    }

    async fn require_deliverable(&self, draft: &Draft) -> Result<(), Error> {
        let (audience, actor) = (draft.audience.clone(), draft.actor.clone());
        self.read(move |c| match audience {
            Audience::Everyone | Audience::Subscribers => Ok(()),
            Audience::User(to) => {
                require_not_removed(c, &actor)?;
                recipient(c, &to).map(drop)
            }
            Audience::Group(id) => groups::require_sender(c, &id, &actor).map(drop),
        })
        .await
    }

    async fn post(
        &self,
        drafts: Vec<Draft>,
        idempotency: Option<Idempotency<Vec<Post>>>,
    ) -> Result<Outcome<Vec<Post>>, Error> {
        let (count, sharing) = (drafts.len(), Sharing::of(&drafts, idempotency.is_some()));
        self.write_posts(count, sharing, move |w| {
            w.idempotent(idempotency, |w| drafts.into_iter().map(|draft| post(w, draft)).collect())
        })
        .await
    }

    async fn schedule(
        &self,
        draft: Draft,
        deliver_at: Stamp,
        idempotency: Option<Idempotency<MsgId>>,
    ) -> Result<Outcome<MsgId>, Error> {
        self.write(move |w| w.idempotent(idempotency, |w| delayed::schedule(w, draft, deliver_at))).await
    }

    async fn deliver_due(&self) -> Result<(Vec<Post>, Option<Stamp>), Error> {
        let ended = std::mem::take(&mut *self.ended.lock());
        let next = self.read(delayed::next_due).await?;
        if !ended.is_empty() || next.is_none_or(|at| at > self.clock.now()) {
            return Ok((ended, next));
        }
        let budget = self.budget();
        let due = move |w: &mut WriteTx<'_>| {
            let mut budget = budget();
            let mut posts = questions::expire_due(w, &mut budget)?;
            if !budget.is_spent() {
                posts.extend(delayed::deliver_due(w, &mut budget)?);
            }
            Ok((posts, delayed::next_due(w.tx)?))
        };
        of_delivery(self.write_long(due), |(posts, _): &(Vec<Post>, _)| posts.len()).await
    }

    async fn scheduled_on(
        &self,
        topic: &str,
        publishers: &[Option<UserKey>],
    ) -> Result<Vec<(MsgId, Stamp, Draft)>, Error> {
        let (topic, publishers) = (topic.to_owned(), publishers.to_vec());
        self.read_long(SHARED_QUEUE, move |c| scheduled::waiting_on(c, &topic, &publishers)).await
    }

    async fn scheduled_by(&self, publisher: UserKey, page: ListQuery) -> Result<ListPage, Error> {
        self.read_long(publisher, move |c| scheduled::page_of(c, publisher, &page)).await
    }

    async fn created_at(&self, msgid: &MsgId) -> Result<Option<Stamp>, Error> {
        let msgid = msgid.clone();
        self.read(move |c| notifications::created_at(c, &msgid)).await
    }
}

/// Stores one publication, or revises the one with its sequence.
pub(crate) fn post(ctx: &mut WriteTx<'_>, draft: Draft) -> Result<Post, Error> {
    if let (Some(user), Some(target)) = (draft.subscribe, &draft.target) {
        let target = TargetRef { kind: target.kind.clone(), id: target.id.clone() };
        subscriptions::ensure(ctx, user, &target, &draft.action)?;
    }
    if let Some(post) = revisions::revise(ctx, &draft)? {
        files::record(ctx, &draft, &post.posted.msgid, post.posted.stamp)?;
        return Ok(post);
    }
    let stamp = if has_no_inbox(&draft) { ctx.next_publication_stamp() } else { ctx.next_stamp() };
    let msgid = draft.msgid.clone().unwrap_or_else(|| msgid::mint(stamp));
    notifications::insert(ctx, &draft, &msgid, stamp)?;
    sequences::set(ctx, &draft, stamp)?;
    files::record(ctx, &draft, &msgid, stamp)?;
    let recipients = deliver(ctx, draft, stamp)?;
    Ok(Post { posted: Posted { msgid, stamp }, recipients })
}

/// More drafts than this, or more bytes of text, get a commit of their own; fewer take about a millisecond and share
/// one.
const MAX_SHORT_POSTS: usize = 16;

const MAX_SHORT_POST_BYTES: usize = 256 * 1024;

/// How a post shares its commit with other writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// It has a commit of its own.
    Alone,
    /// It is undone alone if it is refused.
    Undone,
    /// Nothing refuses it once a part of it is written, so it needs no savepoint.
    Sure,
}

impl Sharing {
    /// That of drafts, which is not sure if what is written with them may be refused.
    pub(crate) fn of(drafts: &[Draft], may_be_refused: bool) -> Self {
        if is_long(drafts) {
            Self::Alone
        } else if may_be_refused || !drafts.iter().all(is_sure) {
            Self::Undone
        } else {
            Self::Sure
        }
    }
}

/// Whether nothing refuses a draft after [`post`] has written a part of it. A message has a recipient and a file a quota, and
/// under a name there may be something to revise.
fn is_sure(draft: &Draft) -> bool {
    has_no_inbox(draft) && draft.file.is_none() && draft.sequence.is_none()
}

/// Whether no inbox gets a draft at once.
fn has_no_inbox(draft: &Draft) -> bool {
    matches!(draft.audience, Audience::Everyone | Audience::Subscribers)
}

/// Whether the drafts are so many or so large that other writes should not share their commit.
fn is_long(drafts: &[Draft]) -> bool {
    drafts.len() > MAX_SHORT_POSTS
        || drafts.iter().map(|d| d.content.title.len() + d.content.body.len()).sum::<usize>()
            > MAX_SHORT_POST_BYTES
}

/// Refuses a sender who was removed; one who never was a user may be named.
fn require_not_removed(conn: &Connection, sender: &str) -> Result<(), Error> {
    if former_users::is_taken(conn, sender)? { Err(Error::not_found("user")) } else { Ok(()) }
}

/// The user whom a message is for.
fn recipient(conn: &Connection, id: &str) -> Result<User, Error> {
    users::by_id(conn, id)?.ok_or_else(|| Error::not_found("user"))
}

/// Adds a message to the inboxes of its sender and recipient, and gives the users who get a hint.
fn deliver(ctx: &mut WriteTx<'_>, draft: Draft, stamp: Stamp) -> Result<Recipients, Error> {
    match draft.audience {
        Audience::Everyone => Ok(Recipients::Everyone),
        Audience::Subscribers => {
            let (kind, id) = draft.target.map(|t| (t.kind, t.id)).unwrap_or_default();
            Ok(Recipients::Subscribers { kind, id, action: draft.action, actor: draft.actor })
        }
        Audience::User(to) => to_user(ctx, &draft.actor, &to, stamp),
        Audience::Group(id) => {
            let sender = groups::add_message(ctx, &id, &draft.actor, stamp)?;
            insert_message(ctx, sender, stamp, &format!("group:{id}"), true)?;
            Ok(Recipients::Group(id))
        }
    }
}

fn to_user(ctx: &mut WriteTx<'_>, from: &str, to: &str, stamp: Stamp) -> Result<Recipients, Error> {
    let recipient = recipient(ctx.tx, to)?.key;
    let sender = users::by_id(ctx.tx, from)?.map(|u| u.key);
    if sender.is_none() {
        require_not_removed(ctx.tx, from)?;
    }
    insert_message(ctx, recipient, stamp, &format!("user:{from}"), sender == Some(recipient))?;
    let mut recipients = vec![recipient];
    if let Some(sender) = sender.filter(|s| *s != recipient) {
        insert_message(ctx, sender, stamp, &format!("user:{to}"), true)?;
        recipients.push(sender);
    }
    Ok(Recipients::Users(recipients))
}

/// Adds a message to an inbox and to its list of conversations.
fn insert_message(
    ctx: &WriteTx<'_>,
    user: UserKey,
    stamp: Stamp,
    view: &str,
    own: bool,
) -> Result<(), Error> {
    items::insert_message(ctx, user, stamp, view, own)?;
    conversations::message_arrived(ctx, user, view, stamp)
}
