//! What is asked of the database for publications.

use tidings_store::domain::draft::{Audience, Draft};

use super::subscription_of;
use crate::answers;
use crate::names::lock_numbers;
use crate::publishing::names::Names;
use crate::publishing::request::{Item, Request, name_of};
use crate::publishing::sequence_lock;

/// What is asked for publications.
#[derive(Default)]
pub(super) struct Questions {
    pub(super) names: Vec<i64>,
    pub(super) tokens: Vec<String>,
    pub(super) keys: Vec<String>,
    pub(super) users: Vec<String>,
    pub(super) inboxes: Vec<String>,
    /// Of messages.
    pub(super) senders: Vec<String>,
    pub(super) groups: Vec<String>,
    pub(super) group_posts: (Vec<String>, Vec<String>),
    pub(super) subscriptions: (Vec<i64>, Vec<String>, Vec<String>, Vec<String>),
    pub(super) named: Names,
    pub(super) applications: Vec<i64>,
}

impl Questions {
    pub(super) fn of(requests: &[Request], items: &[Item<'_>]) -> Self {
        let mut asked = Self::default();
        let mut locks: Vec<[&str; 3]> = Vec::new();
        for request in requests {
            if let Some(key) = &request.key {
                locks.push(answers::lock_name(&key.token, &key.key));
                asked.tokens.push(key.token.clone());
                asked.keys.push(key.key.clone());
            }
            asked.applications.extend(request.message.map(|(_, application)| application));
        }
        for item in items {
            asked.about(item.draft);
            locks.extend(name_of(item.draft).map(|(topic, name)| sequence_lock(topic, name)));
        }
        let locks: Vec<&[&str]> = locks.iter().map(<[&str; 3]>::as_slice).collect();
        asked.names = lock_numbers(&locks);
        for list in [&mut asked.users, &mut asked.inboxes, &mut asked.senders, &mut asked.groups] {
            list.sort_unstable();
            list.dedup();
        }
        asked
    }

    fn about(&mut self, draft: &Draft) {
        if draft.actor_name.is_none() {
            self.users.push(draft.actor.clone());
        }
        match &draft.audience {
            Audience::Everyone | Audience::Subscribers => {}
            Audience::User(to) => {
                self.senders.push(draft.actor.clone());
                for id in [to, &draft.actor] {
                    self.users.push(id.clone());
                    self.inboxes.push(id.clone());
                }
            }
            Audience::Group(group) => {
                self.senders.push(draft.actor.clone());
                self.users.push(draft.actor.clone());
                self.inboxes.push(draft.actor.clone());
                self.groups.push(group.clone());
                self.group_posts.0.push(group.clone());
                self.group_posts.1.push(draft.actor.clone());
            }
        }
        if let Some((user, kind, id, action)) = subscription_of(draft) {
            self.subscriptions.0.push(user);
            self.subscriptions.1.push(kind);
            self.subscriptions.2.push(id);
            self.subscriptions.3.push(action);
        }
        if let Some((topic, name)) = name_of(draft) {
            self.named.push(topic, name, draft.posted_by, draft.posted_by.changes_others);
        }
    }
}
