//! The cursor of a pull on Gotify's messages, which are read backwards, from the newest one to those that are known.
//!
//! The last hundred numbers are remembered, because numbers may become visible out of order. A msgid has the second
//! of the message in it, because a server that was set up anew counts from 1 again.

use serde::{Deserialize, Serialize};
use tidings_net::Result;

use crate::walk::Walked;

/// The most ids that are remembered.
const MAX_RECENT: usize = 100;
/// The number of seconds by which a message with a known number must be later than all known ones. Then it is from a
/// server that was set up anew. Messages that were published at once may get their numbers in another order.
const RESET_SECS: i64 = 60;

/// The cursor of a pull, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cursor {
    /// The time of the newest known message, in seconds since 1970.
    #[serde(default)]
    pub(super) known_at: i64,
    /// The time of the message with which the walk began.
    #[serde(default)]
    pub(super) head_at: i64,
    /// The ids of the newest messages, newest first: what is published at the same time may be seen in another order.
    #[serde(default)]
    pub(super) recent: Vec<u64>,
    /// What was read, by the ids of messages.
    #[serde(flatten)]
    pub(super) walked: Walked<u64>,
}

impl Cursor {
    /// Whether a message was not read yet.
    pub(super) fn is_new(&self, id: u64) -> bool {
        // If fewer are remembered than fit, these are all.
        let oldest = self.recent.get(MAX_RECENT - 1).copied().unwrap_or(0);
        self.walked.is_beyond(&id) || (id > oldest && !self.recent.contains(&id))
    }

    /// Whether a message shows that the server counts from 1 again.
    pub(super) fn is_reset_by(&self, id: u64, at: i64) -> bool {
        !self.walked.is_beyond(&id)
            && !self.recent.contains(&id)
            && at > self.known_at.saturating_add(RESET_SECS)
    }

    /// Forgets the known messages: the server counts from 1 again.
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

    /// Moves on after a page from its newest message, of a time, to its oldest; `is_last` if the server has no older one.
    /// Returns whether there are more pages.
    ///
    /// # Errors
    /// [`Error::Malformed`](tidings_net::Error::Malformed) if the page is not below the last one.
    pub(super) fn advance(&mut self, page: Option<((u64, i64), u64)>, is_last: bool) -> Result<bool> {
        if let (None, Some(((_, at), _))) = (&self.walked.walk, page) {
            self.head_at = at;
        }
        let known = self.walked.known;
        let more =
            self.walked.advance(page.as_ref().map(|((newest, _), oldest)| (newest, oldest)), is_last)?;
        if self.walked.known != known {
            self.known_at = self.head_at;
        }
        Ok(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursors;

    fn cursor(known: u64, known_at: i64, recent: Vec<u64>) -> Cursor {
        let walked = Walked { known: Some(known), walk: None };
        Cursor { known_at, recent, walked, ..Cursor::default() }
    }

    #[test]
    fn a_walk_back_ends_at_what_is_known() {
        let mut cursor = cursor(10, 100, vec![10, 9, 7]);
        cursor.see([30, 29, 28].into_iter());
        assert!(cursor.advance(Some(((30, 130), 28)), false).unwrap());
        assert_eq!(
            (cursor.walked.known, cursor.known_at),
            (Some(10), 100),
            "what is between is not read yet"
        );
        assert!(!cursor.advance(Some(((27, 127), 9)), false).unwrap());
        assert_eq!((cursor.walked.known, cursor.known_at, &cursor.walked.walk), (Some(30), 130, &None));
        assert!(!cursor.advance(Some(((30, 130), 12)), false).unwrap());
        assert_eq!((cursor.walked.known, &cursor.walked.walk), (Some(30), &None));
    }

    #[test]
    fn a_number_that_is_seen_late_is_new_and_one_that_is_long_known_is_not() {
        let new = |cursor: &Cursor| (5..113).filter(|id| cursor.is_new(*id)).collect::<Vec<u64>>();
        let recent = (10..=110).rev().filter(|id| *id != 50).collect();
        assert_eq!(new(&cursor(110, 100, recent)), [50, 111, 112]);
        let cursor = cursor(10, 100, vec![10, 9, 7]);
        assert_eq!(new(&cursor)[..4], [5, 6, 8, 11]);
        assert!(Cursor::default().is_new(1));
        assert!(!cursor.is_reset_by(8, 110), "it was published at about the same time");
        assert!(!cursor.is_reset_by(9, 1_000), "it is known");
        assert!(!cursor.is_reset_by(11, 1_000), "it is simply new");
        assert!(cursor.is_reset_by(3, 161));
    }

    #[test]
    fn a_cursor_that_makes_no_sense_is_the_beginning() {
        for odd in [None, Some(""), Some("2026-11-20T06:00:00Z"), Some("[]")] {
            assert_eq!(cursors::read::<Cursor>(odd), Cursor::default());
        }
        let mut cursor = Cursor::default();
        cursor.see(1..1_000);
        assert_eq!((cursor.recent.len(), cursor.recent[0]), (MAX_RECENT, 999));
    }

    #[test]
    fn a_position_of_an_earlier_version_is_read() {
        let stored = r#"{"known":0,"known_at":7,"recent":[9],"walk":{"head":9,"head_at":8,"before":5}}"#;
        let cursor: Cursor = cursors::read(Some(stored));
        let walk = cursor.walked.walk.unwrap();
        assert_eq!((walk.head, walk.below, walk.resumed, cursor.known_at), (9, 5, false, 7));
        let other: Cursor = cursors::read(Some(r#"{"known":10,"known_at":7,"recent":[9],"walk":null}"#));
        assert_eq!(other.walked.known, Some(10));
    }
}
