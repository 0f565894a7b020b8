//! The one command that the page may invoke. What it may ask by it is declared in `tidings_app::ipc::commands`.

use tauri::ipc::{JavaScriptChannelId, Response};
use tauri::{State, Webview};
use tidings_app::App;
use tidings_app::ipc::{Command, IpcError};

/// Handles a command of the page. `events` is the channel over which the page listens from now on, in place of the one
/// before; the page sends it along with its first command, which saves it a round trip.
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
