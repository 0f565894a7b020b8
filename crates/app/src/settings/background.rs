//! Going on without a window: whether closing it ends the program, and the toast that the reader gets the first time.

use std::sync::Arc;

use tidings_ipc::NoticeCode;
use tidings_strings::desktop::desktop_strings;

use super::global_shortcut::{GlobalKeys, labels};
use crate::context::{Context, part};
use crate::error::Result;
use crate::notify::toasts::Toasts;
use crate::state::notices::Degradation;

part! {
    /// Going on without a window, as the settings say.
    pub(crate) struct Background {
        context: Arc<Context>,
        toasts: Arc<Toasts>,
        global_keys: Arc<GlobalKeys>,
    }
}

impl Background {
    /// Whether the program goes on when its window is closed.
    pub(crate) fn keeps_running(&self) -> bool {
        self.context.settings.get().behaviour.keep_running
    }

    /// Handles that the window was closed and the program goes on: without a tray icon, which would open it again, a toast
    /// says once how to come back.
    pub(crate) async fn went_to_background(&self) {
        if let Err(error) = self.tell_of_background().await {
            tracing::warn!(%error, "how to come back is told again the next time");
        }
    }

    async fn tell_of_background(&self) -> Result<()> {
        let has = |code| self.context.notices.has(code);
        // If toasts are off, the notice in the window has said it.
        if !has(NoticeCode::NoTray) || has(NoticeCode::NoToasts) {
            return Ok(());
        }
        let (before, after) = self.context.settings.update(|stored| stored.background_told = true);
        if before.background_told {
            return Ok(());
        }
        let table = desktop_strings(self.context.lang());
        let shortcut = after.global_shortcut.as_deref().filter(|_| self.global_keys.work());
        let keys = shortcut.map(labels);
        self.toasts.show_program_toast(table.background_title, &(table.background_body)(keys.as_deref()));
        self.context.store_settings(&after).await
    }

    /// Words the notice about the tray anew, after the setting changed.
    pub(crate) fn tray_notice_changed(&self) {
        if self.context.notices.has(NoticeCode::NoTray) {
            self.context.raise(&Degradation::Tray { quits: !self.keeps_running() });
        }
    }
}
