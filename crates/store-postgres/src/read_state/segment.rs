//! Marks on items that are looked at together: read by one statement, applied in memory in their order, and written by
//! one statement.

use std::collections::{BTreeMap, HashMap, HashSet};

use tidings_model::wire::Change;
use tidings_model::{Kind, Mark, MsgId, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::item::{Effect, Item};
use tidings_store::{Error, RequestedOp};

use super::items::{self, Changes};
use super::rewind::Rewind;
use super::{ViewKey, marks};
use crate::portions::{Portion, Progress};
use crate::session::Values;
use crate::tx::WriteTx;

/// A mark on one item, with the position of its operation and of the item in it.
pub(super) struct Step<'o> {
    pub(super) op: usize,
    pub(super) item: usize,
    mark: Mark,
    /// When the reader put it, if the operation says so.
    at: Option<Stamp>,
    msgid: &'o MsgId,
}

/// The marks of the operations from a position on.
pub(super) struct Segment<'o> {
    pub(super) steps: Vec<Step<'o>>,
    /// The position after it: an operation, and an item in it.
    pub(super) end: (usize, usize),
}

impl<'o> Segment<'o> {
    /// The segment that begins at this item of this operation; it has at most so many operations, and items of them.
    pub(super) fn of(ops: &'o [RequestedOp], (op, item): (usize, usize), most: usize) -> Self {
        let (mut steps, mut first, mut end) = (Vec::new(), item, (op, item));
        for (nth, requested) in ops.iter().enumerate().skip(op).take(most) {
            let Some(Change::Mark { mark, msgids, at }) = requested.op.as_ref().map(|op| &op.change) else {
                break;
            };
            for (item, msgid) in msgids.iter().enumerate().skip(first) {
                if steps.len() == most {
                    return Self { steps, end: (nth, item) };
                }
                steps.push(Step { op: nth, item, mark: *mark, at: *at, msgid });
            }
            first = 0;
            end = (nth + 1, 0);
        }
        Self { steps, end }
    }

    /// The position after its first steps.
    pub(super) fn position_after(&self, steps: usize) -> (usize, usize) {
        self.steps.get(steps).map_or(self.end, |next| (next.op, next.item))
    }
}

/// An item of the inbox, as it will be.
struct MarkedItem {
    view: ViewKey,
    item: Item,
    /// The stamp of its change; `None` if it is unchanged.
    stamp: Option<Stamp>,
    /// Whether the times of its marks changed.
    is_marked: bool,
}

/// The items of a segment, as they will be, and the moves of read marks that they need.
pub(super) struct MarkedItems<'o> {
    items: HashMap<&'o str, MarkedItem>,
    /// The read mark of each view, and when the reader moved it by marking an item as read.
    marks: HashMap<ViewKey, (Option<Stamp>, Option<Stamp>)>,
    /// Where read marks move, and when the reader did so.
    advances: BTreeMap<(i64, String), (ViewKey, Stamp, Stamp)>,
}

impl<'o> MarkedItems<'o> {
    /// Reads the items that these steps name. A msgid that is not in this inbox is ignored.
    pub(super) async fn load(portion: &Portion<'_, '_>, steps: &[Step<'o>]) -> Result<Self, Error> {
        let mut names: Vec<&'o str> = steps.iter().map(|step| step.msgid.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let mut loaded = Self { items: HashMap::new(), marks: HashMap::new(), advances: BTreeMap::new() };
        for found in items::with_msgids(portion.tx, portion.user, &names).await? {
            let Ok(nth) = names.binary_search(&found.msgid.as_str()) else { continue };
            if found.item.auto {
                loaded.marks.insert(found.view.clone(), (found.item.mark, found.item.mark_read_at));
            }
            let item = MarkedItem { view: found.view, item: found.item, stamp: None, is_marked: false };
            if let Some(name) = names.get(nth) {
                loaded.items.insert(*name, item);
            }
        }
        Ok(loaded)
    }

    /// The effect of a step, with the item as it is by then and the time at which the reader put the mark. `None` if it
    /// has no effect, because the item is unknown or a later mark holds.
    fn effect(
        &mut self,
        portion: &Portion<'_, '_>,
        step: &Step<'o>,
    ) -> Option<(Effect, &mut MarkedItem, Stamp)> {
        let marked = self.items.get_mut(step.msgid.as_str())?;
        if marked.item.auto {
            (marked.item.mark, marked.item.mark_read_at) =
                self.marks.get(&marked.view).copied().unwrap_or_default();
        }
        let (item, at) = marked.item.put(step.mark, step.at, portion.locked.mark_clock(portion.user))?;
        marked.is_marked |= item.marked != marked.item.marked;
        marked.item = item;
        Some((item.effect(step.mark, at), marked, at))
    }

    /// Applies a step in memory; true if it has to move a read mark back, which is not done here.
    pub(super) fn apply(&mut self, portion: &mut Portion<'_, '_>, step: &Step<'o>) -> bool {
        let Some((effect, marked, at)) = self.effect(portion, step) else { return false };
        match effect {
            Effect::Unchanged => false,
            Effect::Update(after) => {
                marked.item = after;
                marked.stamp = Some(portion.locked.next_stamp(portion.user));
                false
            }
            Effect::AdvanceMark(to) => {
                let view = marked.view.clone();
                self.marks.insert(view.clone(), (Some(to), Some(at)));
                // A mark only moves forward, so the last time is the greatest.
                self.advances.insert((view.kind.as_row(), view.view.clone()), (view, to, at));
                false
            }
            Effect::RewindMark(_) => true,
        }
    }

    /// The moves back that the first steps need, one for each view; and the number of those steps.
    pub(super) fn rewinds(
        &mut self,
        portion: &Portion<'_, '_>,
        steps: &[Step<'o>],
        skipped: &HashSet<usize>,
    ) -> (Vec<Rewind>, usize) {
        let mut rewinds: Vec<Rewind> = Vec::new();
        for (nth, step) in steps.iter().enumerate() {
            if skipped.contains(&step.op) {
                return (rewinds, nth);
            }
            match self.effect(portion, step) {
                None if step.mark == Mark::Unread => {}
                Some((effect @ (Effect::RewindMark(_) | Effect::Unchanged), marked, at))
                    if step.mark == Mark::Unread =>
                {
                    // What is unread already moves nothing, but the time is kept.
                    let to = if let Effect::RewindMark(to) = effect { to } else { Stamp::MAX };
                    let item = (marked.item.created_at, at);
                    let begun = rewinds.iter_mut().find(|rewind| rewind.view == marked.view);
                    if let Some(rewind) = begun {
                        rewind.to = rewind.to.min(to);
                        rewind.items.push(item);
                    } else {
                        let (view, items) = (marked.view.clone(), vec![item]);
                        rewinds.push(Rewind { view, to, items });
                    }
                }
                _ => return (rewinds, nth),
            }
        }
        (rewinds, steps.len())
    }

    /// Moves the read marks, then writes the items. If the budget ends before the marks are there, no item is written:
    /// the steps are applied again in the next portion.
    pub(super) async fn write(mut self, portion: &mut Portion<'_, '_>) -> Result<Progress, Error> {
        let moves = self.advances.values().map(|(view, to, _)| (view, *to));
        let missing =
            portion.unlocked(marks::lock_set(portion.tx, portion.user, &portion.bounds, moves).await?);
        if !missing.is_empty() {
            return Ok(Progress::Locks(missing));
        }
        for (view, to, at) in self.advances.values() {
            match marks::advance(portion, view, *to, Some(*at)).await? {
                Progress::Done => {}
                progress => return Ok(progress),
            }
        }
        let (mut changed, mut timed): (Vec<(Stamp, MarkedItem)>, _) = (Vec::new(), Vec::new());
        for (_, marked) in self.items.drain() {
            match marked.stamp {
                Some(stamp) => changed.push((stamp, marked)),
                None if marked.is_marked => timed.push(marked.item),
                None => {}
            }
        }
        timed.sort_unstable_by_key(|item| item.created_at);
        items::set_marked(portion.tx, portion.user, &timed).await?;
        portion.budget.charge(timed.len());
        changed.sort_unstable_by_key(|(stamp, _)| *stamp);
        let mut changes = Changes::default();
        for (stamp, marked) in &mut changed {
            if marked.item.auto {
                marked.item.mark = self.marks.get(&marked.view).and_then(|(mark, _)| *mark);
            }
            changes.push(&marked.item, *stamp);
        }
        changes.write(portion.tx, portion.user).await?;
        portion.budget.charge(changes.len());
        let deleted = changed.iter().map(|(_, marked)| marked).filter(|marked| marked.item.deleted);
        leave_lists(portion, deleted).await?;
        Ok(Progress::Done)
    }
}

/// Deletes the rows of conversations without items. `$1` the user, `$2` the conversations.
const DELETE_EMPTY: &str =
    "DELETE FROM conversations c WHERE c.user_key = $1 AND c.view = ANY($2) AND NOT EXISTS (
    SELECT 1 FROM items i WHERE i.user_key = $1 AND i.kind = 3 AND NOT i.deleted AND i.view = c.view)";

/// Makes the newest item that is left the newest of its conversation. Parameters as in [`DELETE_EMPTY`].
const SET_NEWEST: &str = "UPDATE conversations c SET newest_at = n.at FROM (SELECT v.view, (SELECT i.created_at FROM items i
        WHERE i.user_key = $1 AND i.kind = 3 AND NOT i.deleted AND i.view = v.view ORDER BY i.created_at DESC LIMIT 1) AS at
        FROM unnest($2::text[]) v (view)) n
    WHERE c.user_key = $1 AND c.view = n.view AND n.at IS NOT NULL AND c.newest_at <> n.at";

const LEAVE_GOTIFY: &str = "DELETE FROM gotify_messages WHERE created_at = ANY($2) AND user_key = $1";

/// Takes items that were deleted out of the list of conversations, and out of the lists of Gotify's clients.
async fn leave_lists<'m>(
    portion: &Portion<'_, '_>,
    deleted: impl Iterator<Item = &'m MarkedItem>,
) -> Result<(), Error> {
    let (mut views, mut reminders): (Vec<&str>, Vec<i64>) = (Vec::new(), Vec::new());
    for marked in deleted {
        match marked.view.kind {
            Kind::Message => views.push(&marked.view.view),
            Kind::Reminder => reminders.push(marked.item.created_at.as_micros()),
            Kind::Announcement => {}
        }
    }
    views.sort_unstable();
    views.dedup();
    conversations_lost_messages(portion.tx, portion.user, &views).await?;
    let of_reminders: Values<'_> = &[&portion.user.0, &reminders];
    if !reminders.is_empty() {
        portion.tx.pipeline(&[(LEAVE_GOTIFY, of_reminders)]).await?;
    }
    Ok(())
}

/// Brings the list of conversations up to date after messages of these were deleted.
pub(crate) async fn conversations_lost_messages(
    tx: &WriteTx<'_>,
    user: UserKey,
    views: &[&str],
) -> Result<(), Error> {
    if !views.is_empty() {
        let of_views: Values<'_> = &[&user.0, &views];
        tx.pipeline(&[(DELETE_EMPTY, of_views), (SET_NEWEST, of_views)]).await?;
    }
    Ok(())
}

/// Puts a mark that moves no read mark on items that were created at these times.
pub(crate) async fn mark_items(
    portion: &mut Portion<'_, '_>,
    times: &[Stamp],
    mark: Mark,
) -> Result<(), Error> {
    let mut changes = Changes::default();
    for loaded in items::created_at(portion.tx, portion.user, times).await? {
        let clock = portion.locked.mark_clock(portion.user);
        let Some((item, at)) = loaded.item.put(mark, None, clock) else { continue };
        if let Effect::Update(after) = item.effect(mark, at) {
            changes.push(&after, portion.locked.next_stamp(portion.user));
        }
    }
    changes.write(portion.tx, portion.user).await?;
    portion.budget.charge(changes.len());
    Ok(())
}
