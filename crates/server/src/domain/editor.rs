//! Who may change a notification after it was published.

use tidings_model::Kind;
use tidings_model::wire::Scope;

use super::account::{Bearer, UserKey};

/// Who edits a notification or takes it back. A notification belongs to the user whose token posted it, a message also to
/// its sender; an administrator changes any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor {
    /// The token's user.
    pub user: UserKey,
    /// The user's id.
    pub id: String,
    /// Whether the token has `admin`.
    pub is_admin: bool,
}

impl Editor {
    /// Who edits with a token.
    pub fn of(bearer: &Bearer) -> Self {
        Self { user: bearer.user, id: bearer.id.clone(), is_admin: bearer.has_scope(Scope::Admin) }
    }

    /// Whether it may change a notification of this kind, publisher and actor. The publisher is as it is stored: a user's
    /// key, or 0 for programs without a token, whose notifications only an administrator changes.
    pub(crate) fn may_change(&self, kind: Kind, publisher: i64, actor: &str) -> bool {
        self.is_admin || publisher == self.user.0 || (kind == Kind::Message && actor == self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_is_changed_by_who_posted_it_by_the_sender_of_a_message_and_by_an_administrator() {
        let editor =
            |user: i64, id: &str, is_admin| Editor { user: UserKey(user), id: id.to_owned(), is_admin };
        let (alice, bob, root) =
            (editor(1, "alice", false), editor(2, "bob", false), editor(3, "root", true));
        let may = |kind, publisher, actor: &str| {
            [&alice, &bob, &root].map(|editor| editor.may_change(kind, publisher, actor))
        };
        assert_eq!(may(Kind::Reminder, 1, "bob"), [true, false, true], "an actor has said nothing");
        assert_eq!(may(Kind::Message, 1, "bob"), [true, true, true]);
        assert_eq!(may(Kind::Announcement, 2, "x"), [false, true, true]);
        assert_eq!(may(Kind::Reminder, 0, "alice"), [false, false, true]);
    }
}
