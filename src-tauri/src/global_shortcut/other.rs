//! The global shortcut by the toolkit's plugin.

use tauri::AppHandle;
use tauri_plugin_global_shortcut::{GlobalShortcutExt as _, ShortcutState};
use tidings_ports::{DesktopRequest, GlobalShortcut, ShortcutError};
use tokio::sync::mpsc::UnboundedSender;

/// The adapter of the port for the global shortcut, by the toolkit's plugin.
pub(crate) struct GlobalKeys {
    handle: AppHandle,
    requests: UnboundedSender<DesktopRequest>,
}

impl GlobalKeys {
    pub(crate) fn new(handle: AppHandle, requests: UnboundedSender<DesktopRequest>) -> Self {
        Self { handle, requests }
    }
}

impl GlobalShortcut for GlobalKeys {
    fn is_supported(&self) -> bool {
        true
    }

    fn set(&self, keys: Option<&str>) -> Result<(), ShortcutError> {
        let shortcuts = self.handle.global_shortcut();
        if let Err(error) = shortcuts.unregister_all() {
            tracing::warn!(%error, "the keys before stay");
        }
        let Some(keys) = keys else { return Ok(()) };
        let requests = self.requests.clone();
        let pressed = move |_: &AppHandle, _: &_, event: tauri_plugin_global_shortcut::ShortcutEvent| {
            if event.state == ShortcutState::Pressed {
                let _ = requests.send(DesktopRequest::ToggleWindow);
            }
        };
        shortcuts.on_shortcut(keys, pressed).map_err(|error| {
            tracing::warn!(%error, "the global shortcut was not set");
            ShortcutError::Taken
        })
    }
}
