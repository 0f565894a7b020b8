//! Locks of users within a process.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

use crate::UserKey;

/// Locks by which each user runs one long write at a time, in the order of their requests.
#[derive(Default)]
pub struct UserLocks(Mutex<HashMap<UserKey, Arc<tokio::sync::Mutex<()>>>>);

/// A user's lock, released when dropped.
pub struct UserLock {
    user_locks: Arc<UserLocks>,
    user: UserKey,
    guard: Option<OwnedMutexGuard<()>>,
}

impl UserLocks {
    /// Waits for the user's lock.
    pub async fn lock(self: &Arc<Self>, user: UserKey) -> UserLock {
        let mut user_lock = UserLock { user_locks: Arc::clone(self), user, guard: None };
        let mutex = {
            let mut locks = self.0.lock();
            Arc::clone(locks.entry(user).or_default())
        };
        user_lock.guard = Some(mutex.lock_owned().await);
        user_lock
    }
}

impl Drop for UserLock {
    fn drop(&mut self) {
        let mut locks = self.user_locks.0.lock();
        drop(self.guard.take());
        if locks.get(&self.user).is_some_and(|mutex| Arc::strong_count(mutex) == 1) {
            locks.remove(&self.user);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_user_waits_for_its_own_turn_and_never_for_anothers() {
        let user_locks = Arc::new(UserLocks::default());
        let first = user_locks.lock(UserKey(1)).await;
        let mut second = Box::pin(user_locks.lock(UserKey(1)));
        tokio::select! {
            biased;
            _ = &mut second => panic!("two of one user at once"),
            () = std::future::ready(()) => {}
        }
        drop(user_locks.lock(UserKey(2)).await);
        drop(first);
        drop(second.await);
        assert!(user_locks.0.lock().is_empty(), "nothing is remembered of users who are done");
    }
}
