//! The position of a pull on Gotify's messages, which are read backwards, from the newest one to those that are known.

use serde::{Deserialize, Serialize};

/// The most ids that are remembered.
const MAX_RECENT: usize = 100;
/// The number of seconds by which a message with a known number must be later than all known ones, to be that of a
/// server that was set up anew. Messages that were published at once may get their numbers in another order.
const RESET_SECS: i64 = 60;

/// The cursor of a pull, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Position {
    /// The id of the newest message before which everything was read; 0 for none.
    pub(super) known: u64,
    /// The time of that message, in seconds since 1970.
    pub(super) known_at: i64,
    /// The ids of the newest messages, newest first: what is published at the same time may be seen in another order.
    pub(super) recent: Vec<u64>,
    /// The way back that is not finished.
    pub(super) walk: Option<Walk>,
}

/// A way back from the newest message to the known ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Walk {
    /// The id of the message at which it started; `known` after its end.
    pub(super) head: u64,
    /// The time of that message.
    pub(super) head_at: i64,
    /// The id of the last message that was read: the next page is before it.
    pub(super) before: u64,
}

impl Position {
    /// The position of a cursor.
    pub(super) fn read(cursor: Option<&str>) -> Self {
        cursor.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Whether a message was not read yet.
    pub(super) fn is_new(&self, id: u64) -> bool {
        // Where fewer are remembered than fit, these are all.
        let oldest = self.recent.get(MAX_RECENT - 1).copied().unwrap_or(0);
        id > self.known || (id > oldest && !self.recent.contains(&id))
    }

    /// Whether a message shows that the server counts from 1 again.
    pub(super) fn is_reset_by(&self, id: u64, at: i64) -> bool {
        id <= self.known && !self.recent.contains(&id) && at > self.known_at.saturating_add(RESET_SECS)
    }

    /// Forgets what is known: the server counts from 1 again.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Remembers messages that were read.
    pub(super) fn see(&mut self, ids: impl Iterator<Item = u64>) {
        self.recent.extend(ids);
        self.recent.sort_unstable_by(|a, b| b.cmp(a));
        self.recent.dedup();
        self.recent.truncate(MAX_RECENT);
    }

    /// Goes back to a message. `is_last` if the server has no older one.
    pub(super) fn go_back(&mut self, head: (u64, i64), oldest: u64, is_last: bool) {
        let walk = self.walk.take().unwrap_or(Walk { head: head.0, head_at: head.1, before: 0 });
        if is_last || oldest <= self.known {
            self.finish(walk);
        } else {
            self.walk = Some(Walk { before: oldest, ..walk });
        }
    }

    /// Ends the way back, because the server has nothing older.
    pub(super) fn end(&mut self) {
        if let Some(walk) = self.walk.take() {
            self.finish(walk);
        }
    }

    fn finish(&mut self, walk: Walk) {
        if walk.head > self.known {
            (self.known, self.known_at) = (walk.head, walk.head_at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_back_ends_at_what_is_known() {
        let mut position = Position { known: 10, known_at: 100, recent: vec![10, 9, 7], walk: None };
        position.see([30, 29, 28].into_iter());
        position.go_back((30, 130), 28, false);
        assert_eq!(position.walk, Some(Walk { head: 30, head_at: 130, before: 28 }));
        assert_eq!(position.known, 10, "what is between is not read yet");
        position.go_back((27, 127), 9, false);
        assert_eq!((position.known, position.known_at, position.walk), (30, 130, None));
        position.go_back((30, 130), 12, false);
        assert_eq!((position.known, position.walk), (30, None));
    }

    #[test]
    fn a_number_that_is_seen_late_is_new_and_one_that_is_long_known_is_not() {
        let new = |position: &Position| (5..113).filter(|id| position.is_new(*id)).collect::<Vec<u64>>();
        let recent = (10..=110).rev().filter(|id| *id != 50).collect();
        assert_eq!(new(&Position { known: 110, known_at: 100, recent, walk: None }), [50, 111, 112]);
        let position = Position { known: 10, known_at: 100, recent: vec![10, 9, 7], walk: None };
        assert_eq!(new(&position)[..4], [5, 6, 8, 11]);
        assert!(Position::default().is_new(1));
        assert!(!position.is_reset_by(8, 110), "it was published at about the same time");
        assert!(!position.is_reset_by(9, 1_000), "it is known");
        assert!(!position.is_reset_by(11, 1_000), "it is simply new");
        assert!(position.is_reset_by(3, 161));
    }

    #[test]
    fn a_cursor_that_makes_no_sense_is_the_beginning() {
        for odd in [None, Some(""), Some("2026-11-20T06:00:00Z"), Some("[]")] {
            assert_eq!(Position::read(odd), Position::default());
        }
        let mut position = Position::default();
        position.see(1..1_000);
        assert_eq!((position.recent.len(), position.recent[0]), (MAX_RECENT, 999));
    }
}
