//! The table `preferences`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use rusqlite::{Connection, params};
use tidings_store::{Error, PreferenceStore, UserKey};

use crate::SqliteStore;
use crate::tables::users;

#[async_trait]
impl PreferenceStore for SqliteStore {
    async fn preferences(&self, user: UserKey) -> Result<BTreeMap<String, bool>, Error> {
        self.read(move |c| get(c, user)).await
    }

    async fn set_preferences(
        &self,
        user: UserKey,
        changes: BTreeMap<String, Option<bool>>,
    ) -> Result<(), Error> {
        self.write(move |w| {
            users::id_of(w.tx, user)?;
            for (action, wanted) in changes {
                match wanted {
                    Some(wanted) => w.tx.execute(
                        "INSERT OR REPLACE INTO preferences (user, action, wanted) VALUES (?1, ?2, ?3)",
                        params![user.0, action, wanted],
                    )?,
                    None => w.tx.execute(
                        "DELETE FROM preferences WHERE user = ?1 AND action = ?2",
                        params![user.0, action],
                    )?,
                };
            }
            Ok(())
        })
        .await
    }
}

pub(crate) fn get(conn: &Connection, user: UserKey) -> Result<BTreeMap<String, bool>, Error> {
    let mut rows = conn.prepare_cached("SELECT action, wanted FROM preferences WHERE user = ?1")?;
    let set = rows.query_map([user.0], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<Result<_, _>>()?;
    Ok(set)
}
