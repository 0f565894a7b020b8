//! The part of the store's interface that is about publications.

use std::sync::Arc;

use async_trait::async_trait;
use tidings_model::wire::{Edited, NotificationEdit};
use tidings_model::{Catalog, MsgId, Question, Stamp};

use crate::Error;
use crate::{
    Draft, Editor, Idempotency, ListPage, ListQuery, Outcome, Post, PostedBy, SequenceChange, UserKey,
};

/// The catalog, and publications: at once and later.
#[async_trait]
pub trait PublishingStore: Send + Sync {
    /// The current catalog.
    async fn catalog(&self) -> Result<Arc<Catalog>, Error>;
    /// Replaces the catalog, for items that come from now on.
    async fn set_catalog(&self, catalog: Catalog) -> Result<(), Error>;
    /// Refuses a publication for the reasons for which [`PublishingStore::post`] would, as far as they are its audience.
    ///
    /// # Errors
    /// `not_found` if a recipient or a group does not exist, `forbidden` if the sender is not a member of the
    /// group.
    async fn require_deliverable(&self, draft: &Draft) -> Result<(), Error>;
    /// Stores publications, all or none, each at its own stamp.
    ///
    /// # Errors
    /// `not_found` if a recipient or a group does not exist. `forbidden` if the sender is not a member of the group.
    /// `too_large` if there is no room for its file.
    async fn post(
        &self,
        drafts: Vec<Draft>,
        idempotency: Option<Idempotency<Vec<Post>>>,
    ) -> Result<Outcome<Vec<Post>>, Error>;
    /// Stores a publication for later delivery, when it gets its stamps.
    ///
    /// # Errors
    /// `rate_limited` if the topic or the publisher has as many waiting as [`limits`](crate::domain::limits) allow,
    /// `too_large` if there is no room for its file.
    async fn schedule(
        &self,
        draft: Draft,
        deliver_at: Stamp,
        idempotency: Option<Idempotency<MsgId>>,
    ) -> Result<Outcome<MsgId>, Error>;
    /// Delivers publications that are due, and gives the time of the next one.
    async fn deliver_due(&self) -> Result<(Vec<Post>, Option<Stamp>), Error>;
    /// What these publishers let wait to be delivered to a topic, the first to be delivered first; `None` stands for the
    /// programs without a token.
    async fn scheduled_on(
        &self,
        topic: &str,
        publishers: &[Option<UserKey>],
    ) -> Result<Vec<(MsgId, Stamp, Draft)>, Error>;
    /// A page of what the tokens of a user let wait to be delivered, by msgid.
    async fn scheduled_by(&self, publisher: UserKey, page: ListQuery) -> Result<ListPage, Error>;
    /// The creation time of a notification.
    async fn created_at(&self, msgid: &MsgId) -> Result<Option<Stamp>, Error>;
}

/// What becomes of a publication: clears, recalls, edits and answers.
#[async_trait]
pub trait RevisionStore: Send + Sync {
    /// Clears or deletes a publication on a topic, by its sequence or its msgid; `None` if there is none of this
    /// name. Deleting also cancels what waits under it. [`Named`](super::named::Named) says which one a name means.
    ///
    /// # Errors
    /// `forbidden` if only others have published under this name, and `by` may not change what they published.
    async fn sequence(
        &self,
        topic: &str,
        name: &str,
        change: SequenceChange,
        by: PostedBy,
    ) -> Result<Option<Post>, Error>;
    /// Takes a notification back: its text is erased. It leaves topics, Gotify's lists and its files at once, and each
    /// inbox with its next fan-in, whatever their number. `None` if it was taken back before, or waited to be delivered
    /// under this msgid and does so no more. That it was cancelled is known for
    /// [`STORED_RESPONSE_HOURS`](crate::domain::limits::STORED_RESPONSE_HOURS).
    ///
    /// # Errors
    /// `not_found` if there is none with this msgid that `by` may change.
    async fn recall(&self, msgid: &MsgId, by: &Editor) -> Result<Option<Post>, Error>;
    /// Edits a notification: a revision, unless nothing differs. Its files stay. Gives its present form, and its
    /// revision if there was one. The id of a revision leads to its notification as long as that is there.
    ///
    /// # Errors
    /// `not_found` if there is none with this msgid that `by` may change; `invalid` and `too_large` if it would
    /// exceed the limits of a publication.
    async fn edit(
        &self,
        msgid: &MsgId,
        edit: &NotificationEdit,
        by: &Editor,
    ) -> Result<(Edited, Option<Post>), Error>;
    /// The question of a notification, as it is stored, and the msgid of that. `id` may be that of one of its revisions,
    /// or of what waits to be delivered.
    ///
    /// # Errors
    /// `not_found` if there is none that `by` may change, or if it asks nothing.
    async fn question(&self, id: &MsgId, by: &Editor) -> Result<(MsgId, Question), Error>;
    /// The creation time of an announcement that `by` may change.
    ///
    /// # Errors
    /// `not_found` if there is none with this msgid that `by` may change.
    async fn own_announcement(&self, msgid: &MsgId, by: &Editor) -> Result<Stamp, Error>;
}
