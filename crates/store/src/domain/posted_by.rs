//! Who posts: the owner of a named publication on a topic, and the right to change the publications of others there.

use tidings_model::wire::Scope;

use super::account::{Bearer, UserKey};

/// Who posts, revises, clears or deletes. A publication belongs to the user whose token posted it; programs of this
/// machine's user, which need no token, are one publisher together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PostedBy {
    /// The token's user; `None` for a program without a token.
    pub user: Option<UserKey>,
    /// Whether it may change what others posted, as a token with `publish` may.
    pub changes_others: bool,
}

impl PostedBy {
    /// Who posts with a token, or without one.
    pub fn of(bearer: Option<&Bearer>) -> Self {
        let changes_others = bearer.is_some_and(|bearer| bearer.has_scope(Scope::Publish));
        Self { user: bearer.map(|bearer| bearer.user), changes_others }
    }

    /// The publisher as it is stored: the user's key, or 0 for programs without a token.
    pub fn key(self) -> i64 {
        self.user.map_or(0, |user| user.0)
    }

    /// Who posts, by the publisher as it is stored.
    pub fn stored(key: i64, changes_others: bool) -> Self {
        Self { user: (key > 0).then_some(UserKey(key)), changes_others }
    }

    /// Whether it may change what a publisher posted.
    pub fn may_change(self, publisher: i64) -> bool {
        self.changes_others || publisher == self.key()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bearer(user: i64, scope: Scope) -> Bearer {
        let text = || "x".to_owned();
        Bearer { user: UserKey(user), id: text(), name: text(), token: text(), scopes: vec![scope] }
    }

    #[test]
    fn who_reads_changes_what_is_its_own_and_who_publishes_changes_all() {
        let (reader, publisher) = (bearer(1, Scope::Inbox), bearer(2, Scope::Publish));
        let admin = bearer(3, Scope::Admin);
        let may = |by: Option<&Bearer>| [0, 1, 2].map(|other| PostedBy::of(by).may_change(other));
        assert_eq!(may(None), [true, false, false]);
        assert_eq!(may(Some(&reader)), [false, true, false]);
        assert_eq!(may(Some(&publisher)), [true; 3]);
        assert_eq!(may(Some(&admin)), [true; 3]);
        let stored = PostedBy::of(Some(&publisher));
        assert_eq!(PostedBy::stored(stored.key(), stored.changes_others), stored);
        assert_eq!(PostedBy::stored(0, false), PostedBy::default());
    }
}
