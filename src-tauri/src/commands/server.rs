//! This computer's own server, as the page sets it. Refuses to do anything itself.

use tauri::State;
use tidings_app::App;
use tidings_app::ipc::{NewToken, ServerView};

use super::{Answer, worded};

#[tauri::command]
pub(crate) async fn server(app: State<'_, App>) -> Answer<ServerView> {
    worded(&app, app.server().await)
}

#[tauri::command]
pub(crate) async fn set_server(app: State<'_, App>, port: Option<u16>, others: bool) -> Answer<ServerView> {
    worded(&app, app.set_server(port, others).await)
}

#[tauri::command]
pub(crate) async fn create_token(app: State<'_, App>, label: String, reads: bool) -> Answer<NewToken> {
    worded(&app, app.create_token(label, reads).await)
}

#[tauri::command]
pub(crate) async fn revoke_token(app: State<'_, App>, id: String) -> Answer<ServerView> {
    worded(&app, app.revoke_token(id).await)
}
