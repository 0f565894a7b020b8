//! The steps of undoing a mark.

use rusqlite::Connection;
use tidings_model::Stamp;
use tidings_replica_tables::views::{self, ViewRow};

use super::super::step::Step;
use super::flag_steps;
use crate::marks::changes::{BulkChange, MarkChange, opposite};
use crate::{ItemId, Result, ThreadId, Undo};

/// The steps of undoing a mark; `None` if they fit into one transaction.
pub(crate) fn plan_undo(conn: &Connection, undo: &Undo, portion: usize) -> Result<Option<Vec<Step>>> {
    if undo.bulk.is_empty() && undo.changes.len() + rows_passed_back(conn, &undo.changes, portion)? <= portion
    {
        return Ok(None);
    }
    let mut steps = Vec::new();
    let mut batch: Vec<MarkChange> = Vec::new();
    for change in undo.changes.iter().rev() {
        let view = matches!(change, MarkChange::View { .. });
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
fn undo_step(mut latest_first: Vec<MarkChange>) -> Step {
    latest_first.reverse();
    Step::Undo { changes: latest_first }
}

/// The number of rows that undone moves of view marks pass, counted up to a little more than a portion.
fn rows_passed_back(conn: &Connection, changes: &[MarkChange], portion: usize) -> Result<usize> {
    let mut rows = 0;
    for change in changes {
        let MarkChange::View { id, was, is } = change else { continue };
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
