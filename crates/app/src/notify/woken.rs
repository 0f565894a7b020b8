//! Tells of what came back from a snooze, also if that was while the app did not run.

use tidings_replica::{ItemId, Replica};

use crate::app::App;
use crate::error::Result;

impl App {
    /// Shows the toasts of what came back from a snooze and was not told of yet.
    pub(crate) async fn tell_woken(&self) -> Result<()> {
        loop {
            let woken = self.disk(Replica::woken).await?;
            if woken.is_empty() {
                return Ok(());
            }
            if !self.toasts_are_off_in_focus() {
                let commands = self.inner.toasts.policy().woke(&woken, &self.toast_context(), self.now());
                self.tell(commands).await;
            }
            let told: Vec<ItemId> = woken.iter().map(|one| one.item).collect();
            self.disk(move |replica| replica.forget_woken(&told)).await?;
        }
    }
}
