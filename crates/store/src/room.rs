//! Whether the disk of a store takes what is written. A write that finds it full or failing says so; a probe finds out
//! whether it takes something again, even if nobody writes.
//!
//! While it takes nothing, reads go on without the fan-in that should go before them, and readiness tries a write
//! until one succeeds.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::Error;

/// A probe's result holds for this long, so that however many ask cost one probe.
const PROBE_INTERVAL: Duration = Duration::from_millis(500);

/// The known state of the room on a store's disk.
pub struct Room {
    /// Whose disk it is, for the log.
    disk: &'static str,
    is_full: AtomicBool,
    /// The time and the result of the last probe.
    probed: Mutex<Option<(Instant, Result<(), Error>)>>,
}

impl Room {
    /// Room on a disk of which nothing else is known; `disk` is its name in the log.
    pub fn on(disk: &'static str) -> Self {
        Self { disk, is_full: AtomicBool::new(false), probed: Mutex::default() }
    }

    /// Whether the last that is known of the disk is that it took nothing.
    pub fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Notes that a write found the disk full or failing. It is logged once, until something is stored again.
    pub fn note_lack(&self, why: &Error) {
        if !self.is_full.swap(true, Ordering::Relaxed) {
            tracing::error!(
                error = %why,
                "nothing new is stored on {}; what is there can be read", self.disk
            );
        }
    }

    /// Notes that something was stored.
    pub fn note_room(&self) {
        if self.is_full() && self.is_full.swap(false, Ordering::Relaxed) {
            tracing::info!("{} takes what is stored again", self.disk);
        }
    }

    /// Whether a write succeeds; `write` tries one, unless that was done a moment ago.
    ///
    /// # Errors
    /// Those of the write.
    pub async fn probe(&self, write: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
        let mut probed = self.probed.lock().await;
        if let Some((at, result)) = &*probed
            && at.elapsed() < PROBE_INTERVAL
        {
            return result.clone();
        }
        let result = write.await;
        match &result {
            Ok(()) => self.note_room(),
            Err(e) if e.is_of_disk() => self.note_lack(e),
            // It says nothing of the disk.
            Err(_) => {}
        }
        *probed = Some((Instant::now(), result.clone()));
        result
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_probe_is_made_once_for_all_who_ask_and_says_when_there_is_room_again() {
        let (room, probes) = (Room::on("the disk"), AtomicUsize::new(0));
        let probe = |result: Result<(), Error>| {
            let probes = &probes;
            room.probe(async move {
                probes.fetch_add(1, Ordering::Relaxed);
                result
            })
        };
        room.note_lack(&Error::DiskFull);
        for _ in 0..100 {
            assert!(matches!(probe(Err(Error::DiskFull)).await, Err(Error::DiskFull)));
        }
        assert_eq!((probes.load(Ordering::Relaxed), room.is_full()), (1, true));
        tokio::time::advance(PROBE_INTERVAL).await;
        assert!(probe(Err(Error::unavailable("late"))).await.is_err() && room.is_full());
        tokio::time::advance(PROBE_INTERVAL).await;
        assert!(probe(Ok(())).await.is_ok() && !room.is_full());
        assert_eq!(probes.load(Ordering::Relaxed), 3);
    }
}
