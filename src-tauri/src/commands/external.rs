//! What the page asks to be opened or called outside. Refuses to do anything itself.

use tauri::State;
use tidings_app::App;
use tidings_app::ipc::{ActionView, ThreadId};

use super::{Answer, worded};

#[tauri::command]
pub(crate) async fn open_link(app: State<'_, App>, url: String) -> Answer<()> {
    worded(&app, app.open_link(&url).await)
}

#[tauri::command]
pub(crate) async fn run_action(
    app: State<'_, App>,
    thread: ThreadId,
    msgid: String,
    index: usize,
    button: ActionView,
) -> Answer<String> {
    worded(&app, app.run_action(thread, msgid, index, &button).await)
}
