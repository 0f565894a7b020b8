//! Determines the user's own items again when a source's user changes, in portions between which other writes run.
//! After a crash the rest is done when the replica is opened again; newly pulled items use the new user at once.

use rusqlite::{Connection, params};
use tidings_model::{Kind, Stamp};
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::sources::Unfinished;
use tidings_replica_tables::{columns, items, sources};

use crate::{Replica, Result, SourceId};

/// Examines the next items of a source, in the order of msgids; `false` when the work is done.
fn portion(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    id: SourceId,
    (now, most): (Stamp, usize),
) -> Result<bool> {
    let Some((user, from)) = sources::own_recheck(tx, id)? else { return Ok(false) };
    let next = "WHERE i.source = ?1 AND i.msgid > ?2 ORDER BY i.msgid LIMIT ?3";
    let items = ItemState::select(tx, next, params![id, from, columns::limit(most)])?;
    for before in &items {
        recheck(tx, aggregates, before, user.as_deref(), now)?;
    }
    let next = items.last().filter(|_| items.len() == most).map(|item| &*item.msgid);
    sources::set_own_recheck(tx, id, next)?;
    Ok(next.is_some())
}

fn recheck(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    before: &ItemState,
    user: Option<&str>,
    now: Stamp,
) -> Result<()> {
    if before.kind == Kind::Reminder {
        return Ok(());
    }
    let Some(actor) = items::actor(tx, before.id)? else { return Ok(()) };
    let mut after = ItemState { own: user == Some(actor.id.as_str()), ..before.clone() };
    if after.own == before.own {
        return Ok(());
    }
    after.derive(now);
    items::set_own(tx, after.id, after.own)?;
    after.write(tx)?;
    if before.deleted {
        return Ok(());
    }
    aggregates.remove_item(before.thread, &before.flags(), Some(&*actor.id).filter(|_| !before.own))?;
    aggregates.add_item(after.thread, &after.flags(), Some(&actor).filter(|_| !after.own))
}

impl Replica {
    /// Finishes this work for all sources.
    pub(crate) fn finish_own(&self) -> Result<()> {
        let bounds = (self.clock.now(), self.bounds.own_items);
        for id in self.read(|conn| sources::unfinished(conn, Unfinished::OwnRecheck))? {
            while self.write(move |tx, aggregates| portion(tx, aggregates, id, bounds))?.0 {}
        }
        Ok(())
    }
}
