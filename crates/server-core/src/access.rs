//! What requests may do, looked up a moment ago: tokens, and the settings of topics. Both are kept for a quarter of a
//! second at most, because another process may change them; what this process changes ends all of them at once.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tidings_store::domain::account::{self, Bearer, UserKey};
use tidings_store::domain::topic::TopicSettings;
use tidings_store::{Error, Store};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use crate::threads::{AtomicU64, Mutex, Ordering};

tidings_model::bounds! {
    /// How much is kept of what was looked up, and for how long. A test makes it little, so that nearly all is looked up again.
    pub struct AccessBounds {
        /// Tokens that are kept.
        tokens: 1 => 10_000,
        /// Topics whose settings are kept.
        topics: 1 => 1_000,
        /// Answers to open streams that are kept.
        readers: 1 => 1_000,
        /// Tokens that are looked up at the same time, and likewise readers of topics.
        lookups: 1 => 4,
        /// The milliseconds after which it is looked up again, because another process may have changed it.
        kept_millis: 0 => 250,
    }
}

/// How long a token is looked up, the wait for a turn included.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(9);

/// The token in a name and a password: the password, or the name if only that is a token.
pub fn login_token<'a>(name: &'a str, password: &'a str) -> &'a str {
    // The one credential in an address, as in `ntfy://TOKEN@host/topic`, is its user name; programs then send an empty
    // password or, like Apprise, `None`.
    let is_token = |text: &str| text.starts_with(account::TOKEN_PREFIX);
    if is_token(name) && !is_token(password) { name } else { password }
}

/// Waits until every process has forgotten what it looked up before.
pub(crate) async fn forgotten_everywhere() {
    tokio::time::sleep(millis(AccessBounds::default().kept_millis)).await;
}

fn millis(bound: usize) -> Duration {
    Duration::from_millis(bound as u64)
}

/// Values that were looked up recently; a full map is cleared.
struct Recent<K, V> {
    kept: Mutex<RecentValues<K, V>>,
    max: usize,
    kept_for: Duration,
}

struct RecentValues<K, V> {
    values: HashMap<K, RecentValue<V>>,
    /// How often a value was forgotten because it changed.
    changes: u64,
}

/// The beginning of a lookup.
#[derive(Clone, Copy)]
struct LookupStart {
    at: Instant,
    /// The changes until then.
    changes: u64,
}

struct RecentValue<V> {
    value: V,
    generation: u64,
    looked_up_at: Instant,
}

impl<K: Eq + Hash, V: Clone> Recent<K, V> {
    fn new(max: usize, kept_for: Duration) -> Self {
        Self { kept: Mutex::new(RecentValues { values: HashMap::new(), changes: 0 }), max, kept_for }
    }

    /// The value that was looked up a moment ago, in this generation.
    fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q, generation: u64) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let kept = self.kept.lock();
        let recent = kept.values.get(key)?;
        let is_current = recent.generation == generation && recent.looked_up_at.elapsed() < self.kept_for;
        is_current.then(|| recent.value.clone())
    }

    /// Begins a lookup.
    fn begin(&self) -> LookupStart {
        LookupStart { at: Instant::now(), changes: self.kept.lock().changes }
    }

    /// Keeps a value whose lookup began before, unless something changed meanwhile that it may not have seen.
    fn insert(&self, key: K, value: V, generation: u64, begun: LookupStart) {
        let mut kept = self.kept.lock();
        if kept.changes != begun.changes {
            return;
        }
        if kept.values.len() >= self.max {
            kept.values.clear();
        }
        kept.values.insert(key, RecentValue { value, generation, looked_up_at: begun.at });
    }

    /// Forgets a value that changed, and what is being looked up.
    fn forget<Q: Eq + Hash + ?Sized>(&self, key: &Q)
    where
        K: Borrow<Q>,
    {
        let mut kept = self.kept.lock();
        kept.values.remove(key);
        kept.changes += 1;
    }

    fn remove<Q: Eq + Hash + ?Sized>(&self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.kept.lock().values.remove(key);
    }
}

/// The tokens and the settings of topics that were looked up recently.
pub struct AccessCache {
    store: Arc<dyn Store>,
    generation: AtomicU64,
    generation_changed: watch::Sender<u64>,
    tokens: Recent<[u8; 32], Bearer>,
    topics: Recent<String, Arc<TopicSettings>>,
    /// Whether a user may not read one of the topics of a stream, by their names.
    barred: Recent<(UserKey, String), bool>,
    /// Requests with the same token wait here while the first of them looks it up.
    lookups: Semaphore,
    /// Streams of the same topics wait here while the first of them asks for the readers.
    reader_lookups: Semaphore,
}

impl AccessCache {
    pub(crate) fn new(store: Arc<dyn Store>, bounds: AccessBounds) -> Self {
        let kept_for = millis(bounds.kept_millis);
        Self {
            store,
            generation: AtomicU64::new(0),
            generation_changed: watch::Sender::new(0),
            tokens: Recent::new(bounds.tokens, kept_for),
            topics: Recent::new(bounds.topics, kept_for),
            barred: Recent::new(bounds.readers, kept_for),
            lookups: Semaphore::new(bounds.lookups),
            reader_lookups: Semaphore::new(bounds.lookups),
        }
    }

    /// Forgets everything after a change of users, tokens or topics; open streams check their tokens again.
    pub fn invalidate(&self) {
        let generation = self.generation.fetch_add(1, Ordering::AcqRel) + 1;
        self.generation_changed.send_replace(generation);
    }

    /// Forgets the settings of a topic that changed in what no stream goes by.
    pub(crate) fn forget_topic(&self, topic: &str) {
        self.topics.forget(topic);
    }

    /// Changes whenever the cache is invalidated.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.generation_changed.subscribe()
    }

    /// The user and scopes of a token's text; `None` if the token is not known.
    pub async fn bearer(&self, token: &str) -> Result<Option<Bearer>, Error> {
        if !token.starts_with(account::TOKEN_PREFIX) || token.len() > 256 {
            return Ok(None);
        }
        let hash = account::hash(token);
        let generation = self.generation.load(Ordering::Acquire);
        if let Some(bearer) = self.tokens.get(&hash, generation) {
            return Ok(Some(bearer));
        }
        let look_up = async {
            let _turn = self.lookups.acquire().await;
            match self.tokens.get(&hash, generation) {
                Some(bearer) => Ok(Some(bearer)),
                None => self.look_up(hash, generation).await,
            }
        };
        // If the store does not answer, those who wait for their turn do not wait for all those before them.
        timeout(LOOKUP_TIMEOUT, look_up)
            .await
            .unwrap_or_else(|_| Err(Error::unavailable("the store takes too long")))
    }

    /// Looks a token up in the store, and keeps the result.
    async fn look_up(&self, hash: [u8; 32], generation: u64) -> Result<Option<Bearer>, Error> {
        let begun = self.tokens.begin();
        let found = self.store.bearer(hash).await?;
        match &found {
            Some(bearer) => self.tokens.insert(hash, bearer.clone(), generation, begun),
            None => self.tokens.remove(&hash),
        }
        Ok(found)
    }

    /// Whether the token still has the same user and scopes.
    pub async fn is_still_valid(&self, bearer: &Bearer, token: &str) -> bool {
        match self.bearer(token).await {
            Ok(found) => found.as_ref() == Some(bearer),
            // An error of the store does not mean that the token was revoked.
            Err(_) => true,
        }
    }

    /// Whether the settings of one of the topics of an open stream, with commas between their names, name others as its
    /// readers. Whenever users, tokens or readers change, all streams ask at the same moment: those of one user for the same
    /// topics share what the first of them finds.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn is_barred(&self, reader: &Bearer, topics: String) -> Result<bool, Error> {
        let generation = self.generation.load(Ordering::Acquire);
        let key = (reader.user, topics);
        let _turn = self.reader_lookups.acquire().await;
        if let Some(is_barred) = self.barred.get(&key, generation) {
            return Ok(is_barred);
        }
        let begun = self.barred.begin();
        let names: Vec<String> = key.1.split(',').map(str::to_owned).collect();
        let is_barred = self.store.unreadable_topic(&reader.id, &names).await?.is_some();
        self.barred.insert(key, is_barred, generation, begun);
        Ok(is_barred)
    }

    /// The settings of a topic, the default ones if nothing is set for it.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn topic_settings(&self, topic: &str) -> Result<Arc<TopicSettings>, Error> {
        let generation = self.generation.load(Ordering::Acquire);
        if let Some(settings) = self.topics.get(topic, generation) {
            return Ok(settings);
        }
        let begun = self.topics.begin();
        let settings = Arc::new(self.store.topic_settings(topic).await?.unwrap_or_default());
        self.topics.insert(topic.to_owned(), Arc::clone(&settings), generation, begun);
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_looked_up_before_it_changed_is_not_kept() {
        let recent = Recent::new(9, Duration::from_secs(60));
        let begun = recent.begin();
        recent.forget("backups");
        recent.insert("backups", "as before", 0, begun);
        assert_eq!(recent.get("backups", 0), None);
        recent.insert("backups", "as it is", 0, recent.begin());
        assert_eq!(recent.get("backups", 0), Some("as it is"));
    }
}
