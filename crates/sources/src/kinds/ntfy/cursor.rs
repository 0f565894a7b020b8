//! The cursor of a pull on topics.
//!
//! A poll answers everything after an id, in the order in which the server stored it, or everything from a second on.
//! The id is exact whatever the server's clock does, but leaves out what was stored before it and delivered after it,
//! such as a message with a delay. The second covers that, and what shares a second with the last message comes again.
//! So a pull goes on from the id, and then once more from a while before the time of the last one. It does not do the
//! latter if a live channel has brought everything since.
//!
//! The while is two minutes. Only polls move the cursor, and a page ends with a whole second. Known messages come again
//! and change nothing: the ids of the last lines are in the cursor, and the replica ignores the rest.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::cursors;

/// The number of seconds before the last covered time from which a poll by time starts: a message with a delay is
/// delivered some seconds after its time.
const OVERLAP_SECS: i64 = 120;
/// The latest time that is asked for, in seconds since 1970; a number of 12 digits would be an id.
const MAX_SECS: i64 = 99_999_999_999;

/// The cursor of a pull, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Cursor {
    /// The topics that it holds for.
    pub(super) topics: String,
    /// The id of the last line.
    pub(super) id: Option<String>,
    /// The time of the last line.
    pub(super) time: i64,
    /// The time through which everything was read by time.
    pub(super) covered: i64,
    /// The ids of the last lines, oldest first.
    pub(super) seen: VecDeque<String>,
    /// The poll by time that is under way.
    pub(super) walk: Option<PollByTime>,
}

/// A poll by time in several pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct PollByTime {
    /// The second from which the next page starts.
    pub(super) from: i64,
    /// Whether it started early enough to cover what polls by id leave out.
    pub(super) covers: bool,
}

impl Cursor {
    /// The cursor as it was stored; the beginning if that is of other topics, or none.
    pub(super) fn read(stored: Option<&str>, topics: &str) -> Self {
        let cursor: Self = cursors::read(stored);
        if cursor.topics == topics {
            return cursor;
        }
        // Known messages of the topics that stay are not news again.
        Self { topics: topics.to_owned(), seen: cursor.seen, ..Self::default() }
    }

    /// Whether nothing was read yet.
    pub(super) fn is_beginning(&self) -> bool {
        self.id.is_none() && self.walk.is_none() && self.time == 0
    }

    /// Whether the next poll is by id.
    pub(super) fn is_by_id(&self) -> bool {
        self.walk.is_none() && self.id.is_some()
    }

    /// The parameter `since` of the next poll.
    pub(super) fn since(&self) -> String {
        match (&self.walk, &self.id) {
            (Some(walk), _) => walk.from.clamp(0, MAX_SECS).to_string(),
            (None, Some(id)) => id.clone(),
            (None, None) if self.time > 0 => self.time.min(MAX_SECS).to_string(),
            (None, None) => "all".to_owned(),
        }
    }

    /// Whether a line is among the last ones.
    pub(super) fn has_seen(&self, id: &str) -> bool {
        self.seen.iter().any(|seen| seen == id)
    }

    /// Remembers a line, and at most `most` of the last ones.
    pub(super) fn see(&mut self, id: &str, most: usize) {
        if !self.has_seen(id) {
            self.seen.push_back(id.to_owned());
            while self.seen.len() > most {
                self.seen.pop_front();
            }
        }
    }

    /// The poll by time that covers what polls by id left out.
    pub(super) fn covering_walk(&self) -> PollByTime {
        PollByTime { from: self.covered.saturating_sub(OVERLAP_SECS).max(0), covers: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_of_other_topics_starts_over_and_remembers_what_was_seen() {
        let mut cursor = Cursor::read(None, "one");
        assert!(cursor.is_beginning());
        assert_eq!(cursor.since(), "all");
        (cursor.id, cursor.time) = (Some("m7".to_owned()), 7);
        cursor.see("m7", 1);
        let stored = cursors::write(&cursor).unwrap();
        assert_eq!(Cursor::read(Some(&stored), "one"), cursor);
        let wider = Cursor::read(Some(&stored), "one,two");
        assert!(wider.is_beginning() && wider.has_seen("m7"));
        assert!(Cursor::read(Some("2026-11-20T06:00:00Z"), "one").is_beginning());
    }

    #[test]
    fn a_poll_goes_on_from_the_walk_the_id_or_the_time() {
        let by_time = Cursor { time: 7, ..Cursor::default() };
        assert_eq!((by_time.since().as_str(), by_time.is_by_id()), ("7", false));
        let by_id = Cursor { id: Some("m7".to_owned()), ..by_time };
        assert_eq!((by_id.since().as_str(), by_id.is_by_id()), ("m7", true));
        let walk = Some(PollByTime { from: -5, covers: true });
        assert_eq!(Cursor { walk, ..by_id.clone() }.since(), "0");
        let walk = Some(PollByTime { from: i64::MAX, covers: true });
        assert_eq!(Cursor { walk, ..by_id }.since(), "99999999999");
    }

    #[test]
    fn only_the_last_ids_are_remembered() {
        let mut cursor = Cursor::default();
        for n in 0..2 * 256 {
            cursor.see(&format!("m{n}"), 256);
            cursor.see(&format!("m{n}"), 256);
        }
        assert_eq!(cursor.seen.len(), 256);
        assert!(cursor.has_seen("m511") && !cursor.has_seen("m255"));
    }
}
