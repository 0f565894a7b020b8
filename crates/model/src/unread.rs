//! When an item is unread: the one definition, used by the server, the replica and the tests. Refuses exceptions.

use crate::Stamp;

/// What decides whether an item is unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct State {
    /// It has a `read_at`, its own or the one that its view's mark gives it.
    pub read: bool,
    /// It has an `archived_at`.
    pub archived: bool,
    /// It was deleted.
    pub deleted: bool,
    /// Its actor is the user whose inbox it is in.
    pub own: bool,
    /// It sleeps until then.
    pub snoozed_until: Option<Stamp>,
}

/// Not read, not archived, not deleted, not from the user itself, and not snoozed into the future.
pub fn is_unread(state: &State, now: Stamp) -> bool {
    let asleep = state.snoozed_until.is_some_and(|until| until > now);
    !(state.read || state.archived || state.deleted || state.own || asleep)
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
        assert!(!is_unread(&State { snoozed_until: Some(Stamp::from_micros(101)), ..new }, now));
        assert!(is_unread(&State { snoozed_until: Some(now), ..new }, now), "it wakes at the very moment");
    }
}
