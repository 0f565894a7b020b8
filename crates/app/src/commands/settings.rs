//! What a reader sets. Refuses to ask: a change holds at once.

use crate::app::{App, lock};
use crate::error::Result;
use crate::page::Settings;

impl App {
    /// Settings in force.
    pub(crate) fn page_settings(&self) -> Settings {
        lock(&self.inner.kept).for_page(self.inner.system_lang)
    }

    /// Keeps settings and gives what holds now.
    pub async fn settings(&self, settings: &Settings) -> Result<Settings> {
        let (before, kept) = {
            let mut kept = lock(&self.inner.kept);
            let before = kept.lang;
            kept.take_in(settings);
            (before, kept.clone())
        };
        self.keep(&kept).await?;
        let early = kept.notifying.early_wake;
        self.disk(move |r| r.set_setting(tidings_replica::EARLY_WAKE, &early.into())).await?;
        if before != kept.lang {
            // Everything that Rust words reads differently now, the tray included.
            self.inner.events.note(|dirty| dirty.settings = true);
        }
        Ok(self.page_settings())
    }

    /// Whether the app starts with the computer from now on.
    pub fn autostart(&self, on: bool) -> bool {
        self.inner.ports.autostart.set(on).unwrap_or(false)
    }
}
