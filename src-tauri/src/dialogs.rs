//! The adapter of the file dialogs' port.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use tauri::AppHandle;
use tidings_app::ports::FileDialogs;

/// The desktop's dialogs, opened over the main window.
pub(crate) struct Dialogs(pub(crate) AppHandle);

/// A kind of dialog.
#[derive(Clone)]
enum Dialog {
    /// Asks where to write, and suggests this name.
    Save(String),
    /// Asks which file to read, with this extension.
    Open(String),
}

#[async_trait]
impl FileDialogs for Dialogs {
    async fn save_dialog(&self, title: &str, name: &str) -> Option<PathBuf> {
        ask(&self.0, title.to_owned(), Dialog::Save(name.to_owned())).await
    }

    async fn open_dialog(&self, title: &str, ending: &str) -> Option<PathBuf> {
        ask(&self.0, title.to_owned(), Dialog::Open(ending.to_owned())).await
    }

    fn show(&self, folder: &Path) -> bool {
        open::that_detached(folder)
            .inspect_err(|error| tracing::warn!(%error, "a folder was not shown"))
            .is_ok()
    }

    #[cfg(target_os = "linux")]
    fn room(&self, folder: &Path) -> Option<u64> {
        let about = rustix::fs::statvfs(folder).ok()?;
        about.f_bavail.checked_mul(about.f_frsize)
    }

    #[cfg(not(target_os = "linux"))]
    fn room(&self, _folder: &Path) -> Option<u64> {
        None
    }
}

/// Shows a GTK dialog, by the desktop's portal where the desktop prefers that. Other work goes on meanwhile.
#[cfg(target_os = "linux")]
async fn ask(handle: &AppHandle, title: String, dialog_kind: Dialog) -> Option<PathBuf> {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    use gtk::prelude::*;
    use gtk::{FileChooserAction, FileChooserNative, FileFilter, ResponseType};
    use tauri::Manager;

    let (answer, answered) = tokio::sync::oneshot::channel();
    let main = handle.clone();
    crate::window::on_main(handle, move || {
        let parent =
            main.get_webview_window(crate::window::LABEL).and_then(|window| window.gtk_window().ok());
        let action = match &dialog_kind {
            Dialog::Save(_) => FileChooserAction::Save,
            Dialog::Open(_) => FileChooserAction::Open,
        };
        let dialog = FileChooserNative::new(Some(&title), parent.as_ref(), action, None, None);
        dialog.set_modal(true);
        match dialog_kind {
            Dialog::Save(name) => {
                dialog.set_do_overwrite_confirmation(true);
                dialog.set_current_name(&name);
            }
            Dialog::Open(ending) => {
                let filter = FileFilter::new();
                filter.set_name(Some(&format!("*.{ending}")));
                filter.add_pattern(&format!("*.{ending}"));
                dialog.add_filter(filter);
            }
        }
        let answer = Cell::new(Some(answer));
        // The dialog's own response handler keeps it alive.
        let held = Rc::new(RefCell::new(None));
        let holds = Rc::clone(&held);
        dialog.connect_response(move |dialog, response| {
            let chosen = (response == ResponseType::Accept).then(|| dialog.filename()).flatten();
            if let Some(answer) = answer.take() {
                // The page that asked may be gone.
                let _ = answer.send(chosen);
            }
            dialog.hide();
            let holds = Rc::clone(&holds);
            gtk::glib::idle_add_local_once(move || drop(holds.take()));
        });
        dialog.show();
        held.replace(Some(dialog));
    });
    answered.await.ok().flatten()
}

#[cfg(not(target_os = "linux"))]
async fn ask(handle: &AppHandle, title: String, dialog_kind: Dialog) -> Option<PathBuf> {
    use tauri::Manager;

    let mut dialog = rfd::AsyncFileDialog::new().set_title(title);
    if let Some(window) = handle.get_webview_window(crate::window::LABEL) {
        dialog = dialog.set_parent(&window);
    }
    let chosen = match dialog_kind {
        Dialog::Save(name) => dialog.set_file_name(name).save_file().await,
        Dialog::Open(ending) => dialog.add_filter(format!("*.{ending}"), &[ending]).pick_file().await,
    };
    chosen.map(|file| file.path().to_owned())
}
