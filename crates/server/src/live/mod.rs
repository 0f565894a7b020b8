//! Live channels: who is connected, and hints that tell them to pull. Hints are not queued: a slow client gets the
//! newest one only, and everything else with its next pull.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tidings_model::Stamp;
use tokio::sync::{Notify, watch};

use crate::domain::limits;
use crate::store::{AffectedSenders, Post, Recipients, Store, UserKey};

/// What a user's channels see: only ever the newest state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Signal {
    /// The newest stamp that concerns the user.
    pub(crate) stamp: Stamp,
    /// Counts the times that receipts were made for the user.
    pub(crate) receipts: u64,
}

/// The hub: a signal per user who listens.
#[derive(Clone, Default)]
pub(crate) struct Hub {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    online: Mutex<HashMap<UserKey, watch::Sender<Signal>>>,
    pending: Mutex<Pending>,
    wake: Notify,
}

/// Publications whose readers are still to be found, merged: how many there are never matters, only where.
#[derive(Default)]
struct Pending {
    newest: Stamp,
    everyone: bool,
    all_recipients: HashSet<PendingRecipients>,
}

/// More different targets than this at once, and everyone who listens is told.
const MERGED: usize = 1_024;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum PendingRecipients {
    Subscribers { kind: String, id: String, action: String, actor: String },
    Group(String),
}

/// Too many channels of one user.
#[derive(Debug)]
pub(crate) struct TooMany;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    /// Opens a channel of a user.
    pub(crate) fn listen(&self, user: UserKey) -> Result<watch::Receiver<Signal>, TooMany> {
        let mut online = lock(&self.inner.online);
        online.retain(|key, sender| *key == user || sender.receiver_count() > 0);
        let sender = online.entry(user).or_insert_with(|| watch::Sender::new(Signal::default()));
        if sender.receiver_count() >= limits::CHANNELS {
            return Err(TooMany);
        }
        Ok(sender.subscribe())
    }

    /// How many channels are open.
    pub(crate) fn channels(&self) -> usize {
        lock(&self.inner.online).values().map(watch::Sender::receiver_count).sum()
    }

    /// Tells a user that its inbox changed.
    pub(crate) fn hint(&self, user: UserKey, stamp: Stamp) {
        self.signal(user, |s| s.stamp = s.stamp.max(stamp));
    }

    /// Tells everyone who listens that something may have changed.
    pub(crate) fn hint_all(&self, stamp: Stamp) {
        for sender in lock(&self.inner.online).values() {
            sender.send_modify(|s| s.stamp = s.stamp.max(stamp));
        }
    }

    /// Tells senders that their messages were read.
    pub(crate) fn messages_read(&self, senders: &AffectedSenders, stamp: Stamp) {
        for sender in senders {
            self.signal(*sender, |s| {
                s.stamp = s.stamp.max(stamp);
                s.receipts += 1;
            });
        }
    }

    fn signal(&self, user: UserKey, change: impl FnOnce(&mut Signal)) {
        if let Some(sender) = lock(&self.inner.online).get(&user) {
            sender.send_modify(change);
        }
    }

    /// Takes note of publications; [`Hub::run`] finds out whom they concern.
    pub(crate) fn published(&self, posts: &[Post]) {
        if lock(&self.inner.online).is_empty() {
            return;
        }
        let mut pending = lock(&self.inner.pending);
        for post in posts {
            let stamp = post.posted.stamp;
            pending.newest = pending.newest.max(stamp);
            let key = match &post.recipients {
                Recipients::Users(users) => {
                    for user in users {
                        self.hint(*user, stamp);
                    }
                    continue;
                }
                Recipients::Everyone => {
                    pending.everyone = true;
                    continue;
                }
                Recipients::Group(id) => PendingRecipients::Group(id.clone()),
                Recipients::Subscribers { kind, id, action, actor } => PendingRecipients::Subscribers {
                    kind: kind.clone(),
                    id: id.clone(),
                    action: action.clone(),
                    actor: actor.clone(),
                },
            };
            if pending.all_recipients.len() < MERGED {
                pending.all_recipients.insert(key);
            } else {
                pending.everyone = true;
            }
        }
        if pending.everyone || !pending.all_recipients.is_empty() {
            self.inner.wake.notify_one();
        }
    }

    /// Finds whom publications concern, among those who listen, for as long as the future lives.
    pub(crate) async fn run(&self, store: Arc<dyn Store>) {
        loop {
            self.inner.wake.notified().await;
            let pending = std::mem::take(&mut *lock(&self.inner.pending));
            let online: Vec<UserKey> = lock(&self.inner.online)
                .iter()
                .filter(|(_, sender)| sender.receiver_count() > 0)
                .map(|(user, _)| *user)
                .collect();
            let mut notified: HashSet<UserKey> = HashSet::new();
            if pending.everyone {
                notified.extend(&online);
            }
            let left: Vec<UserKey> = online.iter().filter(|u| !notified.contains(u)).copied().collect();
            let all_recipients: Vec<Recipients> =
                pending.all_recipients.into_iter().map(Recipients::from).collect();
            if !left.is_empty() && !all_recipients.is_empty() {
                match store.recipients_among(&all_recipients, &left).await {
                    Ok(users) => notified.extend(users),
                    // Better one pull too many than one too few.
                    Err(e) => {
                        tracing::warn!(error = %e, "could not find whom a publication concerns");
                        notified.extend(left);
                    }
                }
            }
            for user in &notified {
                self.hint(*user, pending.newest);
            }
        }
    }
}

impl From<PendingRecipients> for Recipients {
    fn from(key: PendingRecipients) -> Self {
        match key {
            PendingRecipients::Subscribers { kind, id, action, actor } => {
                Self::Subscribers { kind, id, action, actor }
            }
            PendingRecipients::Group(id) => Self::Group(id),
        }
    }
}
