//! How many have read announcements. Counting them looks at each user. However often one is asked for, counting takes a small
//! share of the store's time: beyond it the last numbers are given.
//!
//! Each count has to be followed by twenty times as long without one, of which a second may be owed. So a quick count is a new
//! one, unless somebody asks in a loop. One is counted at a time.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tidings_model::Stamp;
use tidings_model::wire::AnnouncementReaders;
use tidings_store::Error;
use tokio::time::Instant;

/// A count is to be followed by as many times as long without one.
const HOLDS: u32 = 20;
/// Of that time, as much may be owed when the next count begins.
const MAX_OWED: Duration = Duration::from_secs(1);
/// Announcements whose numbers are kept, at most; a full memory is cleared.
const MAX_KEPT: usize = 1_000;

/// Counts of announcements. One is counted at a time.
#[derive(Default)]
pub struct ReaderCounts {
    kept: Mutex<HashMap<Stamp, AnnouncementReaders>>,
    /// The end of the time without a count. The next begins [`MAX_OWED`] before it.
    free_from: Mutex<Option<Instant>>,
    counting: tokio::sync::Mutex<()>,
}

impl ReaderCounts {
    /// How many have read the announcement that was created at this time. `count` counts them, and is dropped if the numbers
    /// are given again.
    pub async fn get(
        &self,
        created_at: Stamp,
        count: impl Future<Output = Result<AnnouncementReaders, Error>>,
    ) -> Result<AnnouncementReaders, Error> {
        if let Some(kept) = self.kept(created_at) {
            return Ok(kept);
        }
        let _turn = self.counting.lock().await;
        if let Some(kept) = self.kept(created_at) {
            return Ok(kept);
        }
        let began = Instant::now();
        let readers = count.await?;
        self.keep(created_at, readers, began.elapsed());
        Ok(readers)
    }

    fn kept(&self, created_at: Stamp) -> Option<AnnouncementReaders> {
        let is_free = self.free_from.lock().is_none_or(|free| free < Instant::now() + MAX_OWED);
        self.kept.lock().get(&created_at).filter(|_| !is_free).copied()
    }

    fn keep(&self, created_at: Stamp, readers: AnnouncementReaders, took: Duration) {
        let now = Instant::now();
        let mut free_from = self.free_from.lock();
        *free_from = Some(free_from.map_or(now, |free| free.max(now)) + took.saturating_mul(HOLDS));
        let mut kept = self.kept.lock();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(created_at, readers);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// The store's look at every user.
    #[derive(Default)]
    struct Looks(AtomicU64);

    impl Looks {
        async fn count(&self, takes: Duration) -> Result<AnnouncementReaders, Error> {
            let read_count = self.0.fetch_add(1, Ordering::SeqCst) + 1;
            tokio::time::sleep(takes).await;
            Ok(AnnouncementReaders { read_count, user_count: 40 })
        }

        fn number(&self) -> u64 {
            self.0.load(Ordering::SeqCst)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_asks_in_a_loop_costs_a_twentieth_of_the_time_also_of_quick_counts() {
        for millis in [1, 5, 100, 2_000] {
            let (counts, looks, takes) =
                (ReaderCounts::default(), Looks::default(), Duration::from_millis(millis));
            let began = Instant::now();
            while began.elapsed() < Duration::from_secs(300) {
                let told = counts.get(Stamp::ZERO, looks.count(takes)).await.unwrap();
                assert_eq!(told.read_count, looks.number(), "the last one that was counted");
                tokio::time::sleep(takes / 2).await;
            }
            let counted = takes * u32::try_from(looks.number()).unwrap();
            assert!(counted <= (began.elapsed() + MAX_OWED) / HOLDS + takes, "{millis} ms: {counted:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_quick_count_is_a_new_one() {
        let (counts, looks) = (ReaderCounts::default(), Looks::default());
        for asked in 1..20 {
            let told = counts.get(Stamp::ZERO, looks.count(Duration::from_millis(2))).await.unwrap();
            assert_eq!(told.read_count, asked);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_ask_at_once_wait_for_one_count() {
        let (counts, looks, takes) = (ReaderCounts::default(), Looks::default(), Duration::from_millis(100));
        let ask = |at| counts.get(Stamp::from_micros(at), looks.count(takes));
        let (a, b, c) = tokio::join!(ask(1), ask(1), ask(1));
        assert_eq!([a, b, c].map(|told| told.unwrap().read_count), [1; 3]);
        ask(2).await.unwrap();
        assert_eq!(looks.number(), 2, "another announcement has a count of its own");
    }

    #[tokio::test(start_paused = true)]
    async fn counts_of_many_announcements_are_forgotten_together() {
        let (counts, looks) = (ReaderCounts::default(), Looks::default());
        for n in 0..3_000 {
            counts.get(Stamp::from_micros(n), looks.count(Duration::from_secs(60))).await.unwrap();
        }
        assert!(counts.kept.lock().len() <= MAX_KEPT);
    }
}
