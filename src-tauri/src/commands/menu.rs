//! Native context menus, as the page asks for them. Refuses to do anything itself.

use tauri::{AppHandle, WebviewWindow};
use tidings_app::ipc::MenuEntry;

use super::Answer;

#[tauri::command]
pub(crate) async fn popup(
    handle: AppHandle,
    window: WebviewWindow,
    entries: Vec<MenuEntry>,
    at: (i32, i32),
) -> Answer<Option<String>> {
    Ok(crate::menus::popup(&handle, window, entries, at).await)
}
