//! The operations of a damaged replica that wait to be sent, and its items as their server has them. Each operation is put
//! again on the items as if the reader did so when it was first put. What can't be put again is sent as it was.

use std::collections::{HashMap, HashSet};

use tidings_model::{Kind, MsgId, Notification, QuestionState, Stamp, wire};
use tidings_replica_tables::columns::{json, stamp, time};
use tidings_replica_tables::item_state::Marks;

use super::damaged::Damaged;
use crate::{ItemId, Mark, SourceId};

/// An operation that waits to be sent.
#[derive(Clone)]
pub(super) struct WaitingOperation {
    pub(super) source: SourceId,
    /// Its id, by which the server knows it if it was sent before.
    pub(super) id: String,
    pub(super) change: wire::Change,
    pub(super) written_at: Stamp,
}

/// The operations that wait, in their order. An operation that was answered is no more than an assumption until the next
/// pull.
pub(super) fn waiting(from: &mut Damaged) -> Vec<WaitingOperation> {
    let columns = "seq, source, id, change, written_at, answered IS NOT NULL";
    let all = from.by_id("outbox", columns, |r| {
        let waiting = WaitingOperation {
            source: r.get(1)?,
            id: r.get(2)?,
            change: json(r, 3)?,
            written_at: stamp(r, 4)?,
        };
        Ok((waiting, r.get::<_, bool>(5)?))
    });
    all.into_iter().filter(|(_, answered)| !answered).map(|(waiting, _)| waiting).collect()
}

/// The marks as the server has them, of items on which operations wait.
pub(super) fn server_marks(from: &mut Damaged) -> HashMap<ItemId, Marks> {
    let columns =
        "item, seen_at, read_at, archived_at, snoozed_until, assumed IS NOT NULL, ifnull(assumed, 'null')";
    let rows = from.by_id("server_state", columns, |r| {
        let marks =
            Marks { seen: time(r, 1)?, read: time(r, 2)?, archived: time(r, 3)?, snoozed: time(r, 4)? };
        Ok((r.get::<_, ItemId>(0)?, if r.get(5)? { json(r, 6)? } else { marks }))
    });
    rows.into_iter().collect()
}

/// The marks and answers that wait to be sent, by the item.
pub(super) struct WaitingMarks<'a> {
    by_item: HashMap<(SourceId, &'a MsgId), Vec<Mark>>,
    read_all: Vec<(SourceId, Option<Kind>, Stamp)>,
    answered: HashSet<(SourceId, &'a MsgId)>,
    server: &'a HashMap<ItemId, Marks>,
}

impl<'a> WaitingMarks<'a> {
    pub(super) fn of(waiting: &'a [WaitingOperation], server: &'a HashMap<ItemId, Marks>) -> Self {
        let (mut by_item, mut read_all) = (HashMap::<_, Vec<Mark>>::new(), Vec::new());
        let mut answered = HashSet::new();
        for WaitingOperation { source, change, .. } in waiting {
            match change {
                wire::Change::Mark { mark, msgids, .. } => {
                    for msgid in msgids {
                        by_item.entry((*source, msgid)).or_default().push(*mark);
                    }
                }
                wire::Change::ReadAll { kind, through } => read_all.push((*source, *kind, *through)),
                wire::Change::Answer { msgids: [msgid], .. } => drop(answered.insert((*source, msgid))),
                wire::Change::Visit { .. } => {}
            }
        }
        Self { by_item, read_all, answered, server }
    }

    /// Whether the deletion of an item waits.
    pub(super) fn deletes(&self, source: SourceId, msgid: &MsgId) -> bool {
        self.by_item.get(&(source, msgid)).is_some_and(|marks| marks.contains(&Mark::Delete))
    }

    /// Takes the marks of an item back, the last one first: they are put again, and are sent then.
    pub(super) fn take_back(&self, source: SourceId, id: ItemId, item: &mut Notification) {
        let marks = self.by_item.get(&(source, &item.msgid)).cloned().unwrap_or_default();
        let is_covered = |(of, kind, through): &(SourceId, Option<Kind>, Stamp)| {
            *of == source && item.created_at <= *through && kind.is_none_or(|kind| item.kind == kind)
        };
        let reads_all = self.read_all.iter().any(is_covered);
        if let Some(server) = self.server.get(&id).filter(|_| reads_all || !marks.is_empty()) {
            (item.read_at, item.archived_at, item.snoozed_until) =
                (server.read, server.archived, server.snoozed);
        } else if reads_all {
            item.read_at = None;
        }
        for mark in marks.into_iter().rev() {
            take_mark_back(item, mark);
        }
        if self.answered.contains(&(source, &item.msgid))
            && let Some(question) = &mut item.content.question
        {
            (question.state, question.answer) = (QuestionState::Open, None);
        }
    }
}

/// Takes one mark back, so that it has an effect when it is put again: without the server's marks the item is assumed to
/// have had the opposite.
fn take_mark_back(item: &mut Notification, mark: Mark) {
    match mark {
        Mark::Read => item.read_at = None,
        // Of an item of auto class the mark of its view says so.
        Mark::Unread if !item.auto => item.read_at = item.read_at.or(Some(item.created_at)),
        Mark::Seen => item.seen_at = None,
        Mark::Archive => item.archived_at = None,
        Mark::Unarchive => item.archived_at = item.archived_at.or(Some(item.created_at)),
        Mark::Snooze { .. } => item.snoozed_until = None,
        Mark::Unsnooze => item.snoozed_until = item.snoozed_until.or(Some(item.created_at)),
        _ => {}
    }
}
