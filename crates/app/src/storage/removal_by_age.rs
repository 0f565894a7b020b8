//! Looks at the clock before anything is removed by age.

use crate::app::App;
use crate::error::Result;
use crate::state::age_hold::{KEY, Stored};

impl App {
    /// Looks at the clock, and stores what was seen. False if nothing may be removed by age now.
    pub(crate) async fn may_remove_by_age(&self) -> Result<bool> {
        let app = self.clone();
        self.context
            .disk(move |replica| {
                let stored = Stored::of(replica)?;
                let now = app.context.now();
                let hold = app.inner.clock_watch.look(stored, now);
                if hold.left().as_secs() > stored.left_secs {
                    tracing::warn!(
                        "the clock is more than 7 days ahead; archived items stay for a day of running"
                    );
                }
                let seen = Stored { left_secs: hold.left().as_secs(), seen: Some(now) };
                replica.set_setting(KEY, &serde_json::to_value(seen)?)?;
                Ok(!hold.is_in_force())
            })
            .await
    }
}
