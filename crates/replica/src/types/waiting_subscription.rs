//! Subscriptions that wait to be sent.

use tidings_model::{MsgId, Target};

use crate::{Subscription, ThreadId};

/// What a thread is about, as far as a service needs it to find the thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// The msgid of the thread's newest item.
    pub msgid: MsgId,
    /// The thread key.
    pub key: String,
    /// The target of that item.
    pub target: Option<Target>,
}

/// A subscription that waits to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingSubscription {
    /// Identifies the wish: a later one for the same thread has another id.
    pub id: String,
    /// The thread.
    pub thread: ThreadId,
    /// What the reader wants.
    pub to: Subscription,
    /// What the thread is about.
    pub subject: Subject,
}
