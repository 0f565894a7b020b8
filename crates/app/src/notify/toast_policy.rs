//! The toast policy: one toast a thread, replaced as it grows; one summary a source after a gap, in a storm and after a
//! silence. It decides which toasts there are; `toasts` renders and shows them.

mod command;
mod deferred;
mod screen;

use std::collections::{HashMap, VecDeque};

use tidings_model::{MsgId, Stamp};
use tidings_replica::{Arrival, ItemId, NotifyLevel, SourceId, ThreadId};
use tidings_sync::PullReason;

use self::deferred::Deferred;
use self::screen::ShownToast;

pub use self::command::{ToastCommand, ToastContent, ToastKey, Urgency};
pub use self::deferred::{Silence, ToastContext};
pub use self::screen::{DismissedToast, OfferedButtons, ToastOnScreen};

/// New toasts of one source that are shown within [`BURST_WINDOW_MICROS`]; further items belong to a storm.
const MAX_BURST: usize = 5;
/// Microseconds. The window over which a burst is counted, the calm after which a storm ends, and the least time
/// between two sounds of one toast.
const BURST_WINDOW_MICROS: i64 = 10_000_000;
/// The most items kept for one toast or silence. A toast that stands for more marks none of them.
const MAX_TOAST_ITEMS: usize = 1_000;

#[derive(Debug, Clone)]
struct Candidate {
    item: ItemId,
    thread: ThreadId,
    msgid: MsgId,
    priority: u8,
    sound: bool,
}

#[derive(Debug, Clone)]
struct Storm {
    count: u64,
    last: Stamp,
}

/// The toasts on screen, those that are deferred, and the counts behind the decisions.
#[derive(Debug)]
pub struct ToastPolicy {
    started: Stamp,
    waiting: HashMap<SourceId, Vec<Candidate>>,
    deferred: HashMap<SourceId, Deferred>,
    /// Deferred since [`ToastPolicy::newly_deferred`] was called last.
    newly_deferred: Vec<ItemId>,
    burst: HashMap<SourceId, VecDeque<Stamp>>,
    storms: HashMap<SourceId, Storm>,
    shown: HashMap<ToastKey, ShownToast>,
    /// The serial of the last toast shown.
    serial: u64,
}

impl ToastPolicy {
    /// A policy without toasts. Of a source's first backlog, only items created since `started` are notified of.
    pub fn new(started: Stamp) -> Self {
        Self {
            started,
            waiting: HashMap::new(),
            deferred: HashMap::new(),
            newly_deferred: Vec::new(),
            burst: HashMap::new(),
            storms: HashMap::new(),
            shown: HashMap::new(),
            serial: 0,
        }
    }

    /// Handles the items of an applied page. Items of a live pull get their toasts at once; those of a backlog or gap
    /// wait for [`ToastPolicy::caught_up`].
    pub fn arrived(
        &mut self,
        source: SourceId,
        reason: PullReason,
        arrived: &[Arrival],
        updated: &[Arrival],
        context: ToastContext,
        now: Stamp,
    ) -> Vec<ToastCommand> {
        let candidates: Vec<Candidate> = arrived
            .iter()
            .chain(
                updated.iter().filter(|a| a.unread_again || self.stands_for(a.thread, &a.notification.msgid)),
            )
            .filter(|a| is_toast_worthy(a, context))
            .filter(|a| reason != PullReason::Backlog || a.notification.created_at >= self.started)
            .map(|a| Candidate {
                item: a.item,
                thread: a.thread,
                msgid: a.notification.msgid.clone(),
                priority: a.priority,
                sound: a.notify.sound.unwrap_or(context.sound),
            })
            .collect();
        match reason {
            PullReason::Live => {
                let candidates = self.defer_silenced(source, candidates, context);
                self.toast_each(source, candidates, now)
            }
            PullReason::Backlog | PullReason::Gap => {
                self.waiting.entry(source).or_default().extend(candidates);
                Vec::new()
            }
        }
    }

    /// Handles the end of a pull: the items that waited for it get a toast or one summary.
    pub fn caught_up(&mut self, source: SourceId, context: ToastContext, now: Stamp) -> Vec<ToastCommand> {
        let mut candidates = self.waiting.remove(&source).unwrap_or_default();
        candidates.sort_by(|a, b| a.msgid.cmp(&b.msgid));
        candidates.dedup_by(|a, b| a.msgid == b.msgid);
        let candidates = self.defer_silenced(source, candidates, context);
        self.toast_summary(source, candidates, 0, now)
    }

    /// One item gets a toast of its own, several get a summary.
    fn toast_summary(
        &mut self,
        source: SourceId,
        candidates: Vec<Candidate>,
        overflow: u64,
        now: Stamp,
    ) -> Vec<ToastCommand> {
        if candidates.len() as u64 + overflow <= 1 {
            return self.toast_each(source, candidates, now);
        }
        let key = ToastKey::Source(source);
        let wants_sound = candidates.iter().any(|candidate| candidate.sound);
        // The items of a summary that is still on screen stay part of it.
        let mut shown = self.shown.remove(&key).unwrap_or_else(|| ShownToast::of(source));
        for candidate in candidates {
            shown.add(candidate);
        }
        shown.count += overflow;
        let count = shown.count;
        let sound = shown.claim_sound(wants_sound, now);
        let urgency = Urgency::of(shown.priority);
        self.shown.insert(key, shown);
        vec![ToastCommand::Show { key, source, content: ToastContent::Gap(count), urgency, sound }]
    }

    fn toast_each(&mut self, source: SourceId, candidates: Vec<Candidate>, now: Stamp) -> Vec<ToastCommand> {
        let mut commands: Vec<ToastCommand> = Vec::new();
        let mut flood: Vec<Candidate> = Vec::new();
        for candidate in candidates {
            let key = ToastKey::Thread(candidate.thread);
            if !self.shown.contains_key(&key) && !self.admits(source, now) {
                flood.push(candidate);
                continue;
            }
            let shown = self.shown.entry(key).or_insert_with(|| ShownToast::of(source));
            let (item, wants_sound) = (candidate.msgid.clone(), candidate.sound);
            shown.add(candidate);
            let mut sound = shown.claim_sound(wants_sound, now);
            let content = ToastContent::Thread { count: shown.count, item };
            let urgency = Urgency::of(shown.priority);
            commands.retain(|other| match other {
                ToastCommand::Show { key: k, sound: before, .. } if *k == key => {
                    sound |= *before;
                    false
                }
                _ => true,
            });
            commands.push(ToastCommand::Show { key, source, content, urgency, sound });
        }
        commands.extend(self.storm(source, flood, now));
        commands
    }

    /// Whether one more toast of this source may be shown now. A storm ends after a calm of [`BURST_WINDOW_MICROS`].
    fn admits(&mut self, source: SourceId, now: Stamp) -> bool {
        let since = now.plus_micros(-BURST_WINDOW_MICROS);
        if let Some(storm) = self.storms.get(&source) {
            if storm.last > since {
                return false;
            }
            self.storms.remove(&source);
        }
        let burst = self.burst.entry(source).or_default();
        while burst.front().is_some_and(|at| *at <= since) {
            burst.pop_front();
        }
        if burst.len() >= MAX_BURST {
            return false;
        }
        burst.push_back(now);
        true
    }

    fn storm(&mut self, source: SourceId, flood: Vec<Candidate>, now: Stamp) -> Option<ToastCommand> {
        if flood.is_empty() {
            return None;
        }
        let key = ToastKey::Source(source);
        let storm = self.storms.entry(source).or_insert(Storm { count: 0, last: now });
        storm.count += flood.len() as u64;
        storm.last = now;
        let count = storm.count;
        let wants_sound = flood.iter().any(|candidate| candidate.sound);
        let shown = self.shown.entry(key).or_insert_with(|| ShownToast::of(source));
        for candidate in flood {
            shown.add(candidate);
        }
        let sound = shown.claim_sound(wants_sound, now);
        Some(ToastCommand::Show {
            key,
            source,
            content: ToastContent::Storm(count),
            urgency: Urgency::of(shown.priority),
            sound,
        })
    }
}

/// Whether an item deserves a toast by its state, notify settings and priority.
fn is_toast_worthy(arrival: &Arrival, context: ToastContext) -> bool {
    let notify = arrival.notify;
    arrival.unread
        && !arrival.no_toast
        && notify.level.unwrap_or_default() == NotifyLevel::Toast
        && arrival.priority >= notify.from_priority.unwrap_or(context.from_priority)
}

#[cfg(test)]
#[path = "toast_policy_tests.rs"]
mod tests;
