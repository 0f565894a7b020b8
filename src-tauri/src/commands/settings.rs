//! How the reader wants the app to look and when to be told, as the page sets it. Refuses to do anything itself.

use tauri::State;
use tidings_app::App;
use tidings_app::ipc::{NotifySettings, Rule, RuleTrial, Settings, SourceId, ThreadId};

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

#[tauri::command]
pub(crate) async fn set_source_notify(
    app: State<'_, App>,
    source: SourceId,
    notify: NotifySettings,
) -> Answer<NotifySettings> {
    worded(&app, app.set_source_notify(source, notify).await)
}

#[tauri::command]
pub(crate) async fn set_thread_notify(
    app: State<'_, App>,
    thread: ThreadId,
    notify: NotifySettings,
) -> Answer<NotifySettings> {
    worded(&app, app.set_thread_notify(thread, notify).await)
}

#[tauri::command]
pub(crate) async fn rules(app: State<'_, App>) -> Answer<Vec<Rule>> {
    worded(&app, app.rules().await)
}

#[tauri::command]
pub(crate) async fn save_rule(app: State<'_, App>, rule: Rule) -> Answer<Vec<Rule>> {
    worded(&app, app.save_rule(rule).await)
}

#[tauri::command]
pub(crate) async fn remove_rule(app: State<'_, App>, id: i64) -> Answer<Vec<Rule>> {
    worded(&app, app.remove_rule(id).await)
}

#[tauri::command]
pub(crate) async fn order_rules(app: State<'_, App>, ids: Vec<i64>) -> Answer<Vec<Rule>> {
    worded(&app, app.order_rules(ids).await)
}

#[tauri::command]
pub(crate) async fn try_rule(app: State<'_, App>, rule: Rule) -> Answer<RuleTrial> {
    worded(&app, app.try_rule(rule).await)
}
