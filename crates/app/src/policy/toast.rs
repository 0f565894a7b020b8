//! Which toasts there are: one a thread, replaced as it grows; one a source after a gap, in a storm and after a silence;
//! none for what does not deserve one. Refuses words: it says what is to be told, not how.

use std::collections::{HashMap, HashSet, VecDeque};

use tidings_model::{MsgId, Stamp};
use tidings_replica::{Arrival, SourceId, Tell, ThreadId};
use tidings_sync::Occasion;

/// What a toast is about; a newer toast about the same replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToastKey {
    /// One thread.
    Thread(ThreadId),
    /// Everything that a source brought after a gap, in a storm or in a silence.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Story {
    /// A thread's newest words.
    Thread {
        /// How many items the toast stands for.
        count: u64,
        /// The newest of them.
        item: MsgId,
    },
    /// So many are new after a gap or a silence.
    Gap(u64),
    /// So many came at once.
    Storm(u64),
}

/// What to do with the toasts on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        /// It may be heard.
        sound: bool,
    },
    /// Take it away.
    Close(ToastKey),
}

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
    fn lets_pass(self, priority: u8) -> bool {
        self.silence.is_none_or(|silence| silence.passes.is_some_and(|least| priority >= least))
    }
}

/// New toasts of one source within [`WINDOW`]; what comes beyond is a storm.
const BURST: usize = 5;
/// Microseconds that the burst is counted over, that a storm needs to be quiet to end, and between two sounds of one
/// toast.
const WINDOW: i64 = 10_000_000;
/// Names kept for one toast or silence; a toast that stands for more marks nothing.
const NAMES: usize = 1_000;

#[derive(Debug, Clone)]
struct Heard {
    thread: ThreadId,
    msgid: MsgId,
    priority: u8,
    sound: bool,
}

#[derive(Debug, Clone)]
struct Shown {
    source: SourceId,
    /// The newest last, each once, at most [`NAMES`].
    names: VecDeque<MsgId>,
    /// How many it stands for.
    count: u64,
    priority: u8,
    sounded: Option<Stamp>,
}

impl Shown {
    fn of(source: SourceId) -> Self {
        Self { source, names: VecDeque::new(), count: 0, priority: 1, sounded: None }
    }

    fn add(&mut self, heard: Heard) {
        self.priority = self.priority.max(heard.priority);
        let known = self.names.iter().position(|name| *name == heard.msgid);
        match known {
            Some(at) => drop(self.names.remove(at)),
            None => self.count += 1,
        }
        if self.names.len() >= NAMES {
            self.names.pop_front();
        }
        self.names.push_back(heard.msgid);
    }

    /// Whether it may be heard again already.
    fn sounds(&mut self, wanted: bool, now: Stamp) -> bool {
        let long_ago = self.sounded.is_none_or(|at| at <= now.plus_micros(-WINDOW));
        if wanted && long_ago {
            self.sounded = Some(now);
        }
        wanted && long_ago
    }
}

#[derive(Debug, Clone)]
struct Storm {
    count: u64,
    last: Stamp,
}

/// What a source brought in a silence.
#[derive(Debug, Default)]
struct Missed {
    news: Vec<Heard>,
    beyond: u64,
}

/// A toast on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnScreen {
    /// What it is about.
    pub key: ToastKey,
    /// Where its items come from.
    pub source: SourceId,
    /// The items that it stands for, the newest first.
    pub names: Vec<MsgId>,
}

/// What is on screen, and what led to it.
#[derive(Debug)]
pub struct Toasting {
    started: Stamp,
    waiting: HashMap<SourceId, Vec<Heard>>,
    missed: HashMap<SourceId, Missed>,
    burst: HashMap<SourceId, VecDeque<Stamp>>,
    storms: HashMap<SourceId, Storm>,
    shown: HashMap<ToastKey, Shown>,
}

impl Toasting {
    /// Nothing is on screen. Of a source's first backlog only what was created since `started` is news.
    pub fn new(started: Stamp) -> Self {
        Self {
            started,
            waiting: HashMap::new(),
            missed: HashMap::new(),
            burst: HashMap::new(),
            storms: HashMap::new(),
            shown: HashMap::new(),
        }
    }

    /// What a page brought.
    pub fn heard(
        &mut self,
        source: SourceId,
        occasion: Occasion,
        arrived: &[Arrival],
        renewed: &[Arrival],
        mood: Mood,
        now: Stamp,
    ) -> Vec<Order> {
        let news: Vec<Heard> = arrived
            .iter()
            .chain(renewed.iter().filter(|a| a.again || self.stands_for(a)))
            .filter(|a| deserves(a, mood))
            .filter(|a| occasion != Occasion::Backlog || a.notification.created_at >= self.started)
            .map(|a| Heard {
                thread: a.thread,
                msgid: a.notification.msgid.clone(),
                priority: a.priority,
                sound: a.telling.sound.unwrap_or(mood.sound),
            })
            .collect();
        match occasion {
            Occasion::Live => {
                let news = self.keep_silent(source, news, mood);
                self.tell_each(source, news, now)
            }
            Occasion::Backlog | Occasion::Gap => {
                self.waiting.entry(source).or_default().extend(news);
                Vec::new()
            }
        }
    }

    /// A pull is over: what a gap brought is told in one toast.
    pub fn caught_up(&mut self, source: SourceId, mood: Mood, now: Stamp) -> Vec<Order> {
        let mut news = self.waiting.remove(&source).unwrap_or_default();
        news.sort_by(|a, b| a.msgid.cmp(&b.msgid));
        news.dedup_by(|a, b| a.msgid == b.msgid);
        let news = self.keep_silent(source, news, mood);
        self.sum_up(source, news, 0, now)
    }

    /// Puts aside what a silence does not let pass, and gives the rest.
    fn keep_silent(&mut self, source: SourceId, news: Vec<Heard>, mood: Mood) -> Vec<Heard> {
        let (passes, silent): (Vec<Heard>, Vec<Heard>) =
            news.into_iter().partition(|heard| mood.lets_pass(heard.priority));
        if !silent.is_empty() {
            let missed = self.missed.entry(source).or_default();
            for heard in silent {
                missed.news.retain(|other| other.msgid != heard.msgid);
                if missed.news.len() < NAMES { missed.news.push(heard) } else { missed.beyond += 1 }
            }
        }
        passes
    }

    /// What came in a silence, by source.
    pub fn missed(&self) -> Vec<(SourceId, Vec<MsgId>)> {
        let names = |missed: &Missed| missed.news.iter().map(|heard| heard.msgid.clone()).collect();
        self.missed.iter().map(|(source, missed)| (*source, names(missed))).collect()
    }

    /// The silence is over: what came in it and is still unread is told in one toast a source.
    pub fn silence_over(&mut self, unread: &HashSet<(SourceId, MsgId)>, now: Stamp) -> Vec<Order> {
        let mut orders = Vec::new();
        let mut all: Vec<(SourceId, Missed)> = self.missed.drain().collect();
        all.sort_by_key(|(source, _)| *source);
        for (source, mut missed) in all {
            missed.news.retain(|heard| unread.contains(&(source, heard.msgid.clone())));
            orders.extend(self.sum_up(source, missed.news, missed.beyond, now));
        }
        orders
    }

    /// One by its words, several in one sentence.
    fn sum_up(&mut self, source: SourceId, news: Vec<Heard>, beyond: u64, now: Stamp) -> Vec<Order> {
        let count = news.len() as u64 + beyond;
        if count <= 1 {
            return self.tell_each(source, news, now);
        }
        let key = ToastKey::Source(source);
        let wanted = news.iter().any(|heard| heard.sound);
        let mut shown = Shown::of(source);
        for heard in news {
            shown.add(heard);
        }
        let sound = shown.sounds(wanted, now);
        let urgency = Urgency::of(shown.priority);
        self.shown.insert(key, shown);
        vec![Order::Show { key, source, story: Story::Gap(count), urgency, sound }]
    }

    /// A toast was taken away by its reader or by the desktop.
    pub fn closed(&mut self, key: ToastKey) {
        self.shown.remove(&key);
    }

    /// The newest item that a toast stands for.
    pub fn newest(&self, key: ToastKey) -> Option<MsgId> {
        self.shown.get(&key).and_then(|shown| shown.names.back().cloned())
    }

    /// The items that a toast stood for, for its button; it is taken away. None where it stood for too many to show.
    pub fn take(&mut self, key: ToastKey) -> Vec<MsgId> {
        let Some(shown) = self.shown.remove(&key) else { return Vec::new() };
        if shown.count > NAMES as u64 { Vec::new() } else { shown.names.into() }
    }

    /// The toasts on screen.
    pub fn on_screen(&self) -> Vec<OnScreen> {
        let mut all: Vec<OnScreen> = self
            .shown
            .iter()
            .map(|(key, shown)| OnScreen {
                key: *key,
                source: shown.source,
                names: shown.names.iter().rev().cloned().collect(),
            })
            .collect();
        all.sort_by_key(|toast| toast.key);
        all
    }

    /// Whether something insists on being looked at.
    pub fn insists(&self) -> bool {
        self.shown.values().any(|shown| Urgency::of(shown.priority) == Urgency::Critical)
    }

    /// Takes away the toasts behind which nothing is unread any more, unless they grew meanwhile.
    pub fn settle(&mut self, read: &[OnScreen]) -> Vec<Order> {
        let mut orders = Vec::new();
        for toast in read {
            if self.newest(toast.key).as_ref() == toast.names.first() {
                self.shown.remove(&toast.key);
                orders.push(Order::Close(toast.key));
            }
        }
        orders
    }

    fn stands_for(&self, arrival: &Arrival) -> bool {
        self.shown
            .get(&ToastKey::Thread(arrival.thread))
            .is_some_and(|shown| shown.names.contains(&arrival.notification.msgid))
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
            let shown = self.shown.entry(key).or_insert_with(|| Shown::of(source));
            let (item, wanted) = (heard.msgid.clone(), heard.sound);
            shown.add(heard);
            let mut sound = shown.sounds(wanted, now);
            let story = Story::Thread { count: shown.count, item };
            let urgency = Urgency::of(shown.priority);
            orders.retain(|other| match other {
                Order::Show { key: k, sound: before, .. } if *k == key => {
                    sound |= *before;
                    false
                }
                _ => true,
            });
            orders.push(Order::Show { key, source, story, urgency, sound });
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
        let wanted = flood.iter().any(|heard| heard.sound);
        let shown = self.shown.entry(key).or_insert_with(|| Shown::of(source));
        for heard in flood {
            shown.add(heard);
        }
        let sound = shown.sounds(wanted, now);
        Some(Order::Show {
            key,
            source,
            story: Story::Storm(count),
            urgency: Urgency::of(shown.priority),
            sound,
        })
    }
}

/// Whether an item is worth a toast at all.
fn deserves(arrival: &Arrival, mood: Mood) -> bool {
    let telling = arrival.telling;
    arrival.unread
        && !arrival.hushed
        && telling.tell.unwrap_or_default() == Tell::Toast
        && arrival.priority >= telling.from_priority.unwrap_or(mood.from_priority)
}

#[cfg(test)]
#[path = "toast_tests.rs"]
mod tests;
