//! Wakes those who listen to topics. A wake-up carries no notification: a listener reads what is new from the store, so
//! that it misses nothing and a slow one costs no memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::TooManyChannels;
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::store::{Post, Recipients};

/// The listeners of all topics.
#[derive(Clone, Default)]
pub(crate) struct Topics {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    table: Mutex<Table>,
    /// Publications and revisions on topics since the start.
    published: AtomicU64,
}

#[derive(Default)]
struct Table {
    next: u64,
    /// The listeners of each topic, by their id.
    by_topic: HashMap<String, HashMap<u64, Arc<Notify>>>,
    by_user: HashMap<UserKey, usize>,
}

/// A listener, registered until it is dropped.
pub(crate) struct Listener {
    hub: Topics,
    id: u64,
    user: UserKey,
    topics: Vec<String>,
    wake: Arc<Notify>,
}

impl Topics {
    /// Registers a listener to topics.
    ///
    /// # Errors
    /// [`TooManyChannels`] where the user has [`limits::USER_TOPIC_LISTENERS`].
    pub(crate) fn listen(&self, user: UserKey, topics: &[String]) -> Result<Listener, TooManyChannels> {
        let wake = Arc::new(Notify::new());
        let mut table = self.inner.table.lock();
        let count = table.by_user.entry(user).or_default();
        if *count >= limits::USER_TOPIC_LISTENERS {
            return Err(TooManyChannels);
        }
        *count += 1;
        let id = table.next;
        table.next += 1;
        for topic in topics {
            table.by_topic.entry(topic.clone()).or_default().insert(id, Arc::clone(&wake));
        }
        Ok(Listener { hub: self.clone(), id, user, topics: topics.to_vec(), wake })
    }

    /// Wakes the listeners of the topics of these publications.
    pub(crate) fn published(&self, posts: &[Post]) {
        for post in posts {
            let Recipients::Subscribers { kind, id, .. } = &post.recipients else { continue };
            if kind != "topic" {
                continue;
            }
            self.inner.published.fetch_add(1, Ordering::AcqRel);
            let table = self.inner.table.lock();
            for wake in table.by_topic.get(id).into_iter().flat_map(HashMap::values) {
                wake.notify_one();
            }
        }
    }

    /// Publications and revisions on topics since the start, counted when they are stored and before anybody is woken.
    pub(crate) fn published_count(&self) -> u64 {
        self.inner.published.load(Ordering::Acquire)
    }

    /// The number of listeners.
    pub(crate) fn listener_count(&self) -> usize {
        self.inner.table.lock().by_user.values().sum()
    }
}

impl Listener {
    /// Waits until one of its topics has something new.
    pub(crate) async fn news(&self) {
        self.wake.notified().await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut table = self.hub.inner.table.lock();
        for topic in &self.topics {
            if let Some(listeners) = table.by_topic.get_mut(topic) {
                listeners.remove(&self.id);
                if listeners.is_empty() {
                    table.by_topic.remove(topic);
                }
            }
        }
        if let Some(count) = table.by_user.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                table.by_user.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tidings_model::wire::Posted;
    use tidings_model::{MsgId, Stamp};

    use super::*;

    fn on(topic: &str) -> Post {
        Post {
            posted: Posted { msgid: MsgId("a".into()), stamp: Stamp::from_micros(1) },
            recipients: Recipients::Subscribers {
                kind: "topic".into(),
                id: topic.into(),
                action: "publish".into(),
                actor: topic.into(),
            },
        }
    }

    #[test]
    fn a_listener_is_woken_once_however_often_its_topics_were_published_to() {
        let hub = Topics::default();
        let topics = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let listener = hub.listen(UserKey(1), &topics).unwrap();
        assert!(listener.news().now_or_never().is_none());
        for _ in 0..10_000 {
            hub.published(&[on("c"), on("a"), on("x")]);
        }
        assert!(listener.news().now_or_never().is_some());
        assert!(listener.news().now_or_never().is_none());
        hub.published(&[on("x")]);
        assert!(listener.news().now_or_never().is_none());
        hub.published(&[on("b")]);
        assert!(listener.news().now_or_never().is_some());
        drop(listener);
        assert!(hub.inner.table.lock().by_topic.is_empty() && hub.listener_count() == 0);
    }

    #[test]
    fn a_user_has_a_bounded_number_of_listeners_and_others_have_their_own() {
        let hub = Topics::default();
        let listen = |user| hub.listen(UserKey(user), &["a".to_owned()]);
        let mut open: Vec<_> = (0..limits::USER_TOPIC_LISTENERS).map(|_| listen(1).unwrap()).collect();
        assert!(listen(1).is_err() && listen(2).is_ok());
        open.pop();
        assert!(listen(1).is_ok());
    }
}
