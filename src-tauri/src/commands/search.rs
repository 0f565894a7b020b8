//! Searches, kept ones too, and marks on all that a list holds, as the page asks for them. Refuses to do anything itself.

use tauri::State;
use tidings_app::App;
use tidings_app::ipc::{BulkTarget, Mark, Marked, SavedSearch, Suggestion};

use super::{Answer, worded};

#[tauri::command]
pub(crate) async fn suggest(app: State<'_, App>, query: String) -> Answer<Vec<Suggestion>> {
    worded(&app, app.suggest(query).await)
}

#[tauri::command]
pub(crate) async fn save_search(app: State<'_, App>, search: SavedSearch) -> Answer<Vec<SavedSearch>> {
    worded(&app, app.save_search(search).await)
}

#[tauri::command]
pub(crate) async fn remove_search(app: State<'_, App>, id: i64) -> Answer<Vec<SavedSearch>> {
    worded(&app, app.remove_search(id).await)
}

#[tauri::command]
pub(crate) async fn order_searches(app: State<'_, App>, ids: Vec<i64>) -> Answer<Vec<SavedSearch>> {
    worded(&app, app.order_searches(ids).await)
}

#[tauri::command]
pub(crate) async fn mark_bulk(app: State<'_, App>, all: BulkTarget, mark: Mark) -> Answer<Marked> {
    worded(&app, app.mark_bulk(&all, &mark).await)
}
