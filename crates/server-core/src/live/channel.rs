//! The open channels of users: each takes a slot, and gives it back when it is dropped.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tidings_store::UserKey;
use tokio::sync::watch;

use super::{Hub, Inner, Signal};
use crate::domain::limits;

/// The error of a user with too many open channels.
#[derive(Debug)]
pub struct TooManyChannels;

/// An open channel of a user: the signal that it observes. It is closed when it is dropped.
pub struct OpenChannel {
    // Dropped before the slot, in the order of the fields: who gives the last slot back finds no receiver left.
    signal: watch::Receiver<Signal>,
    _slot: Slot,
}

impl Deref for OpenChannel {
    type Target = watch::Receiver<Signal>;

    fn deref(&self) -> &Self::Target {
        &self.signal
    }
}

impl DerefMut for OpenChannel {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.signal
    }
}

/// The slot of a channel among those that are open. It is given back when it is dropped.
struct Slot {
    hub: Arc<Inner>,
    user: UserKey,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut online = self.hub.online.lock();
        if online.get(&self.user).is_some_and(|sender| sender.receiver_count() == 0) {
            online.remove(&self.user);
        }
        self.hub.channels.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Hub {
    /// Opens a channel of a user. Its cost does not depend on how many are open.
    ///
    /// # Errors
    /// [`TooManyChannels`] if the user has [`limits::USER_CHANNELS`] open.
    pub fn listen(&self, user: UserKey) -> Result<OpenChannel, TooManyChannels> {
        let mut online = self.inner.online.lock();
        let sender = online.entry(user).or_default();
        if sender.receiver_count() >= limits::USER_CHANNELS {
            return Err(TooManyChannels);
        }
        self.inner.channels.fetch_add(1, Ordering::Relaxed);
        let slot = Slot { hub: Arc::clone(&self.inner), user };
        Ok(OpenChannel { signal: sender.subscribe(), _slot: slot })
    }

    /// The number of open channels.
    pub fn channel_count(&self) -> usize {
        self.inner.channels.load(Ordering::Relaxed)
    }
}
