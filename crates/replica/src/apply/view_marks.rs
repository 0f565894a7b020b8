//! What a page says of views: their marks, what its items say of them, and what the server forgot. Refuses to move a mark
//! by what is older than what is here.

use rusqlite::Connection;
use tidings_model::{Kind, Notification, Stamp, View, wire};

use super::Pull;
use crate::ledger::Ledger;
use crate::overlay::Act;
use crate::views::{self, Known};
use crate::{Result, SourceId, outbox, row};

/// How many rows the marks of a page change, counted up to just more than a portion.
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

/// Moves the marks of views on their way to where a page has them, over a portion of rows at most, and gives the number of
/// the first that is not there yet. Each step is a mark that the server has passed; the page itself does what is left, and
/// comes again after a crash. Marks of another history are left to it altogether.
pub(crate) fn approach(
    tx: &Connection,
    ledger: &mut Ledger<'_>,
    source: SourceId,
    (marks, from): (&[wire::ViewMark], usize),
    (now, portion): (Stamp, usize),
) -> Result<Option<usize>> {
    let (generation, complete): (i64, bool) = tx
        .prepare_cached("SELECT generation, complete FROM sources WHERE id = ?1")?
        .query_row([source], |r| Ok((r.get(0)?, r.get(1)?)))?;
    let mut left = portion;
    for (nth, mark) in marks.iter().enumerate().skip(from) {
        let Some(mut known) = views::find(tx, source, &mark.view)? else { continue };
        let passed = known.server.is_some() && mark.stamp <= known.stamp;
        if known.generation < generation || passed {
            continue;
        }
        while let Some(to) = views::in_force(tx, known.id, Some(mark.through))?
            && known.through != Some(to)
        {
            if left == 0 {
                return Ok(Some(nth));
            }
            let reach = views::reach(tx, &known, to, left)?;
            left = left.saturating_sub(reach.rows.max(1));
            known.server = Some(if reach.at == to { mark.through } else { reach.at });
            views::heard(tx, &known)?;
            views::put(tx, ledger, &mut known, Some(reach.at), now)?;
        }
        if left == 0 {
            return Ok(Some(nth));
        }
        known.server = Some(mark.through);
        views::heard(tx, &known)?;
        let said = Known { stamp: mark.stamp, ..known };
        let explained = views::explained(tx, ledger, &said, !complete, now, left)?;
        left -= explained.rows;
        if left == 0 {
            return Ok(Some(nth));
        }
    }
    Ok(None)
}

impl Pull<'_> {
    /// A view's mark, as the server has it.
    pub(super) fn mark(&mut self, mark: &wire::ViewMark) -> Result<()> {
        let mut known = views::find_or_create(self.tx, self.source, &mark.view, self.generation, None)?;
        let older = known.generation < self.generation;
        if !older && known.server.is_some() && mark.stamp <= known.stamp {
            return Ok(());
        }
        // A server restored from a backup knows less than was looked at here.
        let ahead =
            known.through.filter(|t| older && !self.retake && mark.stamp <= known.stamp && *t > mark.through);
        (known.server, known.stamp, known.generation) = (Some(mark.through), mark.stamp, self.generation);
        known.heard = self.overlay.tick;
        views::heard(self.tx, &known)?;
        if let Some(at) = ahead {
            self.visit_again(&known, &mark.view, at)?;
        }
        views::assume_nothing(self.tx, known.id)?;
        let through = views::in_force(self.tx, known.id, known.server)?;
        self.put(&mut known, through)?;
        let explained =
            views::explained(self.tx, &mut self.ledger, &known, !self.complete, self.now, usize::MAX)?;
        for item in explained.turned {
            self.turned.insert(item, true);
        }
        self.views.insert(mark.view.to_string(), known);
        Ok(())
    }

    fn visit_again(&mut self, known: &Known, view: &View, at: Stamp) -> Result<()> {
        let change = wire::Change::Visit { view: view.clone(), at: Some(at) };
        let seq = outbox::push(self.tx, self.source, "visit", Some(at), None, &change, self.now)?;
        outbox::on_view(self.tx, seq, known.id, true, at)?;
        self.overlay.any = true;
        Ok(())
    }

    fn put(&mut self, known: &mut Known, through: Option<Stamp>) -> Result<()> {
        let unread = through < known.through;
        for (item, _) in views::put(self.tx, &mut self.ledger, known, through, self.now)? {
            self.turned.insert(item, unread);
        }
        Ok(())
    }

    /// The view whose mark covers the item; none of manual class.
    pub(super) fn view(&mut self, n: &Notification) -> Result<Option<Known>> {
        // The item says it. Announcements and conversations are of auto class whoever sends them.
        if n.kind == Kind::Reminder && !n.auto {
            return Ok(None);
        }
        let Some(view) = n.view() else { return Ok(None) };
        let key = view.to_string();
        let mut known = match self.views.remove(&key) {
            Some(known) => known,
            None => views::find_or_create(self.tx, self.source, &view, self.generation, None)?,
        };
        self.catch_up(&mut known, n)?;
        self.views.insert(key, known.clone());
        Ok(Some(known))
    }

    /// An operation on everything that waits moves the mark of a view that holds something since.
    fn catch_up(&mut self, known: &mut Known, n: &Notification) -> Result<()> {
        let content_at = n.content_at();
        let own = self.is_own(n);
        let behind = |r: &&crate::overlay::Range| {
            let to = content_at.min(r.through);
            !own && r.waits() && r.covers(n.kind, n.created_at) && known.through.is_none_or(|t| t < to)
        };
        if let Some(range) = self.overlay.ranges.iter().rfind(behind).copied() {
            // Never beyond what was read: what was revised later stays unread.
            let at = content_at.min(range.through);
            outbox::on_view(self.tx, range.seq, known.id, true, at)?;
            // What was marked unread after that operation stays unread.
            let through = views::in_force(self.tx, known.id, known.server)?;
            self.put(known, through)?;
        }
        Ok(())
    }

    /// Asks again for what the server forgot: deletions at once, views that it never named once the pull is complete.
    pub(super) fn remind(&mut self, complete: bool) -> Result<()> {
        outbox::queue(self.tx, self.source, Act::Delete, &std::mem::take(&mut self.lost), self.now)?;
        if !complete {
            return Ok(());
        }
        let forgotten: Vec<(i64, String, Option<Stamp>)> = self
            .tx
            .prepare_cached("SELECT id, view, through FROM views WHERE source = ?1 AND generation < ?2")?
            .query_map([self.source, self.generation], |r| Ok((r.get(0)?, r.get(1)?, row::time(r, 2)?)))?
            .collect::<Result<_, _>>()?;
        for (id, view, through) in forgotten {
            let mut known = views::get(self.tx, id)?;
            (known.server, known.stamp, known.generation) = (None, Stamp::ZERO, self.generation);
            views::heard(self.tx, &known)?;
            match through.zip(view.parse::<View>().ok()) {
                Some((at, view)) if !self.retake => self.visit_again(&known, &view, at)?,
                _ => {
                    let through = views::in_force(self.tx, id, None)?;
                    self.put(&mut known, through)?;
                }
            }
        }
        // What the server did not name it has not moved.
        for id in views::assumed(self.tx, self.source)? {
            views::assume_nothing(self.tx, id)?;
            let mut known = views::get(self.tx, id)?;
            let through = views::in_force(self.tx, id, known.server)?;
            self.put(&mut known, through)?;
        }
        Ok(())
    }
}
