//! The first paint, lists and threads, as the page asks for them. Refuses to do anything itself.

use tauri::State;
use tauri::ipc::Channel;
use tidings_app::App;
use tidings_app::ipc::{Bootstrap, IpcEvent, ThreadId, ThreadPage, ThreadQuery, ThreadView};

use super::{Answer, worded};

/// The page listens from now on, and is answered all that it shows first: one round trip.
#[tauri::command]
pub(crate) async fn bootstrap(app: State<'_, App>, channel: Channel<IpcEvent>) -> Answer<Bootstrap> {
    app.listen(Box::new(move |event| channel.send(event).is_ok()));
    worded(&app, app.bootstrap().await)
}

#[tauri::command]
pub(crate) async fn first_paint(app: State<'_, App>) -> Answer<()> {
    app.first_paint();
    Ok(())
}

#[tauri::command]
pub(crate) async fn threads(app: State<'_, App>, query: ThreadQuery) -> Answer<ThreadPage> {
    worded(&app, app.threads(query).await)
}

#[tauri::command]
pub(crate) async fn thread(app: State<'_, App>, id: ThreadId, before: Option<String>) -> Answer<ThreadView> {
    worded(&app, app.thread(id, before).await)
}

#[tauri::command]
pub(crate) async fn pull_now(app: State<'_, App>) -> Answer<()> {
    app.pull_now();
    Ok(())
}
