//! The toasts on screen and those that are deferred.

use parking_lot::{Mutex, MutexGuard};
use tidings_model::Stamp;
use tidings_replica::{DeferredToast, ThreadId};

use crate::ports::ToastRef;
use crate::toast_policy::ToastPolicy;

/// The toasts on screen and those that are deferred, and the thread that is being read.
pub(crate) struct Toasts {
    policy: Mutex<ToastPolicy>,
    /// The thread whose end is on screen in a window with the focus.
    pub(crate) watched: Mutex<Option<ThreadId>>,
}

impl Toasts {
    /// The policy without toasts on screen; `deferred` are the toasts that an earlier session deferred.
    pub(crate) fn new(started: Stamp, deferred: Vec<DeferredToast>, sound: bool) -> Self {
        let mut policy = ToastPolicy::new(started);
        policy.restore_deferred(deferred, sound);
        Self { policy: Mutex::new(policy), watched: Mutex::new(None) }
    }

    pub(crate) fn policy(&self) -> MutexGuard<'_, ToastPolicy> {
        self.policy.lock()
    }

    /// Records that a toast is no longer on screen.
    pub(crate) fn closed(&self, toast: ToastRef) {
        self.policy().closed(toast);
    }

    /// Whether a critical toast is on screen.
    pub(crate) fn has_critical(&self) -> bool {
        self.policy().has_critical()
    }
}
