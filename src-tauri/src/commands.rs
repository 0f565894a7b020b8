//! The one Tauri command. The calls that it takes are declared in `crates/app/src/commands.rs`.

use tauri::ipc::{JavaScriptChannelId, Response};
use tauri::{State, Webview};
use tidings_app::{App, Command};
use tidings_ipc::IpcError;

/// Handles a call of the page. `events` is the channel over which the page gets its events, in place of an earlier one.
/// The page sends it with its first call, which saves a round trip.
#[tauri::command]
pub(crate) async fn call(
    app: State<'_, App>,
    webview: Webview,
    command: Command,
    events: Option<JavaScriptChannelId>,
) -> Result<Response, IpcError> {
    if let Some(id) = events {
        let channel = id.channel_on(webview);
        app.listen(Box::new(move |event| channel.send(event).is_ok()));
    }
    app.call(command).await.map(Response::new)
}
