//! The files that are dropped on the window. `WebKitGTK` tells the page that there are some and where they are
//! dropped, and keeps the files from it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;

use gtk::glib;
use gtk::prelude::*;
use parking_lot::Mutex;

/// The files of the last drop that nobody took yet.
static DROPPED: Mutex<VecDeque<PathBuf>> = Mutex::new(VecDeque::new());

/// Takes the next one of the files that were dropped last.
pub(crate) fn next() -> Option<PathBuf> {
    DROPPED.lock().pop_front()
}

/// Remembers which files are dropped on the page. WebKit itself asks for them, and handles each of these events as well.
pub(crate) fn track(page: &impl IsA<gtk::Widget>) {
    let dragged = Rc::new(RefCell::new(VecDeque::new()));
    let inside = Rc::new(Cell::new(false));
    page.connect_drag_motion({
        let (dragged, inside) = (Rc::clone(&dragged), Rc::clone(&inside));
        move |_, _, _, _, _| {
            // Another drag has begun, whose files are not known yet.
            if !inside.replace(true) {
                dragged.take();
            }
            false
        }
    });
    page.connect_drag_leave(move |_, _, _| inside.set(false));
    page.connect_drag_data_received({
        let dragged = Rc::clone(&dragged);
        move |_, _, _, _, data, _, _| {
            let uris = data.uris();
            if !uris.is_empty() {
                dragged.replace(
                    uris.iter().filter_map(|uri| Some(glib::filename_from_uri(uri).ok()?.0)).collect(),
                );
            }
        }
    });
    // GTK says before a drop that the drag has left.
    page.connect_drag_drop(move |_, _, _, _, _| {
        *DROPPED.lock() = dragged.take();
        false
    });
}
