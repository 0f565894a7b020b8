//! The files that the reader drops on the window or pastes. `WebKitGTK` tells the page that there are some, and keeps the
//! files and pictures themselves from it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use gtk::gdk::{self, ModifierType, keys};
use gtk::prelude::*;
use gtk::{Clipboard, SelectionData, glib};
use parking_lot::Mutex;
use tauri::AppHandle;
use tidings_ports::GivenFile;
use tokio::sync::oneshot;
use webkit2gtk::{ContextMenuAction, ContextMenuExt as _, ContextMenuItemExt as _, WebView, WebViewExt as _};

use crate::main_thread::on_main;

/// The type of what is dragged or pasted if it is files.
const FILES: &str = "text/uri-list";
/// The types of a picture, the best first, and the name of the file that it becomes.
const PICTURES: [(&str, &str); 4] = [
    ("image/png", "image.png"),
    ("image/webp", "image.webp"),
    ("image/jpeg", "image.jpg"),
    ("image/gif", "image.gif"),
];

/// The files of the last drop or paste that nobody took yet.
static GIVEN: Mutex<VecDeque<PathBuf>> = Mutex::new(VecDeque::new());
/// Whether the reader pasted, and what the clipboard has was not taken yet. The page can't paste by itself.
static PASTED: AtomicBool = AtomicBool::new(false);

/// Takes the next one of the files that were dropped or pasted last.
pub(crate) async fn next(handle: &AppHandle) -> Option<GivenFile> {
    if PASTED.swap(false, Ordering::Relaxed) {
        let (answer, answered) = oneshot::channel();
        on_main(handle, move || {
            glib::spawn_future_local(async move {
                // The page that asked may be gone.
                let _ = answer.send(from_clipboard().await);
            });
        });
        if let Some(picture) = answered.await.ok().flatten() {
            return Some(picture);
        }
    }
    GIVEN.lock().pop_front().map(GivenFile::Path)
}

/// Remembers which files are dropped on the page and that the reader pastes. WebKit handles each of these events as well.
pub(crate) fn track(page: &WebView) {
    track_drops(page);
    track_pastes(page);
}

/// Remembers which files are dropped. WebKit itself asks for them.
fn track_drops(page: &WebView) {
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
            if !data.uris().is_empty() {
                dragged.replace(files_of(data));
            }
        }
    });
    // GTK says before a drop that the drag has left.
    page.connect_drag_drop(move |_, _, _, _, _| {
        PASTED.store(false, Ordering::Relaxed);
        *GIVEN.lock() = dragged.take();
        false
    });
}

/// Remembers that the reader pastes: with keys, or by the menu of a field.
fn track_pastes(page: &WebView) {
    page.connect_key_press_event(|_, event| {
        if is_paste(event) {
            pasted();
        }
        glib::Propagation::Proceed
    });
    page.connect_context_menu(|_, menu, _, _| {
        let entries = menu.items().into_iter();
        for paste in entries.filter(|entry| entry.stock_action() == ContextMenuAction::Paste) {
            if let Some(action) = paste.gaction().and_downcast::<gtk::gio::SimpleAction>() {
                action.connect_activate(|_, _| pasted());
            }
        }
        false
    });
}

fn pasted() {
    PASTED.store(true, Ordering::Relaxed);
}

/// Whether a key press pastes. On a keyboard of another script its key is that of the letter on any other.
fn is_paste(event: &gdk::EventKey) -> bool {
    let held =
        event.state() & (ModifierType::CONTROL_MASK | ModifierType::SHIFT_MASK | ModifierType::MOD1_MASK);
    if held == ModifierType::SHIFT_MASK {
        return matches!(event.keyval(), keys::constants::Insert | keys::constants::KP_Insert);
    }
    let v = *keys::constants::v;
    held == ModifierType::CONTROL_MASK
        && gdk::Display::default().and_then(|display| gdk::Keymap::for_display(&display)).is_some_and(
            |keymap| {
                let all = keymap.entries_for_keycode(event.hardware_keycode().into());
                all.iter().any(|(_, key)| *key == v)
            },
        )
}

/// The picture that the clipboard has, without a text beside it. If it has files, they are given instead. What is left of a
/// drop stays if a text is pasted meanwhile, and gives way to a picture or to files.
async fn from_clipboard() -> Option<GivenFile> {
    let types = clipboard("TARGETS", SelectionData::targets).await??;
    let has = |one: &str| types.iter().any(|offered| offered.name() == one);
    if has(FILES) {
        let files = clipboard(FILES, files_of).await?;
        if !files.is_empty() {
            *GIVEN.lock() = files;
            return None;
        }
    }
    if types.iter().any(|offered| offered.name().starts_with("text/plain")) {
        return None;
    }
    let (kind, name) = PICTURES.into_iter().find(|(kind, _)| has(kind))?;
    GIVEN.lock().clear();
    let bytes = clipboard(kind, SelectionData::data).await?;
    (!bytes.is_empty()).then_some(GivenFile::Picture { name, bytes })
}

/// Reads what the clipboard has of a type.
async fn clipboard<T: 'static>(kind: &str, read: impl FnOnce(&SelectionData) -> T + 'static) -> Option<T> {
    let (answer, answered) = oneshot::channel();
    let clipboard = Clipboard::get(&gdk::SELECTION_CLIPBOARD);
    clipboard.request_contents(&gdk::Atom::intern(kind), move |_, data| {
        // The page that asked may be gone.
        let _ = answer.send(read(data));
    });
    answered.await.ok()
}

/// The files of this machine among addresses.
fn files_of(data: &SelectionData) -> VecDeque<PathBuf> {
    data.uris().iter().filter_map(|uri| Some(glib::filename_from_uri(uri).ok()?.0)).collect()
}
