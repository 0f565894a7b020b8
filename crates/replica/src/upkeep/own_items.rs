//! Determines the user's own items again when a source's user changes, in portions between which other writes run.
//! After a crash the rest is done when the replica is opened again; newly pulled items use the new user at once.

use rusqlite::{Connection, params};
use tidings_model::{Kind, Stamp};

use crate::aggregates::Aggregates;
use crate::tables::item_state::ItemState;
use crate::tables::sources::Unfinished;
use crate::tables::{columns, items, sources};
use crate::{Replica, Result, SourceId};

/// The most items that one transaction examines.
const PORTION: usize = 500;

/// Examines the next items of a source, in the order of msgids; `false` when the work is done.
fn portion(tx: &Connection, aggregates: &mut Aggregates<'_>, id: SourceId, now: Stamp) -> Result<bool> {
    let Some((user, from)) = sources::own_recheck(tx, id)? else { return Ok(false) };
    let next = "WHERE i.source = ?1 AND i.msgid > ?2 ORDER BY i.msgid LIMIT ?3";
    let items = ItemState::select(tx, next, params![id, from, columns::limit(PORTION)])?;
    for was in &items {
        decide(tx, aggregates, was, user.as_deref(), now)?;
    }
    let next = items.last().filter(|_| items.len() == PORTION).map(|item| &*item.msgid);
    sources::set_own_recheck(tx, id, next)?;
    Ok(next.is_some())
}

fn decide(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    was: &ItemState,
    user: Option<&str>,
    now: Stamp,
) -> Result<()> {
    if was.kind == Kind::Reminder {
        return Ok(());
    }
    let Some(actor) = items::actor(tx, was.id)? else { return Ok(()) };
    let mut is = ItemState { own: user == Some(actor.id.as_str()), ..was.clone() };
    if is.own == was.own {
        return Ok(());
    }
    is.derive(now);
    items::set_own(tx, is.id, is.own)?;
    is.write(tx)?;
    if was.deleted {
        return Ok(());
    }
    aggregates.remove_item(was.thread, &was.flags(), Some(&*actor.id).filter(|_| !was.own))?;
    aggregates.add_item(is.thread, &is.flags(), Some(&actor).filter(|_| !is.own), None)
}

impl Replica {
    /// Finishes this work for all sources.
    pub(crate) fn finish_own(&self) -> Result<()> {
        let now = self.clock.now();
        for id in self.read(|conn| sources::unfinished(conn, Unfinished::OwnRecheck))? {
            while self.write(move |tx, aggregates| portion(tx, aggregates, id, now))?.0 {}
        }
        Ok(())
    }
}
