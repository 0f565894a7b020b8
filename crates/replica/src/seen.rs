//! What a list showed: all of it with a few statements, for a list shows much at once. Refuses to be taken back: what was
//! shown was shown.

use std::collections::BTreeMap;

use rusqlite::params;
use tidings_model::{MsgId, Stamp, wire};

use crate::mark::Marking;
use crate::outbox::{self, NAMES};
use crate::overlay::Act;
use crate::row::Brief;
use crate::{ItemId, Result, SourceId};

/// Marks items seen that were not.
pub(crate) fn all(marking: &mut Marking<'_, '_>, items: Vec<Brief>) -> Result<()> {
    let mut by_source: BTreeMap<SourceId, Vec<Brief>> = BTreeMap::new();
    for item in items.into_iter().filter(|item| item.marks.seen.is_none()) {
        by_source.entry(item.source).or_default().push(item);
    }
    for (source, items) in by_source {
        for portion in items.chunks(NAMES) {
            portion_of(marking, source, portion)?;
        }
    }
    Ok(())
}

fn portion_of(marking: &mut Marking<'_, '_>, source: SourceId, items: &[Brief]) -> Result<()> {
    let (tx, now) = (marking.tx, marking.now);
    let ids: Vec<ItemId> = items.iter().map(|item| item.id).collect();
    let ids = serde_json::to_string(&ids)?;
    // What the server says of them is held; what is held already stays.
    tx.prepare_cached(
        "INSERT OR IGNORE INTO held (item, seen_at, read_at, archived_at, snoozed_until, heard)
         SELECT id, seen_at, read_at, archived_at, snoozed_until, 0 FROM items
         WHERE id IN (SELECT value FROM json_each(?1))",
    )?
    .execute([&ids])?;
    tx.prepare_cached("UPDATE items SET seen_at = ?2 WHERE id IN (SELECT value FROM json_each(?1))")?
        .execute(params![ids, now.as_micros()])?;
    let msgids = items.iter().map(|item| MsgId(item.msgid.clone())).collect();
    let change = wire::Change::Seen { msgids };
    let seq = outbox::push(tx, source, Act::Seen.word(), None::<Stamp>, None, &change, now)?;
    tx.prepare_cached(
        "INSERT OR IGNORE INTO outbox_items (op, item, thread)
         SELECT ?2, id, thread FROM items WHERE id IN (SELECT value FROM json_each(?1))",
    )?
    .execute(params![ids, seq])?;
    for was in items {
        let mut is = was.clone();
        is.marks.seen = Some(now);
        marking.ledger.turn(was.thread, &was.facts(), &is.facts())?;
    }
    marking.items += items.len() as u64;
    Ok(())
}
