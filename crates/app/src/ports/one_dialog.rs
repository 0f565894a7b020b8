//! One file dialog at a time: the page can't bury its reader under them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::Mutex;

use super::FileDialogs;

/// The desktop's dialogs. While one is open, another one counts as cancelled.
pub(crate) struct OneDialog {
    dialogs: Arc<dyn FileDialogs>,
    open: Mutex<()>,
}

impl OneDialog {
    pub(crate) fn of(dialogs: Arc<dyn FileDialogs>) -> Self {
        Self { dialogs, open: Mutex::new(()) }
    }
}

#[async_trait]
impl FileDialogs for OneDialog {
    async fn save_dialog(&self, title: &str, name: &str) -> Option<PathBuf> {
        let _open = self.open.try_lock().ok()?;
        self.dialogs.save_dialog(title, name).await
    }

    async fn open_dialog(&self, title: &str, extension: &str) -> Option<PathBuf> {
        let _open = self.open.try_lock().ok()?;
        self.dialogs.open_dialog(title, extension).await
    }

    async fn choose_dialog(&self, title: &str) -> Option<PathBuf> {
        let _open = self.open.try_lock().ok()?;
        self.dialogs.choose_dialog(title).await
    }

    fn show(&self, folder: &Path) -> bool {
        self.dialogs.show(folder)
    }

    fn free_space(&self, folder: &Path) -> Option<u64> {
        self.dialogs.free_space(folder)
    }
}
