//! Defines when an item is unread and when its view's mark covers it. Server, replica and tests use this definition
//! only.
//!
//! An item says itself of which class it is, and when its publisher last revised it. A view's mark covers it only
//! from the later of its creation and that revision. A change of the catalog holds for what comes later.

use crate::Stamp;

/// The inputs that decide whether an item is unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct State {
    /// The item has a `read_at`, from a mark of its own or from its view's mark.
    pub read: bool,
    /// The item has an `archived_at`.
    pub archived: bool,
    /// The item was deleted.
    pub deleted: bool,
    /// The item is an announcement or message of the user whose inbox it is in.
    pub own: bool,
    /// The end of the snooze.
    pub snoozed_until: Option<Stamp>,
    /// The item asks a question that is answered or expired.
    pub closed: bool,
}

/// Whether an item is unread at `now`: not read, archived or deleted, not the user's own, and not snoozed beyond `now`.
/// A question that is answered or expired is not unread, either.
///
/// ```
/// use tidings_model::{Stamp, State, is_unread};
///
/// let now = Stamp::from_secs(100);
/// assert!(is_unread(&State::default(), now));
/// assert!(!is_unread(&State { read: true, ..State::default() }, now));
/// ```
pub fn is_unread(state: &State, now: Stamp) -> bool {
    let asleep = state.snoozed_until.is_some_and(|until| until > now);
    !(state.read || state.archived || state.deleted || state.own || state.closed || asleep)
}

/// The time at which an item's content was created or last revised; never before its creation.
pub fn content_at(created_at: Stamp, revised_at: Option<Stamp>) -> Stamp {
    revised_at.map_or(created_at, |revised_at| revised_at.max(created_at))
}

/// Whether the mark of its view covers an item of auto class: the item was neither created nor revised after the
/// mark.
pub fn is_covered(created_at: Stamp, revised_at: Option<Stamp>, mark: Stamp) -> bool {
    content_at(created_at, revised_at) <= mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_unread_until_something_says_otherwise() {
        let now = Stamp::from_micros(100);
        let new = State::default();
        assert!(is_unread(&new, now));
        assert!(!is_unread(&State { read: true, ..new }, now));
        assert!(!is_unread(&State { archived: true, ..new }, now));
        assert!(!is_unread(&State { deleted: true, ..new }, now));
        assert!(!is_unread(&State { own: true, ..new }, now));
        assert!(!is_unread(&State { closed: true, ..new }, now));
        assert!(!is_unread(&State { snoozed_until: Some(Stamp::from_micros(101)), ..new }, now));
        assert!(is_unread(&State { snoozed_until: Some(now), ..new }, now), "it wakes at the very moment");
    }

    #[test]
    fn a_mark_covers_what_was_neither_created_nor_revised_after_it() {
        let t = Stamp::from_micros;
        assert!(is_covered(t(10), None, t(10)) && !is_covered(t(10), None, t(9)));
        assert!(is_covered(t(10), Some(t(20)), t(20)) && !is_covered(t(10), Some(t(20)), t(19)));
        assert_eq!(content_at(t(10), Some(t(5))), t(10), "nothing is revised before it was there");
    }
}
