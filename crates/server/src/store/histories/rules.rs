//! The rules, plainly: who has what after a pull. Refuses a database.

use std::collections::{BTreeMap, BTreeSet};

use tidings_model::MsgId;

/// What was published, as the model remembers it.
pub(super) struct Published {
    pub(super) msgid: MsgId,
    pub(super) at: usize,
    pub(super) what: What,
}

pub(super) enum What {
    Announcement,
    Reminder { actor: usize, action: usize, target: usize },
}

/// Who has what, and why.
#[derive(Default)]
pub(super) struct Rules {
    /// Steps count as time.
    pub(super) now: usize,
    pub(super) published: Vec<Published>,
    pub(super) subscriptions: BTreeMap<(usize, usize, usize), usize>,
    pub(super) follows: BTreeMap<(usize, usize), usize>,
    pub(super) unwanted: BTreeSet<(usize, usize)>,
    pub(super) members: BTreeSet<usize>,
    pulled_to: [usize; 3],
    pub(super) has: [BTreeSet<MsgId>; 3],
}

impl Rules {
    pub(super) fn pull(&mut self, user: usize) {
        for p in self.published.iter().filter(|p| p.at > self.pulled_to[user]) {
            let reaches = match p.what {
                What::Announcement => true,
                What::Reminder { actor, action, target } => {
                    let since = self.subscriptions.get(&(user, target, action));
                    let followed = self.follows.get(&(user, actor));
                    actor != user
                        && !self.unwanted.contains(&(user, action))
                        && [since, followed].into_iter().flatten().any(|from| *from < p.at)
                }
            };
            if reaches {
                self.has[user].insert(p.msgid.clone());
            }
        }
        self.pulled_to[user] = self.now;
    }
}
