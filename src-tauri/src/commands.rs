//! The page's commands, each handed on to the app. Refuses to do anything itself.

use tauri::State;
use tauri::ipc::Channel;
use tidings_app::page::{
    Bootstrap, Mark, Marked, PageError, PageEvent, Place, ReadBy, Settings, ThreadId, ThreadPage,
    ThreadQuery, ThreadView,
};
use tidings_app::{App, Result};

type Answer<T> = std::result::Result<T, PageError>;

fn worded<T>(app: &App, done: Result<T>) -> Answer<T> {
    done.map_err(|error| {
        tracing::warn!(%error, "the page asked for what could not be done");
        error.to_page(app.lang())
    })
}

#[tauri::command]
pub(crate) async fn listen(app: State<'_, App>, channel: Channel<PageEvent>) -> Answer<()> {
    app.listen(Box::new(move |event| channel.send(event).is_ok()));
    Ok(())
}

#[tauri::command]
pub(crate) async fn bootstrap(app: State<'_, App>) -> Answer<Bootstrap> {
    worded(&app, app.bootstrap().await)
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
pub(crate) async fn mark(app: State<'_, App>, threads: Vec<ThreadId>, mark: Mark) -> Answer<Marked> {
    worded(&app, app.mark(threads, &mark).await)
}

#[tauri::command]
pub(crate) async fn mark_item(
    app: State<'_, App>,
    thread: ThreadId,
    msgid: String,
    mark: Mark,
) -> Answer<Marked> {
    worded(&app, app.mark_item(thread, msgid, &mark).await)
}

#[tauri::command]
pub(crate) async fn mark_all_read(app: State<'_, App>, place: Place) -> Answer<Marked> {
    worded(&app, app.mark_all_read(&place).await)
}

#[tauri::command]
pub(crate) async fn undo(app: State<'_, App>, undo: u64) -> Answer<()> {
    worded(&app, app.undo(undo).await)
}

#[tauri::command]
pub(crate) async fn pull_now(app: State<'_, App>) -> Answer<()> {
    app.pull_now();
    Ok(())
}

#[tauri::command]
pub(crate) async fn open_link(app: State<'_, App>, url: String) -> Answer<()> {
    worded(&app, app.open_link(&url))
}

#[tauri::command]
pub(crate) async fn run_action(
    app: State<'_, App>,
    thread: ThreadId,
    msgid: String,
    index: usize,
) -> Answer<String> {
    worded(&app, app.run_action(thread, msgid, index).await)
}

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

#[tauri::command]
pub(crate) async fn send_message(app: State<'_, App>, thread: ThreadId, body: String) -> Answer<()> {
    worded(&app, app.send_message(thread, body).await)
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
pub(crate) async fn read_by(app: State<'_, App>, thread: ThreadId, msgid: String) -> Answer<ReadBy> {
    worded(&app, app.read_by(thread, msgid).await)
}
