//! What a page says of views: their marks, what its items say of them, and what the server forgot. Refuses to move a mark
//! by what is older than what is here.

use tidings_model::{Kind, Notification, Stamp, View, wire};

use super::Pull;
use crate::overlay::Act;
use crate::views::{self, Known};
use crate::{Result, outbox, row};

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
        let through = views::in_force(self.tx, known.id, known.server)?;
        self.put(&mut known, through)?;
        for item in views::explained(self.tx, &mut self.ledger, &known, !self.complete, self.now)? {
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
            !own && r.covers(n.kind, n.created_at) && known.through.is_none_or(|t| t < content_at)
        };
        if let Some(range) = self.overlay.ranges.iter().rfind(behind).copied() {
            let at = range.through.max(content_at);
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
        Ok(())
    }
}
