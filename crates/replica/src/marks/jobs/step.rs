//! The steps of mark jobs, and running one of them.

use serde::{Deserialize, Serialize};
use tidings_model::{Kind, Stamp, wire};
use tidings_replica_tables::item_state::ItemState;
use tidings_replica_tables::outbox::{self as outbox_rows, NewOperation};
use tidings_replica_tables::views::{self, Reach};

use crate::marks::Marking;
use crate::marks::changes::MarkChange;
use crate::outbox::view_marks;
use crate::{ItemId, Mark, Result, SourceId, ThreadId};

/// One step of a job: one transaction, or several if view marks pass many rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Step {
    /// Puts a mark on items. Items that the reader did not name (`named` is false) are skipped if they no longer
    /// qualify.
    Items { mark: Mark, named: bool, items: Vec<ItemId> },
    /// Pins, unpins, mutes or unmutes threads.
    Flags { mark: Mark, threads: Vec<ThreadId> },
    /// Moves the marks of views.
    Views { moves: Vec<Move> },
    /// Reads everything up to a time with one operation, which the first step puts into the outbox.
    ReadAll { all: ReadAll, first: bool, items: Vec<ItemId>, moves: Vec<Move> },
    /// Undoes changes, the last first.
    Undo { changes: Vec<MarkChange> },
    /// Undoes changes that a mark made in the same form.
    UndoUniform { mark: Mark, items: Vec<ItemId> },
}

/// The operation `read_all`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReadAll {
    /// The operation's id.
    pub(crate) op: String,
    pub(crate) source: SourceId,
    pub(crate) kind: Option<Kind>,
    pub(crate) through: Stamp,
}

/// A move of a view's mark to a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Move {
    pub(crate) view: i64,
    pub(crate) to: Stamp,
    /// `None` moves the mark forward; an item moves it back to just before that item.
    pub(crate) back: Option<ItemId>,
    /// The key in the outbox of the operation that moves the mark back; `None` until it is queued.
    pub(crate) op: Option<i64>,
    /// Whether the reader visits the view, rather than marks items of it.
    #[serde(default)]
    pub(crate) is_visit: bool,
}

impl Move {
    pub(crate) fn forward(view: i64, to: Stamp) -> Self {
        Self { view, to, back: None, op: None, is_visit: false }
    }

    pub(crate) fn visit(view: i64, to: Stamp) -> Self {
        Self { is_visit: true, ..Self::forward(view, to) }
    }

    pub(crate) fn back(view: i64, to: Stamp, item: ItemId) -> Self {
        Self { back: Some(item), ..Self::forward(view, to) }
    }
}

impl Marking<'_, '_> {
    /// Runs a step up to a portion, and returns the rest of it.
    pub(crate) fn step(&mut self, step: Step) -> Result<Option<Step>> {
        match step {
            Step::Items { mark, named, items } => self.put_on_items(mark, &items, named).map(|()| None),
            Step::Flags { mark, threads } => self.put_on_threads(mark, &threads).map(|()| None),
            Step::Views { moves } => {
                let moves = self.moves(moves, None)?;
                Ok((!moves.is_empty()).then_some(Step::Views { moves }))
            }
            Step::ReadAll { all, first, items, moves } => {
                if first {
                    self.begin_read_all(&all)?;
                }
                self.read_items(&items)?;
                let moves = self.moves(moves, Some(&all.op))?;
                let rest = Step::ReadAll { all, first: false, items: Vec::new(), moves: moves.clone() };
                Ok((!moves.is_empty()).then_some(rest))
            }
            Step::Undo { changes } => match *changes {
                [MarkChange::View { id, was, is }] => {
                    let moves = self.undo_move(id, was, is)?.into_iter().collect();
                    self.step(Step::Views { moves })
                }
                _ => self.undo(&changes).map(|()| None),
            },
            Step::UndoUniform { mark, items } => self.undo_uniform(mark, &items).map(|()| None),
        }
    }

    /// Moves view marks over at most a portion of rows together; returns the moves that are not finished.
    fn moves(&mut self, moves: Vec<Move>, under: Option<&str>) -> Result<Vec<Move>> {
        let mut rows_left = self.portion;
        let mut moves = moves.into_iter();
        for mut view_move in moves.by_ref() {
            let finished = match view_move.back {
                None => self.move_forward(&view_move, under, &mut rows_left)?,
                Some(item) => self.move_back(&mut view_move, item, &mut rows_left)?,
            };
            if !finished || rows_left == 0 {
                let first = (!finished).then_some(view_move);
                return Ok(first.into_iter().chain(moves).collect());
            }
        }
        Ok(Vec::new())
    }

    fn move_forward(&mut self, view_move: &Move, under: Option<&str>, rows_left: &mut usize) -> Result<bool> {
        let Some(mut view_row) = views::get(self.tx, view_move.view)? else { return Ok(true) };
        let source = view_row.source;
        if view_row.through.is_some_and(|through| through >= view_move.to) {
            return Ok(true);
        }
        let Reach { at, rows } = views::reach(self.tx, &view_row, view_move.to, *rows_left)?;
        *rows_left = rows_left.saturating_sub(rows.max(1));
        let seq = match under {
            Some(op) => outbox_rows::find(self.tx, op)?,
            None if view_move.is_visit => {
                Some(self.push_visit(source, view_move.view, &views::name(self.tx, view_move.view)?, at)?)
            }
            None => Some(self.push_read(&view_row, at)?),
        };
        if let Some(seq) = seq {
            outbox_rows::add_view(self.tx, seq, view_move.view, true, at)?;
        } else {
            // The server has answered the operation by now: it has read these items.
            view_marks::answered(self.tx, &mut view_row, true, at)?;
        }
        // Items that were marked as unread since the planning stay unread.
        let through = view_marks::in_force(self.tx, view_move.view, view_row.expected())?;
        self.put_view(source, view_row, through)?;
        Ok(at == view_move.to || through < Some(at))
    }

    fn move_back(&mut self, view_move: &mut Move, item: ItemId, rows_left: &mut usize) -> Result<bool> {
        let Some(view_row) = views::get(self.tx, view_move.view)? else { return Ok(true) };
        let source = view_row.source;
        if view_row.through.is_none_or(|through| through <= view_move.to) {
            return Ok(true);
        }
        let Reach { at, rows } = views::reach(self.tx, &view_row, view_move.to, *rows_left)?;
        *rows_left = rows_left.saturating_sub(rows.max(1));
        let seq = match view_move.op {
            Some(seq) if outbox_rows::exists(self.tx, seq)? => seq,
            // The server has applied the operation by now; the next pull brings the result.
            Some(_) => return Ok(true),
            None => {
                let first = ItemState::get(self.tx, item)?;
                let Some(first) = first else { return Ok(true) };
                self.push_move_back(&first, view_move.view, view_move.to, view_row.through)?
            }
        };
        view_move.op = Some(seq);
        outbox_rows::add_view(self.tx, seq, view_move.view, false, at)?;
        let through = view_marks::in_force(self.tx, view_move.view, view_row.expected())?;
        self.put_view(source, view_row, through)?;
        Ok(at == view_move.to || through > Some(at))
    }

    fn begin_read_all(&self, all: &ReadAll) -> Result<()> {
        let change = wire::Change::ReadAll { kind: all.kind, through: all.through };
        let (at, kind) = (Some(all.through), all.kind);
        let op = NewOperation { source: all.source, name: "read_all", at, kind, change: &change };
        outbox_rows::insert(self.tx, &all.op, &op, self.now).map(drop)
    }
}
