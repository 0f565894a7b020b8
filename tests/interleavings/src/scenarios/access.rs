//! The tokens and settings of topics that were looked up recently.

use std::sync::Arc;

use async_trait::async_trait;
use shuttle::future::{block_on, yield_now};

use crate::Error;
use crate::access::{AccessBounds, AccessCache};
use crate::domain::account::{Bearer, UserKey};
use crate::domain::topic::TopicSettings;
use crate::store::Store;
use crate::threads::{AtomicBool, AtomicU64, Ordering, thread};

#[derive(Default)]
struct Stored {
    expect_secs: AtomicU64,
    is_revoked: AtomicBool,
}

#[async_trait]
impl Store for Stored {
    async fn bearer(&self, _: [u8; 32]) -> Result<Option<Bearer>, Error> {
        let is_revoked = self.is_revoked.load(Ordering::SeqCst);
        yield_now().await;
        Ok((!is_revoked).then(|| Bearer { user: UserKey(1), id: "ana".into() }))
    }

    async fn topic_settings(&self, _: &str) -> Result<Option<TopicSettings>, Error> {
        let found = u32::try_from(self.expect_secs.load(Ordering::SeqCst)).unwrap();
        yield_now().await;
        Ok(Some(TopicSettings { expect_secs: found }))
    }
}

/// Settings of a topic that change while somebody looks them up are what the next one finds.
pub fn a_topic_that_changed_is_looked_up_anew() {
    let stored = Arc::new(Stored::default());
    let cache = Arc::new(AccessCache::new(Arc::clone(&stored) as Arc<dyn Store>, AccessBounds::default()));
    let looking = {
        let cache = Arc::clone(&cache);
        thread::spawn(move || drop(block_on(cache.topic_settings("backups")).unwrap()))
    };
    stored.expect_secs.store(60, Ordering::SeqCst);
    cache.forget_topic("backups");
    assert_eq!(block_on(cache.topic_settings("backups")).unwrap().expect_secs, 60);
    looking.join().unwrap();
    assert_eq!(block_on(cache.topic_settings("backups")).unwrap().expect_secs, 60);
}

/// A token that is revoked while somebody looks it up is unknown from then on. It needs the context of a runtime with a clock.
pub fn a_revoked_token_is_unknown_at_once() {
    let stored = Arc::new(Stored::default());
    let cache = Arc::new(AccessCache::new(Arc::clone(&stored) as Arc<dyn Store>, AccessBounds::default()));
    let looking = {
        let cache = Arc::clone(&cache);
        thread::spawn(move || drop(block_on(cache.bearer("tdg_1")).unwrap()))
    };
    stored.is_revoked.store(true, Ordering::SeqCst);
    cache.invalidate();
    assert_eq!(block_on(cache.bearer("tdg_1")).unwrap(), None);
    looking.join().unwrap();
    assert_eq!(block_on(cache.bearer("tdg_1")).unwrap(), None);
}
