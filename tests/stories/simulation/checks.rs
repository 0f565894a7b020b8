//! What a device shows in the end: search finds exactly what exists, and threads are what a recount says.

use std::collections::{BTreeMap, BTreeSet};

use tidings_replica::{Item, ItemFilter, SearchFilter, ThreadId};

use super::Simulation;

/// More items than one text has.
const SOME: usize = 100;

/// The number in a text that the history wrote, such as `text 12, edited`.
fn number(body: &str) -> Option<u32> {
    let digits = body.strip_prefix("text ")?.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

impl Simulation<'_> {
    /// Asserts that each text is found where it is, and that a text that was edited or taken back is not found.
    pub(super) fn check_search(&self, device: usize) {
        let device = &self.world.devices[device];
        let mut existing: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        for item in device.shown(&ItemFilter::default(), usize::MAX >> 1) {
            if let Some(n) = number(&item.notification.content.body) {
                existing.entry(n).or_default().insert(item.notification.msgid.0);
            }
        }
        for n in 1..=self.world.names {
            let filter = SearchFilter::words(format!("\"text {n}\""));
            let found = device.replica().search(&filter, SOME).unwrap().into_iter();
            let found: BTreeSet<String> = found.map(|item| item.notification.msgid.0).collect();
            let expected = existing.remove(&n).unwrap_or_default();
            assert_eq!(found, expected, "what the {} finds of text {n}", device.name);
        }
        assert!(existing.is_empty(), "it was never written: {existing:?}");
    }

    /// Asserts that the threads are those of the items, each with as many unread ones.
    pub(super) fn check_threads(&self, device: usize) {
        let device = &self.world.devices[device];
        let mut unread: BTreeMap<ThreadId, (String, u64)> = BTreeMap::new();
        for item in device.shown(&ItemFilter::default(), usize::MAX >> 1) {
            let key = item.notification.thread.clone();
            unread.entry(item.thread).or_insert((key, 0)).1 += u64::from(item.unread);
        }
        let ids: Vec<ThreadId> = unread.keys().copied().collect();
        let threads = device.replica().threads_by_id(&ids).unwrap().into_iter();
        let threads: BTreeMap<ThreadId, (String, u64)> =
            threads.map(|thread| (thread.id, (thread.key, thread.unread))).collect();
        assert_eq!(threads, unread, "the threads of the {}", device.name);
    }

    /// Records what a device shows, so that the same seed has to end alike.
    pub(super) fn note_state(&mut self, device: usize) {
        let this = &self.world.devices[device];
        let state = |item: &Item| {
            let n = &item.notification;
            let nth = self.world.rules.find(n.msgid.as_str());
            let marks = [n.read_at, n.archived_at, n.snoozed_until].map(|mark| mark.is_some());
            format!("{nth:?} {} {} {marks:?}", n.thread, item.unread)
        };
        let shown = this.shown(&ItemFilter::default(), usize::MAX >> 1);
        let lines: Vec<String> = shown.iter().map(state).collect();
        let unread = this.unread();
        let name = this.name;
        self.world.log.note(format!("the {name} ends with {unread:?} unread: {lines:?}"));
    }
}
