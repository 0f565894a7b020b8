//! Conversations, as the page writes and reads them. Refuses to do anything itself.

use tauri::State;
use tidings_app::App;
use tidings_app::ipc::{Member, NewConversation, Person, ReadBy, SourceId, ThreadId};

use super::{Answer, worded};

#[tauri::command]
pub(crate) async fn send_message(app: State<'_, App>, thread: ThreadId, body: String) -> Answer<()> {
    worded(&app, app.send_message(thread, body).await)
}

#[tauri::command]
pub(crate) async fn start_conversation(app: State<'_, App>, new: NewConversation) -> Answer<ThreadId> {
    worded(&app, app.start_conversation(new).await)
}

#[tauri::command]
pub(crate) async fn people(app: State<'_, App>, source: SourceId) -> Answer<Vec<Person>> {
    worded(&app, app.people(source).await)
}

#[tauri::command]
pub(crate) async fn save_draft(app: State<'_, App>, thread: ThreadId, text: String) -> Answer<()> {
    worded(&app, app.save_draft(thread, text).await)
}

#[tauri::command]
pub(crate) async fn retry_message(app: State<'_, App>, id: String) -> Answer<()> {
    worded(&app, app.retry_message(id).await)
}

#[tauri::command]
pub(crate) async fn discard_message(app: State<'_, App>, id: String) -> Answer<()> {
    worded(&app, app.discard_message(id).await)
}

#[tauri::command]
pub(crate) async fn leave_thread(app: State<'_, App>, thread: ThreadId) -> Answer<()> {
    worded(&app, app.leave_thread(thread).await)
}

#[tauri::command]
pub(crate) async fn read_by(app: State<'_, App>, thread: ThreadId, msgid: String) -> Answer<ReadBy> {
    worded(&app, app.read_by(thread, msgid).await)
}

#[tauri::command]
pub(crate) async fn members(app: State<'_, App>, thread: ThreadId) -> Answer<Vec<Member>> {
    worded(&app, app.members(thread).await)
}
