//! The process in which WebKit draws the page. It can end without the program, for lack of memory or at a picture that it
//! can't draw; what remains is an empty window.

use std::cell::Cell;
use std::time::{Duration, Instant};

use gtk::glib::object::{IsA, ObjectExt as _};
use tauri::{Manager as _, WebviewWindow};
use tidings_app::App;

/// A page that lives for less time than this is not read in again, so that what ends it does not end it for ever.
const LEAST_LIFE: Duration = Duration::from_secs(10);

/// Reads the page in again when its process has ended, with the thread that it showed. Closes the window if that happens
/// again at once.
pub(crate) fn revive(window: WebviewWindow, page: &impl IsA<gtk::Widget>) {
    let began = Cell::new(None::<Instant>);
    page.connect_local("web-process-terminated", false, move |_| {
        let lived = began.replace(Some(Instant::now())).map(|at| at.elapsed());
        let done = if lived.is_none_or(|lived| lived >= LEAST_LIFE) {
            tracing::error!("the process of the page has ended, the page is read in again");
            if let Some(app) = window.try_state::<App>() {
                app.page_ended();
            }
            window.reload()
        } else {
            tracing::error!("the process of the page has ended again, the window is closed");
            window.destroy()
        };
        if let Err(error) = done {
            tracing::error!(%error, "the window stays empty");
        }
        None
    });
}
