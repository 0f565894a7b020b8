//! What the feed of releases said last. It is kept in the replica, so that it is known without a network and to
//! `tidings doctor`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tidings_model::{Clock, Stamp};
use tidings_replica::Replica;
use tidings_sources::releases::{self, Release};

/// The key of what the feed said in the replica.
const RELEASE_KEY: &str = "release";

/// The least time between two requests, in seconds, also after one that failed.
const INTERVAL_SECS: i64 = 24 * 3_600;

/// What the feed of releases said last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct KnownRelease {
    /// The newest release, whether or not it is newer than this program.
    newest: Option<Release>,
    /// When the feed was last asked, and when it last answered.
    tried_at: Option<Stamp>,
    read_at: Option<Stamp>,
    /// The version whose notice the reader closed.
    closed: Option<String>,
}

impl KnownRelease {
    /// What a replica has; nothing is known if that can't be read.
    pub(crate) fn read(replica: &Replica) -> tidings_replica::Result<Self> {
        let stored = replica.setting(RELEASE_KEY)?;
        Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    pub(crate) fn store(&self, replica: &Replica) -> tidings_replica::Result<()> {
        replica.set_setting(RELEASE_KEY, &serde_json::to_value(self).unwrap_or_default())
    }

    /// Removes what is stored, if anything is.
    pub(crate) fn remove(replica: &Replica) -> tidings_replica::Result<()> {
        match replica.setting(RELEASE_KEY)? {
            Some(_) => replica.set_setting(RELEASE_KEY, &Value::Null),
            None => Ok(()),
        }
    }

    /// Whether the feed is to be asked; a time of a clock that was ahead does not count.
    pub(crate) fn is_due(&self, now: Stamp) -> bool {
        let tried = self.tried_at.filter(|tried| *tried <= now);
        tried.is_none_or(|tried| tried.plus_secs(INTERVAL_SECS) <= now)
    }

    /// What is known after the feed was asked. Without an answer the last one stays.
    pub(crate) async fn asked(mut self, feed: &str, clock: Arc<dyn Clock>) -> Self {
        let now = clock.now();
        self.tried_at = Some(now);
        match releases::newest(feed, clock).await {
            Ok(newest) => (self.newest, self.read_at) = (newest, Some(now)),
            Err(error) => tracing::warn!(%error, "the feed of releases can't be read"),
        }
        self
    }

    /// The release that is newer than a version, if there is one.
    pub(crate) fn newer_than(&self, version: &str) -> Option<&Release> {
        self.newest.as_ref().filter(|newest| newest.is_newer_than(version))
    }

    /// Whether the feed was ever asked, and whether it answered the last time.
    pub(crate) fn answers(&self) -> Option<bool> {
        self.tried_at.map(|tried| self.read_at == Some(tried))
    }

    /// The same, with the notice closed as it is in `stored`.
    pub(crate) fn closed_as(self, stored: Self) -> Self {
        Self { closed: stored.closed, ..self }
    }

    /// Whether the reader closed the notice of a release.
    pub(crate) fn is_closed(&self, release: &Release) -> bool {
        self.closed.as_ref() == Some(&release.version)
    }

    /// Remembers that the reader closed the notice of the newest release.
    pub(crate) fn close(&mut self) {
        self.closed = self.newest.as_ref().map(|newest| newest.version.clone());
    }
}
