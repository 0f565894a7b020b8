//! The table `preferences`.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use tidings_store::Error;
use tidings_store::domain::account::UserKey;

use crate::tables::users;
use crate::write_tx::WriteTx;

pub(crate) fn get(conn: &Connection, user: UserKey) -> Result<BTreeMap<String, bool>, Error> {
    let mut rows = conn.prepare_cached("SELECT action, wanted FROM preferences WHERE user = ?1")?;
    let set = rows.query_map([user.0], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<Result<_, _>>()?;
    Ok(set)
}

pub(crate) fn set(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    changes: &BTreeMap<String, Option<bool>>,
) -> Result<(), Error> {
    users::id_of(ctx.tx, user)?;
    for (action, wanted) in changes {
        match wanted {
            Some(wanted) => ctx.tx.execute(
                "INSERT OR REPLACE INTO preferences (user, action, wanted) VALUES (?1, ?2, ?3)",
                params![user.0, action, wanted],
            )?,
            None => ctx.tx.execute(
                "DELETE FROM preferences WHERE user = ?1 AND action = ?2",
                params![user.0, action],
            )?,
        };
    }
    Ok(())
}
