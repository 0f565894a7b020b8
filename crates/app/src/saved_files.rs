//! Files that the reader saves: the desktop's dialog says where, and what is there is replaced as a whole or not at all.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tidings_home::user_file::{self, Access};

use crate::context::{Context, part};
use crate::error::{Error, Result};

part! {
    /// Saves files where the reader wants them.
    pub(crate) struct SavedFiles {
        context: Arc<Context>,
    }
}

impl SavedFiles {
    /// Asks where to save a file; suggests a name with today's date.
    pub(crate) async fn save_dialog(&self, title: &str, extension: &str) -> Option<PathBuf> {
        let today = self.context.now().to_string();
        let today = today.get(..10).unwrap_or_default();
        self.context.ports.files.save_dialog(title, &format!("tidings-{today}.{extension}")).await
    }

    /// Replaces a file as a whole; an error leaves it unchanged.
    pub(crate) async fn write_file<T: Send + 'static>(
        &self,
        path: &Path,
        access: Access,
        write: impl FnOnce(&mut File) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let table = self.context.settings_strings();
        let path = path.to_owned();
        let work = move || user_file::replace(&path, access, write);
        let written = tokio::task::spawn_blocking(work).await.map_err(|_| Error::Ending)?;
        written.map_err(|error| match error {
            Error::Write(why) => Error::storage((table.not_written)(&why.to_string())),
            other => other,
        })
    }
}
