//! Toasts by notify-rust, on macOS and Windows. Refuses to keep a thread for each: these desktops show a toast and
//! forget it.

use notify_rust::Notification;
use tidings_app::policy::toast::ToastKey;
use tidings_app::ports::{self, Toast, Wish};
use tokio::sync::mpsc;

/// The port's side of the desktop.
pub(crate) struct NativeToasts {
    wishes: mpsc::UnboundedSender<Wish>,
}

impl NativeToasts {
    /// Nothing listens: a click brings the program to the front by itself.
    pub(crate) fn new(wishes: mpsc::UnboundedSender<Wish>) -> Self {
        Self { wishes }
    }
}

impl ports::Toasts for NativeToasts {
    fn show(&self, toast: Toast) {
        let shown = Notification::new().appname("Tidings").summary(&toast.title).body(&toast.body).show();
        if let Err(error) = &shown {
            tracing::warn!(%error, "a toast was not shown");
        }
        let _ = self.wishes.send(Wish::ToastsWork(shown.is_ok()));
        let _ = self.wishes.send(Wish::ToastClosed(toast.key));
    }

    fn close(&self, _key: ToastKey) {}
}
