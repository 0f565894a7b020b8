//! Context menus by the toolkit, on macOS and Windows. A prefix distinguishes their ids from those of other menus.

use tauri::menu::{CheckMenuItem, ContextMenu as _, IsMenuItem, Menu, MenuItem, PredefinedMenuItem, Submenu};
use tauri::{AppHandle, WebviewWindow, Wry};
use tidings_ipc::MenuEntry;
use tokio::sync::mpsc;

/// The prefix of the ids of lines.
const ID_PREFIX: &str = "context:";

/// Shows a menu at a position in the page and returns the chosen id; `None` if it was dismissed.
pub(crate) async fn popup(
    handle: &AppHandle,
    window: WebviewWindow,
    entries: Vec<MenuEntry>,
    at: (i32, i32),
) -> Option<String> {
    let (chosen, mut choice) = mpsc::unbounded_channel();
    window.on_menu_event(move |_, event| {
        if let Some(id) = event.id().0.strip_prefix(ID_PREFIX) {
            let _ = chosen.send(Some(id.to_owned()));
        }
    });
    let (done, closed) = tokio::sync::oneshot::channel();
    let main = handle.clone();
    crate::main_thread::on_main(handle, move || {
        // Returns when the menu is closed.
        let shown = menu_of(&main, &entries)
            .and_then(|menu| menu.popup_at(window.as_ref().window(), tauri::LogicalPosition::from(at)));
        if let Err(error) = shown {
            tracing::warn!(%error, "no context menu");
        }
        let _ = done.send(());
    });
    let _ = closed.await;
    // The event loop delivers the choice right after the menu closed.
    let answer = tokio::time::timeout(std::time::Duration::from_millis(100), choice.recv()).await;
    answer.ok().flatten().flatten()
}

fn menu_of(handle: &AppHandle, entries: &[MenuEntry]) -> tauri::Result<Menu<Wry>> {
    let menu = Menu::new(handle)?;
    for entry in entries {
        menu.append(&*line_of(handle, entry)?)?;
    }
    Ok(menu)
}

fn line_of(handle: &AppHandle, entry: &MenuEntry) -> tauri::Result<Box<dyn IsMenuItem<Wry>>> {
    if entry.id.is_empty() && entry.lines.is_empty() {
        return Ok(Box::new(PredefinedMenuItem::separator(handle)?));
    }
    let id = format!("{ID_PREFIX}{}", entry.id);
    if !entry.lines.is_empty() {
        let submenu = Submenu::with_id(handle, id, &entry.label, entry.enabled)?;
        for line in &entry.lines {
            submenu.append(&*line_of(handle, line)?)?;
        }
        return Ok(Box::new(submenu));
    }
    Ok(match entry.checked {
        Some(on) => {
            Box::new(CheckMenuItem::with_id(handle, id, &entry.label, entry.enabled, on, None::<&str>)?)
        }
        None => Box::new(MenuItem::with_id(handle, id, &entry.label, entry.enabled, None::<&str>)?),
    })
}
