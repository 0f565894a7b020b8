//! The size of the next page, and the detection of pages without progress.

use std::time::Duration;

use tidings_net::Error as NetError;
use tidings_sources::Bounds;

use crate::{Error, Result};

/// The size in bytes, and the number of items, below both of which a page counts as thin: it hardly justifies a request.
const THIN_PAGE_BYTES: usize = 16 << 10;
const THIN_PAGE_ITEMS: usize = 20;
/// The most consecutive empty pages that are accepted, because the server may scan many items that are not for this
/// reader.
const MAX_EMPTY_PAGES: u32 = 200;

/// The number of items to request with the next page.
#[derive(Debug)]
pub(crate) struct PageSize {
    bounds: Bounds,
    limit: usize,
    /// The upper bound after an answer was too large; it grows again.
    max_limit: usize,
}

impl PageSize {
    pub(crate) const fn new(bounds: Bounds) -> Self {
        Self { bounds, limit: bounds.first_items, max_limit: bounds.page_items }
    }

    pub(crate) const fn limit(&self) -> usize {
        self.limit
    }

    /// Sets the size of the next page after a page of this size in bytes.
    pub(crate) fn record(&mut self, bytes: usize) {
        self.max_limit = self.max_limit.saturating_mul(2).min(self.bounds.page_items);
        self.limit = if bytes > self.bounds.heavy_page_bytes {
            (self.limit / 2).max(1)
        } else {
            (self.limit * 5).min(self.max_limit)
        };
    }

    /// Shrinks the size after an answer to this limit was too large or too slow; `false` if the limit was one item.
    pub(crate) fn shrink(&mut self, requested: usize) -> bool {
        if requested <= 1 {
            return false;
        }
        self.limit = (requested / 8).max(1);
        self.max_limit = self.limit;
        true
    }
}

/// Distinguishes a long backlog from a server that announces more pages without end.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    bounds: Bounds,
    empty: u32,
    thin: u32,
}

impl Progress {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self { bounds, ..Self::default() }
    }

    /// Returns the pause before the next page, after a page with `more`. `moved` is true if its cursor differs from
    /// the one before, `changed` if applying it changed the replica. Known items may be repeated, after
    /// [`NetError::Resync`] all of them, but not without pauses.
    ///
    /// # Errors
    /// [`Error::NoProgress`] after more than 200 consecutive empty pages; [`NetError::Malformed`] for a page with items
    /// whose cursor did not move.
    pub(crate) fn record(
        &mut self,
        moved: bool,
        items: usize,
        changed: bool,
        bytes: usize,
    ) -> Result<Duration> {
        if !moved && items > 0 {
            return Err(NetError::Malformed.into());
        }
        self.empty = if moved && (changed || items > 0) { 0 } else { self.empty + 1 };
        let is_thin = bytes < THIN_PAGE_BYTES && items < THIN_PAGE_ITEMS;
        self.thin = if changed && !is_thin { 0 } else { self.thin.saturating_add(1) };
        if self.empty > MAX_EMPTY_PAGES {
            return Err(Error::NoProgress);
        }
        let level = self.thin.max(self.empty.saturating_mul(4));
        let quick = u32::try_from(self.bounds.quick_pages).unwrap_or(u32::MAX);
        let pause = level.checked_sub(quick).map_or(Duration::ZERO, |excess| {
            let growing = Duration::from_millis(1_u64.checked_shl(excess / 2).unwrap_or(u64::MAX));
            growing.min(Duration::from_millis(self.bounds.pause_millis.try_into().unwrap_or(u64::MAX)))
        });
        Ok(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_PAUSE: Duration = Duration::from_millis(250);

    #[test]
    fn a_page_shrinks_to_a_single_item_and_grows_again() {
        let mut size = PageSize::new(Bounds::default());
        let mut requested = vec![size.limit()];
        while size.shrink(size.limit()) {
            requested.push(size.limit());
        }
        assert_eq!(requested, [1_000, 125, 15, 1]);
        let grown: Vec<usize> = (0..14)
            .map(|_| {
                size.record(1_000);
                size.limit()
            })
            .collect();
        assert!(grown.is_sorted() && grown.last() == Some(&5_000), "{grown:?}");
        size.record((5 << 20) + 1);
        assert_eq!(size.limit(), 2_500);
    }

    #[test]
    fn pages_that_bring_nothing_are_asked_for_ever_more_slowly_and_not_for_ever() {
        let mut progress = Progress::default();
        let pauses: Vec<_> =
            (0..MAX_EMPTY_PAGES).map(|_| progress.record(true, 0, false, 100).unwrap()).collect();
        assert_eq!(pauses[0], Duration::ZERO);
        assert_eq!(pauses.last(), Some(&MAX_PAUSE));
        assert!(pauses.iter().sum::<Duration>() > Duration::from_secs(30));
        assert!(matches!(progress.record(true, 0, false, 100), Err(Error::NoProgress)));
        assert!(matches!(
            Progress::default().record(false, 1, true, 100),
            Err(Error::Net(NetError::Malformed))
        ));
        let mut known = Progress::default();
        let last = (0..10_000).map(|_| known.record(true, 500, false, 1 << 20).unwrap()).last();
        assert_eq!(last, Some(MAX_PAUSE), "a whole history may come again, but not in a rush");
        let mut useful = Progress::default();
        assert!((0..10_000).all(|_| useful.record(true, 500, true, 1 << 20).unwrap().is_zero()));
        let mut small = Progress::default();
        assert!((0..10_000).all(|_| small.record(true, 50, true, 9_000).unwrap().is_zero()));
        let last = (0..100).map(|_| small.record(true, 1, true, 9_000).unwrap()).last();
        assert_eq!(last, Some(MAX_PAUSE), "a server that brings one item at a time");
    }
}
