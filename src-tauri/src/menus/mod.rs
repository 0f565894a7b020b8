//! The adapter of the context menus' port: GTK on Linux, the toolkit elsewhere.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other_platforms;

use async_trait::async_trait;
use tauri::{AppHandle, Manager};
use tidings_app::ipc::MenuEntry;
use tidings_app::ports::ContextMenus;

#[cfg(target_os = "linux")]
pub(crate) use linux::track_presses;

#[cfg(target_os = "linux")]
use linux::popup;
#[cfg(not(target_os = "linux"))]
use other_platforms::popup;

/// Context menus over the main window.
pub(crate) struct Menus(pub(crate) AppHandle);

#[async_trait]
impl ContextMenus for Menus {
    async fn popup(&self, entries: Vec<MenuEntry>, at: (i32, i32)) -> Option<String> {
        let window = self.0.get_webview_window(crate::window::LABEL)?;
        popup(&self.0, window, entries, at).await
    }
}
