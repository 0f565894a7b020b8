//! View marks in a page: the marks that the page contains, the views that its items belong to, and marks that the
//! server has lost. A mark that is older than the stored one moves nothing.

use rusqlite::Connection;
use tidings_model::{Kind, Notification, Stamp, View, wire};
use tidings_replica_tables::aggregates::Aggregates;
use tidings_replica_tables::outbox as outbox_rows;
use tidings_replica_tables::sources::{self, PullState};
use tidings_replica_tables::views::{self, ViewRow};

use super::Pull;
use crate::outbox;
use crate::outbox::overlay::ReadAllRange;
use crate::outbox::view_marks;
use crate::{Mark, PeerRead, Result, SourceId};

/// The number of rows that the marks of a page change, counted up to a little more than a portion.
pub(crate) fn rows_of_marks(
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
        if let Some(view_row) = views::find(conn, source, &mark.view)? {
            rows += views::reach(conn, &view_row, mark.through, portion + 1)?.rows;
            rows += views::read_singly(conn, view_row.id, portion + 1)?;
        }
    }
    Ok(rows)
}

/// Moves the stored marks of views towards those of a page, over at most a portion of rows. Returns the index of the
/// first mark that is not reached yet. Every intermediate mark is one that the server has passed, so a crash leaves a
/// valid state. The page itself moves the rest, and all of it for marks of another history.
pub(crate) fn advance_view_marks(
    tx: &Connection,
    aggregates: &mut Aggregates<'_>,
    source: SourceId,
    (marks, from): (&[wire::ViewMark], usize),
    (now, portion): (Stamp, usize),
) -> Result<Option<usize>> {
    let PullState { generation, .. } = sources::pull_state(tx, source)?;
    let mut left = portion;
    for (nth, mark) in marks.iter().enumerate().skip(from) {
        let Some(mut view_row) = views::find(tx, source, &mark.view)? else { continue };
        let passed = view_row.server_through.is_some() && mark.stamp <= view_row.stamp;
        if view_row.generation < generation || passed {
            continue;
        }
        views::assume(tx, &mut view_row, None)?;
        while let Some(to) = view_marks::in_force(tx, view_row.id, Some(mark.through))?
            && view_row.through != Some(to)
        {
            if left == 0 {
                return Ok(Some(nth));
            }
            let reach = views::reach(tx, &view_row, to, left)?;
            left = left.saturating_sub(reach.rows.max(1));
            view_row.server_through = Some(if reach.at == to { mark.through } else { reach.at });
            views::save_server(tx, &view_row)?;
            view_marks::put(tx, aggregates, &mut view_row, Some(reach.at), now)?;
        }
        if left == 0 {
            return Ok(Some(nth));
        }
        view_row.server_through = Some(mark.through);
        views::save_server(tx, &view_row)?;
        let replaced = view_marks::replace_read_marks(tx, aggregates, &view_row, now, left)?;
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
        let mut view_row = views::find_or_create(self.tx, self.source, &mark.view, self.generation)?;
        let older = view_row.generation < self.generation;
        if !older && view_row.server_through.is_some() && mark.stamp <= view_row.stamp {
            return Ok(());
        }
        // A server restored from a backup may have an older mark than the one that was already set here.
        let ahead = view_row
            .through
            .filter(|t| older && !self.server_wins && mark.stamp <= view_row.stamp && *t > mark.through);
        (view_row.server_through, view_row.stamp, view_row.generation) =
            (Some(mark.through), mark.stamp, self.generation);
        view_row.server_tick = self.overlay.tick;
        views::save_server(self.tx, &view_row)?;
        if let Some(at) = ahead {
            self.requeue_visit(&view_row, &mark.view, at)?;
        }
        views::assume(self.tx, &mut view_row, None)?;
        let through = view_marks::in_force(self.tx, view_row.id, view_row.server_through)?;
        self.put(&mut view_row, through)?;
        let replaced =
            view_marks::replace_read_marks(self.tx, &mut self.aggregates, &view_row, self.now, usize::MAX)?;
        for item in replaced.changed_items {
            self.unread_overrides.insert(item, true);
        }
        self.views.insert(mark.view.to_string(), view_row);
        Ok(())
    }

    /// Records how far others have read the user's conversations with them.
    pub(super) fn peer_marks(&mut self, marks: &[wire::ViewMark]) -> Result<()> {
        for mark in marks {
            let View::Conversation(key) = &mark.view else { continue };
            if !key.starts_with("user:") {
                continue;
            }
            let view_row = views::find_or_create(self.tx, self.source, &mark.view, self.generation)?;
            let read = PeerRead { through: mark.through, at: mark.stamp };
            if views::set_peer_read(self.tx, view_row.id, read)? {
                self.aggregates.touch_listed(self.source, key)?;
            }
        }
        Ok(())
    }

    fn requeue_visit(&mut self, view_row: &ViewRow, view: &View, at: Stamp) -> Result<()> {
        let seq = outbox::push_visit(self.tx, self.source, view, at, self.now)?;
        outbox_rows::add_view(self.tx, seq, view_row.id, true, at)?;
        self.overlay.any = true;
        Ok(())
    }

    pub(super) fn put(&mut self, view_row: &mut ViewRow, through: Option<Stamp>) -> Result<()> {
        let unread = through < view_row.through;
        for item in view_marks::put(self.tx, &mut self.aggregates, view_row, through, self.now)? {
            self.unread_overrides.insert(item, unread);
        }
        Ok(())
    }

    /// The view whose mark covers the item; `None` for an item of manual class.
    pub(super) fn view_of(&mut self, n: &Notification) -> Result<Option<ViewRow>> {
        // The item has its class in `auto`. Announcements and conversations are always of auto class, but at a service
        // that keeps no view marks.
        if !self.stores_view_marks {
            return Ok(None);
        }
        if n.kind == Kind::Reminder && !n.auto {
            return Ok(None);
        }
        let Some(view) = n.view() else { return Ok(None) };
        let key = view.to_string();
        let mut view_row = match self.views.remove(&key) {
            Some(view_row) => view_row,
            None => views::find_or_create(self.tx, self.source, &view, self.generation)?,
        };
        self.catch_up(&mut view_row, n)?;
        self.views.insert(key, view_row.clone());
        Ok(Some(view_row))
    }

    /// Moves the view's mark to an item that a waiting `read_all` covers and the mark does not reach yet.
    fn catch_up(&mut self, view_row: &mut ViewRow, n: &Notification) -> Result<()> {
        let content_at = n.content_at();
        let own = self.is_own(n);
        let behind = |r: &&ReadAllRange| {
            let to = content_at.min(r.through);
            !own && r.waits() && r.covers(n.kind, n.created_at) && view_row.through.is_none_or(|t| t < to)
        };
        if let Some(range) = self.overlay.ranges.iter().rfind(behind).copied() {
            // Never beyond the time of the `read_all`: content that was revised later stays unread.
            let at = content_at.min(range.through);
            outbox_rows::add_view(self.tx, range.seq, view_row.id, true, at)?;
            // Items marked as unread after that operation stay unread.
            let through = view_marks::in_force(self.tx, view_row.id, view_row.expected())?;
            self.put(view_row, through)?;
        }
        Ok(())
    }

    /// Requests again what a new history of the server lacks: deletions at once, marks of unnamed views when the pull
    /// is complete.
    pub(super) fn requeue_lost(&mut self, complete: bool) -> Result<()> {
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
            let mut view_row = views::one(self.tx, id)?;
            (view_row.server_through, view_row.stamp, view_row.generation) =
                (None, Stamp::ZERO, self.generation);
            views::save_server(self.tx, &view_row)?;
            match view_row.through.zip(views::name(self.tx, id).ok()) {
                Some((at, view)) if !self.server_wins => self.requeue_visit(&view_row, &view, at)?,
                _ => {
                    let through = view_marks::in_force(self.tx, id, None)?;
                    self.put(&mut view_row, through)?;
                }
            }
        }
        // The server did not name these views in a complete pull, so it has not moved their marks.
        for id in views::all_assumed(self.tx, self.source)? {
            let mut view_row = views::one(self.tx, id)?;
            views::assume(self.tx, &mut view_row, None)?;
            let through = view_marks::in_force(self.tx, id, view_row.server_through)?;
            self.put(&mut view_row, through)?;
        }
        Ok(())
    }
}
