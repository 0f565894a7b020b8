//! Toasts that a pause or quiet hours defer, and the summary when the silence ends.

use std::collections::HashSet;

use tidings_model::{MsgId, Stamp};
use tidings_replica::{DeferredToast, ItemId, SourceId};

use super::{Candidate, NAMES, Order, ToastPolicy};

/// What holds just now for all sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToastContext {
    /// The least priority that has a toast, where neither thread nor source has its own.
    pub from_priority: u8,
    /// Whether toasts may sound, where neither thread nor source says so.
    pub sound: bool,
    /// A pause or quiet hours.
    pub silence: Option<Silence>,
}

/// Why there are no toasts just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silence {
    /// Priorities from this on have their toast all the same; none lets nothing pass.
    pub passes: Option<u8>,
}

impl ToastContext {
    pub(super) fn allows(self, priority: u8) -> bool {
        self.silence.is_none_or(|silence| silence.passes.is_some_and(|least| priority >= least))
    }
}

/// What a source brought in a silence.
#[derive(Debug, Default)]
pub(super) struct Deferred {
    pub(super) candidates: Vec<Candidate>,
    pub(super) beyond: u64,
}

impl ToastPolicy {
    /// Puts aside what a silence does not let pass, and gives the rest.
    pub(super) fn defer_silenced(
        &mut self,
        source: SourceId,
        candidates: Vec<Candidate>,
        context: ToastContext,
    ) -> Vec<Candidate> {
        let (passes, silent): (Vec<Candidate>, Vec<Candidate>) =
            candidates.into_iter().partition(|candidate| context.allows(candidate.priority));
        for candidate in silent {
            // What is on the screen was told before, and only changed.
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
        if deferred.candidates.len() < NAMES {
            deferred.candidates.push(candidate);
        } else {
            deferred.beyond += 1;
        }
    }

    /// What was put aside since this was asked last, for whoever remembers it beyond this session.
    pub fn newly_deferred(&mut self) -> Vec<ItemId> {
        std::mem::take(&mut self.newly_deferred)
    }

    /// What was deferred before this session.
    pub fn restore_deferred(&mut self, deferred: Vec<DeferredToast>, sound: bool) {
        for one in deferred {
            let DeferredToast { item, source, thread, msgid, priority, sound: own } = one;
            self.defer(source, Candidate { item, thread, msgid, priority, sound: own.unwrap_or(sound) });
        }
    }

    /// What came in a silence, by source.
    pub fn deferred(&self) -> Vec<(SourceId, Vec<MsgId>)> {
        let names = |deferred: &Deferred| {
            deferred.candidates.iter().map(|candidate| candidate.msgid.clone()).collect()
        };
        self.deferred.iter().map(|(source, deferred)| (*source, names(deferred))).collect()
    }

    /// The silence is over: what came in it and is still unread becomes one summary a source.
    pub fn silence_ended(&mut self, unread: &HashSet<(SourceId, MsgId)>, now: Stamp) -> Vec<Order> {
        let mut orders = Vec::new();
        // Told now: nobody need remember it any more.
        self.newly_deferred.clear();
        let mut all: Vec<(SourceId, Deferred)> = self.deferred.drain().collect();
        all.sort_by_key(|(source, _)| *source);
        for (source, mut deferred) in all {
            deferred.candidates.retain(|candidate| unread.contains(&(source, candidate.msgid.clone())));
            orders.extend(self.toast_summary(source, deferred.candidates, deferred.beyond, now));
        }
        orders
    }
}
