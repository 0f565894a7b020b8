//! The page's commands by topic, each handed on to the app. Refuses to do anything itself.

mod files;
mod find;
mod inbox;
mod mark;
mod menu;
mod outside;
mod server;
mod sources;
mod storage;
mod talk;
mod tell;

use tauri::Wry;
use tauri::ipc::Invoke;
use tidings_app::page::PageError;
use tidings_app::{App, Result};

type Answer<T> = std::result::Result<T, PageError>;

/// Every command that the page may call; `build.rs` and `capabilities/main.json` name the same.
pub(crate) fn all() -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        inbox::bootstrap,
        inbox::drawn,
        inbox::threads,
        inbox::thread,
        inbox::pull_now,
        find::suggest,
        find::save_search,
        find::remove_search,
        find::order_searches,
        find::mark_everything,
        mark::mark,
        mark::unread_from,
        mark::mark_all_read,
        mark::undo,
        outside::open_link,
        outside::run_action,
        tell::settings,
        tell::autostart,
        tell::pause_toasts,
        tell::set_source_notify,
        tell::set_thread_notify,
        tell::rules,
        tell::save_rule,
        tell::remove_rule,
        tell::order_rules,
        tell::try_rule,
        talk::send_message,
        talk::begin_conversation,
        talk::people,
        talk::save_draft,
        talk::retry_message,
        talk::discard_message,
        talk::leave_thread,
        talk::read_by,
        talk::members,
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
        error.to_page(app.lang())
    })
}
