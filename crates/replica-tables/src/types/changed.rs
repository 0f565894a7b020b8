//! What a transaction changed.

use std::sync::Arc;

use super::{Counts, ThreadId};

/// The changes of a page, a mark or a waking; every subscriber receives the same value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changed {
    /// New and changed threads, each once. Empty with `refetch`.
    pub threads: Vec<ThreadId>,
    /// Threads that were deleted.
    pub gone: Vec<ThreadId>,
    /// Too many threads changed to list them ([`Changed::MAX_LISTED`]), or sources or settings changed: query
    /// everything again.
    pub refetch: bool,
    /// The counts after the change.
    pub counts: Counts,
}

impl Changed {
    /// The most threads that are listed; a larger change sets `refetch`.
    pub const MAX_LISTED: usize = 1_000;

    /// Whether no thread changed. The counts may have changed.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty() && self.gone.is_empty() && !self.refetch
    }

    /// This change and a later one, as one.
    pub fn merged(&self, later: &Self) -> Arc<Self> {
        let mut all = self.clone();
        all.threads.extend(&later.threads);
        all.gone.extend(&later.gone);
        all.refetch |= later.refetch || all.threads.len() + all.gone.len() > Self::MAX_LISTED;
        if all.refetch {
            (all.threads, all.gone) = (Vec::new(), Vec::new());
        }
        all.counts = later.counts.clone();
        Arc::new(all)
    }
}
