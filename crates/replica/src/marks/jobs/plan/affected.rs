//! The items and views that a mark changes, and the steps that they take.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use rusqlite::{Connection, Row, ToSql, params_from_iter};
use tidings_model::{Kind, Stamp};
use tidings_replica_tables::columns::stamp;
use tidings_replica_tables::views;

use super::super::step::{Move, Step};
use super::Plan;
use crate::marks::condition_for;
use crate::{ItemId, Mark, Result, SourceId, ThreadId};

/// The columns that [`AffectedRows::add_row`] reads.
const COLUMNS: &str = "i.id, i.source, i.view, i.created_at, i.content_at, i.read_at IS NOT NULL,
    ifnull((SELECT through FROM views v WHERE v.id = i.view) >= i.content_at, 0)";

/// The items and views that a mark changes.
pub(super) struct AffectedRows {
    pub(super) mark: Mark,
    /// Of threads only what is archived: Done lists nothing else of them.
    pub(super) archived_only: bool,
    pub(super) items: Vec<(SourceId, ItemId)>,
    /// By view: the furthest time to which its mark moves, and the item with that time.
    pub(super) views: BTreeMap<i64, (Stamp, ItemId)>,
}

impl AffectedRows {
    pub(super) fn new(mark: Mark) -> Self {
        Self { mark, archived_only: false, items: Vec::new(), views: BTreeMap::new() }
    }

    pub(super) fn of_list(mark: Mark, archived_only: bool) -> Self {
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

    pub(super) fn add_items_where(
        &mut self,
        conn: &Connection,
        condition: &str,
        values: &[&dyn ToSql],
    ) -> Result<()> {
        let sql = format!("SELECT {COLUMNS} FROM items i WHERE {condition}");
        let mut rows = conn.prepare_cached(&sql)?;
        let mut rows = rows.query(values)?;
        while let Some(r) = rows.next()? {
            self.add_row(r)?;
        }
        Ok(())
    }

    pub(super) fn add_items_of_threads(&mut self, conn: &Connection, threads: &[ThreadId]) -> Result<()> {
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

    pub(super) fn plan(mut self, conn: &Connection, named: bool, portion: usize) -> Result<Plan> {
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

pub(super) fn view_steps(moves: &[Move], portion: usize) -> Vec<Step> {
    moves.chunks(portion).map(|moves| Step::Views { moves: moves.to_vec() }).collect()
}

/// The number of rows that moves of view marks pass, counted up to a little more than a portion.
pub(super) fn rows_passed(conn: &Connection, moves: &[Move], portion: usize) -> Result<usize> {
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

pub(super) fn add_items_up_to(
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
