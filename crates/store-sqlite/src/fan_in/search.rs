//! Searches what an inbox is to take, and brings it in.

use rusqlite::Connection;
use tidings_store::{DeliveryStore, Error, UserKey};

use super::{FanIn, prepare};
use crate::SqliteStore;
use crate::publishing::questions;
use crate::tables::{deliveries, open_questions};

impl SqliteStore {
    /// Searches what an inbox is to take, after questions have ended and deliveries were told; `None` if there is nothing.
    pub(crate) async fn search_fan_in(&self, user: UserKey) -> Result<Option<FanIn>, Error> {
        let bounds = self.bounds;
        let found = loop {
            let now = self.clock.now();
            // A question ends at its very moment, whichever request comes first.
            let look = move |c: &Connection| {
                let is_over = open_questions::next_due(c)?.is_some_and(|due| due <= now);
                let found = prepare(c, user, &bounds)?;
                Ok((is_over, (found, deliveries::any_unreported(c, user, now)?)))
            };
            let (is_over, found) = self.read_long(user, look).await?;
            if !is_over {
                break found;
            }
            let budget = self.budget();
            match self.write_long(move |w| questions::expire_due(w, &mut budget())).await {
                Ok(posts) => self.ended.lock().extend(posts),
                Err(e) if e.is_of_disk() => break found,
                Err(e) => return Err(e),
            }
        };
        let (found, any_unreported) = found;
        if any_unreported {
            match self.tell_deliveries(user).await {
                Err(e) if !e.is_of_disk() => return Err(e),
                _ => {}
            }
        }
        Ok(found)
    }

    /// Brings in what was found; true while there may be more.
    pub(crate) async fn bring_in(&self, found: FanIn) -> Result<bool, Error> {
        match self.in_portions(found).await.map(|done| done.has_more()) {
            // Nothing new is stored, but the stored items can be read.
            Err(e) if e.is_of_disk() => Ok(false),
            has_more => has_more,
        }
    }
}
