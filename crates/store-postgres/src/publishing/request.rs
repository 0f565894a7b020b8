//! Requests to post, and what each is answered.

use std::collections::HashSet;

use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::{Draft, Post};
use tidings_store::{PostedMessage, StoredResponse};

/// Publications that are stored together or not at all.
pub(crate) struct Request {
    pub(super) drafts: Vec<Draft>,
    /// The user and the application of Gotify's API that publishes the only draft.
    pub(super) message: Option<(UserKey, i64)>,
    pub(super) key: Option<AnswerKey>,
}

/// An idempotency key, and what makes the response that is kept for it.
pub(super) struct AnswerKey {
    pub(super) token: String,
    pub(super) key: String,
    pub(super) answer: Box<dyn Fn(&Published) -> StoredResponse + Send + Sync>,
}

/// What a request has published.
pub(crate) struct Published {
    pub(super) posts: Vec<Post>,
    /// The number of Gotify's message.
    pub(super) number: Option<i64>,
}

impl Published {
    /// The message of Gotify's API.
    pub(super) fn message(&self) -> Option<PostedMessage> {
        Some(PostedMessage { id: self.number?, post: self.posts.first()?.clone() })
    }
}

/// The answer to a request.
pub(crate) enum PostAnswer {
    Done(Published),
    Replayed(StoredResponse),
}

impl Request {
    /// The names on topics under which it publishes.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.drafts.iter().filter_map(name_of)
    }

    /// Whether it needs a transaction of its own: if it may be refused after something was written, or if one draft
    /// may revise another.
    pub(super) fn is_alone(&self) -> bool {
        let mut names = HashSet::new();
        self.drafts.iter().any(|draft| draft.file.is_some() && draft.msgid.is_none())
            || self.names().any(|name| !names.insert(name))
    }
}

/// A draft and the request that it belongs to.
#[derive(Clone, Copy)]
pub(super) struct Item<'d> {
    pub(super) request: usize,
    pub(super) draft: &'d Draft,
}

/// The topic and the name under which a draft may revise what was published before.
pub(super) fn name_of(draft: &Draft) -> Option<(&str, &str)> {
    Some((draft.target.as_ref()?.id.as_str(), draft.sequence.as_deref()?))
}
