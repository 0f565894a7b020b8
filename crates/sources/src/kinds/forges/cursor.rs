//! The position of a source of notification threads: the part of the list that was pulled, and the rest of this pull.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use tidings_model::Stamp;

use super::thread::Thread;
use crate::service::Validators;

/// The most threads at the head of the list that are remembered.
const MAX_SEEN: usize = 200;
/// The most unread threads that are remembered, the newest.
const MAX_UNREAD: usize = 500;

/// The cursor, kept as JSON.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Cursor {
    /// The newest change that was pulled, after everything before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) head: Option<Stamp>,
    /// The threads within a second before `head`, with a hash of each: the list has them again.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) seen: BTreeMap<String, u64>,
    /// The state of the list after `head`.
    pub(super) validators: Validators,
    /// The walk that this pull is in the middle of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) walk: Option<Walk>,
    /// Threads whose details are to be fetched, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) pending: Vec<Thread>,
    /// The number of threads whose details this pull has fetched or is to fetch.
    pub(super) detailed: usize,
    /// The number of walks of this pull.
    pub(super) rounds: u32,
    /// Whether this pull has to look at the head of the list again.
    pub(super) is_due: bool,
    /// The threads that were unread at the service, with the second of their last change.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) unread: BTreeMap<String, i64>,
    /// The state of the list of unread threads.
    pub(super) unread_validators: Validators,
    /// When the lists were last read whatever their state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refreshed_at: Option<Stamp>,
    /// The seconds between two pulls, as the service last said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) poll_seconds: Option<u64>,
}

/// A walk through the list from its head to the known threads, or to its end.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Walk {
    /// Only changes after this time are listed.
    pub(super) since: Option<Stamp>,
    /// Only changes before this time are listed: the window of the walk, which moves on with each page, so that
    /// threads that leave the list meanwhile shift nothing.
    pub(super) before: Option<Stamp>,
    /// The number of threads of the window that were listed.
    pub(super) offset: u64,
    /// The number of threads that were listed by the walk.
    pub(super) listed: u64,
    /// Whether the service has no windows, so that the walk goes by page numbers alone.
    pub(super) has_no_windows: bool,
    /// The newest change when the walk began.
    pub(super) head: Option<Stamp>,
    /// What [`Cursor::seen`] is after the walk.
    pub(super) seen: BTreeMap<String, u64>,
    /// The state of the first page.
    pub(super) validators: Validators,
    /// The oldest threads of the last page, which the next one has again.
    pub(super) edge: BTreeMap<String, u64>,
}

impl Cursor {
    /// Whether this pull has more to do.
    pub(super) const fn has_more(&self) -> bool {
        self.walk.is_some() || !self.pending.is_empty() || self.is_due
    }

    /// Remembers whether a thread is unread at the service.
    pub(super) fn note_unread(&mut self, thread: &Thread) {
        if thread.unread {
            self.unread.insert(thread.id.clone(), thread.updated_at.as_secs());
        } else {
            self.unread.remove(&thread.id);
        }
    }

    /// Forgets all but the newest unread threads.
    pub(super) fn bound_unread(&mut self) {
        if self.unread.len() <= MAX_UNREAD {
            return;
        }
        let mut newest: Vec<(String, i64)> = std::mem::take(&mut self.unread).into_iter().collect();
        newest.sort_unstable_by_key(|(_, at)| std::cmp::Reverse(*at));
        newest.truncate(MAX_UNREAD);
        self.unread = newest.into_iter().collect();
    }

    /// Ends a walk: everything up to its head was pulled.
    pub(super) fn finish(&mut self, walk: Walk) {
        if walk.head > self.head {
            // Another time in the request makes it another document.
            (self.head, self.validators) = (walk.head, Validators::default());
        } else {
            self.validators = walk.validators;
        }
        self.seen = walk.seen;
    }
}

impl Walk {
    /// A walk that begins at the head of the list.
    pub(super) fn after(head: Option<Stamp>) -> Self {
        // `since` is in whole seconds, and another change may come within the last one.
        Self { since: head.map(|head| whole_second(head).plus_secs(-1)), ..Self::default() }
    }

    /// Takes note of a page: of its newest threads, and of its oldest.
    pub(super) fn note(&mut self, threads: &[Thread]) {
        let newest = threads.iter().map(|thread| thread.updated_at).max();
        self.head = self.head.or(newest);
        let head = self.head.map(|head| whole_second(head).plus_secs(-1));
        for thread in threads.iter().filter(|thread| head.is_some_and(|head| thread.updated_at >= head)) {
            if self.seen.len() < MAX_SEEN {
                self.seen.insert(thread.id.clone(), thread_hash(thread));
            }
        }
        let oldest = threads.iter().map(|thread| whole_second(thread.updated_at)).min();
        let at_edge = threads.iter().filter(|thread| Some(whole_second(thread.updated_at)) == oldest);
        self.edge = at_edge.take(MAX_SEEN).map(|thread| (thread.id.clone(), thread_hash(thread))).collect();
    }

    /// Moves on after a page whose last thread has this position in the window.
    pub(super) fn move_on(&mut self, threads: &[Thread], end: u64) {
        self.listed += threads.len() as u64;
        let oldest = threads.iter().map(|thread| whole_second(thread.updated_at)).min();
        let window = oldest.map(|oldest| oldest.plus_secs(1));
        if self.has_no_windows || self.before == window {
            self.offset = end;
        } else {
            (self.before, self.offset) = (window, 0);
        }
    }

    /// Goes on by page numbers.
    pub(super) fn leave_windows(&mut self) {
        (self.has_no_windows, self.before, self.offset) = (true, None, self.listed);
    }
}

/// The threads that are neither known nor the same as when they were.
pub(super) fn fresh(threads: Vec<Thread>, known: [&BTreeMap<String, u64>; 2]) -> Vec<Thread> {
    let is_known = |thread: &Thread| {
        let hash = thread_hash(thread);
        known.iter().any(|known| known.get(&thread.id) == Some(&hash))
    };
    let mut once: HashMap<String, Thread> = HashMap::new();
    for thread in threads.into_iter().filter(|thread| !is_known(thread)) {
        let later = once.get(&thread.id).is_none_or(|other| other.updated_at < thread.updated_at);
        if later {
            once.insert(thread.id.clone(), thread);
        }
    }
    let mut fresh: Vec<Thread> = once.into_values().collect();
    fresh.sort_by(|a, b| (a.updated_at, &a.id).cmp(&(b.updated_at, &b.id)));
    fresh
}

/// A time without the fraction of its second.
pub(super) const fn whole_second(time: Stamp) -> Stamp {
    Stamp::from_secs(time.as_secs())
}

/// A hash of what may change in a thread.
fn thread_hash(thread: &Thread) -> u64 {
    let mut hasher = DefaultHasher::new();
    let subject = &thread.subject;
    (thread.updated_at, thread.unread, &thread.reason).hash(&mut hasher);
    (&subject.title, &subject.state, &subject.latest_comment_url).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursors;

    fn thread(id: u32, second: i64) -> Thread {
        let updated_at = Stamp::from_secs(1_800_000_000 + second);
        serde_json::from_value(serde_json::json!({"id": id, "updated_at": updated_at, "unread": true}))
            .unwrap()
    }

    #[test]
    fn a_window_moves_on_and_a_second_with_more_than_a_page_is_walked_by_pages() {
        let mut walk = Walk::after(None);
        let page: Vec<_> = (0..50).map(|n| thread(n, 100 - i64::from(n))).collect();
        walk.note(&page);
        walk.move_on(&page, 50);
        assert_eq!((walk.before, walk.offset), (Some(Stamp::from_secs(1_800_000_052)), 0));
        let burst: Vec<_> = (49..99).map(|n| thread(n, 51)).collect();
        for end in [50, 100] {
            walk.note(&burst);
            walk.move_on(&burst, end);
            assert_eq!((walk.before, walk.offset), (Some(Stamp::from_secs(1_800_000_052)), end));
        }
        assert_eq!(walk.head, Some(Stamp::from_secs(1_800_000_100)), "the newest when it began");
        assert_eq!(walk.seen.len(), 2);
    }

    #[test]
    fn what_was_seen_is_fresh_again_only_if_it_changed() {
        let mut walk = Walk::after(None);
        walk.note(&[thread(1, 5), thread(2, 5)]);
        let mut changed = thread(2, 5);
        changed.unread = false;
        let found = fresh(vec![thread(1, 5), changed, thread(3, 5)], [&walk.seen, &BTreeMap::new()]);
        assert_eq!(found.iter().map(|thread| thread.id.as_str()).collect::<Vec<_>>(), ["2", "3"]);
    }

    #[test]
    fn a_position_that_cannot_be_read_is_the_beginning() {
        let mut cursor = Cursor { head: Some(Stamp::from_secs(5)), ..Cursor::default() };
        cursor.note_unread(&thread(1, 5));
        let back: Cursor = cursors::read(cursors::write(&cursor).ok().as_deref());
        assert_eq!((back.head, back.unread), (cursor.head, cursor.unread));
        for other in [None, Some(""), Some("42"), Some("{\"head\": 5}")] {
            assert_eq!(cursors::read::<Cursor>(other).head, None, "{other:?}");
        }
    }

    #[test]
    fn of_many_unread_threads_the_newest_are_remembered() {
        let mut cursor = Cursor::default();
        (0..600).for_each(|n| cursor.note_unread(&thread(n, i64::from(n))));
        cursor.bound_unread();
        assert_eq!(cursor.unread.len(), MAX_UNREAD);
        assert!(cursor.unread.contains_key("599") && !cursor.unread.contains_key("99"));
    }
}
