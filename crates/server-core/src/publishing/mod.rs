//! The last steps of every publication and of every change of one, whichever endpoint it comes from. It is stored, the
//! file that was uploaded with it is kept or removed, and the tasks that wait for it are woken.

mod admission;

use tidings_model::wire::{Edited, NotificationEdit};
use tidings_model::{MsgId, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::{Draft, Post};
use tidings_store::trace::of_call;
use tidings_store::{
    Applied, Editor, Error, Idempotency, Outcome, PostedBy, PostedMessage, RequestedOp, SequenceChange,
};

use crate::files::Upload;
use crate::server::Server;

impl Server {
    /// Publishes drafts now, all or none. Their upload is removed if they are not stored, or were stored by an earlier
    /// request with the same key.
    ///
    /// # Errors
    /// Those of [`PublishingStore::post`](tidings_store::PublishingStore::post).
    pub async fn publish(
        &self,
        drafts: Vec<Draft>,
        upload: Option<Upload>,
        idempotency: Option<Idempotency<Vec<Post>>>,
    ) -> Result<Outcome<Vec<Post>>, Error> {
        let asks = drafts.iter().any(|draft| draft.content.question.is_some());
        let may_replace = drafts.iter().any(|draft| draft.sequence.is_some());
        let store = &*self.store;
        let outcome = stored(upload, of_call(store, "post", store.post(drafts, idempotency))).await;
        if let Ok(Outcome::Done(posts)) = &outcome {
            self.hub.published(posts);
            // A question has a time at which it ends.
            if asks {
                self.schedule_changed.notify_one();
            }
        }
        self.look_for_expired_files(may_replace);
        outcome
    }

    /// Stores a draft that is published when it is due. Its upload is treated as by [`Server::publish`].
    ///
    /// # Errors
    /// Those of [`PublishingStore::schedule`](tidings_store::PublishingStore::schedule).
    pub async fn publish_later(
        &self,
        draft: Draft,
        due: Stamp,
        upload: Option<Upload>,
        idempotency: Option<Idempotency<MsgId>>,
    ) -> Result<Outcome<MsgId>, Error> {
        let may_replace = draft.sequence.is_some();
        let store = &*self.store;
        let outcome =
            stored(upload, of_call(store, "schedule", store.schedule(draft, due, idempotency))).await;
        if matches!(outcome, Ok(Outcome::Done(_))) {
            self.schedule_changed.notify_one();
        }
        self.look_for_expired_files(may_replace);
        outcome
    }

    /// Publishes a message of a user's application.
    ///
    /// # Errors
    /// Those of [`GotifyStore::post_message`](tidings_store::GotifyStore::post_message).
    pub async fn publish_message(
        &self,
        user: UserKey,
        application: i64,
        draft: Draft,
        idempotency: Option<Idempotency<PostedMessage>>,
    ) -> Result<Outcome<PostedMessage>, Error> {
        let store = &*self.store;
        let outcome =
            of_call(store, "post", store.post_message(user, application, draft, idempotency)).await?;
        if let Outcome::Done(posted) = &outcome {
            self.hub.published(std::slice::from_ref(&posted.post));
            // Its user is concerned in any case, without a search for subscribers.
            self.hub.hint(user, posted.post.posted.stamp);
        }
        Ok(outcome)
    }

    /// Clears or deletes what was published on a topic under a sequence or msgid; `None` if there is none of this name.
    ///
    /// # Errors
    /// Those of [`RevisionStore::sequence`](tidings_store::RevisionStore::sequence).
    pub async fn withdraw(
        &self,
        topic: &str,
        name: &str,
        change: SequenceChange,
        by: PostedBy,
    ) -> Result<Option<Post>, Error> {
        let withdrawn = self.store.sequence(topic, name, change, by).await?;
        self.hub.published(withdrawn.as_slice());
        self.look_for_expired_files(true);
        Ok(withdrawn)
    }

    /// Edits a notification, whose files stay; gives its present form.
    ///
    /// # Errors
    /// Those of [`RevisionStore::edit`](tidings_store::RevisionStore::edit).
    pub async fn edit(&self, msgid: &MsgId, edit: &NotificationEdit, by: &Editor) -> Result<Edited, Error> {
        let store = &*self.store;
        let (edited, post) = of_call(store, "edit", store.edit(msgid, edit, by)).await?;
        self.hub.published(post.as_slice());
        Ok(edited)
    }

    /// Applies operations to an inbox, and publishes the answers to questions that are among them.
    ///
    /// # Errors
    /// Those of [`ReadStateStore::apply_fresh`](tidings_store::ReadStateStore::apply_fresh).
    pub async fn apply(
        &self,
        user: UserKey,
        ops: Vec<RequestedOp>,
        cap: u64,
        idempotency: Option<Idempotency<Applied>>,
    ) -> Result<Outcome<Applied>, Error> {
        let store = &*self.store;
        let applying = store.apply_fresh(user, ops, cap, idempotency);
        let outcome = of_call(store, "apply operations", applying).await?;
        if let Outcome::Done(applied) = &outcome
            && applied.changed
        {
            let stamp = store.inbox_stamp(user).await?;
            self.hub.hint(user, stamp);
            self.hub.published(&applied.answered);
            self.hub.messages_read(&applied.affected, stamp);
        }
        Ok(outcome)
    }

    /// Takes a notification back, with its files.
    ///
    /// # Errors
    /// Those of [`RevisionStore::recall`](tidings_store::RevisionStore::recall).
    pub async fn recall(&self, msgid: &MsgId, by: &Editor) -> Result<(), Error> {
        let store = &*self.store;
        let recalled = of_call(store, "recall", store.recall(msgid, by)).await?;
        self.hub.published(recalled.as_slice());
        self.look_for_expired_files(true);
        Ok(())
    }

    /// Wakes the deletion of files, if what was published may have replaced the content that a file belonged to.
    fn look_for_expired_files(&self, may_replace: bool) {
        if may_replace {
            self.files.expired.notify_one();
        }
    }
}

/// Stores what an upload belongs to. Before that the upload counts as recorded, so that a request that is given up leaves
/// no publication without its file.
async fn stored<T>(
    upload: Option<Upload>,
    storing: impl Future<Output = Result<Outcome<T>, Error>>,
) -> Result<Outcome<T>, Error> {
    let upload = upload.map(|mut upload| {
        upload.submit();
        upload
    });
    let outcome = storing.await;
    if let (false, Some(upload)) = (matches!(outcome, Ok(Outcome::Done(_))), upload) {
        upload.discard();
    }
    outcome
}
