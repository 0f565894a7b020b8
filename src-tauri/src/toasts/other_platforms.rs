//! Toasts by notify-rust, and the number on the window's icon, on macOS and Windows.

use notify_rust::Notification;
use tauri::{AppHandle, Manager, UserAttentionType};
use tidings_ports::{self as ports, DesktopRequest, Toast, ToastAnswer, ToastKey};
use tokio::sync::mpsc;

use crate::window::LABEL;

/// The desktop's default sound.
const SOUND: &str = "Default";

/// The adapter of the ports for toasts and launcher.
pub(crate) struct NativeToasts {
    handle: AppHandle,
    requests: mpsc::UnboundedSender<DesktopRequest>,
}

impl NativeToasts {
    /// Clicks are not received; the desktop itself brings the program to the front.
    pub(crate) fn new(handle: AppHandle, requests: mpsc::UnboundedSender<DesktopRequest>) -> Self {
        Self { handle, requests }
    }

    /// The desktop keeps the toasts of a program that ended in its list.
    #[allow(clippy::unused_async, clippy::unused_self, reason = "the signature of the adapter for Linux")]
    pub(crate) async fn end(&self) {}
}

impl ports::Launcher for NativeToasts {
    fn show(&self, count: u64, urgent: bool) {
        let Some(window) = self.handle.get_webview_window(LABEL) else { return };
        #[cfg(not(windows))]
        let result = window.set_badge_count(i64::try_from(count).ok().filter(|n| *n > 0));
        #[cfg(windows)]
        let result = window.set_overlay_icon(overlay(count));
        let attention = if urgent { Some(UserAttentionType::Informational) } else { None };
        if let Err(error) = result.and_then(|()| window.request_user_attention(attention)) {
            tracing::debug!(%error, "the icon shows no number");
        }
    }
}

/// The tray's picture for a number, as an overlay on the window's icon.
#[cfg(windows)]
fn overlay(count: u64) -> Option<tauri::image::Image<'static>> {
    let name = tidings_ports::Badge::of(count).picture();
    crate::pictures::sizes(&name, false)
        .find(|(size, _)| count > 0 && *size == 32)
        .map(|(size, rgba)| tauri::image::Image::new_owned(rgba, size, size))
}

impl ports::Toasts for NativeToasts {
    fn show(&self, toast: Toast) {
        let mut notification = Notification::new();
        notification.appname("Tidings").summary(&toast.title).body(&toast.body);
        if !toast.sound.is_silent() {
            notification.sound_name(SOUND);
        }
        let shown = notification.show();
        if let Err(error) = &shown {
            tracing::warn!(%error, "a toast was not shown");
        }
        let answer = if shown.is_ok() { ToastAnswer::Shown } else { ToastAnswer::Refused };
        let _ = self.requests.send(DesktopRequest::ToastAnswered { toast: toast.to_ref(), answer });
        let _ = self.requests.send(DesktopRequest::ToastsAvailable(shown.is_ok()));
        let _ = self.requests.send(DesktopRequest::ToastClosed(toast.to_ref()));
    }

    fn close(&self, _key: ToastKey) {}
}
