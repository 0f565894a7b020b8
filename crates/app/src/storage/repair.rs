//! Repairs a damaged inbox: what can be read of it goes into a new one, and every source is pulled again.

use std::sync::Arc;

use tidings_home::StagingDir;
use tidings_home::archive::REPLICA;
use tidings_ipc::{FileResult, NoticeCode};
use tidings_replica::{Replacement, Replica, Salvage, Salvaged};
use tidings_strings::strings;

use super::reload::Reload;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::sources::engine::RunningEngine;
use crate::state::notices::Degradation;

part! {
    /// Repairs a damaged inbox.
    pub(crate) struct Repair {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        reload: Arc<Reload>,
    }
}

impl Repair {
    /// Repairs the inbox of the data folder. The damaged file stays beside it as `replica.db.before`. An inbox that could
    /// not be opened at the start is used from the next start on.
    pub(crate) async fn repair_inbox(&self) -> Result<FileResult> {
        let table = strings(self.context.lang());
        let done = if self.context.data.is_temporary() {
            self.repair_unopened().await
        } else {
            self.repair_open().await
        };
        let salvaged = done.map_err(|why| Error::storage((table.not_repaired)(&why.to_string())))?;
        let former = self.context.data.home().dir().join(format!("{REPLICA}.before"));
        tracing::info!(items = salvaged.items, lost = salvaged.lost, sources = ?salvaged.lost_sources, "the inbox was repaired");
        self.context.clear(NoticeCode::Damaged);
        let text = (table.repaired)(salvaged.items, &salvaged.lost_sources, salvaged.lost);
        Ok(FileResult { path: former.display().to_string(), text })
    }

    /// Repairs the inbox that a temporary one stands in for.
    async fn repair_unopened(&self) -> Result<Salvaged> {
        let (folder, clock) = (self.context.data.home().dir().to_owned(), self.context.clock.clone());
        let repair = move || {
            let Salvage { replacement, salvaged } = Replica::salvage(&folder, &clock)?;
            Replacement::put_in_place(&[replacement]).map_err(tidings_replica::Error::from)?;
            Ok::<_, Error>(salvaged)
        };
        let salvaged = tokio::task::spawn_blocking(repair).await.map_err(|_| Error::Ending)??;
        self.context.raise(&Degradation::Repaired);
        Ok(salvaged)
    }

    /// Repairs the inbox that is in use, while nothing is pulled.
    async fn repair_open(&self) -> Result<Salvaged> {
        let salvaged = self.engine.while_stopped(self.replace_damaged(), Error::storage).await?;
        self.reload.reload_after_restore().await?;
        Ok(salvaged)
    }

    async fn replace_damaged(&self) -> Result<Salvaged> {
        let folder = self.context.data.home().dir().to_owned();
        let staging = StagingDir::for_restore(&folder)?;
        let (copy, below) = (staging.path().join("before.db"), staging.path().to_owned());
        let former = folder.join(format!("{REPLICA}.before"));
        self.context
            .disk(move |replica| {
                // The copy has the damaged pages as they are.
                replica.copy_as_it_is(&copy)?;
                let (new, salvaged) = replica.salvage_to(&below)?;
                // Only an inbox that is kept is replaced.
                if let Err(error) = std::fs::rename(&copy, &former) {
                    return Ok(Err(error));
                }
                replica.restore(&new)?;
                Ok(Ok(salvaged))
            })
            .await?
            .map_err(|error| Error::storage(error.to_string()))
    }
}
