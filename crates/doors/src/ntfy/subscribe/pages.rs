//! Pages of topic events, as messages. Streams of one user that wait at the same stamps read it once. A publication that
//! a thousand of them hear is read from the store and written once.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};

use axum::body::Bytes;
use parking_lot::Mutex;
use serde_json::Value;
use tidings_model::Stamp;
use tidings_server_core::budgets::{Principal, Reservation};
use tidings_server_core::domain::limits;
use tidings_server_core::maps;
use tidings_server_core::state::AppState;
use tidings_store::Error;
use tidings_store::domain::account::{Bearer, UserKey};
use tidings_store::trace::of_call;
use tokio::sync::OnceCell;

use super::Form;
use crate::ntfy::message;

/// Publications that are read from the store at once.
const PAGE_EVENTS: usize = 32;
/// Bytes of content that a page may take. Reading goes on to another topic up to [`limits::TOPIC_PAGE_BYTES`], and a
/// topic's publications and revisions each end beyond that, with one that may be large.
const MAX_PAGE_BYTES: usize = 3 * limits::TOPIC_PAGE_BYTES + 2 * limits::NOTIFICATION_BYTES;

/// A message, as it is sent.
pub(super) struct NtfyMessage {
    pub(super) value: Value,
    json: OnceLock<Bytes>,
    sse: OnceLock<Bytes>,
    raw: OnceLock<Bytes>,
}

impl NtfyMessage {
    pub(super) fn new(value: Value) -> Self {
        Self { value, json: OnceLock::new(), sse: OnceLock::new(), raw: OnceLock::new() }
    }

    /// The message in a form, which is written once.
    pub(super) fn written(&self, form: Form) -> Bytes {
        let written = match form {
            Form::Json => &self.json,
            Form::Sse => &self.sse,
            Form::Raw => &self.raw,
        };
        written.get_or_init(|| form.write(&self.value).into()).clone()
    }
}

/// The events of topics after a stamp each, on all of them up to one stamp. So a client that comes back with any id misses
/// and repeats nothing.
pub(super) struct PageContent {
    /// Everything up to here is in it.
    pub(super) through: Stamp,
    /// Whether there was more.
    pub(super) has_more: bool,
    pub(super) messages: Vec<Arc<NtfyMessage>>,
    /// Whether one of the topics has readers among whom its user was not when everything in it was there.
    pub(super) is_barred: bool,
    /// The room that they take in the share of their user.
    _room: Reservation,
}

/// Where a page begins.
#[derive(Clone, PartialEq, Eq)]
struct PageStart {
    /// The topics, each with the stamp after which it begins.
    topics: Vec<(Arc<str>, Stamp)>,
    /// The publications on all topics before it was read.
    published: u64,
}

/// A user, and the topics of a stream of theirs.
type Key = (UserKey, Vec<Arc<str>>);

/// The pages that streams hold or read, the newest for each key.
#[derive(Default)]
pub(super) struct SharedPages {
    newest: Mutex<HashMap<Key, Weak<SharedPage>>>,
}

/// A page that streams of one user share.
pub(super) struct SharedPage {
    key: Key,
    start: PageStart,
    content: OnceCell<PageContent>,
    pages: Arc<SharedPages>,
}

impl SharedPages {
    /// What happened on topics after their stamps: a page that is held or being read already, or a new one.
    ///
    /// # Errors
    /// Those of the store, and `unavailable` if there is no room in time.
    pub(super) async fn page(
        self: &Arc<Self>,
        app: &AppState,
        reader: &Bearer,
        topics: Vec<(Arc<str>, Stamp)>,
    ) -> Result<Arc<SharedPage>, Error> {
        // It is counted before the store is read, so that nobody whom a publication woke takes a page without it.
        let published = app.server.hub.topics.published_count();
        let page = self.at(reader.user, PageStart { topics, published });
        // Boxed, so that only the stream that reads has room for it, and not those that wait.
        page.content.get_or_try_init(|| Box::pin(read(app, reader, &page.start.topics))).await?;
        Ok(page)
    }

    fn at(self: &Arc<Self>, user: UserKey, start: PageStart) -> Arc<SharedPage> {
        let key = (user, start.topics.iter().map(|(name, _)| Arc::clone(name)).collect());
        // The lock ends before this one, whose end takes it.
        let held;
        let mut newest = self.newest.lock();
        held = newest.get(&key).and_then(Weak::upgrade);
        if let Some(page) = held.as_ref().filter(|page| page.start == start) {
            return Arc::clone(page);
        }
        let page = SharedPage { key: key.clone(), start, content: OnceCell::new(), pages: Arc::clone(self) };
        let page = Arc::new(page);
        newest.insert(key, Arc::downgrade(&page));
        page
    }
}

impl SharedPage {
    /// The page, once it was read.
    pub(super) fn content(&self) -> Option<&PageContent> {
        self.content.get()
    }
}

impl Drop for SharedPage {
    fn drop(&mut self) {
        let mut newest = self.pages.newest.lock();
        if newest.get(&self.key).is_some_and(|page| page.strong_count() == 0) {
            newest.remove(&self.key);
            maps::shrink(&mut newest);
        }
    }
}

/// Reads a page from the store.
async fn read(app: &AppState, reader: &Bearer, topics: &[(Arc<str>, Stamp)]) -> Result<PageContent, Error> {
    let mut room = reserve(app, reader.user, MAX_PAGE_BYTES).await?;
    let store = &app.server.store;
    let newest = store.published_through().await.inspect_err(log_failure)?;
    let (mut through, mut events): (Stamp, Vec<(Stamp, usize, Value)>) = (newest, Vec::new());
    for (topic, from) in topics {
        let page = of_call(&**store, "topic events", store.topic_events(topic, *from, PAGE_EVENTS)).await;
        let page = page.inspect_err(log_failure)?;
        through = through.min(page.next.unwrap_or(newest));
        events.extend(page.events.iter().map(|event| {
            let bytes = event.content.body.len() + limits::NAME_BYTES;
            (event.position, bytes, message::of_event(topic, event))
        }));
        events.sort_by_key(|(position, ..)| *position);
        // The page ends with the event that fills it.
        let mut bytes = 0;
        for (position, size, _) in &events {
            bytes += size;
            if bytes > limits::TOPIC_PAGE_BYTES {
                through = through.min(*position);
                break;
            }
        }
        events.retain(|(position, ..)| *position <= through);
    }
    // This comes after what is published is read: if the readers were changed before something in it, that is seen
    // here.
    let names: Vec<String> = topics.iter().map(|(name, _)| name.to_string()).collect();
    let is_barred = store.unreadable_topic(&reader.id, &names).await.inspect_err(log_failure)?.is_some();
    room.shrink(events.iter().map(|(_, bytes, _)| bytes).sum());
    let messages = events.into_iter().map(|(.., message)| Arc::new(NtfyMessage::new(message))).collect();
    Ok(PageContent { through, has_more: through < newest, messages, is_barred, _room: room })
}

/// Room in the share of a user for what is read next.
///
/// # Errors
/// `unavailable` if there is none in time.
pub(super) async fn reserve(app: &AppState, user: UserKey, bytes: usize) -> Result<Reservation, Error> {
    let room = app.load_limits.streams.reserve(Principal::User(user), bytes).await;
    Ok(room.inspect_err(|e| tracing::warn!(error = %e.detail, "a subscription ends"))?)
}

fn log_failure(e: &Error) {
    tracing::error!(error = %e, "a subscription could not be served");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_shared_at_one_place_by_one_user_while_somebody_holds_it() {
        let pages = Arc::<SharedPages>::default();
        let start =
            |from, published| PageStart { topics: vec![("a".into(), Stamp::from_micros(from))], published };
        let held = pages.at(UserKey(1), start(1, 1));
        assert!(Arc::ptr_eq(&held, &pages.at(UserKey(1), start(1, 1))));
        let others = [
            pages.at(UserKey(2), start(1, 1)),
            pages.at(UserKey(1), start(2, 1)),
            pages.at(UserKey(1), start(2, 2)),
        ];
        assert!(!others.iter().any(|other| Arc::ptr_eq(other, &held)));
        drop(held);
        assert!(
            Arc::ptr_eq(&others[2], &pages.at(UserKey(1), start(2, 2))),
            "an older one ends, the newest stays"
        );
        drop(others);
        assert!(pages.newest.lock().is_empty());
    }
}
