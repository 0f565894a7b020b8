//! Shows toasts of the items that came back from a snooze, even if the app did not run at that time.

use tidings_replica::{ItemId, Replica};

use super::Toasts;
use crate::error::Result;

impl Toasts {
    /// Shows the toasts of items that came back from a snooze and had none yet.
    pub(crate) async fn tell_woken(&self) -> Result<()> {
        loop {
            let woken = self.context.disk(Replica::woken).await?;
            if woken.is_empty() {
                return Ok(());
            }
            if !self.toasts_are_off_in_focus() {
                let commands = self.policy.lock().woke(&woken, &self.toast_context(), self.context.now());
                self.tell(commands).await;
            }
            let told: Vec<ItemId> = woken.iter().map(|one| one.item).collect();
            self.context.disk(move |replica| replica.forget_woken(&told)).await?;
        }
    }
}
