//! The adapter of the file dialogs' port.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use tauri::AppHandle;
use tidings_ports::FileDialogs;
#[cfg(target_os = "linux")]
use tidings_ports::GivenFile;

/// The desktop's dialogs, opened over the main window.
pub(crate) struct Dialogs(pub(crate) AppHandle);

/// A kind of dialog.
#[derive(Clone)]
enum DialogKind {
    /// Asks where to write, and suggests this name.
    Save(String),
    /// Asks which file to read, with this extension.
    Open(String),
    /// Asks which file to read, whatever its name.
    Choose,
}

#[async_trait]
impl FileDialogs for Dialogs {
    async fn save_dialog(&self, title: &str, name: &str) -> Option<PathBuf> {
        ask(&self.0, title.to_owned(), DialogKind::Save(name.to_owned())).await
    }

    async fn open_dialog(&self, title: &str, extension: &str) -> Option<PathBuf> {
        ask(&self.0, title.to_owned(), DialogKind::Open(extension.to_owned())).await
    }

    async fn choose_dialog(&self, title: &str) -> Option<PathBuf> {
        ask(&self.0, title.to_owned(), DialogKind::Choose).await
    }

    #[cfg(target_os = "linux")]
    async fn given(&self) -> Option<GivenFile> {
        crate::given_files::next(&self.0).await
    }

    fn show(&self, folder: &Path) -> bool {
        open::that_detached(folder)
            .inspect_err(|error| tracing::warn!(%error, "a folder was not shown"))
            .is_ok()
    }

    #[cfg(target_os = "linux")]
    fn free_space(&self, folder: &Path) -> Option<u64> {
        let stats = rustix::fs::statvfs(folder).ok()?;
        stats.f_bavail.checked_mul(stats.f_frsize)
    }

    #[cfg(not(target_os = "linux"))]
    fn free_space(&self, _folder: &Path) -> Option<u64> {
        None
    }
}

/// Shows a GTK dialog, by the desktop's portal if the desktop prefers that. Other work goes on meanwhile.
#[cfg(target_os = "linux")]
async fn ask(handle: &AppHandle, title: String, dialog_kind: DialogKind) -> Option<PathBuf> {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    use gtk::prelude::*;
    use gtk::{FileChooserAction, FileChooserNative, FileFilter, ResponseType};
    use tauri::Manager;

    let (answer, answered) = tokio::sync::oneshot::channel();
    let main = handle.clone();
    crate::main_thread::on_main(handle, move || {
        let parent =
            main.get_webview_window(crate::window::LABEL).and_then(|window| window.gtk_window().ok());
        let action = match &dialog_kind {
            DialogKind::Save(_) => FileChooserAction::Save,
            DialogKind::Open(_) | DialogKind::Choose => FileChooserAction::Open,
        };
        let dialog = FileChooserNative::new(Some(&title), parent.as_ref(), action, None, None);
        dialog.set_modal(true);
        match dialog_kind {
            DialogKind::Save(name) => {
                dialog.set_do_overwrite_confirmation(true);
                dialog.set_current_name(&name);
            }
            DialogKind::Open(extension) => {
                let filter = FileFilter::new();
                filter.set_name(Some(&format!("*.{extension}")));
                filter.add_pattern(&format!("*.{extension}"));
                dialog.add_filter(filter);
            }
            DialogKind::Choose => {}
        }
        let answer = Cell::new(Some(answer));
        // The dialog's own response handler keeps it alive.
        let keep_alive = Rc::new(RefCell::new(None));
        let release = Rc::clone(&keep_alive);
        dialog.connect_response(move |dialog, response| {
            let chosen = (response == ResponseType::Accept).then(|| dialog.filename()).flatten();
            if let Some(answer) = answer.take() {
                // The page that asked may be gone.
                let _ = answer.send(chosen);
            }
            dialog.hide();
            let release = Rc::clone(&release);
            gtk::glib::idle_add_local_once(move || drop(release.take()));
        });
        dialog.show();
        keep_alive.replace(Some(dialog));
    });
    answered.await.ok().flatten()
}

#[cfg(not(target_os = "linux"))]
async fn ask(handle: &AppHandle, title: String, dialog_kind: DialogKind) -> Option<PathBuf> {
    use tauri::Manager;

    let mut dialog = rfd::AsyncFileDialog::new().set_title(title);
    if let Some(window) = handle.get_webview_window(crate::window::LABEL) {
        dialog = dialog.set_parent(&window);
    }
    let chosen = match dialog_kind {
        DialogKind::Save(name) => dialog.set_file_name(name).save_file().await,
        DialogKind::Open(extension) => {
            dialog.add_filter(format!("*.{extension}"), &[extension]).pick_file().await
        }
        DialogKind::Choose => dialog.pick_file().await,
    };
    chosen.map(|file| file.path().to_owned())
}
