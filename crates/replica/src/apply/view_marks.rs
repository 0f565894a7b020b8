//! View marks in a page: the marks that the page contains, the views that its items belong to, and marks that the
//! server has lost. A mark that is older than the stored one moves nothing.

use rusqlite::Connection;
use tidings_model::{Kind, Notification, Stamp, View, wire};

use super::Pull;
use crate::aggregates::Aggregates;
use crate::marks::view_marks;
use crate::outbox;
use crate::outbox::overlay::ReadAllRange;
use crate::tables::outbox as outbox_rows;
use crate::tables::sources::{self, PullState};
use crate::tables::views::{self, ViewRow};
use crate::{Mark, Result, SourceId};

/// The number of rows that the marks of a page change, counted up to a little more than a portion.
pub(crate) fn rows_of(
    conn: &Connection,
    source: SourceId,
    marks: &[wire::ViewMark],
    portion: usize,
) -> Result<usize> {
    let mut rows = 0;
    for mark in marks {
        if rows > portion {
            break;
        }
        if let Some(known) = views::find(conn, source, &mark.view)? {
            rows += views::reach(conn, &known, mark.through, portion + 1)?.rows;
            rows += views::read_alone(conn, known.id, portion + 1)?;
        }
    }
    Ok(rows)
}

/// Moves the stored marks of views towards those of a page, over at most a portion of rows, and returns the index of
/// the first mark that is not reached yet. Every intermediate mark is one that the server has passed, so a crash
/// leaves a valid state. The page itself moves the rest, and all of it for marks of another history.
pub(crate) fn approach(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    source: SourceId,
    (marks, from): (&[wire::ViewMark], usize),
    (now, portion): (Stamp, usize),
) -> Result<Option<usize>> {
    let PullState { generation, complete, .. } = sources::pull_state(tx, source)?;
    let mut left = portion;
    for (nth, mark) in marks.iter().enumerate().skip(from) {
        let Some(mut known) = views::find(tx, source, &mark.view)? else { continue };
        let passed = known.server_through.is_some() && mark.stamp <= known.stamp;
        if known.generation < generation || passed {
            continue;
        }
        while let Some(to) = view_marks::in_force(tx, known.id, Some(mark.through))?
            && known.through != Some(to)
        {
            if left == 0 {
                return Ok(Some(nth));
            }
            let reach = views::reach(tx, &known, to, left)?;
            left = left.saturating_sub(reach.rows.max(1));
            known.server_through = Some(if reach.at == to { mark.through } else { reach.at });
            views::save_server(tx, &known)?;
            view_marks::put(tx, aggregates, &mut known, Some(reach.at), now)?;
        }
        if left == 0 {
            return Ok(Some(nth));
        }
        known.server_through = Some(mark.through);
        views::save_server(tx, &known)?;
        let received = ViewRow { stamp: mark.stamp, ..known };
        let replaced = view_marks::replace_read_marks(tx, aggregates, &received, !complete, now, left)?;
        left -= replaced.rows;
        if left == 0 {
            return Ok(Some(nth));
        }
    }
    Ok(None)
}

impl Pull<'_> {
    /// Applies the server's mark of a view.
    pub(super) fn view_mark(&mut self, mark: &wire::ViewMark) -> Result<()> {
        let mut known = views::find_or_create(self.tx, self.source, &mark.view, self.generation)?;
        let older = known.generation < self.generation;
        if !older && known.server_through.is_some() && mark.stamp <= known.stamp {
            return Ok(());
        }
        // A server restored from a backup may have an older mark than the one that was already set here.
        let ahead = known
            .through
            .filter(|t| older && !self.server_wins && mark.stamp <= known.stamp && *t > mark.through);
        (known.server_through, known.stamp, known.generation) =
            (Some(mark.through), mark.stamp, self.generation);
        known.server_tick = self.overlay.tick;
        views::save_server(self.tx, &known)?;
        if let Some(at) = ahead {
            self.visit_again(&known, &mark.view, at)?;
        }
        views::clear_assumed(self.tx, known.id)?;
        let through = view_marks::in_force(self.tx, known.id, known.server_through)?;
        self.put(&mut known, through)?;
        let replaced = view_marks::replace_read_marks(
            self.tx,
            &mut self.aggregates,
            &known,
            !self.complete,
            self.now,
            usize::MAX,
        )?;
        for item in replaced.turned {
            self.turned.insert(item, true);
        }
        self.views.insert(mark.view.to_string(), known);
        Ok(())
    }

    fn visit_again(&mut self, known: &ViewRow, view: &View, at: Stamp) -> Result<()> {
        let seq = outbox::push_visit(self.tx, self.source, view, at, self.now)?;
        outbox_rows::add_view(self.tx, seq, known.id, true, at)?;
        self.overlay.any = true;
        Ok(())
    }

    fn put(&mut self, known: &mut ViewRow, through: Option<Stamp>) -> Result<()> {
        let unread = through < known.through;
        for item in view_marks::put(self.tx, &mut self.aggregates, known, through, self.now)? {
            self.turned.insert(item, unread);
        }
        Ok(())
    }

    /// The view whose mark covers the item; `None` for an item of manual class.
    pub(super) fn view_of(&mut self, n: &Notification) -> Result<Option<ViewRow>> {
        // The item has its class in `auto`. Announcements and conversations are always of auto class.
        if n.kind == Kind::Reminder && !n.auto {
            return Ok(None);
        }
        let Some(view) = n.view() else { return Ok(None) };
        let key = view.to_string();
        let mut known = match self.views.remove(&key) {
            Some(known) => known,
            None => views::find_or_create(self.tx, self.source, &view, self.generation)?,
        };
        self.catch_up(&mut known, n)?;
        self.views.insert(key, known.clone());
        Ok(Some(known))
    }

    /// Moves the view's mark to an item that a waiting `read_all` covers and the mark does not reach yet.
    fn catch_up(&mut self, known: &mut ViewRow, n: &Notification) -> Result<()> {
        let content_at = n.content_at();
        let own = self.is_own(n);
        let behind = |r: &&ReadAllRange| {
            let to = content_at.min(r.through);
            !own && r.waits() && r.covers(n.kind, n.created_at) && known.through.is_none_or(|t| t < to)
        };
        if let Some(range) = self.overlay.ranges.iter().rfind(behind).copied() {
            // Never beyond the time of the `read_all`: content that was revised later stays unread.
            let at = content_at.min(range.through);
            outbox_rows::add_view(self.tx, range.seq, known.id, true, at)?;
            // Items marked as unread after that operation stay unread.
            let through = view_marks::in_force(self.tx, known.id, known.server_through)?;
            self.put(known, through)?;
        }
        Ok(())
    }

    /// Requests again what a new history of the server lacks: deletions at once, marks of unnamed views when the pull
    /// is complete.
    pub(super) fn ask_again(&mut self, complete: bool) -> Result<()> {
        outbox::queue(
            self.tx,
            self.source,
            Mark::Delete,
            &std::mem::take(&mut self.lost_deletions),
            self.now,
        )?;
        if !complete {
            return Ok(());
        }
        for id in views::older_than(self.tx, self.source, self.generation)? {
            let mut known = views::one(self.tx, id)?;
            (known.server_through, known.stamp, known.generation) = (None, Stamp::ZERO, self.generation);
            views::save_server(self.tx, &known)?;
            match known.through.zip(views::name(self.tx, id).ok()) {
                Some((at, view)) if !self.server_wins => self.visit_again(&known, &view, at)?,
                _ => {
                    let through = view_marks::in_force(self.tx, id, None)?;
                    self.put(&mut known, through)?;
                }
            }
        }
        // The server did not name these views in a complete pull, so it has not moved their marks.
        for id in views::all_assumed(self.tx, self.source)? {
            views::clear_assumed(self.tx, id)?;
            let mut known = views::one(self.tx, id)?;
            let through = view_marks::in_force(self.tx, id, known.server_through)?;
            self.put(&mut known, through)?;
        }
        Ok(())
    }
}
