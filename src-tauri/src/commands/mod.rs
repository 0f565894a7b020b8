//! The page's commands by topic, each handed on to the app. Refuses to do anything itself.

mod conversations;
mod external;
mod files;
mod inbox;
mod mark;
mod menu;
mod search;
mod server;
mod settings;
mod sources;
mod storage;

use tauri::Wry;
use tauri::ipc::Invoke;
use tidings_app::ipc::IpcError;
use tidings_app::{App, Result};

type Answer<T> = std::result::Result<T, IpcError>;

/// Every command that the page may call; `build.rs` and `capabilities/main.json` name the same.
pub(crate) fn all() -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        inbox::bootstrap,
        inbox::first_paint,
        inbox::threads,
        inbox::thread,
        inbox::pull_now,
        search::suggest,
        search::save_search,
        search::remove_search,
        search::order_searches,
        search::mark_bulk,
        mark::mark,
        mark::unread_from,
        mark::mark_all_read,
        mark::undo,
        external::open_link,
        external::run_action,
        settings::settings,
        settings::autostart,
        settings::pause_toasts,
        settings::set_source_notify,
        settings::set_thread_notify,
        settings::rules,
        settings::save_rule,
        settings::remove_rule,
        settings::order_rules,
        settings::try_rule,
        conversations::send_message,
        conversations::start_conversation,
        conversations::people,
        conversations::save_draft,
        conversations::retry_message,
        conversations::discard_message,
        conversations::leave_thread,
        conversations::read_by,
        conversations::members,
        menu::popup,
        sources::test_source,
        sources::add_source,
        sources::rename_source,
        sources::pause_source,
        sources::remove_source,
        sources::sign_in_source,
        sources::try_source,
        sources::order_sources,
        server::server,
        server::set_server,
        server::create_token,
        server::revoke_token,
        storage::storage,
        storage::compact,
        storage::export_inbox,
        storage::backup,
        storage::restore,
        storage::export_settings,
        storage::import_settings,
        storage::open_folder,
        files::fetch_file,
        files::cancel_file,
        files::preview_file,
        files::show_image,
        files::save_file,
    ]
}

fn worded<T>(app: &App, done: Result<T>) -> Answer<T> {
    done.map_err(|error| {
        tracing::warn!(%error, "the page asked for what could not be done");
        error.to_ipc(app.lang())
    })
}
