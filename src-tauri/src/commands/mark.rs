//! Marks and taking them back, as the page asks for them. Refuses to do anything itself.

use tauri::State;
use tidings_app::App;
use tidings_app::ipc::{Mark, Marked, Place, ThreadId};

use super::{Answer, worded};

#[tauri::command]
pub(crate) async fn mark(app: State<'_, App>, threads: Vec<ThreadId>, mark: Mark) -> Answer<Marked> {
    worded(&app, app.mark(threads, &mark).await)
}

#[tauri::command]
pub(crate) async fn unread_from(app: State<'_, App>, thread: ThreadId, msgid: String) -> Answer<Marked> {
    worded(&app, app.unread_from(thread, msgid).await)
}

#[tauri::command]
pub(crate) async fn mark_all_read(app: State<'_, App>, place: Place) -> Answer<Marked> {
    worded(&app, app.mark_all_read(&place).await)
}

#[tauri::command]
pub(crate) async fn undo(app: State<'_, App>, undo: u64) -> Answer<()> {
    worded(&app, app.undo(undo).await)
}
