//! The queue of toasts to show or close, the latest for each key, and the launcher's badge.

use parking_lot::{Mutex, MutexGuard};
use tidings_app::notify::toast_policy::ToastKey;
use tidings_app::ports::Toast;
use tokio::sync::Notify;

use super::launcher::LauncherBadge;

/// The most queued toasts; beyond it the oldest are dropped.
const MOST: usize = 64;

/// A toast to show, or `None` to close the one with this key.
type Order = (ToastKey, Option<Toast>);

/// The queue, with the latest order for each key.
#[derive(Default)]
pub(super) struct ToastQueue {
    orders: Mutex<Vec<Order>>,
    /// Notified when an order was queued.
    pub(super) changed: Notify,
    launcher: Mutex<LauncherBadge>,
    /// Notified when the launcher's badge changed.
    pub(super) relaunch: Notify,
}

impl ToastQueue {
    pub(super) fn put(&self, key: ToastKey, mut toast: Option<Toast>) {
        let mut orders = self.orders();
        if let Some(at) = orders.iter().position(|(waiting, _)| *waiting == key) {
            let (_, before) = orders.remove(at);
            // The sound of the replaced toast is kept.
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

    /// Queues a toast again, unless a newer order has its key.
    pub(super) fn put_back(&self, toast: Toast) {
        let mut orders = self.orders();
        if orders.iter().all(|(waiting, _)| *waiting != toast.key) {
            orders.push((toast.key, Some(toast)));
        }
    }

    pub(super) fn take(&self) -> Vec<Order> {
        std::mem::take(&mut *self.orders())
    }

    /// Sets the launcher's badge.
    pub(super) fn set_launcher_badge(&self, badge: LauncherBadge) {
        *self.launcher.lock() = badge;
        self.relaunch.notify_one();
    }

    pub(super) fn launcher_badge(&self) -> LauncherBadge {
        *self.launcher.lock()
    }

    fn orders(&self) -> MutexGuard<'_, Vec<Order>> {
        self.orders.lock()
    }
}
