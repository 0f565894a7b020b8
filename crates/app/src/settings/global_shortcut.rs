//! The keys that show and hide the window from anywhere: off until the reader chooses some.

use std::sync::Arc;

use parking_lot::Mutex;
use tidings_ipc::GlobalShortcutView;
use tidings_ports::ShortcutError;
use tidings_strings::desktop::desktop_strings;

use crate::context::{Context, part};
use crate::error::{Error, Result};

/// The longest name of keys, in bytes.
const MAX_KEYS_BYTES: usize = 64;

part! {
    /// The keys in the settings that show and hide the window.
    pub(crate) struct GlobalKeys {
        context: Arc<Context>;
        /// Why the keys in the settings are no global shortcut now.
        error: Mutex<Option<ShortcutError>> = Mutex::default(),
    }
}

impl GlobalKeys {
    /// The keys, and whether they work.
    pub(crate) fn global_shortcut(&self) -> GlobalShortcutView {
        let keys = self.context.settings.get().global_shortcut;
        let supported = self.context.ports.global_shortcut.is_supported();
        let error = if supported { *self.error.lock() } else { Some(ShortcutError::Unsupported) };
        let problem = error.map(|error| self.shortcut_problem(error, keys.as_deref().unwrap_or_default()));
        GlobalShortcutView { supported, keys, problem }
    }

    /// Whether nothing is known to be wrong with the keys in the settings.
    pub(super) fn work(&self) -> bool {
        self.global_shortcut().problem.is_none()
    }

    /// Sets the keys. If they cannot be had, those before are taken again.
    pub(crate) async fn set_global_shortcut(&self, keys: Option<String>) -> Result<GlobalShortcutView> {
        let keys = keys.filter(|keys| !keys.is_empty());
        if keys.as_ref().is_some_and(|keys| keys.len() > MAX_KEYS_BYTES || !keys.is_ascii()) {
            return Err(Error::invalid(self.shortcut_problem(ShortcutError::Invalid, "")));
        }
        if let Err(error) = self.take_keys(keys.clone()).await? {
            let before = self.context.settings.get().global_shortcut;
            let again = self.take_keys(before).await?;
            *self.error.lock() = again.err();
            return Err(Error::invalid(self.shortcut_problem(error, keys.as_deref().unwrap_or_default())));
        }
        *self.error.lock() = None;
        let (_, settings) = self.context.settings.update(|stored| stored.global_shortcut = keys);
        self.context.store_settings(&settings).await?;
        Ok(self.global_shortcut())
    }

    /// Takes the keys of the settings, at the start. Keys that cannot be had are logged and said in the settings.
    pub(crate) async fn take_stored_keys(&self) {
        let keys = self.context.settings.get().global_shortcut;
        if keys.is_none() {
            return;
        }
        let taken = self.take_keys(keys).await.unwrap_or(Err(ShortcutError::Unsupported));
        if let Err(error) = taken {
            tracing::warn!(?error, "the global shortcut does nothing");
        }
        *self.error.lock() = taken.err();
    }

    async fn take_keys(&self, keys: Option<String>) -> Result<Result<(), ShortcutError>> {
        let port = Arc::clone(&self.context.ports.global_shortcut);
        if keys.is_some() && !port.is_supported() {
            return Ok(Err(ShortcutError::Unsupported));
        }
        let taken = tokio::task::spawn_blocking(move || port.set(keys.as_deref()));
        taken.await.map_err(|_| Error::Ending)
    }

    fn shortcut_problem(&self, error: ShortcutError, keys: &str) -> String {
        let table = desktop_strings(self.context.lang());
        match error {
            ShortcutError::Unsupported => table.shortcut_unsupported.to_owned(),
            ShortcutError::Invalid => table.shortcut_invalid.to_owned(),
            ShortcutError::Taken => (table.shortcut_taken)(&labels(keys)),
        }
    }
}

/// Keys as a person reads them: `Ctrl+Alt+T`.
pub(crate) fn labels(keys: &str) -> String {
    let label = |key: &str| match key {
        "Control" => "Ctrl".to_owned(),
        key => ["Key", "Digit", "Arrow"]
            .iter()
            .find_map(|kind| key.strip_prefix(kind))
            .filter(|rest| !rest.is_empty())
            .unwrap_or(key)
            .to_owned(),
    };
    keys.split('+').map(label).collect::<Vec<_>>().join("+")
}

#[cfg(test)]
mod tests {
    use super::labels;

    #[test]
    fn keys_are_written_as_they_stand_on_a_keyboard() {
        assert_eq!(labels("Control+Alt+KeyT"), "Ctrl+Alt+T");
        assert_eq!(labels("Super+Digit1"), "Super+1");
        assert_eq!(labels("Control+ArrowUp"), "Ctrl+Up");
    }
}
