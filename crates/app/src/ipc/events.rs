//! The bounded event bus between what happens and the page. Changes are merged until the page takes them; too many
//! become "fetch everything again".

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use tidings_model::MsgId;
use tidings_replica::{Changed, ThreadId};
use tokio::sync::Notify;

use crate::app::lock;
use crate::inbox::downloads::FileKey;
use crate::ipc::{FileState, IpcEvent, PendingAction};

/// Threads that one event lists; more are a `refetch`.
const LISTED: usize = 200;

/// Takes events to the page. False where the page is gone.
pub type Sink = Box<dyn Fn(IpcEvent) -> bool + Send + Sync>;

/// What changed since the last events to the page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Dirty {
    /// Threads that are new or differ.
    pub threads: BTreeSet<ThreadId>,
    /// Threads that are gone.
    pub gone: BTreeSet<ThreadId>,
    /// Too much to list.
    pub refetch: bool,
    /// Numbers (threads' changes always count as such).
    pub numbers: bool,
    /// Sources' states.
    pub sync: bool,
    /// Settings.
    pub settings: bool,
    /// Notices.
    pub notices: bool,
    /// Files that came with items: how far each is.
    pub files: BTreeMap<FileKey, FileState>,
    /// A sentence that is shown once.
    pub announcement: Option<String>,
    /// A thread to be shown.
    pub open: Option<Open>,
}

/// What is to be shown in the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// The thread.
    pub thread: ThreadId,
    /// The item of it that was meant.
    pub item: Option<MsgId>,
    /// A button of that item, which its reader is asked about.
    pub action: Option<PendingAction>,
}

impl Dirty {
    fn merge(&mut self, changed: &Changed) {
        self.numbers = true;
        self.refetch |= changed.refetch;
        self.threads.extend(&changed.threads);
        self.gone.extend(&changed.gone);
        if self.threads.len() + self.gone.len() > LISTED {
            self.refetch = true;
        }
        if self.refetch {
            self.threads.clear();
            self.gone.clear();
        }
    }
}

/// The bus between what happens and the page.
#[derive(Default)]
pub struct Events {
    dirty: Mutex<Dirty>,
    changed: Notify,
    page: Mutex<Page>,
    /// The window has its first picture, or waits for what else runs.
    first_paint: Notify,
}

#[derive(Default)]
struct Page {
    sink: Option<Sink>,
    /// It asked for everything: from now on it can take events.
    there: bool,
}

impl Events {
    /// A page listens, in place of the one before.
    pub fn listen(&self, sink: Sink) {
        *lock(&self.page) = Page { sink: Some(sink), there: false };
    }

    /// The page has everything up to now and takes events; gives what it is to open.
    pub fn bootstrapped(&self) -> Option<Open> {
        lock(&self.page).there = true;
        // What was kept for it is told now.
        self.changed.notify_one();
        lock(&self.dirty).open.take()
    }

    /// The page is on screen, or what runs beside it has to bring what it shows first.
    pub fn first_paint(&self) {
        self.first_paint.notify_one();
    }

    /// Returns once the page is on screen, or had the time for it.
    pub async fn wait_for_first_paint(&self, patience: Duration) {
        let _ = tokio::time::timeout(patience, self.first_paint.notified()).await;
    }

    /// The page is gone.
    pub fn detach(&self) {
        *lock(&self.page) = Page::default();
    }

    /// Whether a page listens and is ready for events.
    pub fn has_listener(&self) -> bool {
        let page = lock(&self.page);
        page.there && page.sink.is_some()
    }

    /// Sends an event at once.
    pub fn send(&self, event: IpcEvent) {
        let mut page = lock(&self.page);
        if page.there && page.sink.as_ref().is_some_and(|sink| !sink(event)) {
            *page = Page::default();
        }
    }

    /// The replica changed.
    pub fn changed(&self, changed: &Changed) {
        self.note(|dirty| dirty.merge(changed));
    }

    /// Something else changed.
    pub fn note(&self, what: impl FnOnce(&mut Dirty)) {
        what(&mut lock(&self.dirty));
        self.changed.notify_one();
    }

    /// Waits until anything changed, and takes it.
    pub async fn next(&self) -> Dirty {
        loop {
            let listening = self.has_listener();
            let mut dirty = std::mem::take(&mut *lock(&self.dirty));
            if !listening {
                // It waits for the page that will ask for everything.
                let mut kept = lock(&self.dirty);
                kept.open = dirty.open.take();
                kept.announcement = dirty.announcement.take();
            }
            if dirty != Dirty::default() {
                return dirty;
            }
            self.changed.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn threads(ids: std::ops::Range<i64>) -> Changed {
        Changed { threads: ids.collect(), ..Changed::default() }
    }

    #[tokio::test]
    async fn what_comes_faster_than_it_is_told_is_merged() {
        let events = Events::default();
        for _ in 0..1_000 {
            events.changed(&threads(1..3));
        }
        let dirty = events.next().await;
        assert_eq!(dirty.threads.into_iter().collect::<Vec<_>>(), [1, 2]);
        events.changed(&threads(0..150));
        events.changed(&threads(100..300));
        let dirty = events.next().await;
        assert!(dirty.refetch && dirty.threads.is_empty(), "too much to list");
    }

    #[tokio::test]
    async fn a_thread_to_be_opened_waits_for_the_page() {
        let events = Events::default();
        let open = |thread| Some(Open { thread, item: Some("m".into()), action: None });
        events.note(|dirty| dirty.open = open(7));
        events.note(|dirty| dirty.sync = true);
        assert_eq!(events.next().await.open, None, "nobody is there yet");
        events.listen(Box::new(|_| true));
        assert_eq!(events.bootstrapped(), open(7));
        events.note(|dirty| dirty.open = open(8));
        assert_eq!(events.next().await.open, open(8));
    }

    #[tokio::test]
    async fn a_page_that_is_gone_is_left_alone() {
        let events = Events::default();
        let told = Arc::new(Mutex::new(0));
        let counts = Arc::clone(&told);
        events.listen(Box::new(move |_| {
            *counts.lock().unwrap() += 1;
            false
        }));
        let event = IpcEvent::Notices { notices: Vec::new() };
        events.send(event.clone());
        assert_eq!(*told.lock().unwrap(), 0, "not before it asked for everything");
        events.bootstrapped();
        events.send(event.clone());
        events.send(event);
        assert_eq!(*told.lock().unwrap(), 1);
        assert!(!events.has_listener());
    }
}
