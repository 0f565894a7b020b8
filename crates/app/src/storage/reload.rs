//! Reads again what was kept in memory of an inbox that was replaced.

use std::sync::Arc;

use crate::context::{Context, part};
use crate::error::Result;
use crate::inbox::search::Searches;
use crate::notify::silence::Silence;
use crate::state::settings::SettingsStore;
use crate::state::undo_log::UndoLog;

part! {
    /// Reads settings, calendars and searches again.
    pub(crate) struct Reload {
        context: Arc<Context>,
        searches: Arc<Searches>,
        undo_log: Arc<UndoLog>,
        silence: Arc<Silence>,
    }
}

impl Reload {
    /// Reads again what the app keeps of the inbox in memory.
    pub(super) async fn reload_after_restore(&self) -> Result<()> {
        self.context.settings.replace(self.context.disk(SettingsStore::read).await?);
        self.context.ports.window.set_zoom(self.context.settings.get().scale.zoom);
        self.undo_log.clear();
        self.searches.searches_changed().await?;
        self.silence.timers_changed();
        self.context.events.update(|dirty| {
            dirty.refetch = true;
            dirty.settings = true;
            dirty.sync = true;
        });
        Ok(())
    }
}
