//! Live channels: which users are connected, and hints that tell their clients to pull. Hints are not queued: a slow
//! client gets only the newest one, and everything else with its next pull.

mod channel;
pub mod listeners;
pub mod questions;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use tidings_model::Stamp;
use tidings_store::{AffectedSenders, ChangedInbox, Post, Recipients, Store, UserKey};
use tokio::sync::{Notify, watch};

pub use self::channel::{OpenChannel, TooManyChannels};
use self::listeners::Topics;
use self::questions::Questions;
use crate::threads::{AtomicUsize, Mutex};

tidings_model::bounds! {
    /// How much is kept until hints are sent. A test makes it little, so that hints go to everybody.
    pub struct HintBounds {
        /// Stamps of own publications that are kept; the oldest go, and what has them wakes its listeners twice.
        own_stamps: 0 => 10_000,
        /// Distinct recipients that are kept; beyond them every connected user gets a hint.
        recipients: 0 => 1_024,
    }
}

/// The newest state that a user's channels observe; older states are overwritten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Signal {
    /// The newest stamp of a change that concerns the user.
    pub stamp: Stamp,
    /// Number of times that receipts were made for the user; a change makes the channel fetch receipts.
    pub receipts: u64,
}

/// The signals of all users with an open channel.
#[derive(Clone, Default)]
pub struct Hub {
    inner: Arc<Inner>,
    /// Those who listen to topics.
    pub topics: Topics,
    /// Those who wait for answers.
    pub questions: Questions,
}

#[derive(Default)]
struct Inner {
    bounds: HintBounds,
    /// The users with an open channel.
    online: Mutex<HashMap<UserKey, watch::Sender<Signal>>>,
    /// The number of open channels.
    channels: AtomicUsize,
    pending: Mutex<Pending>,
    wake: Notify,
    /// Stamps of this process's publications that were not read back yet from a store with several processes; `None` if
    /// the store has this process alone.
    own_stamps: Mutex<Option<BTreeSet<Stamp>>>,
}

/// Publications whose recipients have not been determined yet. They are merged by recipients, so that its size does not
/// depend on their number.
#[derive(Default)]
struct Pending {
    newest: Stamp,
    everyone: bool,
    all_recipients: HashSet<Recipients>,
}

impl Pending {
    fn add(&mut self, recipients: Recipients, bounds: &HintBounds) {
        if self.all_recipients.len() < bounds.recipients {
            self.all_recipients.insert(recipients);
        } else {
            self.everyone = true;
        }
    }
}

impl Hub {
    /// A hub that keeps this much.
    pub(crate) fn with_bounds(bounds: HintBounds) -> Self {
        Self { inner: Arc::new(Inner { bounds, ..Inner::default() }), ..Self::default() }
    }

    /// Sends a hint to a user's channels.
    pub fn hint(&self, user: UserKey, stamp: Stamp) {
        self.signal(user, |s| s.stamp = s.stamp.max(stamp));
    }

    /// Sends a hint to every channel.
    pub fn hint_all(&self, stamp: Stamp) {
        for sender in self.inner.online.lock().values() {
            sender.send_modify(|s| s.stamp = s.stamp.max(stamp));
        }
    }

    /// Sends a hint to the senders of messages that were read, and tells them that there are receipts.
    pub fn messages_read(&self, senders: &AffectedSenders, stamp: Stamp) {
        for sender in senders {
            self.signal(*sender, |s| {
                s.stamp = s.stamp.max(stamp);
                s.receipts += 1;
            });
        }
    }

    /// Records that a group changed; its members get their hint like those of a message to it. `former` was removed.
    pub fn group_changed(&self, group: &str, former: Option<UserKey>, stamp: Stamp) {
        if let Some(former) = former {
            self.hint(former, stamp);
        }
        if self.inner.online.lock().is_empty() {
            return;
        }
        let mut pending = self.inner.pending.lock();
        pending.newest = pending.newest.max(stamp);
        pending.add(Recipients::Group(group.to_owned()), &self.inner.bounds);
        self.inner.wake.notify_one();
    }

    fn signal(&self, user: UserKey, change: impl FnOnce(&mut Signal)) {
        if let Some(sender) = self.inner.online.lock().get(&user) {
            sender.send_modify(change);
        }
    }

    /// Records publications; [`Hub::run`] determines their recipients later. Named users get their hint at once.
    pub fn published(&self, posts: &[Post]) {
        self.questions.changed(posts);
        if let Some(own) = &mut *self.inner.own_stamps.lock() {
            own.extend(posts.iter().map(|post| post.posted.stamp));
            while own.len() > self.inner.bounds.own_stamps {
                own.pop_first();
            }
        }
        self.queue_hints(posts.iter().map(|post| (post.posted.stamp, &post.recipients)));
    }

    /// Records the publications of all processes, in the order of the stamps and up to `upto`; those of this one are
    /// known already.
    pub fn published_by_others(&self, posts: &[(Stamp, Recipients)], upto: Stamp) {
        self.questions.changed_elsewhere();
        let own = {
            let mut stamps = self.inner.own_stamps.lock();
            let later = stamps.as_mut().map(|stamps| stamps.split_off(&upto.plus_micros(1)));
            stamps.replace(later.unwrap_or_default()).unwrap_or_default()
        };
        self.queue_hints(
            posts.iter().filter(|(stamp, _)| !own.contains(stamp)).map(|(stamp, to)| (*stamp, to)),
        );
    }

    /// Records that publications of other processes were too many to be named, and wakes everybody.
    pub fn lost_sight(&self, upto: Stamp) {
        self.questions.changed_elsewhere();
        self.topics.wake_all();
        self.hint_all(upto);
    }

    /// Records that inboxes changed, by whichever process.
    pub fn inboxes_changed(&self, inboxes: &[ChangedInbox]) {
        for inbox in inboxes {
            self.signal(inbox.user, |s| {
                s.stamp = s.stamp.max(inbox.stamp);
                s.receipts += u64::from(inbox.has_receipts);
            });
        }
    }

    /// The users with an open channel.
    pub fn online(&self) -> Vec<UserKey> {
        let online = self.inner.online.lock();
        online.iter().filter(|(_, sender)| sender.receiver_count() > 0).map(|(user, _)| *user).collect()
    }

    fn queue_hints<'p>(&self, posts: impl Iterator<Item = (Stamp, &'p Recipients)>) {
        let nobody = self.inner.online.lock().is_empty();
        let mut pending = self.inner.pending.lock();
        for (stamp, recipients) in posts {
            self.topics.published(recipients);
            if nobody {
                continue;
            }
            pending.newest = pending.newest.max(stamp);
            match recipients {
                Recipients::Users(users) => {
                    for user in users {
                        self.hint(*user, stamp);
                    }
                }
                Recipients::Everyone => pending.everyone = true,
                others => pending.add(others.clone(), &self.inner.bounds),
            }
        }
        if pending.everyone || !pending.all_recipients.is_empty() {
            self.inner.wake.notify_one();
        }
    }

    /// Determines the recipients of publications among the connected users and sends them hints; never returns.
    pub async fn run(&self, store: Arc<dyn Store>) {
        loop {
            self.inner.wake.notified().await;
            let pending = std::mem::take(&mut *self.inner.pending.lock());
            let online = self.online();
            let mut notified: HashSet<UserKey> = HashSet::new();
            if pending.everyone {
                notified.extend(&online);
            }
            let undecided: Vec<UserKey> = online.iter().filter(|u| !notified.contains(u)).copied().collect();
            let all_recipients: Vec<Recipients> = pending.all_recipients.into_iter().collect();
            if !undecided.is_empty() && !all_recipients.is_empty() {
                match store.recipients_among(&all_recipients, &undecided).await {
                    Ok(users) => notified.extend(users),
                    // On an error everyone gets a hint: a needless pull is better than a missing one.
                    Err(e) => {
                        tracing::warn!(error = %e, "could not find whom a publication concerns");
                        notified.extend(undecided);
                    }
                }
            }
            for user in &notified {
                self.hint(*user, pending.newest);
            }
        }
    }
}

#[cfg(test)]
mod tests;
