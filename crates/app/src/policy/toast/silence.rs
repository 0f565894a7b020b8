//! A pause, quiet hours: what comes in them is put aside, and told in one sentence a source when they are over. Refuses to
//! know when that is.

use std::collections::HashSet;

use tidings_model::{MsgId, Stamp};
use tidings_replica::{DeferredToast, ItemId, SourceId};

use super::{Heard, NAMES, Order, Toasting};

/// What holds just now for all sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mood {
    /// The least priority that is told of, where neither thread nor source has its own.
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

impl Mood {
    pub(super) fn lets_pass(self, priority: u8) -> bool {
        self.silence.is_none_or(|silence| silence.passes.is_some_and(|least| priority >= least))
    }
}

/// What a source brought in a silence.
#[derive(Debug, Default)]
pub(super) struct Missed {
    pub(super) news: Vec<Heard>,
    pub(super) beyond: u64,
}

impl Toasting {
    /// Puts aside what a silence does not let pass, and gives the rest.
    pub(super) fn keep_silent(&mut self, source: SourceId, news: Vec<Heard>, mood: Mood) -> Vec<Heard> {
        let (passes, silent): (Vec<Heard>, Vec<Heard>) =
            news.into_iter().partition(|heard| mood.lets_pass(heard.priority));
        for heard in silent {
            // What is on the screen was told before, and only changed.
            if !self.stands_for(heard.thread, &heard.msgid) {
                self.held_back.push(heard.item);
                self.put_aside(source, heard);
            }
        }
        passes
    }

    fn put_aside(&mut self, source: SourceId, heard: Heard) {
        let missed = self.missed.entry(source).or_default();
        missed.news.retain(|other| other.msgid != heard.msgid);
        if missed.news.len() < NAMES { missed.news.push(heard) } else { missed.beyond += 1 }
    }

    /// What was put aside since this was asked last, for whoever remembers it beyond this session.
    pub fn held_back(&mut self) -> Vec<ItemId> {
        std::mem::take(&mut self.held_back)
    }

    /// What was put aside before this session, and was not told.
    pub fn take_up(&mut self, deferred: Vec<DeferredToast>, sound: bool) {
        for one in deferred {
            let DeferredToast { item, source, thread, msgid, priority, sound: own } = one;
            self.put_aside(source, Heard { item, thread, msgid, priority, sound: own.unwrap_or(sound) });
        }
    }

    /// What came in a silence, by source.
    pub fn missed(&self) -> Vec<(SourceId, Vec<MsgId>)> {
        let names = |missed: &Missed| missed.news.iter().map(|heard| heard.msgid.clone()).collect();
        self.missed.iter().map(|(source, missed)| (*source, names(missed))).collect()
    }

    /// The silence is over: what came in it and is still unread is told in one toast a source.
    pub fn silence_over(&mut self, unread: &HashSet<(SourceId, MsgId)>, now: Stamp) -> Vec<Order> {
        let mut orders = Vec::new();
        // Told now: nobody need remember it any more.
        self.held_back.clear();
        let mut all: Vec<(SourceId, Missed)> = self.missed.drain().collect();
        all.sort_by_key(|(source, _)| *source);
        for (source, mut missed) in all {
            missed.news.retain(|heard| unread.contains(&(source, heard.msgid.clone())));
            orders.extend(self.sum_up(source, missed.news, missed.beyond, now));
        }
        orders
    }
}
