//! How the reader wants the app to look and when to be told, as the page sets it. Refuses to do anything itself.

use tauri::State;
use tidings_app::App;
use tidings_app::page::Settings;

use super::{Answer, worded};

#[tauri::command]
pub(crate) async fn settings(app: State<'_, App>, settings: Settings) -> Answer<Settings> {
    worded(&app, app.settings(&settings).await)
}

#[tauri::command]
pub(crate) async fn autostart(app: State<'_, App>, on: bool) -> Answer<bool> {
    Ok(app.autostart(on))
}

#[tauri::command]
pub(crate) async fn pause_toasts(app: State<'_, App>, until: Option<i64>) -> Answer<()> {
    worded(&app, app.pause_toasts(until).await)
}
