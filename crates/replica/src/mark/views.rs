//! Marks of views: moved forward by reading and looking, back by marking unread. Refuses to move one where it is.

use rusqlite::OptionalExtension;
use tidings_model::{MsgId, Stamp, View, wire};

use super::{Before, Marking};
use crate::overlay::Act;
use crate::row::{self, Brief};
use crate::views::{self, Known};
use crate::{Error, Result, SourceId, gather, long, outbox};

impl Marking<'_, '_> {
    pub(crate) fn act_on_view(&mut self, act: Act, view: i64, item: &Brief) -> Result<()> {
        let known = views::get(self.tx, view)?;
        let forward = act == Act::Read;
        let at = if forward { item.content_at() } else { item.created_at.plus_micros(-1) };
        let through = views::step_to(known.through, forward, at);
        if through == known.through {
            return Ok(());
        }
        let seq = if forward {
            // By time: the item itself may be deleted by the time the server hears of it.
            self.push_visit(item.source, view, &self.view(view)?, at)?
        } else {
            self.push_back(item, view, at, known.through)?
        };
        outbox::on_view(self.tx, seq, view, forward, at)?;
        self.put_view(item.source, known, through)
    }

    pub(crate) fn view(&self, id: i64) -> Result<View> {
        let text: String =
            self.tx.prepare_cached("SELECT view FROM views WHERE id = ?1")?.query_row([id], |r| r.get(0))?;
        text.parse().map_err(|_| Error::Row(format!("view {id} is none")))
    }

    /// Asks for a view's mark to move back to `at`, just before an item: by naming it and what else the mark covered
    /// after that. The item alone would do, unless it is deleted by the time the server hears of it.
    pub(crate) fn push_back(
        &self,
        item: &Brief,
        view: i64,
        at: Stamp,
        through: Option<Stamp>,
    ) -> Result<i64> {
        let through = through.map_or(i64::MIN, Stamp::as_micros);
        let mut msgids = vec![MsgId(item.msgid.clone())];
        let mut others = self.tx.prepare_cached(
            "SELECT msgid FROM items WHERE view = ?1 AND content_at > ?2 AND content_at <= ?3 AND created_at > ?2
                 AND deleted = 0 AND id <> ?4
             ORDER BY content_at LIMIT 499",
        )?;
        for other in others.query_map([view, at.as_micros(), through, item.id], |r| Ok(MsgId(r.get(0)?)))? {
            msgids.push(other?);
        }
        let change = wire::Change::Unread { msgids };
        outbox::push(self.tx, item.source, Act::Unread.word(), None, None, &change, self.now)
    }

    /// Puts a mark in force and counts what turned.
    pub(crate) fn put_view(
        &mut self,
        source: SourceId,
        mut known: Known,
        through: Option<Stamp>,
    ) -> Result<()> {
        let was = known.through;
        let id = known.id;
        let turned = views::put(self.tx, self.ledger, &mut known, through, self.now)?;
        self.items += turned.len() as u64;
        let sign = if through > was { -1 } else { 1 };
        for (item, _) in &turned {
            let kind = self
                .tx
                .prepare_cached("SELECT kind FROM items WHERE id = ?1")?
                .query_row([item], |r| row::kind(r, 0))?;
            *self.unread.entry((source, kind)).or_default() += sign;
        }
        long::remember(&mut self.before, Before::View { id, was, is: through });
        Ok(())
    }

    /// Looks at a view.
    pub(crate) fn visit(&mut self, source: SourceId, view: &View, at: Option<Stamp>) -> Result<()> {
        let generation: i64 = self
            .tx
            .prepare_cached("SELECT generation FROM sources WHERE id = ?1")?
            .query_row([source], |r| r.get(0))
            .optional()?
            .ok_or(Error::NoSource(source))?;
        let known = views::find_or_create(self.tx, source, view, generation, None)?;
        let Some(at) = views::shown(self.tx, &known, at)? else { return Ok(()) };
        let seq = self.push_visit(source, known.id, view, at)?;
        outbox::on_view(self.tx, seq, known.id, true, at)?;
        self.put_view(source, known, Some(at))
    }

    /// Asks for a view's mark to move forward: with the operation that waits for it, or with a new one.
    pub(crate) fn push_visit(&self, source: SourceId, id: i64, view: &View, at: Stamp) -> Result<i64> {
        if let Some(seq) = gather::move_on(self.tx, id, view, at)? {
            return Ok(seq);
        }
        let change = wire::Change::Visit { view: view.clone(), at: Some(at) };
        outbox::push(self.tx, source, "visit", Some(at), None, &change, self.now)
    }
}
