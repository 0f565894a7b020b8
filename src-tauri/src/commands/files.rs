//! Files that came with items, as the page asks for them. Refuses to do anything itself.

use tauri::State;
use tidings_app::App;
use tidings_app::ipc::{FileResult, FileState, Preview, ThreadId};

use super::{Answer, worded};

#[tauri::command]
pub(crate) async fn fetch_file(app: State<'_, App>, thread: ThreadId, msgid: String) -> Answer<FileState> {
    worded(&app, app.fetch_file(thread, msgid).await)
}

#[tauri::command]
pub(crate) async fn cancel_file(app: State<'_, App>, thread: ThreadId, msgid: String) -> Answer<()> {
    worded(&app, app.cancel_file(thread, msgid))
}

#[tauri::command]
pub(crate) async fn preview_file(app: State<'_, App>, thread: ThreadId, msgid: String) -> Answer<Preview> {
    worded(&app, app.preview_file(thread, msgid).await)
}

#[tauri::command]
pub(crate) async fn show_image(app: State<'_, App>, thread: ThreadId, address: String) -> Answer<Preview> {
    worded(&app, app.show_image(thread, &address).await)
}

#[tauri::command]
pub(crate) async fn save_file(
    app: State<'_, App>,
    thread: ThreadId,
    msgid: String,
) -> Answer<Option<FileResult>> {
    worded(&app, app.save_file(thread, msgid).await)
}
