//! Plans a mark: whether it fits into one transaction, and its steps if not. Planning only reads, on a reader's
//! connection.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use rusqlite::{Connection, Row, ToSql, params_from_iter};
use tidings_model::{Kind, MsgId, Stamp, View};

use super::step::{Move, ReadAll, Step};
use crate::marks::changes::{BulkChange, Change, opposite};
use crate::marks::{condition_for, read_all, read_threads};
use crate::tables::columns::stamp;
use crate::tables::items::IN_DIGEST;
use crate::tables::outbox::new_id;
use crate::tables::sources;
use crate::tables::thread_filter::ThreadFilter;
use crate::tables::views::{self, ViewRow};
use crate::{
    DigestScope, Error, ItemId, Mark, Place, Result, SearchFilter, SourceId, Targets, ThreadId, Undo, lists,
};

/// The columns that [`AffectedRows::add_row`] reads.
const COLUMNS: &str = "i.id, i.source, i.view, i.created_at, i.content_at, i.read_at IS NOT NULL,
    ifnull((SELECT through FROM views v WHERE v.id = i.view) >= i.content_at, 0)";

/// The plan of a mark.
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// The number of rows that it changes, counted up to a little more than a portion.
    rows: usize,
    /// The most rows of one transaction.
    portion: usize,
}

impl Plan {
    /// This plan, and another one after it.
    fn then(mut self, next: Self) -> Self {
        self.steps.extend(next.steps);
        Self { rows: self.rows + next.rows, ..self }
    }

    /// Whether the mark fits into one transaction.
    pub(crate) const fn is_short(&self) -> bool {
        self.rows <= self.portion
    }
}

/// The items and views that a mark changes.
struct AffectedRows {
    mark: Mark,
    /// Of threads only what is archived: Done lists nothing else of them.
    archived_only: bool,
    items: Vec<(SourceId, ItemId)>,
    /// By view: the furthest time to which its mark moves, and the item with that time.
    views: BTreeMap<i64, (Stamp, ItemId)>,
}

impl AffectedRows {
    fn new(mark: Mark) -> Self {
        Self { mark, archived_only: false, items: Vec::new(), views: BTreeMap::new() }
    }

    fn of_list(mark: Mark, archived_only: bool) -> Self {
        Self { archived_only, ..Self::new(mark) }
    }

    fn add_row(&mut self, r: &Row<'_>) -> rusqlite::Result<()> {
        let (id, source, view): (ItemId, SourceId, Option<i64>) = (r.get(0)?, r.get(1)?, r.get(2)?);
        let (Some(view), Mark::Read | Mark::Unread) = (view, self.mark) else {
            self.items.push((source, id));
            return Ok(());
        };
        let (alone, covered): (bool, bool) = (r.get(5)?, r.get(6)?);
        let reads = self.mark == Mark::Read;
        if (alone || covered) == reads {
            return Ok(());
        }
        let at = stamp(r, if reads { 4 } else { 3 })?;
        let known = self.views.entry(view).or_insert((at, id));
        if if reads { at > known.0 } else { at < known.0 } {
            *known = (at, id);
        }
        // The item also has a read mark of its own, which must go as well.
        if alone {
            self.items.push((source, id));
        }
        Ok(())
    }

    fn add_items_where(&mut self, conn: &Connection, condition: &str, values: &[&dyn ToSql]) -> Result<()> {
        let sql = format!("SELECT {COLUMNS} FROM items i WHERE {condition}");
        let mut rows = conn.prepare_cached(&sql)?;
        let mut rows = rows.query(values)?;
        while let Some(r) = rows.next()? {
            self.add_row(r)?;
        }
        Ok(())
    }

    fn add_items_of_threads(&mut self, conn: &Connection, threads: &[ThreadId]) -> Result<()> {
        let mark = self.mark;
        if self.archived_only {
            let archived = format!("i.thread = ?1 AND i.archived_at IS NOT NULL AND {}", condition_for(mark));
            return threads.iter().try_for_each(|thread| self.add_items_where(conn, &archived, &[thread]));
        }
        let newest = if mark == Mark::Unread { "ORDER BY i.listed_at DESC, i.id DESC LIMIT 1" } else { "" };
        for thread in threads {
            if mark == Mark::Read {
                self.add_items_where(conn, "i.thread = ?1 AND i.unread = 1", &[thread])?;
                self.add_items_where(
                    conn,
                    "i.thread = ?1 AND i.asleep = 1 AND i.own = 0 AND i.deleted = 0",
                    &[thread],
                )?;
            } else {
                self.add_items_where(
                    conn,
                    &format!("i.thread = ?1 AND {} {newest}", condition_for(mark)),
                    &[thread],
                )?;
            }
        }
        Ok(())
    }

    fn view_moves(&self) -> Vec<Move> {
        let to_move = |(view, (at, item)): (&i64, &(Stamp, ItemId))| match self.mark {
            Mark::Read => Move::forward(*view, *at),
            _ => Move::back(*view, at.plus_micros(-1), *item),
        };
        self.views.iter().map(to_move).collect()
    }

    fn plan(mut self, conn: &Connection, named: bool, portion: usize) -> Result<Plan> {
        let moves = self.view_moves();
        let rows = self.items.len() + rows_passed(conn, &moves, portion)?;
        let mark = self.mark;
        // Items of one source are adjacent, so that they share operations.
        self.items.sort_unstable();
        let items: Vec<ItemId> = self.items.into_iter().map(|(_, id)| id).collect();
        let mut steps = view_steps(&moves, portion);
        steps.extend(items.chunks(portion).map(|items| Step::Items { mark, named, items: items.to_vec() }));
        Ok(Plan { steps, rows, portion })
    }
}

fn view_steps(moves: &[Move], portion: usize) -> Vec<Step> {
    moves.chunks(portion).map(|moves| Step::Views { moves: moves.to_vec() }).collect()
}

/// The number of rows that moves of view marks pass, counted up to a little more than a portion.
fn rows_passed(conn: &Connection, moves: &[Move], portion: usize) -> Result<usize> {
    let mut rows = moves.len();
    for view_move in moves {
        if rows > portion {
            break;
        }
        if let Some(known) = views::get(conn, view_move.view)? {
            rows += views::reach(conn, &known, view_move.to, portion + 1)?.rows;
        }
    }
    Ok(rows)
}

/// The plan of putting a mark on targets.
pub(crate) fn plan_mark(conn: &Connection, targets: &Targets, mark: Mark, portion: usize) -> Result<Plan> {
    if !mark.is_of_items() {
        return plan_flags(conn, targets, mark, portion);
    }
    let mut all = AffectedRows::new(mark);
    match targets {
        Targets::Threads(threads) => return plan_threads(conn, threads, all, portion),
        Targets::Items(ids) => {
            for id in ids {
                all.add_items_where(conn, "i.id = ?1 AND i.deleted = 0", &[id])?;
            }
        }
        Targets::MsgIds(ids) => {
            for id in ids.iter().map(MsgId::as_str) {
                let of_all = "i.source IN (SELECT id FROM sources WHERE removing = 0) AND i.msgid = ?1 AND i.deleted = 0";
                all.add_items_where(conn, of_all, &[&id])?;
            }
        }
        Targets::All { source, kind, through } if mark == Mark::Read => {
            return plan_read_all(conn, *source, *kind, *through, portion);
        }
        Targets::All { source, kind, through } => {
            add_items_up_to(conn, &mut all, (*source, *kind, *through))?;
        }
        Targets::Place(place) => match (mark, place) {
            (Mark::Read, Place::Inbox | Place::Unread) => {
                return plan_read_all(conn, None, None, None, portion);
            }
            (Mark::Read, Place::Kind(kind)) => return plan_read_all(conn, None, Some(*kind), None, portion),
            (Mark::Read, Place::Source(source)) => {
                return plan_read_all(conn, Some(*source), None, None, portion);
            }
            _ => {
                let all = AffectedRows::of_list(mark, *place == Place::Done);
                return plan_threads(conn, &threads_in_place(conn, *place)?, all, portion);
            }
        },
    }
    let named = matches!(targets, Targets::Items(_) | Targets::MsgIds(_));
    let mut again = AffectedRows::new(Mark::Unread);
    if named && mark.until().is_some() {
        let condition = format!("i.id = ?1 AND {}", condition_for(Mark::Unread));
        for (_, id) in &all.items {
            again.add_items_where(conn, &condition, &[id])?;
        }
    }
    Ok(all.plan(conn, named, portion)?.then(again.plan(conn, false, portion)?))
}

/// The plan of putting a mark on the items of threads.
fn plan_threads(
    conn: &Connection,
    threads: &[ThreadId],
    mut all: AffectedRows,
    portion: usize,
) -> Result<Plan> {
    all.add_items_of_threads(conn, threads)?;
    plan_added(conn, all, threads, portion)
}

/// The plan of a mark on items of threads that were added; a snooze also makes unread what came of the threads last.
fn plan_added(conn: &Connection, all: AffectedRows, threads: &[ThreadId], portion: usize) -> Result<Plan> {
    let mut again = AffectedRows::new(Mark::Unread);
    if all.mark.until().is_some() && !all.archived_only {
        again.add_items_of_threads(conn, &read_threads(conn, threads)?)?;
    }
    Ok(all.plan(conn, false, portion)?.then(again.plan(conn, false, portion)?))
}

/// The plan of putting a mark on the items of a digest.
pub(crate) fn plan_digest(
    conn: &Connection,
    scope: &DigestScope,
    mark: Mark,
    portion: usize,
) -> Result<Plan> {
    let mut all = AffectedRows::new(mark);
    let since = scope.since.as_micros();
    let mut add = |condition: &str, of: Option<i64>| {
        let condition = format!("{IN_DIGEST} AND {condition}");
        all.add_items_where(conn, &condition, &[&since, &scope.last_item, &of])
    };
    match scope.thread {
        Some(thread) => add("i.thread = ?3", Some(thread))?,
        None => add(
            "(?3 IS NULL OR +i.source = ?3) AND i.source IN (SELECT id FROM sources WHERE removing = 0)",
            scope.source,
        )?,
    }
    all.plan(conn, false, portion)
}

fn threads_in_place(conn: &Connection, place: Place) -> Result<Vec<ThreadId>> {
    let filter = SearchFilter::default();
    lists::all(conn, &ThreadFilter::of(place, true, &filter), &filter)
}

fn plan_flags(conn: &Connection, targets: &Targets, mark: Mark, portion: usize) -> Result<Plan> {
    let threads = match targets {
        Targets::Threads(threads) => threads.clone(),
        Targets::Place(place) => threads_in_place(conn, *place)?,
        _ => return Err(Error::Invalid("only threads are pinned and muted".into())),
    };
    Ok(Plan { steps: flag_steps(&threads, mark, portion), rows: threads.len(), portion })
}

fn flag_steps(threads: &[ThreadId], mark: Mark, portion: usize) -> Vec<Step> {
    threads.chunks(portion).map(|threads| Step::Flags { mark, threads: threads.to_vec() }).collect()
}

fn add_items_up_to(
    conn: &Connection,
    all: &mut AffectedRows,
    (source, kind, through): (Option<SourceId>, Option<Kind>, Option<Stamp>),
) -> Result<()> {
    let sql = format!(
        "SELECT {COLUMNS} FROM items i WHERE {} AND (?1 IS NULL OR i.source = ?1) AND (?2 IS NULL OR i.kind = ?2)
         AND (?3 IS NULL OR i.created_at <= ?3) AND i.source IN (SELECT id FROM sources WHERE removing = 0)",
        condition_for(all.mark)
    );
    let values = [
        source.map_or(Value::Null, Value::from),
        kind.map_or(Value::Null, |k| k.as_row().into()),
        through.map_or(Value::Null, |t| t.as_micros().into()),
    ];
    let mut rows = conn.prepare_cached(&sql)?;
    let mut rows = rows.query(params_from_iter(values))?;
    while let Some(r) = rows.next()? {
        all.add_row(r)?;
    }
    Ok(())
}

/// The plan of reading everything up to `given`, or up to the newest item: one operation for each source.
fn plan_read_all(
    conn: &Connection,
    only: Option<SourceId>,
    kind: Option<Kind>,
    given: Option<Stamp>,
    portion: usize,
) -> Result<Plan> {
    let (mut steps, mut rows) = (Vec::new(), 0);
    for source in sources::ids(conn)? {
        if only.is_some_and(|only| only != source) {
            continue;
        }
        let upto = match given {
            Some(through) => through,
            None => read_all::newest_of(conn, source)?,
        };
        let (items, views) = read_all::unread_of(conn, source, kind, upto)?;
        // Content that was revised after the newest item was created is included: the reader has it too.
        let through = match given {
            Some(through) => through,
            None => views.values().copied().fold(upto, Stamp::max),
        };
        if items.is_empty() && views.is_empty() && given.is_none() {
            continue;
        }
        let moves: Vec<Move> =
            views.iter().map(|(view, at)| Move::forward(*view, through.min(*at))).collect();
        rows += items.len() + rows_passed(conn, &moves, portion)?;
        let all = ReadAll { op: new_id(), source, kind, through };
        steps.extend(split_read_all(&all, &items, &moves, portion));
    }
    Ok(Plan { steps, rows, portion })
}

fn split_read_all(all: &ReadAll, items: &[ItemId], moves: &[Move], portion: usize) -> Vec<Step> {
    let step = |items: &[ItemId], moves: &[Move]| Step::ReadAll {
        all: all.clone(),
        first: false,
        items: items.to_vec(),
        moves: moves.to_vec(),
    };
    let mut steps: Vec<Step> = items.chunks(portion).map(|items| step(items, &[])).collect();
    steps.extend(moves.chunks(portion).map(|moves| step(&[], moves)));
    if steps.is_empty() {
        steps.push(step(&[], &[]));
    }
    if let Some(Step::ReadAll { first, .. }) = steps.first_mut() {
        *first = true;
    }
    steps
}

/// The steps of reading all items that the replica has, optionally of one source or kind.
pub(crate) fn read_all_steps(
    conn: &Connection,
    source: Option<SourceId>,
    kind: Option<Kind>,
    portion: usize,
) -> Result<Vec<Step>> {
    Ok(plan_read_all(conn, source, kind, None, portion)?.steps)
}

/// The steps of visiting a view up to a time; `None` if they fit into one transaction.
pub(crate) fn visit_steps(
    conn: &Connection,
    source: SourceId,
    view: &View,
    at: Option<Stamp>,
    portion: usize,
) -> Result<Option<Vec<Step>>> {
    let Some(known) = views::find(conn, source, view)? else { return Ok(None) };
    let Some(to) = views::visited(conn, &known, at)? else { return Ok(None) };
    let moves = [Move::forward(known.id, to)];
    Ok((rows_passed(conn, &moves, portion)? > portion).then(|| view_steps(&moves, portion)))
}

/// The steps of putting a mark on threads, or on what is archived of them, and the number of threads with items that change.
pub(crate) fn thread_steps(
    conn: &Connection,
    threads: &[ThreadId],
    mark: Mark,
    archived_only: bool,
    portion: usize,
) -> Result<(Vec<Step>, u64)> {
    if !mark.is_of_items() {
        return Ok((flag_steps(threads, mark, portion), 0));
    }
    let (mut all, mut concerned) = (AffectedRows::of_list(mark, archived_only), 0);
    for thread in threads {
        let before = (all.items.len(), all.views.len());
        all.add_items_of_threads(conn, std::slice::from_ref(thread))?;
        concerned += u64::from((all.items.len(), all.views.len()) != before);
    }
    Ok((plan_added(conn, all, threads, portion)?.steps, concerned))
}

/// The steps of undoing a mark; `None` if they fit into one transaction.
pub(crate) fn plan_undo(conn: &Connection, undo: &Undo, portion: usize) -> Result<Option<Vec<Step>>> {
    if undo.bulk.is_empty() && undo.changes.len() + rows_passed_back(conn, &undo.changes, portion)? <= portion
    {
        return Ok(None);
    }
    let mut steps = Vec::new();
    let mut batch: Vec<Change> = Vec::new();
    for change in undo.changes.iter().rev() {
        let view = matches!(change, Change::View { .. });
        if (view || batch.len() == portion) && !batch.is_empty() {
            steps.push(undo_step(std::mem::take(&mut batch)));
        }
        if view {
            steps.push(Step::Undo { changes: vec![change.clone()] });
        } else {
            batch.push(change.clone());
        }
    }
    if !batch.is_empty() {
        steps.push(undo_step(batch));
    }
    for change in undo.bulk.iter().rev() {
        match change {
            BulkChange::Items { mark, items } => {
                let all: Vec<ItemId> = items.newest_first().collect();
                let step = |items: &[ItemId]| Step::UndoUniform { mark: *mark, items: items.to_vec() };
                steps.extend(all.chunks(portion).map(step));
            }
            BulkChange::Flags { mark, threads } => {
                let all: Vec<ThreadId> = threads.newest_first().collect();
                steps.extend(flag_steps(&all, opposite(*mark), portion));
            }
        }
    }
    Ok(Some(steps))
}

/// A step that undoes changes together; restores the order in which they were made.
fn undo_step(mut latest_first: Vec<Change>) -> Step {
    latest_first.reverse();
    Step::Undo { changes: latest_first }
}

/// The number of rows that undone moves of view marks pass, counted up to a little more than a portion.
fn rows_passed_back(conn: &Connection, changes: &[Change], portion: usize) -> Result<usize> {
    let mut rows = 0;
    for change in changes {
        let Change::View { id, was, is } = change else { continue };
        if rows > portion {
            break;
        }
        if let Some(known) = views::get(conn, *id)? {
            let known = ViewRow { through: *is, ..known };
            rows +=
                views::reach(conn, &known, was.unwrap_or(Stamp::from_micros(i64::MIN)), portion + 1)?.rows;
        }
    }
    Ok(rows)
}
