//! The steps of a history, and how often each is drawn.

use proptest::prelude::*;

pub(super) const USERS: [&str; 3] = ["ann", "bob", "cat"];
pub(super) const ACTIONS: [&str; 2] = ["like", "comment"];
pub(super) const TARGETS: [&str; 2] = ["1", "2"];
/// The seconds by which a clock is wrong that is a year ahead.
pub(super) const YEAR: i64 = 365 * 86_400;

#[derive(Debug, Clone)]
pub(super) enum Step {
    Announce,
    Remind {
        actor: usize,
        action: usize,
        target: usize,
    },
    Revise {
        actor: usize,
        action: usize,
        target: usize,
    },
    Recall {
        nth: usize,
    },
    /// What was published under a sequence is cleared or deleted.
    Withdraw {
        action: usize,
        target: usize,
        delete: bool,
    },
    /// A message or an announcement under a sequence, and its revisions.
    Edit {
        from: usize,
        to: usize,
    },
    Class {
        action: usize,
        auto: bool,
    },
    Message {
        from: usize,
        to: usize,
    },
    /// A message, or to oneself an announcement, that asks a question for a few seconds.
    Ask {
        from: usize,
        to: usize,
        secs: i64,
    },
    Answer {
        user: usize,
        item_index: usize,
    },
    GroupMessage {
        from: usize,
    },
    Subscribe {
        user: usize,
        target: usize,
        action: usize,
    },
    Unsubscribe {
        user: usize,
        target: usize,
        action: usize,
    },
    Follow {
        user: usize,
        actor_index: usize,
    },
    Unfollow {
        user: usize,
        actor_index: usize,
    },
    Prefer {
        user: usize,
        action: usize,
        wanted: bool,
    },
    Join {
        user: usize,
    },
    Leave {
        user: usize,
    },
    Pull {
        user: usize,
    },
    Mark {
        user: usize,
        item_index: usize,
        mark_index: u8,
        /// How long ago the reader put it; 0 for an operation that does not say.
        secs_ago: u8,
    },
    Visit {
        user: usize,
        item_index: usize,
    },
    ReadAll {
        user: usize,
    },
    /// Ends the group.
    End,
    /// Removes the last user.
    Remove,
    Advance {
        secs: i64,
    },
}

impl Step {
    /// The user who pulls by it.
    pub(super) fn reader(&self) -> Option<usize> {
        match *self {
            Self::Pull { user } | Self::Visit { user, .. } | Self::ReadAll { user } => Some(user),
            _ => None,
        }
    }

    /// Whether a user takes part in it.
    pub(super) fn is_of(&self, who: usize) -> bool {
        match *self {
            Self::Announce
            | Self::Recall { .. }
            | Self::Withdraw { .. }
            | Self::Class { .. }
            | Self::End
            | Self::Remove
            | Self::Advance { .. } => false,
            Self::Remind { actor, .. } | Self::Revise { actor, .. } => actor == who,
            Self::Message { from, to } | Self::Edit { from, to } | Self::Ask { from, to, .. } => {
                from == who || to == who
            }
            Self::GroupMessage { from } => from == who,
            Self::Follow { user, actor_index } | Self::Unfollow { user, actor_index } => {
                user == who || actor_index == who
            }
            Self::Subscribe { user, .. }
            | Self::Unsubscribe { user, .. }
            | Self::Prefer { user, .. }
            | Self::Join { user }
            | Self::Leave { user }
            | Self::Pull { user }
            | Self::Mark { user, .. }
            | Self::Answer { user, .. }
            | Self::Visit { user, .. }
            | Self::ReadAll { user } => user == who,
        }
    }
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let u = || 0..USERS.len();
    let (a, t) = (|| 0..ACTIONS.len(), || 0..TARGETS.len());
    prop_oneof![
        1 => Just(Step::Announce),
        4 => (u(), a(), t()).prop_map(|(actor, action, target)| Step::Remind { actor, action, target }),
        3 => (u(), a(), t()).prop_map(|(actor, action, target)| Step::Revise { actor, action, target }),
        2 => (0..40usize).prop_map(|nth| Step::Recall { nth }),
        2 => (a(), t(), proptest::bool::weighted(0.3)).prop_map(|(action, target, delete)| Step::Withdraw { action, target, delete }),
        2 => (u(), u()).prop_map(|(from, to)| Step::Edit { from, to }),
        1 => (a(), any::<bool>()).prop_map(|(action, auto)| Step::Class { action, auto }),
        2 => (u(), u()).prop_map(|(from, to)| Step::Message { from, to }),
        3 => u().prop_map(|from| Step::GroupMessage { from }),
        3 => (u(), u(), 1..6i64).prop_map(|(from, to, secs)| Step::Ask { from, to, secs }),
        3 => (u(), 0..40usize).prop_map(|(user, item_index)| Step::Answer { user, item_index }),
        3 => (u(), t(), a()).prop_map(|(user, target, action)| Step::Subscribe { user, target, action }),
        1 => (u(), t(), a()).prop_map(|(user, target, action)| Step::Unsubscribe { user, target, action }),
        1 => (u(), u()).prop_map(|(user, actor_index)| Step::Follow { user, actor_index }),
        1 => (u(), u()).prop_map(|(user, actor_index)| Step::Unfollow { user, actor_index }),
        1 => (u(), a(), any::<bool>()).prop_map(|(user, action, wanted)| Step::Prefer { user, action, wanted }),
        1 => u().prop_map(|user| Step::Join { user }),
        1 => u().prop_map(|user| Step::Leave { user }),
        4 => u().prop_map(|user| Step::Pull { user }),
        6 => (u(), 0..40usize, 0..8u8, 0..6u8).prop_map(|(user, item_index, mark_index, secs_ago)| Step::Mark { user, item_index, mark_index, secs_ago }),
        3 => (u(), 0..40usize).prop_map(|(user, item_index)| Step::Visit { user, item_index }),
        1 => u().prop_map(|user| Step::ReadAll { user }),
        1 => Just(Step::End),
        1 => Just(Step::Remove),
        1 => (-5..5i64).prop_map(|secs| Step::Advance { secs }),
        1 => prop::sample::select(vec![YEAR, -YEAR]).prop_map(|secs| Step::Advance { secs }),
    ]
}
