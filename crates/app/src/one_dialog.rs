//! One file dialog at a time: the page can't bury its reader under them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use tidings_ports::{FileDialogs, GivenFile};
use tokio::sync::Mutex;

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

    async fn given(&self) -> Option<GivenFile> {
        self.dialogs.given().await
    }

    fn show(&self, folder: &Path) -> bool {
        self.dialogs.show(folder)
    }

    fn free_space(&self, folder: &Path) -> Option<u64> {
        self.dialogs.free_space(folder)
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::Notify;

    use super::*;

    /// Dialogs that stay open until their reader has chosen.
    #[derive(Default)]
    struct Patient(Notify);

    #[async_trait]
    impl FileDialogs for Patient {
        async fn save_dialog(&self, _title: &str, name: &str) -> Option<PathBuf> {
            self.0.notified().await;
            Some(name.into())
        }

        async fn open_dialog(&self, _title: &str, extension: &str) -> Option<PathBuf> {
            self.0.notified().await;
            Some(extension.into())
        }

        async fn choose_dialog(&self, title: &str) -> Option<PathBuf> {
            self.0.notified().await;
            Some(title.into())
        }

        fn show(&self, _folder: &Path) -> bool {
            true
        }

        fn free_space(&self, _folder: &Path) -> Option<u64> {
            None
        }
    }

    #[tokio::test]
    async fn a_second_dialog_counts_as_cancelled_while_the_first_is_open() {
        let reader = Arc::new(Patient::default());
        let one = OneDialog::of(Arc::<Patient>::clone(&reader));
        let others = async {
            let others = [
                one.save_dialog("", "a").await,
                one.open_dialog("", "b").await,
                one.choose_dialog("c").await,
            ];
            reader.0.notify_one();
            others
        };
        let (first, others) = tokio::join!(one.choose_dialog("first"), others);
        assert_eq!((first, others), (Some("first".into()), [None, None, None]));
        reader.0.notify_one();
        assert_eq!(one.save_dialog("", "later").await, Some("later".into()));
    }
}
