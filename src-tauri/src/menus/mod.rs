//! The adapter of the context menus' port: GTK on Linux, the toolkit elsewhere.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other_platforms;

use async_trait::async_trait;
use tauri::{AppHandle, Manager};
use tidings_ipc::MenuEntry;
use tidings_ports::ContextMenus;

#[cfg(target_os = "linux")]
pub(crate) use linux::track_presses;

#[cfg(target_os = "linux")]
use linux::popup;
#[cfg(not(target_os = "linux"))]
use other_platforms::popup;

/// Context menus over a window.
pub(crate) struct Menus {
    pub(crate) handle: AppHandle,
    /// The label of the window.
    pub(crate) window: &'static str,
}

#[async_trait]
impl ContextMenus for Menus {
    async fn popup(&self, entries: Vec<MenuEntry>, at: (i32, i32)) -> Option<String> {
        let window = self.handle.get_webview_window(self.window)?;
        popup(&self.handle, window, entries, at).await
    }
}
