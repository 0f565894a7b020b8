//! Access to the desktop's keyring, with a timeout.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use keyring as platform;
/// The name of this program in the keyring.
const SERVICE: &str = "tidings";
/// The timeout of a call, including the time for the keyring's password prompt.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// The keyring entries of one data folder. One keyring may have those of several, so the folder is part of their names.
#[derive(Clone)]
pub struct Keyring {
    folder: PathBuf,
}

impl Keyring {
    /// The entries of a data folder.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The entry of a name.
    pub fn get(&self, name: &str) -> Option<String> {
        call(self.full_name(name), platform::Entry::get_password)
    }

    /// Stores an entry; `false` if that failed.
    pub fn set(&self, name: &str, text: String) -> bool {
        call(self.full_name(name), move |entry| entry.set_password(&text)).is_some()
    }

    /// Removes the entry of a name.
    pub fn remove(&self, name: &str) {
        call(self.full_name(name), platform::Entry::delete_credential);
    }

    fn full_name(&self, name: &str) -> String {
        format!("{}#{name}", self.folder.display())
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
