//! What the live channel asks.

use std::sync::atomic::Ordering;

use async_trait::async_trait;
use tidings_model::Stamp;
use tidings_store::{Error, LiveStore, Recipients, UpkeepStore, UserKey};

use crate::SqliteStore;
use crate::publishing::recipients;

#[async_trait]
impl LiveStore for SqliteStore {
    async fn recipients_among(
        &self,
        all_recipients: &[Recipients],
        among: &[UserKey],
    ) -> Result<Vec<UserKey>, Error> {
        let (all_recipients, among) = (all_recipients.to_vec(), among.to_vec());
        let most = self.bounds.recipients;
        self.read(move |c| Ok(recipients::recipients_within(c, &all_recipients, &among, most)?.0)).await
    }

    async fn newest_stamp(&self) -> Result<Stamp, Error> {
        Ok(Stamp::from_micros(self.newest_stamp.load(Ordering::Acquire)))
    }

    async fn position(&self, _: UserKey) -> Result<Stamp, Error> {
        Ok(self.meta().await?.last_stamp)
    }
}
