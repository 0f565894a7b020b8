//! Access to the desktop's keyring, with a timeout.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use keyring as platform;
use tidings_replica::SourceId;

use super::file::Entry;
use super::owner::Owner;

/// The name of this program in the keyring.
const SERVICE: &str = "tidings";
/// The timeout of a call, including the time for the keyring's password prompt.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// The keyring entries of one data folder.
#[derive(Clone)]
pub(super) struct Keyring {
    folder: PathBuf,
}

impl Keyring {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The entry of a source at an origin.
    pub(super) fn get(&self, source: SourceId, owner: &Owner) -> Option<Entry> {
        let text = call(self.name(source, owner), platform::Entry::get_password)?;
        serde_json::from_str(&text).ok()
    }

    /// Stores an entry; `false` if that failed.
    pub(super) fn set(&self, entry: &Entry) -> bool {
        let Ok(text) = serde_json::to_string(entry) else { return false };
        let name = self.name(entry.source, &entry.owner);
        call(name, move |entry| entry.set_password(&text)).is_some()
    }

    /// Removes the entry of a source at an origin.
    pub(super) fn remove(&self, source: SourceId, owner: &Owner) {
        call(self.name(source, owner), platform::Entry::delete_credential);
    }

    /// The token that an earlier version stored by the source id alone.
    pub(super) fn legacy_token(&self, source: SourceId) -> Option<String> {
        call(self.legacy_name(source), platform::Entry::get_password)
    }

    /// Removes the entry of an earlier version.
    pub(super) fn forget_legacy(&self, source: SourceId) {
        call(self.legacy_name(source), platform::Entry::delete_credential);
    }

    /// The secret of a name that is of no source.
    pub(super) fn secret(&self, name: &str) -> Option<String> {
        call(self.secret_name(name), platform::Entry::get_password)
    }

    /// Stores such a secret; `false` if that failed.
    pub(super) fn set_secret(&self, name: &str, secret: &str) -> bool {
        let secret = secret.to_owned();
        call(self.secret_name(name), move |entry| entry.set_password(&secret)).is_some()
    }

    /// Removes such a secret.
    pub(super) fn remove_secret(&self, name: &str) {
        call(self.secret_name(name), platform::Entry::delete_credential);
    }

    fn secret_name(&self, name: &str) -> String {
        format!("{}#{name}", self.folder.display())
    }

    fn name(&self, source: SourceId, owner: &Owner) -> String {
        format!("{}#{source}@{}", self.folder.display(), owner.origin)
    }

    fn legacy_name(&self, source: SourceId) -> String {
        format!("{}#{source}", self.folder.display())
    }
}

/// Calls the keyring on a thread of its own, so that a call without an answer does not block the caller without end.
fn call<T: Send + 'static>(
    name: String,
    operation: impl FnOnce(&platform::Entry) -> platform::Result<T> + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::Builder::new().name("keyring".into()).spawn(move || {
        let _ = sender.send(platform::Entry::new(SERVICE, &name).and_then(|entry| operation(&entry)));
    });
    thread.ok()?;
    match receiver.recv_timeout(CALL_TIMEOUT) {
        Ok(Ok(done)) => Some(done),
        Ok(Err(platform::Error::NoEntry)) => None,
        Ok(Err(error)) => {
            tracing::debug!(%error, "no keyring");
            None
        }
        Err(_) => {
            tracing::warn!("the keyring does not answer");
            None
        }
    }
}
