//! Work on the main thread, the only one on which windows and widgets may be touched.

use tauri::AppHandle;

/// Runs work on the toolkit's main thread, as soon as that is free.
pub(crate) fn on_main(handle: &AppHandle, work: impl FnOnce() + Send + 'static) {
    if let Err(error) = handle.run_on_main_thread(work) {
        tracing::debug!(%error, "the program is ending");
    }
}
