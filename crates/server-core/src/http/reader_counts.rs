//! How many have read announcements. Counting them looks at each user, so a count that took long is given again for a
//! while. However often it is asked for, counting takes a small share of the store's time.
//!
//! A count that took more than 100 ms is given again for twenty times as long, and one is counted at a time.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tidings_model::Stamp;
use tidings_model::wire::AnnouncementReaders;
use tidings_store::{Error, Store};

/// What was counted within this time is counted anew each time.
const CHEAP: Duration = Duration::from_millis(100);
/// A count that took longer is given again for as many times as long as it took.
const HOLDS: u32 = 20;
/// Announcements whose numbers are kept, at most; a full memory is cleared.
const MAX_KEPT: usize = 1_000;

/// Counts of announcements, the costly ones kept. One is counted at a time.
#[derive(Default)]
pub struct ReaderCounts {
    kept: Mutex<HashMap<Stamp, Kept>>,
    counting: tokio::sync::Mutex<()>,
}

struct Kept {
    readers: AnnouncementReaders,
    until: Instant,
}

impl ReaderCounts {
    /// How many have read the announcement that was created at this time.
    pub async fn get(&self, store: &dyn Store, created_at: Stamp) -> Result<AnnouncementReaders, Error> {
        if let Some(kept) = self.kept(created_at) {
            return Ok(kept);
        }
        let _turn = self.counting.lock().await;
        if let Some(kept) = self.kept(created_at) {
            return Ok(kept);
        }
        let began = Instant::now();
        let readers = store.announcement_readers(created_at).await?;
        self.keep(created_at, readers, began.elapsed());
        Ok(readers)
    }

    fn kept(&self, created_at: Stamp) -> Option<AnnouncementReaders> {
        let kept = self.kept.lock();
        kept.get(&created_at).filter(|kept| Instant::now() < kept.until).map(|kept| kept.readers)
    }

    fn keep(&self, created_at: Stamp, readers: AnnouncementReaders, took: Duration) {
        let mut kept = self.kept.lock();
        kept.remove(&created_at);
        if took <= CHEAP {
            return;
        }
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        let until = Instant::now() + took.saturating_mul(HOLDS);
        kept.insert(created_at, Kept { readers, until });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_long_to_count_is_told_again_for_a_while_and_what_did_not_is_counted_anew() {
        let counts = ReaderCounts::default();
        let readers = AnnouncementReaders { read_count: 12, user_count: 40 };
        counts.keep(Stamp::from_micros(1), readers, CHEAP);
        assert_eq!(counts.kept(Stamp::from_micros(1)), None);
        counts.keep(Stamp::from_micros(1), readers, Duration::from_secs(60));
        assert_eq!(counts.kept(Stamp::from_micros(1)), Some(readers));
        for n in 2..3_000 {
            counts.keep(Stamp::from_micros(n), readers, Duration::from_secs(60));
        }
        assert!(counts.kept.lock().len() <= MAX_KEPT);
    }
}
