//! The items of a backlog or gap, which wait for the end of the pull that brings them. They are as few as a toast keeps,
//! however long the pull is; the others are counted.

use tidings_model::Stamp;
use tidings_replica::SourceId;

use super::{Candidate, MAX_TOAST_ITEMS, ToastCommand, ToastContext, ToastPolicy};

/// The items of one source that wait.
#[derive(Debug, Default)]
pub(super) struct WaitingItems {
    /// The newest ones, at most twice [`MAX_TOAST_ITEMS`].
    pub(super) candidates: Vec<Candidate>,
    /// How many more may have a toast.
    overflow: u64,
}

impl WaitingItems {
    /// Adds items. Gives the oldest ones if they are too many.
    fn add(&mut self, candidates: Vec<Candidate>) -> Vec<Candidate> {
        self.candidates.extend(candidates);
        if self.candidates.len() <= 2 * MAX_TOAST_ITEMS {
            return Vec::new();
        }
        self.sort();
        let excess = self.candidates.len().saturating_sub(MAX_TOAST_ITEMS);
        self.candidates.drain(..excess).collect()
    }

    /// Brings the items into their order, each once.
    fn sort(&mut self) {
        self.candidates.sort_by(|a, b| a.msgid.cmp(&b.msgid));
        self.candidates.dedup_by(|a, b| a.msgid == b.msgid);
    }
}

impl ToastPolicy {
    /// Has items wait for the end of the pull. Of those that are not kept, a silence defers what it does not let pass.
    pub(super) fn wait(&mut self, source: SourceId, candidates: Vec<Candidate>, context: &ToastContext) {
        let excess = self.waiting.entry(source).or_default().add(candidates);
        let passes = self.defer_silenced(source, excess, context);
        let news = passes.iter().filter(|candidate| candidate.news).count() as u64;
        self.waiting.entry(source).or_default().overflow += news;
    }

    /// Handles the end of a pull: the items that waited for it get a toast or one summary.
    pub fn caught_up(&mut self, source: SourceId, context: &ToastContext, now: Stamp) -> Vec<ToastCommand> {
        let mut waiting = self.waiting.remove(&source).unwrap_or_default();
        waiting.sort();
        let passes = self.defer_silenced(source, waiting.candidates, context);
        if passes.is_empty() && waiting.overflow > 0 {
            // A silence began meanwhile.
            self.deferred.entry(source).or_default().overflow += waiting.overflow;
            return Vec::new();
        }
        self.toast_summary(source, passes, waiting.overflow, now)
    }
}
