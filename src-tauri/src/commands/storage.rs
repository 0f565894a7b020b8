//! What lies on the disk, as the page asks about it. Refuses to do anything itself.

use tauri::State;
use tidings_app::App;
use tidings_app::ipc::{ExportFormat, FileResult, Folder, StorageView};

use super::{Answer, worded};

#[tauri::command]
pub(crate) async fn storage(app: State<'_, App>) -> Answer<StorageView> {
    worded(&app, app.storage().await)
}

#[tauri::command]
pub(crate) async fn compact(app: State<'_, App>) -> Answer<StorageView> {
    worded(&app, app.compact().await)
}

#[tauri::command]
pub(crate) async fn export_inbox(app: State<'_, App>, format: ExportFormat) -> Answer<Option<FileResult>> {
    worded(&app, app.export_inbox(format).await)
}

#[tauri::command]
pub(crate) async fn backup(app: State<'_, App>) -> Answer<Option<FileResult>> {
    worded(&app, app.backup().await)
}

#[tauri::command]
pub(crate) async fn restore(app: State<'_, App>) -> Answer<Option<FileResult>> {
    worded(&app, app.restore().await)
}

#[tauri::command]
pub(crate) async fn export_settings(app: State<'_, App>) -> Answer<Option<FileResult>> {
    worded(&app, app.export_settings().await)
}

#[tauri::command]
pub(crate) async fn import_settings(app: State<'_, App>) -> Answer<Option<FileResult>> {
    worded(&app, app.import_settings().await)
}

#[tauri::command]
pub(crate) async fn open_folder(app: State<'_, App>, folder: Folder) -> Answer<()> {
    worded(&app, app.open_folder(folder))
}
