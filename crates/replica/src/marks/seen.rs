//! Marks items that a list showed as seen, with a few statements for all of them, because a list shows many items at
//! once. This mark cannot be undone.

use std::collections::BTreeMap;

use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::{items as item_rows, outbox as outbox_rows, server_state};

use super::Marking;
use crate::outbox::{self, MAX_NAMED_ITEMS};
use crate::{ItemId, Mark, Result, SourceId};

impl Marking<'_, '_> {
    /// Marks those of the items as seen that are not yet.
    pub(super) fn set_seen(&mut self, items: Vec<ItemState>) -> Result<()> {
        let mut by_source: BTreeMap<SourceId, Vec<ItemState>> = BTreeMap::new();
        for item in items.into_iter().filter(|item| item.marks.seen.is_none()) {
            by_source.entry(item.source).or_default().push(item);
        }
        for (source, items) in by_source {
            items.chunks(MAX_NAMED_ITEMS).try_for_each(|chunk| self.set_seen_in(source, chunk))?;
        }
        Ok(())
    }

    fn set_seen_in(&mut self, source: SourceId, items: &[ItemState]) -> Result<()> {
        let (tx, now) = (self.tx, self.now);
        let ids: Vec<ItemId> = items.iter().map(|item| item.id).collect();
        let ids = serde_json::to_string(&ids)?;
        server_state::put_all_if_absent(tx, &ids)?;
        item_rows::set_seen(tx, &ids, now)?;
        let msgids = items.iter().map(|item| item.named().msgid).collect();
        let seq = outbox::push_mark(tx, source, Mark::Seen, msgids, now)?;
        outbox_rows::add_items(tx, seq, &ids)?;
        for before in items {
            let mut after = before.clone();
            after.marks.seen = Some(now);
            self.aggregates.change_item(before.thread, &before.flags(), &after.flags())?;
        }
        self.items += items.len() as u64;
        Ok(())
    }
}
