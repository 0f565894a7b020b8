//! The queue of toasts to show or close, the latest for each key, and the launcher's badge.

use parking_lot::Mutex;
use tidings_ports::{Toast, ToastKey};
use tokio::sync::Notify;

use super::launcher::LauncherBadge;

/// The most queued toasts; beyond it the oldest are dropped.
const MAX_QUEUED: usize = 64;

/// A toast to show, or `None` to close the one with this key.
type QueuedToast = (ToastKey, Option<Toast>);

/// The queue, with the latest toast for each key.
#[derive(Default)]
pub(super) struct ToastQueue {
    toasts: Mutex<Vec<QueuedToast>>,
    /// Notified when a toast was queued.
    pub(super) changed: Notify,
    /// Notified once, when the program ends.
    pub(super) ends: Notify,
    launcher: Mutex<LauncherBadge>,
    /// Notified when the launcher's badge changed.
    pub(super) launcher_changed: Notify,
}

impl ToastQueue {
    pub(super) fn put(&self, key: ToastKey, mut toast: Option<Toast>) {
        let mut toasts = self.toasts.lock();
        if let Some(at) = toasts.iter().position(|(waiting, _)| *waiting == key) {
            let (_, before) = toasts.remove(at);
            // The sound of the replaced toast is kept.
            if let Some((toast, before)) = toast.as_mut().zip(before) {
                toast.sound.fill(&before.sound);
            }
        }
        toasts.push((key, toast));
        if toasts.len() > MAX_QUEUED {
            toasts.remove(0);
        }
        self.changed.notify_one();
    }

    /// Queues a toast again, unless a newer one has its key.
    pub(super) fn put_back(&self, toast: Toast) {
        let mut toasts = self.toasts.lock();
        if toasts.iter().all(|(waiting, _)| *waiting != toast.key) {
            toasts.push((toast.key, Some(toast)));
        }
    }

    pub(super) fn take(&self) -> Vec<QueuedToast> {
        std::mem::take(&mut *self.toasts.lock())
    }

    /// Sets the launcher's badge.
    pub(super) fn set_launcher_badge(&self, badge: LauncherBadge) {
        *self.launcher.lock() = badge;
        self.launcher_changed.notify_one();
    }

    pub(super) fn launcher_badge(&self) -> LauncherBadge {
        *self.launcher.lock()
    }
}
