//! The files of sources: what was downloaded of them goes with them, and the copy of a sent file with its message.

use std::sync::Arc;

use tidings_replica::SourceId;
use tidings_sync::outgoing_files::remove_unneeded;

use crate::context::{Context, part};

part! {
    /// Removes files that nothing needs any more.
    pub(crate) struct SourceFiles {
        context: Arc<Context>,
    }
}

impl SourceFiles {
    /// Removes the downloaded files of a removed source.
    pub(crate) async fn remove_files_of(&self, source: SourceId) {
        let home = self.context.data.home();
        let folders = [home.attachments(), home.icons()].map(|folder| folder.join(source.to_string()));
        let remove = move || folders.map(std::fs::remove_dir_all);
        let _ = tokio::task::spawn_blocking(remove).await;
    }

    /// Removes the downloaded files of removed sources, if the program ended before [`SourceFiles::remove_files_of`] did.
    pub(crate) async fn remove_orphaned_files(&self) {
        // A replica that stands in may lack the sources of the real one.
        if self.context.data.is_temporary() {
            return;
        }
        let Ok(sources) = self.context.disk(tidings_replica::Replica::sources).await else { return };
        let home = self.context.data.home();
        let folders = [home.attachments(), home.icons()];
        let remove_orphans = move || {
            for entry in
                folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten()
            {
                let id = entry.file_name().to_str().and_then(|name| name.parse::<SourceId>().ok());
                if id.is_some_and(|id| sources.iter().all(|source| source.id != id))
                    && let Err(error) = std::fs::remove_dir_all(entry.path())
                {
                    tracing::warn!(%error, "files of a source that is gone could not be removed");
                }
            }
        };
        let _ = tokio::task::spawn_blocking(remove_orphans).await;
    }

    /// Removes the copies of files that no message needs any more.
    pub(crate) async fn remove_unneeded_copies(&self) {
        if let Err(error) = self.context.disk(remove_unneeded).await {
            tracing::warn!(%error, "the copies of sent files could not be looked through");
        }
    }
}
