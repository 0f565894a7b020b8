//! The toasts that wait to be shown, the newest of each key, and the launcher's badge.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tidings_app::notify::toast::ToastKey;
use tidings_app::ports::Toast;
use tokio::sync::Notify;

use super::launcher::LauncherBadge;

/// Toasts that wait to be shown; more than a desktop could show at once.
const MOST: usize = 64;

/// A toast to show, or none where it is to be closed.
type Order = (ToastKey, Option<Toast>);

/// What is to be done, the latest for each toast.
#[derive(Default)]
pub(super) struct ToastQueue {
    orders: Mutex<Vec<Order>>,
    /// Something waits.
    pub(super) changed: Notify,
    launcher: Mutex<LauncherBadge>,
    /// The launcher has another mark.
    pub(super) relaunch: Notify,
}

impl ToastQueue {
    pub(super) fn put(&self, key: ToastKey, mut toast: Option<Toast>) {
        let mut orders = self.orders();
        if let Some(at) = orders.iter().position(|(waiting, _)| *waiting == key) {
            let (_, before) = orders.remove(at);
            // A sound that was due is not lost with its words.
            if let Some((toast, before)) = toast.as_mut().zip(before) {
                toast.sound |= before.sound;
            }
        }
        orders.push((key, toast));
        if orders.len() > MOST {
            orders.remove(0);
        }
        self.changed.notify_one();
    }

    /// It goes on waiting, unless a newer one does.
    pub(super) fn put_back(&self, toast: Toast) {
        let mut orders = self.orders();
        if orders.iter().all(|(waiting, _)| *waiting != toast.key) {
            orders.push((toast.key, Some(toast)));
        }
    }

    pub(super) fn take(&self) -> Vec<Order> {
        std::mem::take(&mut *self.orders())
    }

    /// Sets what the launcher shows.
    pub(super) fn set_launcher_badge(&self, badge: LauncherBadge) {
        *self.launcher.lock().unwrap_or_else(PoisonError::into_inner) = badge;
        self.relaunch.notify_one();
    }

    pub(super) fn launcher_badge(&self) -> LauncherBadge {
        *self.launcher.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn orders(&self) -> MutexGuard<'_, Vec<Order>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
