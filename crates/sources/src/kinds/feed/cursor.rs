//! The position in a feed: how its document was when it was last read whole, and the times of entries that have none.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tidings_model::Stamp;

use super::entry::{Entry, digest};
use super::plausible;
use crate::service::Validators;

/// The most entries without a time of their publication that are taken.
const MAX_FIRST_SEEN: usize = 2_000;
/// The number of characters of the key of such an entry.
const KEY_CHARS: usize = 12;

/// A position, stored as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Cursor {
    /// The address of the feed, if the page at the source's own address names another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<String>,
    /// The title of the feed.
    pub(super) title: String,
    /// The state of the document when it was last read whole.
    pub(super) validators: Validators,
    /// The seconds to wait that the document asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) wait: Option<u64>,
    /// The digest of the document when it was last read whole.
    pub(super) digest: String,
    /// The document that is being read in parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) walk: Option<PartialRead>,
    /// The times, in µs, of entries that don't say when they were published: when they were last changed or, without
    /// that, first seen.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) first_seen: BTreeMap<String, i64>,
}

/// A document that is being read in parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct PartialRead {
    /// Its digest.
    pub(super) digest: String,
    /// The number of its newest entries that were returned.
    pub(super) done: usize,
}

impl Cursor {
    /// Whether a document that is in memory serves the next page: it is new, or its first entries were returned.
    pub(super) fn may_continue(&self, digest: &str) -> bool {
        self.walk.as_ref().is_none_or(|walk| walk.digest == digest)
    }

    /// The entries by their position, with their times, newest first. An entry keeps its time from pull to pull: one
    /// that does not say when it was published keeps the first time that it had.
    pub(super) fn times<C>(&mut self, entries: &[Entry<C>], now: Stamp) -> Vec<(usize, Stamp)> {
        let mut times = Vec::with_capacity(entries.len());
        let mut present = BTreeSet::new();
        for (nth, entry) in entries.iter().enumerate() {
            let key: String = digest(entry.msgid.as_str()).chars().take(KEY_CHARS).collect();
            let published = entry.published.and_then(|at| plausible(at, now));
            let at = match (self.first_seen.get(&key), published) {
                (Some(at), _) => Stamp::from_micros(*at),
                (None, Some(at)) => {
                    times.push((nth, at));
                    continue;
                }
                (None, None) if present.len() >= MAX_FIRST_SEEN => continue,
                // Feeds list new entries first.
                (None, None) => entry
                    .updated
                    .and_then(|at| plausible(at, now))
                    .unwrap_or_else(|| now.plus_micros(-i64::try_from(nth).unwrap_or_default())),
            };
            times.push((nth, at));
            self.first_seen.insert(key.clone(), at.as_micros());
            present.insert(key);
        }
        self.first_seen.retain(|key, _| present.contains(key));
        times.sort_by_key(|(nth, at)| (std::cmp::Reverse(*at), *nth));
        times
    }
}

#[cfg(test)]
mod tests {
    use tidings_model::Content;

    use super::*;
    use crate::cursors;

    fn entry(id: &str, published: Option<i64>, updated: Option<i64>) -> Entry {
        let at = |secs: Option<i64>| secs.and_then(|secs| chrono::DateTime::from_timestamp(secs, 0));
        Entry {
            msgid: id.into(),
            content: Content::default(),
            published: at(published),
            updated: at(updated),
        }
    }

    #[test]
    fn an_entry_keeps_the_first_time_that_it_had() {
        let now = Stamp::from_secs(1_700_000_000);
        let mut cursor = Cursor::default();
        let feed = [entry("a", None, None), entry("b", None, None), entry("c", Some(1_600_000_000), None)];
        let first = cursor.times(&feed, now);
        assert_eq!(first, [(0, now), (1, now.plus_micros(-1)), (2, Stamp::from_secs(1_600_000_000))]);
        let mut cursor: Cursor = cursors::read(cursors::write(&cursor).ok().as_deref());
        let later = now.plus_secs(3_600);
        let feed = [
            entry("d", None, Some(1_650_000_000)),
            entry("a", None, None),
            entry("b", None, Some(1_700_000_100)),
        ];
        let second = cursor.times(&feed, later);
        assert_eq!(second, [(1, now), (2, now.plus_micros(-1)), (0, Stamp::from_secs(1_650_000_000))]);
        let feed = [entry("d", None, Some(1_700_003_000))];
        assert_eq!(
            cursor.times(&feed, later),
            [(0, Stamp::from_secs(1_650_000_000))],
            "a correction moves nothing"
        );
        assert_eq!(cursor.first_seen.len(), 1, "what left the feed is forgotten");
    }

    #[test]
    fn a_time_that_cannot_be_is_none() {
        let now = Stamp::from_secs(1_700_000_000);
        let mut cursor = Cursor::default();
        let feed = [entry("future", Some(4_000_000_000), None), entry("unset", Some(0), None)];
        assert_eq!(cursor.times(&feed, now), [(0, now), (1, now.plus_micros(-1))]);
    }

    #[test]
    fn the_cursor_stays_small_however_long_the_feed() {
        let feed: Vec<_> = (0..5_000).map(|n| entry(&format!("e{n}"), None, None)).collect();
        let mut cursor = Cursor::default();
        assert_eq!(cursor.times(&feed, Stamp::from_secs(1_700_000_000)).len(), MAX_FIRST_SEEN);
        let written = cursors::write(&cursor).unwrap();
        assert!(written.len() < 100_000, "{}", written.len());
    }
}
