//! The walk of a source whose service lists its items newest first: from the newest one back to the known ones.
//!
//! A walk whose pull was interrupted is finished by a later pull, which then looks at the newest items again. There may
//! be some that are newer than the head of the walk.
//!
//! Gotify and Mastodon are read so. The cursor says where the walk is, and its head counts as known only after its
//! end. Lists that are sorted by the last change (GitHub, Forgejo, GitLab) move while they are read, so their walks
//! look at the head again at the end.

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tidings_net::{Error, Result};

/// What was pulled of such a list, a part of the stored cursor. `I` identifies an item, and grows with each new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "I: Deserialize<'de>"))]
pub(crate) struct Walked<I> {
    /// The newest item at and below which everything was pulled.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub(crate) known: Option<I>,
    /// The walk that is not finished.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub(crate) walk: Option<Walk<I>>,
}

/// A walk that is not finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Walk<I> {
    /// The item that it began with.
    pub(crate) head: I,
    /// The item below which it goes on.
    #[serde(alias = "before")]
    pub(crate) below: I,
    /// Whether an earlier pull began it, so that there may be newer items than its head.
    #[serde(default)]
    pub(crate) resumed: bool,
}

/// The walk that the pulls of one client are in the middle of: another one was begun by an earlier pull.
#[derive(Debug)]
pub(crate) struct OwnWalk<I>(Mutex<Option<I>>);

fn none<I>() -> Option<I> {
    None
}

impl<I> Default for Walked<I> {
    fn default() -> Self {
        Self { known: None, walk: None }
    }
}

impl<I> Default for OwnWalk<I> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<I: Ord + Clone> Walked<I> {
    /// Whether an item lies beyond the newest one that is known.
    pub(crate) fn is_beyond(&self, id: &I) -> bool {
        self.known.as_ref().is_none_or(|known| id > known)
    }

    /// Moves on after a page from its newest item to its oldest; `is_last` if the service says that there is no older one.
    /// Returns whether there are more pages; after a walk that was resumed that is the first one again.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the page is not below the last one.
    pub(crate) fn advance(&mut self, page: Option<(&I, &I)>, is_last: bool) -> Result<bool> {
        if let (Some(walk), Some((newest, _))) = (&self.walk, page)
            && *newest >= walk.below
        {
            return Err(Error::Malformed);
        }
        let walk = self.walk.take();
        let ends = is_last || page.is_none_or(|(_, oldest)| !self.is_beyond(oldest));
        let resumed = walk.as_ref().is_some_and(|walk| walk.resumed);
        let head = walk.map(|walk| walk.head).or_else(|| page.map(|(newest, _)| newest.clone()));
        match (head, page) {
            (Some(head), Some((_, below))) if !ends => {
                self.walk = Some(Walk { head, below: below.clone(), resumed });
            }
            (Some(head), _) if self.is_beyond(&head) => self.known = Some(head),
            _ => {}
        }
        Ok(!ends || resumed)
    }
}

impl<I: Ord + Clone> OwnWalk<I> {
    /// Takes note that a client goes on with a stored position: with a walk of its own, or of an earlier pull.
    pub(crate) fn go_on(&self, stored: &mut Walked<I>) {
        let own = self.0.lock().clone();
        if let Some(walk) = &mut stored.walk {
            walk.resumed |= own.as_ref() != Some(&walk.head);
        }
    }

    /// Takes note of the position after a page.
    pub(crate) fn left_at(&self, position: &Walked<I>) {
        *self.0.lock() = position.walk.as_ref().map(|walk| walk.head.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves on after a page from one id to another.
    fn advance(position: &mut Walked<u64>, newest: u64, oldest: u64) -> Result<bool> {
        position.advance(Some((&newest, &oldest)), false)
    }

    #[test]
    fn a_walk_goes_down_to_what_was_known_and_only_then_up_to_its_head() {
        let mut position = Walked::default();
        assert!(advance(&mut position, 100, 81).unwrap());
        assert_eq!((position.known, position.walk.as_ref().unwrap().below), (None, 81));
        assert!(advance(&mut position, 80, 61).unwrap());
        assert!(!position.advance(None, false).unwrap());
        assert_eq!((position.known, &position.walk), (Some(100), &None));
        assert!(!advance(&mut position, 110, 95).unwrap(), "the page reaches what is known");
        assert_eq!(position.known, Some(110));
        assert!(advance(&mut position, 300, 261).unwrap());
        assert_eq!(position.known, Some(110), "not before the gap is filled");
        assert!(advance(&mut position, 261, 200).is_err(), "a page that does not go on");
        assert!(!position.advance(Some((&250, &240)), true).unwrap(), "the service has no older one");
        assert_eq!((position.known, &position.walk), (Some(300), &None));
        assert!(!advance(&mut position, 4, 1).unwrap(), "the newest ones were deleted");
        assert_eq!(position.known, Some(300));
    }

    #[test]
    fn after_a_walk_that_was_resumed_the_newest_are_looked_at_again() {
        let (first, second) = (OwnWalk::default(), OwnWalk::default());
        let mut position = Walked::default();
        assert!(advance(&mut position, 100, 81).unwrap());
        first.left_at(&position);
        first.go_on(&mut position);
        assert!(!position.walk.as_ref().unwrap().resumed, "it is the same pull");
        second.go_on(&mut position);
        assert!(advance(&mut position, 80, 61).unwrap() && position.walk.as_ref().unwrap().resumed);
        second.left_at(&position);
        second.go_on(&mut position);
        assert!(position.advance(None, false).unwrap(), "the first page is next");
        assert_eq!((position.known, &position.walk), (Some(100), &None));
        assert!(!advance(&mut position, 105, 90).unwrap());
    }
}
