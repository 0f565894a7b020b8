//! The toast policy: one toast a thread, replaced as it grows; one summary a source after a gap, in a storm and after a
//! silence. It decides which toasts there are; `toasts` renders and shows them.
//!
//! A toast changes once a second at most and has a serial: a button means the one that was on screen, not the one that
//! waits behind it. An item that comes in a thread whose end is on screen waits 1.5 s for its toast, and has none if it
//! was read by then.

mod command;
mod deferred;
mod screen;
mod shown;
mod waiting;

use std::collections::{BTreeMap, HashMap, VecDeque};

use tidings_ipc::Sound;
use tidings_model::{MsgId, Stamp};
use tidings_ports::ToastKey;
use tidings_replica::{Arrival, ItemId, NotifyLevel, NotifySettings, SourceId, ThreadId, Woken};
use tidings_sync::PullReason;

use self::deferred::Deferred;
use self::shown::ShownToast;
use self::waiting::WaitingItems;

pub use self::command::{ToastCommand, ToastContent};
pub use self::deferred::{Silence, ToastContext};
pub use self::screen::{DismissedToast, ToastOnScreen};
pub use self::shown::{OfferedButtons, Pressed, Reply};

/// New toasts of one source that are shown within [`BURST_WINDOW_MICROS`]; further items belong to a storm.
const MAX_BURST: usize = 5;
/// Microseconds. The window over which a burst is counted, the calm after which a storm ends, and the least time
/// between two sounds of one toast. A toast that becomes more urgent does not wait for it.
const BURST_WINDOW_MICROS: i64 = 10_000_000;
/// The most items kept for one toast, silence or pull. A toast that stands for more marks none of them.
const MAX_TOAST_ITEMS: usize = 1_000;

#[derive(Debug, Clone)]
struct Candidate {
    item: ItemId,
    thread: ThreadId,
    /// The thread's key, by which quiet hours of a topic know it.
    key: String,
    msgid: MsgId,
    priority: u8,
    sound: Sound,
    /// Whether it came, or became unread again; else only something about it changed while its toast is on the screen.
    news: bool,
}

/// The toasts on screen, those that are deferred, and the counts behind the decisions.
#[derive(Debug)]
pub struct ToastPolicy {
    started: Stamp,
    waiting: HashMap<SourceId, WaitingItems>,
    deferred: HashMap<SourceId, Deferred>,
    /// Deferred since [`ToastPolicy::newly_deferred`] was called last.
    newly_deferred: Vec<ItemId>,
    burst: HashMap<SourceId, VecDeque<Stamp>>,
    /// The sources in a storm, with the time of its last item.
    storms: HashMap<SourceId, Stamp>,
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
        context: &ToastContext,
        now: Stamp,
    ) -> Vec<ToastCommand> {
        let under_toast = |a: &&Arrival| a.unread_again || self.stands_for(a.thread, &a.notification.msgid);
        let came = arrived.iter().map(|a| (a, true));
        let changed = updated.iter().filter(under_toast).map(|a| (a, a.unread_again));
        let candidates: Vec<Candidate> = came
            .chain(changed)
            .filter(|(a, _)| is_toast_worthy(a, context))
            .filter(|(a, _)| reason != PullReason::Backlog || a.notification.content_at() >= self.started)
            .map(|(a, news)| Candidate {
                item: a.item,
                thread: a.thread,
                key: a.notification.thread.clone(),
                msgid: a.notification.msgid.clone(),
                priority: a.priority,
                sound: context.find_sound(a.notify.sound, source, &a.notification.thread, a.priority),
                news,
            })
            .collect();
        match reason {
            PullReason::Live => {
                let candidates = self.defer_silenced(source, candidates, context);
                self.toast_each(source, candidates, now)
            }
            PullReason::Backlog | PullReason::Gap => {
                self.wait(source, candidates, context);
                Vec::new()
            }
        }
    }

    /// Handles items that came back from a snooze: they get their toasts at once.
    pub fn woke(&mut self, woken: &[Woken], context: &ToastContext, now: Stamp) -> Vec<ToastCommand> {
        let mut by_source: BTreeMap<SourceId, Vec<Candidate>> = BTreeMap::new();
        let worthy = |one: &&Woken| one.unread && reaches_toast(one.notify, one.priority, context);
        for one in woken.iter().filter(worthy) {
            by_source.entry(one.source).or_default().push(Candidate {
                item: one.item,
                thread: one.thread,
                key: one.key.clone(),
                msgid: one.msgid.clone(),
                priority: one.priority,
                sound: context.find_sound(one.notify.sound, one.source, &one.key, one.priority),
                news: true,
            });
        }
        let mut commands = Vec::new();
        for (source, candidates) in by_source {
            let candidates = self.defer_silenced(source, candidates, context);
            commands.extend(self.toast_each(source, candidates, now));
        }
        commands
    }

    /// One item gets a toast of its own, several get a summary.
    fn toast_summary(
        &mut self,
        source: SourceId,
        candidates: Vec<Candidate>,
        overflow: u64,
        now: Stamp,
    ) -> Vec<ToastCommand> {
        let (candidates, changed): (Vec<Candidate>, Vec<Candidate>) =
            candidates.into_iter().partition(|candidate| candidate.news);
        if candidates.len() as u64 + overflow <= 1 {
            return self.toast_each(source, candidates.into_iter().chain(changed).collect(), now);
        }
        let mut commands = self.toast_each(source, changed, now);
        let key = ToastKey::Source(source);
        let wanted = sound_of(&candidates);
        // The items of a summary that is still on screen stay part of it.
        let mut shown = self.shown.remove(&key).unwrap_or_else(|| ShownToast::of(source));
        for candidate in candidates {
            shown.add(candidate);
        }
        shown.count += overflow;
        let count = shown.count;
        let sound = shown.claim_sound(wanted, now);
        let urgency = shown.urgency();
        self.shown.insert(key, shown);
        let content = ToastContent::Gap(count);
        commands.push(ToastCommand::Show { key, source, content, urgency, sound, news: true });
        commands
    }

    fn toast_each(&mut self, source: SourceId, candidates: Vec<Candidate>, now: Stamp) -> Vec<ToastCommand> {
        let mut commands: Vec<ToastCommand> = Vec::new();
        let mut flood: Vec<Candidate> = Vec::new();
        for candidate in candidates {
            let key = ToastKey::Thread(candidate.thread);
            let is_told = self.shown.contains_key(&key) || (candidate.news && self.admits(source, now));
            if !is_told {
                flood.extend(Some(candidate).filter(|candidate| candidate.news));
                continue;
            }
            let shown = self.shown.entry(key).or_insert_with(|| ShownToast::of(source));
            let (mut sound, mut news) = (Sound::SILENT, candidate.news);
            if candidate.news {
                let wanted = candidate.sound.clone();
                shown.add(candidate);
                sound = shown.claim_sound(wanted, now);
            } else {
                shown.set_priority(&candidate.msgid, candidate.priority);
            }
            let Some(item) = shown.newest().cloned() else { continue };
            let content = ToastContent::Thread { count: shown.count, item };
            let urgency = shown.urgency();
            commands.retain(|other| match other {
                ToastCommand::Show { key: k, sound: before, news: news_before, .. } if *k == key => {
                    sound.fill(before);
                    news |= *news_before;
                    false
                }
                _ => true,
            });
            commands.push(ToastCommand::Show { key, source, content, urgency, sound, news });
        }
        if !flood.is_empty() {
            self.storm(source, flood, now, &mut commands);
        }
        commands
    }

    /// Whether one more toast of this source may be shown now. A storm ends after a calm of [`BURST_WINDOW_MICROS`].
    fn admits(&mut self, source: SourceId, now: Stamp) -> bool {
        let since = now.plus_micros(-BURST_WINDOW_MICROS);
        if let Some(last) = self.storms.get(&source) {
            if *last > since {
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

    /// Handles the items that come too fast: one summary replaces them and the toasts of the source that are not
    /// urgent.
    fn storm(
        &mut self,
        source: SourceId,
        flood: Vec<Candidate>,
        now: Stamp,
        commands: &mut Vec<ToastCommand>,
    ) {
        let key = ToastKey::Source(source);
        let mut summary = self.shown.remove(&key).unwrap_or_else(|| ShownToast::of(source));
        // The sound of a toast that is replaced before it is shown.
        let mut owed = Sound::SILENT;
        if self.storms.insert(source, now).is_none() {
            let folded = self.fold_into(source, &mut summary);
            commands.retain(|command| match command {
                ToastCommand::Show { key, sound: before, .. } if folded.iter().any(|(of, _)| of == key) => {
                    owed.fill(before);
                    false
                }
                _ => true,
            });
            let on_screen = folded.into_iter().filter(|(_, on_screen)| *on_screen);
            commands.extend(on_screen.map(|(key, _)| ToastCommand::Close(key)));
        }
        let mut wanted = sound_of(&flood);
        for candidate in flood {
            summary.add(candidate);
        }
        let claimed = summary.claim_sound(wanted.clone(), now);
        wanted.fill(&owed);
        let sound = if owed.is_silent() { claimed } else { wanted };
        let (content, urgency) = (ToastContent::Storm(summary.count), summary.urgency());
        self.shown.insert(key, summary);
        commands.push(ToastCommand::Show { key, source, content, urgency, sound, news: true });
    }
}

/// The sound of several items: that of the most urgent one that has any.
fn sound_of(candidates: &[Candidate]) -> Sound {
    let heard = candidates.iter().filter(|candidate| !candidate.sound.is_silent());
    heard.max_by_key(|candidate| candidate.priority).map(|one| one.sound.clone()).unwrap_or_default()
}

/// Whether an item deserves a toast by its state, notify settings and priority.
fn is_toast_worthy(arrival: &Arrival, context: &ToastContext) -> bool {
    arrival.unread && !arrival.no_toast && reaches_toast(arrival.notify, arrival.priority, context)
}

/// Whether the notify settings let an item of this priority have a toast.
fn reaches_toast(notify: NotifySettings, priority: u8, context: &ToastContext) -> bool {
    notify.level.unwrap_or_default() == NotifyLevel::Toast
        && priority >= notify.from_priority.unwrap_or(context.from_priority)
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
