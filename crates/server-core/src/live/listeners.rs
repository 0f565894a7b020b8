//! Wakes those who listen to topics. A wake-up carries no notification: a listener reads new events from the store, so
//! that it misses nothing and a slow one costs no memory. Only requests to poll, which are not stored, wait for it
//! here.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;
use tidings_store::Recipients;
use tidings_store::domain::account::UserKey;
use tokio::sync::Notify;

use super::TooManyChannels;
use crate::domain::limits;
use crate::maps;
use crate::threads::{AtomicU64, Mutex, Ordering};

/// The listeners of all topics.
#[derive(Clone, Default)]
pub struct Topics {
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
    by_topic: HashMap<Arc<str>, HashMap<u64, Arc<ListenerState>>>,
    by_user: HashMap<UserKey, UserListeners>,
}

/// What one user's listeners are, and listen to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct UserListeners {
    listeners: usize,
    /// The topics of each of them.
    names: usize,
}

/// What reaches a listener.
#[derive(Default)]
struct ListenerState {
    wake: Notify,
    poll_requests: Mutex<VecDeque<Arc<Value>>>,
}

/// A listener, registered until it is dropped.
pub struct Listener {
    hub: Topics,
    id: u64,
    user: UserKey,
    topics: Vec<Arc<str>>,
    state: Arc<ListenerState>,
}

impl Topics {
    /// Registers a listener to topics.
    ///
    /// # Errors
    /// [`TooManyChannels`] if the user has [`limits::USER_TOPIC_LISTENERS`], or would listen to more than
    /// [`limits::USER_STREAM_TOPICS`] with them.
    pub fn listen(&self, user: UserKey, topics: &[Arc<str>]) -> Result<Listener, TooManyChannels> {
        let state = Arc::<ListenerState>::default();
        let mut table = self.inner.table.lock();
        let held = table.by_user.get(&user).copied().unwrap_or_default();
        let held = UserListeners { listeners: held.listeners + 1, names: held.names + topics.len() };
        if held.listeners > limits::USER_TOPIC_LISTENERS || held.names > limits::USER_STREAM_TOPICS {
            return Err(TooManyChannels);
        }
        table.by_user.insert(user, held);
        let id = table.next;
        table.next += 1;
        for topic in topics {
            table.by_topic.entry(Arc::clone(topic)).or_default().insert(id, Arc::clone(&state));
        }
        Ok(Listener { hub: self.clone(), id, user, topics: topics.to_vec(), state })
    }

    /// Wakes the listeners of the topic of a publication for these recipients.
    pub fn published(&self, recipients: &Recipients) {
        if let Recipients::Revised { audience, .. } = recipients {
            return self.published(audience);
        }
        let Recipients::Subscribers { kind, id, .. } = recipients else { return };
        if kind != "topic" {
            return;
        }
        self.inner.published.fetch_add(1, Ordering::AcqRel);
        let table = self.inner.table.lock();
        for state in table.by_topic.get(id.as_str()).into_iter().flat_map(HashMap::values) {
            state.wake.notify_one();
        }
    }

    /// Wakes all listeners, because publications were missed.
    pub(crate) fn wake_all(&self) {
        self.inner.published.fetch_add(1, Ordering::AcqRel);
        let table = self.inner.table.lock();
        for state in table.by_topic.values().flat_map(HashMap::values) {
            state.wake.notify_one();
        }
    }

    /// Passes a request to poll on to those who listen to a topic. Of those that a slow one has not taken, the newest stay:
    /// each asks for the same.
    pub fn request_poll(&self, topic: &str, request: &Arc<Value>) {
        let table = self.inner.table.lock();
        for state in table.by_topic.get(topic).into_iter().flat_map(HashMap::values) {
            let mut waiting = state.poll_requests.lock();
            waiting.push_back(Arc::clone(request));
            if waiting.len() > limits::POLL_REQUESTS {
                waiting.pop_front();
            }
            drop(waiting);
            state.wake.notify_one();
        }
    }

    /// Publications and revisions on topics since the start, counted when they are stored and before anybody is woken.
    pub fn published_count(&self) -> u64 {
        self.inner.published.load(Ordering::Acquire)
    }

    /// The number of listeners.
    pub fn listener_count(&self) -> usize {
        self.inner.table.lock().by_user.values().map(|held| held.listeners).sum()
    }
}

impl Listener {
    /// Waits until one of its topics has something new.
    pub async fn news(&self) {
        self.state.wake.notified().await;
    }

    /// The first request to poll that waits.
    pub fn take_poll_request(&self) -> Option<Arc<Value>> {
        self.state.poll_requests.lock().pop_front()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut table = self.hub.inner.table.lock();
        for topic in &self.topics {
            if let Some(listeners) = table.by_topic.get_mut(topic) {
                listeners.remove(&self.id);
                maps::shrink(listeners);
                if listeners.is_empty() {
                    table.by_topic.remove(topic);
                }
            }
        }
        if let Some(held) = table.by_user.get_mut(&self.user) {
            held.listeners -= 1;
            held.names -= self.topics.len();
            if held.listeners == 0 {
                table.by_user.remove(&self.user);
            }
        }
        maps::shrink(&mut table.by_topic);
        maps::shrink(&mut table.by_user);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn on(topic: &str) -> Recipients {
        Recipients::Subscribers {
            kind: "topic".into(),
            id: topic.into(),
            action: "publish".into(),
            actor: topic.into(),
        }
    }

    fn names(names: impl IntoIterator<Item = impl Into<Arc<str>>>) -> Vec<Arc<str>> {
        names.into_iter().map(Into::into).collect()
    }

    #[test]
    fn a_listener_is_woken_once_however_often_its_topics_were_published_to() {
        let hub = Topics::default();
        let listener = hub.listen(UserKey(1), &names(["a", "b", "c"])).unwrap();
        assert!(listener.news().now_or_never().is_none());
        for _ in 0..10_000 {
            for topic in ["c", "a", "x"] {
                hub.published(&on(topic));
            }
        }
        assert!(listener.news().now_or_never().is_some());
        assert!(listener.news().now_or_never().is_none());
        hub.published(&on("x"));
        assert!(listener.news().now_or_never().is_none());
        hub.published(&on("b"));
        assert!(listener.news().now_or_never().is_some());
        drop(listener);
        assert!(hub.inner.table.lock().by_topic.is_empty() && hub.listener_count() == 0);
    }

    #[test]
    fn requests_to_poll_reach_those_who_listen_and_the_newest_stay() {
        let hub = Topics::default();
        let listener = hub.listen(UserKey(1), &names(["a"])).unwrap();
        let elsewhere = hub.listen(UserKey(1), &names(["b"])).unwrap();
        for n in 0..=limits::POLL_REQUESTS {
            hub.request_poll("a", &Arc::new(n.into()));
        }
        assert!(listener.news().now_or_never().is_some());
        let taken: Vec<_> = std::iter::from_fn(|| listener.take_poll_request()).collect();
        assert_eq!((taken.len(), &*taken[0]), (limits::POLL_REQUESTS, &Value::from(1)));
        assert!(elsewhere.take_poll_request().is_none() && elsewhere.news().now_or_never().is_none());
    }

    #[test]
    fn a_user_has_a_bounded_number_of_listeners_and_others_have_their_own() {
        let hub = Topics::default();
        let listen = |user| hub.listen(UserKey(user), &names(["a"]));
        let mut open: Vec<_> = (0..limits::USER_TOPIC_LISTENERS).map(|_| listen(1).unwrap()).collect();
        assert!(listen(1).is_err() && listen(2).is_ok());
        open.pop();
        assert!(listen(1).is_ok());
    }

    #[test]
    fn a_user_listens_to_a_bounded_number_of_names_and_nothing_is_held_of_them_afterwards() {
        let hub = Topics::default();
        let listen = |user, stream: usize| {
            let of_stream = (0..limits::STREAM_TOPICS).map(|n| format!("{stream}.{n}.{}", "x".repeat(50)));
            hub.listen(UserKey(user), &names(of_stream))
        };
        let whole = limits::USER_STREAM_TOPICS / limits::STREAM_TOPICS;
        let mut open: Vec<_> = (0..whole).map(|stream| listen(1, stream).unwrap()).collect();
        assert!(hub.listen(UserKey(1), &names(["one more"])).is_err(), "however few it has");
        assert!(listen(2, 0).is_ok(), "others have their own");
        open.pop();
        assert!(listen(1, whole).is_ok());
        drop(open);
        let table = hub.inner.table.lock();
        assert!(table.by_topic.is_empty() && table.by_user.is_empty());
        assert!(table.by_topic.capacity() <= 512, "room for {} topics", table.by_topic.capacity());
    }
}
