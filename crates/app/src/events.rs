//! The bounded event bus from the app to the page. Changes are merged until the page takes them; too many are replaced
//! by a refetch of everything.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use parking_lot::Mutex;
use tidings_ipc::{FileState, IpcEvent, PendingAction};
use tidings_model::MsgId;
use tidings_replica::{Changed, ThreadId};
use tokio::sync::Notify;

/// A file by its item: the thread and the item's msgid.
pub(crate) type FileKey = (ThreadId, String);

/// The most threads that one event lists; more set `refetch`.
const MAX_LISTED_THREADS: usize = 200;

/// Sends an event to the page; `false` if the page is gone.
pub type Sink = Box<dyn Fn(IpcEvent) -> bool + Send + Sync>;

/// The changes since the last events to the page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Dirty {
    /// New or changed threads.
    pub threads: BTreeSet<ThreadId>,
    /// Removed threads.
    pub gone: BTreeSet<ThreadId>,
    /// The page fetches its list again, because too much changed to list it.
    pub refetch: bool,
    /// Counts changed; a change of threads always sets this.
    pub counts: bool,
    /// The sources' status changed.
    pub sync: bool,
    /// Settings changed.
    pub settings: bool,
    /// Notices changed.
    pub notices: bool,
    /// The state of attachment downloads that changed.
    pub files: BTreeMap<FileKey, FileState>,
    /// The progress of files that are being sent changed.
    pub uploads: bool,
    /// A sentence that the page shows once.
    pub announcement: Option<String>,
    /// A thread that the window is to show.
    pub open: Option<OpenTarget>,
    /// The window is to show the form of a new conversation.
    pub new_conversation: bool,
    /// A query that the window is to search for.
    pub search: Option<String>,
}

/// A thread that the window is to show, with the item in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTarget {
    /// The thread.
    pub thread: ThreadId,
    /// The item to show in it.
    pub item: Option<MsgId>,
    /// A button of that item; the page asks for a confirmation before it runs it.
    pub action: Option<PendingAction>,
}

impl OpenTarget {
    /// The event that has the page show it.
    pub fn event(self) -> IpcEvent {
        IpcEvent::Open { thread: self.thread, item: self.item.map(|item| item.0), action: self.action }
    }
}

impl Dirty {
    /// Everything that the page shows is fetched again.
    const fn all(&mut self) {
        self.refetch = true;
        self.counts = true;
        self.sync = true;
        self.settings = true;
        self.notices = true;
        self.uploads = true;
    }

    fn merge(&mut self, changed: &Changed) {
        self.counts = true;
        self.refetch |= changed.refetch;
        self.threads.extend(&changed.threads);
        self.gone.extend(&changed.gone);
        if self.threads.len() + self.gone.len() > MAX_LISTED_THREADS {
            self.refetch = true;
        }
        if self.refetch {
            self.threads.clear();
            self.gone.clear();
        }
    }
}

/// The event bus from the app to the page.
#[derive(Default)]
pub struct Events {
    dirty: Mutex<Dirty>,
    changed: Notify,
    page: Mutex<AttachedPage>,
    /// Notified when the page has its first paint, or when background work is needed before it.
    first_paint: Notify,
}

#[derive(Default)]
struct AttachedPage {
    sink: Option<Sink>,
    /// Whether the page has all data up to now; events are sent only from then on.
    ready: bool,
    /// Whether a change was taken that no page was told of.
    missed: bool,
}

impl AttachedPage {
    fn detach(&mut self) {
        self.sink = None;
        self.ready = false;
    }
}

impl Events {
    /// Registers the page's sink, in place of the one before.
    pub fn listen(&self, sink: Sink) {
        let mut page = self.page.lock();
        *page = AttachedPage { sink: Some(sink), ready: false, missed: page.missed };
    }

    /// Handles that what a document brings is read now: the page before it is gone. Changes from now on are kept.
    pub fn embedding(&self) {
        *self.page.lock() = AttachedPage::default();
    }

    /// Handles that the page shows what its document brought: events are sent from now on. What changed since is sent with
    /// them. Returns the thread that it is to show.
    pub fn embedded(&self) -> Option<OpenTarget> {
        // Held until the end: a change is either taken before it, and missed, or after it, and sent.
        let mut dirty = self.dirty.lock();
        let mut page = self.page.lock();
        page.ready = true;
        if std::mem::take(&mut page.missed) {
            dirty.all();
        }
        self.changed.notify_one();
        dirty.open.take()
    }

    /// Handles that the page has all data up to now: events are sent from now on. Returns the thread that it is to
    /// show.
    pub fn bootstrapped(&self) -> Option<OpenTarget> {
        self.page.lock().ready = true;
        // Changes that were kept for the page are sent now.
        self.changed.notify_one();
        self.dirty.lock().open.take()
    }

    /// Ends [`Events::wait_for_first_paint`]: the page has its first paint, or needs background work before it.
    pub fn first_paint(&self) {
        self.first_paint.notify_one();
    }

    /// Waits for the first paint, at most `timeout`.
    pub async fn wait_for_first_paint(&self, timeout: Duration) {
        let _ = tokio::time::timeout(timeout, self.first_paint.notified()).await;
    }

    /// Forgets the page's sink.
    pub fn detach(&self) {
        self.page.lock().detach();
    }

    /// Whether a page is registered and has all data.
    pub fn has_listener(&self) -> bool {
        let page = self.page.lock();
        page.ready && page.sink.is_some()
    }

    /// Sends an event to the page, if one listens.
    pub fn send(&self, event: IpcEvent) {
        let mut page = self.page.lock();
        if page.ready && page.sink.as_ref().is_some_and(|sink| !sink(event)) {
            page.detach();
        }
    }

    /// Records a change of the replica.
    pub fn changed(&self, changed: &Changed) {
        self.update(|dirty| dirty.merge(changed));
    }

    /// Records any other change.
    pub fn update(&self, change: impl FnOnce(&mut Dirty)) {
        change(&mut self.dirty.lock());
        self.changed.notify_one();
    }

    /// Waits for changes and takes them all.
    pub async fn next(&self) -> Dirty {
        loop {
            let dirty = {
                let mut all = self.dirty.lock();
                let mut dirty = std::mem::take(&mut *all);
                if !self.has_listener() {
                    // Kept for the page, which fetches everything else.
                    all.open = dirty.open.take();
                    all.announcement = dirty.announcement.take();
                    all.new_conversation = std::mem::take(&mut dirty.new_conversation);
                    all.search = dirty.search.take();
                    self.page.lock().missed |= dirty != Dirty::default();
                }
                dirty
            };
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
        let open = |thread| Some(OpenTarget { thread, item: Some("m".into()), action: None });
        events.update(|dirty| dirty.open = open(7));
        events.update(|dirty| dirty.sync = true);
        assert_eq!(events.next().await.open, None, "nobody is there yet");
        events.listen(Box::new(|_| true));
        assert_eq!(events.bootstrapped(), open(7));
        events.update(|dirty| dirty.open = open(8));
        assert_eq!(events.next().await.open, open(8));
    }

    #[tokio::test]
    async fn what_changes_after_a_document_was_filled_reaches_its_page() {
        let events = Events::default();
        events.update(|dirty| dirty.notices = true);
        assert!(events.next().await.notices, "nobody is there yet");
        for changes in [true, false] {
            events.embedding();
            if changes {
                events.update(|dirty| dirty.sync = true);
                assert!(events.next().await.sync, "the tray is told at once");
            }
            events.listen(Box::new(|_| true));
            events.embedded();
            events.changed(&threads(1..2));
            let dirty = events.next().await;
            assert_eq!((dirty.refetch, dirty.sync, dirty.settings), (changes, changes, changes));
            assert_eq!(dirty.threads.contains(&1), !changes, "a list that is fetched again has it");
        }
    }

    #[tokio::test]
    async fn a_page_that_is_gone_is_left_alone() {
        let events = Events::default();
        let sent = Arc::new(Mutex::new(0));
        let counter = Arc::clone(&sent);
        events.listen(Box::new(move |_| {
            *counter.lock() += 1;
            false
        }));
        let event = IpcEvent::Notices { notices: Vec::new() };
        events.send(event.clone());
        assert_eq!(*sent.lock(), 0, "not before it asked for everything");
        events.bootstrapped();
        events.send(event.clone());
        events.send(event);
        assert_eq!(*sent.lock(), 1);
        assert!(!events.has_listener());
    }
}
