//! Toasts that a silence (a pause or quiet hours) defers, and their summary when it ends.

use std::collections::HashSet;

use tidings_model::{MsgId, Stamp};
use tidings_replica::{DeferredToast, ItemId, SourceId};

use super::{Candidate, MAX_TOAST_ITEMS, ToastCommand, ToastPolicy};

/// The settings that apply to toasts of all sources at this time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToastContext {
    /// The least priority that makes a toast, where neither thread nor source sets one.
    pub from_priority: u8,
    /// Whether toasts may play a sound, where neither thread nor source sets it.
    pub sound: bool,
    /// The pause or quiet hours in force.
    pub silence: Option<Silence>,
}

/// A pause or quiet hours, which defer toasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silence {
    /// The least priority that makes a toast all the same; none lets no item pass.
    pub passes: Option<u8>,
}

impl ToastContext {
    pub(crate) fn allows(self, priority: u8) -> bool {
        self.silence.is_none_or(|silence| silence.passes.is_some_and(|least| priority >= least))
    }
}

/// The items of a source that a silence deferred; `overflow` counts those over [`MAX_TOAST_ITEMS`].
#[derive(Debug, Default)]
pub(super) struct Deferred {
    pub(super) candidates: Vec<Candidate>,
    pub(super) overflow: u64,
}

impl ToastPolicy {
    /// Defers the items that the silence does not let pass, and returns the others.
    pub(super) fn defer_silenced(
        &mut self,
        source: SourceId,
        candidates: Vec<Candidate>,
        context: ToastContext,
    ) -> Vec<Candidate> {
        let (passes, silent): (Vec<Candidate>, Vec<Candidate>) =
            candidates.into_iter().partition(|candidate| context.allows(candidate.priority));
        for candidate in silent {
            // An item whose toast is on screen was shown before; a change of it is not deferred.
            if !self.stands_for(candidate.thread, &candidate.msgid) {
                self.newly_deferred.push(candidate.item);
                self.defer(source, candidate);
            }
        }
        passes
    }

    fn defer(&mut self, source: SourceId, candidate: Candidate) {
        let deferred = self.deferred.entry(source).or_default();
        deferred.candidates.retain(|other| other.msgid != candidate.msgid);
        if deferred.candidates.len() < MAX_TOAST_ITEMS {
            deferred.candidates.push(candidate);
        } else {
            deferred.overflow += 1;
        }
    }

    /// Takes the items deferred since the last call; the caller stores them beyond this session.
    pub fn newly_deferred(&mut self) -> Vec<ItemId> {
        std::mem::take(&mut self.newly_deferred)
    }

    /// Restores the toasts that an earlier session deferred.
    pub fn restore_deferred(&mut self, deferred: Vec<DeferredToast>, sound: bool) {
        for toast in deferred {
            let DeferredToast { item, source, thread, msgid, priority, sound: own } = toast;
            self.defer(
                source,
                Candidate { item, thread, msgid, priority, sound: own.unwrap_or(sound), news: true },
            );
        }
    }

    /// The deferred items, by source.
    pub fn deferred(&self) -> Vec<(SourceId, Vec<MsgId>)> {
        let msgids = |deferred: &Deferred| {
            deferred.candidates.iter().map(|candidate| candidate.msgid.clone()).collect()
        };
        self.deferred.iter().map(|(source, deferred)| (*source, msgids(deferred))).collect()
    }

    /// Handles the end of a silence: the deferred items that are still unread get one summary a source.
    pub fn silence_ended(&mut self, unread: &HashSet<(SourceId, MsgId)>, now: Stamp) -> Vec<ToastCommand> {
        let mut commands = Vec::new();
        // Their toasts are shown now, so they need not be stored.
        self.newly_deferred.clear();
        let mut all: Vec<(SourceId, Deferred)> = self.deferred.drain().collect();
        all.sort_by_key(|(source, _)| *source);
        for (source, mut deferred) in all {
            deferred.candidates.retain(|candidate| unread.contains(&(source, candidate.msgid.clone())));
            commands.extend(self.toast_summary(source, deferred.candidates, deferred.overflow, now));
        }
        commands
    }
}
