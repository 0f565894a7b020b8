//! The changes that the processes of a database hint at, as far as this process knows of them.

use std::time::Duration;

use tokio::sync::Notify;

/// One hint announces the changes of this time.
pub(super) const MERGE_TIME: Duration = Duration::from_millis(20);

/// Who has changed something since it was last asked.
#[derive(Debug, Default)]
pub(super) struct Signals {
    /// This process has changed something.
    pub(super) own: Notify,
    /// Another process said so, or may have while it could not be heard.
    pub(super) others: Notify,
}
