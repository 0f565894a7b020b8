//! The sources, as the page sets them. Refuses to do anything itself.

use tauri::State;
use tidings_app::App;
use tidings_app::ipc::{SourceForm, SourceId, SourceTest};

use super::{Answer, worded};

#[tauri::command]
pub(crate) async fn test_source(app: State<'_, App>, form: SourceForm) -> Answer<SourceTest> {
    worded(&app, app.test_source(form).await)
}

#[tauri::command]
pub(crate) async fn add_source(app: State<'_, App>, form: SourceForm) -> Answer<SourceId> {
    worded(&app, app.add_source(form).await)
}

#[tauri::command]
pub(crate) async fn rename_source(app: State<'_, App>, source: SourceId, name: String) -> Answer<()> {
    worded(&app, app.rename_source(source, name).await)
}

#[tauri::command]
pub(crate) async fn pause_source(app: State<'_, App>, source: SourceId, on: bool) -> Answer<()> {
    worded(&app, app.pause_source(source, on).await)
}

#[tauri::command]
pub(crate) async fn remove_source(app: State<'_, App>, source: SourceId, keep: bool) -> Answer<()> {
    worded(&app, app.remove_source(source, keep).await)
}

#[tauri::command]
pub(crate) async fn sign_in_source(
    app: State<'_, App>,
    source: SourceId,
    token: String,
) -> Answer<SourceTest> {
    worded(&app, app.sign_in_source(source, token).await)
}

#[tauri::command]
pub(crate) async fn try_source(app: State<'_, App>, source: SourceId) -> Answer<()> {
    worded(&app, app.try_source(source).await)
}

#[tauri::command]
pub(crate) async fn order_sources(app: State<'_, App>, ids: Vec<SourceId>) -> Answer<()> {
    worded(&app, app.order_sources(ids).await)
}
