//! Which toasts there are: one a thread, replaced as it grows; one a source after a gap or in a storm; none while
//! paused, for muted threads and for the lowest priority. Refuses words: it says what is to be told, not how.

use std::collections::{BTreeSet, HashMap, VecDeque};

use tidings_model::{MsgId, Stamp};
use tidings_replica::{Arrival, SourceId, Tell, ThreadId};
use tidings_sync::Occasion;

/// What a toast is about; a newer toast about the same replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToastKey {
    /// One thread.
    Thread(ThreadId),
    /// Everything that a source brought after a gap or in a storm.
    Source(SourceId),
}

/// How much a toast may insist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Priority 2.
    Low,
    /// Priority 3 and 4.
    Normal,
    /// Priority 5: stays until it is looked at.
    Critical,
}

impl Urgency {
    fn of(priority: u8) -> Self {
        match priority {
            0..=2 => Self::Low,
            3 | 4 => Self::Normal,
            _ => Self::Critical,
        }
    }
}

/// What is to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Story {
    /// The thread's newest words.
    Thread,
    /// So many are new after a gap.
    Gap(u64),
    /// So many came at once.
    Storm(u64),
}

/// What to do with the toasts on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Show it, in place of one with the same key.
    Show {
        /// What it is about.
        key: ToastKey,
        /// The source that it comes from.
        source: SourceId,
        /// What it tells.
        story: Story,
        /// How much it may insist.
        urgency: Urgency,
    },
    /// Take it away.
    Close(ToastKey),
}

/// New toasts of one source within [`WINDOW`]; what comes beyond is a storm.
const BURST: usize = 5;
/// Microseconds that the burst is counted over, and that a storm needs to be quiet to end.
const WINDOW: i64 = 10_000_000;
/// Names kept for one toast's button; a toast that stands for more marks nothing.
const NAMES: usize = 1_000;

#[derive(Debug, Clone)]
struct Heard {
    thread: ThreadId,
    msgid: MsgId,
    priority: u8,
}

#[derive(Debug, Clone, Default)]
struct Shown {
    msgids: BTreeSet<MsgId>,
    priority: u8,
}

#[derive(Debug, Clone)]
struct Storm {
    count: u64,
    last: Stamp,
}

/// What is on screen, and what led to it.
#[derive(Debug)]
pub struct Toasting {
    started: Stamp,
    paused_until: Option<Stamp>,
    waiting: HashMap<SourceId, Vec<Heard>>,
    burst: HashMap<SourceId, VecDeque<Stamp>>,
    storms: HashMap<SourceId, Storm>,
    shown: HashMap<ToastKey, Shown>,
}

impl Toasting {
    /// Nothing is on screen. Of a source's first backlog only what was created since `started` is news.
    pub fn new(started: Stamp) -> Self {
        Self {
            started,
            paused_until: None,
            waiting: HashMap::new(),
            burst: HashMap::new(),
            storms: HashMap::new(),
            shown: HashMap::new(),
        }
    }

    /// Shows nothing until then; `None` goes on.
    pub fn pause(&mut self, until: Option<Stamp>) {
        self.paused_until = until;
        if until.is_some() {
            self.waiting.clear();
        }
    }

    /// What a page brought.
    pub fn heard(
        &mut self,
        source: SourceId,
        occasion: Occasion,
        arrived: &[Arrival],
        renewed: &[Arrival],
        now: Stamp,
    ) -> Vec<Order> {
        if self.paused_until.is_some_and(|until| until > now) {
            return Vec::new();
        }
        let news: Vec<Heard> = arrived
            .iter()
            .chain(renewed.iter().filter(|a| a.again || self.stands_for(a)))
            .filter(|a| a.unread && !a.hushed && a.telling.tell.is_none_or(|tell| tell == Tell::Toast))
            .filter(|a| occasion != Occasion::Backlog || a.notification.created_at >= self.started)
            .map(|a| Heard {
                thread: a.thread,
                msgid: a.notification.msgid.clone(),
                priority: a.notification.priority.get(),
            })
            .collect();
        match occasion {
            Occasion::Live => self.tell_each(source, news, now),
            Occasion::Backlog | Occasion::Gap => {
                self.waiting.entry(source).or_default().extend(news);
                Vec::new()
            }
        }
    }

    /// A pull is over: what a gap brought is told in one toast.
    pub fn caught_up(&mut self, source: SourceId, now: Stamp) -> Vec<Order> {
        let mut news = self.waiting.remove(&source).unwrap_or_default();
        news.sort_by(|a, b| a.msgid.cmp(&b.msgid));
        news.dedup_by(|a, b| a.msgid == b.msgid);
        if news.len() <= 1 {
            return self.tell_each(source, news, now);
        }
        let priority = news.iter().map(|heard| heard.priority).max().unwrap_or(3);
        let count = news.len() as u64;
        let key = ToastKey::Source(source);
        let shown = Shown { msgids: names(news), priority };
        self.shown.insert(key, shown);
        vec![Order::Show { key, source, story: Story::Gap(count), urgency: Urgency::of(priority) }]
    }

    /// A toast was taken away by its reader or by the desktop.
    pub fn closed(&mut self, key: ToastKey) {
        self.shown.remove(&key);
    }

    /// The items that a toast stood for, for its button; it is taken away. None where it stood for too many to show.
    pub fn take(&mut self, key: ToastKey) -> Vec<MsgId> {
        let shown = self.shown.remove(&key).unwrap_or_default();
        if shown.msgids.len() >= NAMES { Vec::new() } else { shown.msgids.into_iter().collect() }
    }

    /// The toasts on screen.
    pub fn on_screen(&self) -> Vec<ToastKey> {
        let mut keys: Vec<ToastKey> = self.shown.keys().copied().collect();
        keys.sort();
        keys
    }

    /// Takes away what has nothing unread any more.
    pub fn settle(&mut self, mut still_unread: impl FnMut(ToastKey) -> bool) -> Vec<Order> {
        let gone: Vec<ToastKey> = self.on_screen().into_iter().filter(|key| !still_unread(*key)).collect();
        for key in &gone {
            self.shown.remove(key);
        }
        gone.into_iter().map(Order::Close).collect()
    }

    fn stands_for(&self, arrival: &Arrival) -> bool {
        self.shown
            .get(&ToastKey::Thread(arrival.thread))
            .is_some_and(|shown| shown.msgids.contains(&arrival.notification.msgid))
    }

    fn tell_each(&mut self, source: SourceId, news: Vec<Heard>, now: Stamp) -> Vec<Order> {
        let mut orders: Vec<Order> = Vec::new();
        let mut flood: Vec<Heard> = Vec::new();
        for heard in news {
            let key = ToastKey::Thread(heard.thread);
            if !self.shown.contains_key(&key) && !self.admits(source, now) {
                flood.push(heard);
                continue;
            }
            let shown = self.shown.entry(key).or_default();
            shown.priority = shown.priority.max(heard.priority);
            shown.msgids.insert(heard.msgid);
            let order =
                Order::Show { key, source, story: Story::Thread, urgency: Urgency::of(shown.priority) };
            orders.retain(|other| !matches!(other, Order::Show { key: k, .. } if *k == key));
            orders.push(order);
        }
        orders.extend(self.storm(source, flood, now));
        orders
    }

    /// Whether one more toast of this source fits in; a storm ends when it was quiet for the window.
    fn admits(&mut self, source: SourceId, now: Stamp) -> bool {
        let since = now.plus_micros(-WINDOW);
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
        if burst.len() >= BURST {
            return false;
        }
        burst.push_back(now);
        true
    }

    fn storm(&mut self, source: SourceId, flood: Vec<Heard>, now: Stamp) -> Option<Order> {
        if flood.is_empty() {
            return None;
        }
        let key = ToastKey::Source(source);
        let storm = self.storms.entry(source).or_insert(Storm { count: 0, last: now });
        storm.count += flood.len() as u64;
        storm.last = now;
        let count = storm.count;
        let shown = self.shown.entry(key).or_default();
        shown.priority = flood.iter().map(|h| h.priority).fold(shown.priority, u8::max);
        shown.msgids.extend(names(flood));
        Some(Order::Show { key, source, story: Story::Storm(count), urgency: Urgency::of(shown.priority) })
    }
}

fn names(news: Vec<Heard>) -> BTreeSet<MsgId> {
    news.into_iter().map(|heard| heard.msgid).take(NAMES).collect()
}

#[cfg(test)]
#[path = "toast_tests.rs"]
mod tests;
