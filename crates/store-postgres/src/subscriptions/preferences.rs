//! The table `preferences`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use tidings_store::domain::account::UserKey;
use tidings_store::{Error, PreferenceStore};

use crate::PostgresStore;
use crate::session::Columns;
use crate::tx::{in_transaction, reading};

#[async_trait]
impl PreferenceStore for PostgresStore {
    async fn preferences(&self, user: UserKey) -> Result<BTreeMap<String, bool>, Error> {
        let sql = "SELECT action, wanted FROM preferences WHERE user_key = $1";
        let found = reading!(self, |s| s.query(sql, &[&user.0]).await)?;
        found.iter().map(|row| Ok((row.at(0)?, row.at(1)?))).collect()
    }

    async fn set_preferences(
        &self,
        user: UserKey,
        changes: BTreeMap<String, Option<bool>>,
    ) -> Result<(), Error> {
        let removed: Vec<&str> =
            changes.iter().filter(|(_, w)| w.is_none()).map(|(action, _)| action.as_str()).collect();
        let set = changes.iter().filter_map(|(action, wanted)| Some((action.as_str(), (*wanted)?)));
        let (actions, wanted): (Vec<&str>, Vec<bool>) = set.unzip();
        in_transaction!(self, |tx| {
            tx.lock_inbox(user).await?;
            if !removed.is_empty() {
                tx.execute(
                    "DELETE FROM preferences WHERE user_key = $1 AND action = ANY($2)",
                    &[&user.0, &removed],
                )
                .await?;
            }
            let sql = "INSERT INTO preferences (user_key, action, wanted) SELECT $1, action, wanted
            FROM unnest($2, $3) AS p (action, wanted)
            ON CONFLICT (user_key, action) DO UPDATE SET wanted = excluded.wanted";
            tx.execute(sql, &[&user.0, &actions, &wanted]).await?;
            Ok(())
        })
    }
}
