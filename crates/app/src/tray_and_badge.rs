//! Remembers what tray and launcher show, so that their ports are called only when it changes.

use parking_lot::Mutex;
use tidings_ports::{Ports, TrayView};

/// The last views sent to tray and launcher.
#[derive(Default)]
pub(crate) struct TrayAndBadge {
    tray: Mutex<Option<TrayView>>,
    /// The number on the launcher, and whether it asks for attention.
    launcher: Mutex<Option<(u64, bool)>>,
}

impl TrayAndBadge {
    /// Shows a tray view, and sets the window's title with it.
    pub(crate) fn show_tray(&self, ports: &Ports, view: TrayView, title: &str) {
        if self.tray.lock().replace(view.clone()).as_ref() != Some(&view) {
            ports.tray.show(view);
            ports.window.set_title(title);
        }
    }

    /// Shows a number on the launcher; `urgent` asks for attention.
    pub(crate) fn show_launcher(&self, ports: &Ports, count: u64, urgent: bool) {
        let mut shown = self.launcher.lock();
        if shown.replace((count, urgent)) != Some((count, urgent)) {
            ports.launcher.show(count, urgent);
        }
    }
}
