//! Plans a mark: whether it fits into one transaction, and its steps if not. Planning only reads, on a reader's
//! connection.

mod affected;
mod undo;

use rusqlite::Connection;
use tidings_model::{Kind, MsgId, Stamp, View};
use tidings_replica_tables::items::IN_DIGEST;
use tidings_replica_tables::outbox::new_id;
use tidings_replica_tables::sources;
use tidings_replica_tables::views;

use self::affected::{AffectedRows, add_items_up_to, rows_passed, view_steps};
pub(crate) use self::undo::plan_undo;
use super::step::{Move, ReadAll, Step};
use crate::marks::{condition_for, read_all, read_threads};
use crate::{DigestScope, Error, ItemId, Mark, Result, SourceId, Targets, ThreadId};

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

/// The plan of putting a mark on targets.
pub(crate) fn plan_mark(conn: &Connection, targets: &Targets, mark: Mark, portion: usize) -> Result<Plan> {
    if !mark.is_of_items() {
        return plan_flags(targets, mark, portion);
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

fn plan_flags(targets: &Targets, mark: Mark, portion: usize) -> Result<Plan> {
    let Targets::Threads(threads) = targets else {
        return Err(Error::Invalid("only threads are pinned and muted".into()));
    };
    Ok(Plan { steps: flag_steps(threads, mark, portion), rows: threads.len(), portion })
}

fn flag_steps(threads: &[ThreadId], mark: Mark, portion: usize) -> Vec<Step> {
    threads.chunks(portion).map(|threads| Step::Flags { mark, threads: threads.to_vec() }).collect()
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
    let moves = [Move::visit(known.id, to)];
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
