//! Who may change a notification after it was published.

use tidings_model::Kind;
use tidings_model::gotify::APPLICATION_TARGET;
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
    /// The target of the only application whose messages it changes; `None` for a token that is not bound to one.
    pub application: Option<String>,
}

impl Editor {
    /// Who edits with a token, which is bound to an application or to none.
    pub fn of(bearer: &Bearer, application: Option<String>) -> Self {
        let is_admin = bearer.has_scope(Scope::Admin);
        Self { user: bearer.user, id: bearer.id.clone(), is_admin, application }
    }

    /// Whether it may change a notification of this kind, publisher, actor and target. The publisher is as it is stored: a
    /// user's key, or 0 for programs without a token, whose notifications only an administrator changes.
    pub(crate) fn may_change(&self, kind: Kind, publisher: i64, actor: &str, target: (&str, &str)) -> bool {
        let is_own = publisher == self.user.0 || (kind == Kind::Message && actor == self.id);
        let is_in_reach = self.application.as_deref().is_none_or(|id| target == (APPLICATION_TARGET, id));
        self.is_admin || (is_own && is_in_reach)
    }

    /// Whether it may cancel what this publisher lets wait to be delivered. No application lets anything wait.
    pub fn may_cancel(&self, publisher: i64) -> bool {
        self.is_admin || (publisher == self.user.0 && self.application.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_is_changed_by_who_posted_it_by_the_sender_of_a_message_and_by_an_administrator() {
        let editor = |user: i64, id: &str, is_admin| Editor {
            user: UserKey(user),
            id: id.to_owned(),
            is_admin,
            application: None,
        };
        let (alice, bob, root) =
            (editor(1, "alice", false), editor(2, "bob", false), editor(3, "root", true));
        let may = |kind, publisher, actor: &str| {
            [&alice, &bob, &root].map(|editor| editor.may_change(kind, publisher, actor, ("article", "7")))
        };
        assert_eq!(may(Kind::Reminder, 1, "bob"), [true, false, true], "an actor has said nothing");
        assert_eq!(may(Kind::Message, 1, "bob"), [true, true, true]);
        assert_eq!(may(Kind::Announcement, 2, "x"), [false, true, true]);
        assert_eq!(may(Kind::Reminder, 0, "alice"), [false, false, true]);
    }

    #[test]
    fn the_token_of_an_application_changes_messages_of_that_application_alone() {
        let app =
            Editor { user: UserKey(1), id: "alice".into(), is_admin: false, application: Some("7".into()) };
        let may = |publisher, target| app.may_change(Kind::Reminder, publisher, "alice", target);
        assert!(may(1, ("application", "7")));
        assert!(!may(1, ("application", "8")) && !may(1, ("topic", "7")) && !may(2, ("application", "7")));
        assert!(!app.may_change(Kind::Message, 1, "alice", ("", "")));
        assert!(!app.may_cancel(1) && Editor { application: None, ..app }.may_cancel(1));
    }
}
